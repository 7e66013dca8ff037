#include "base/arena.h"

#include <algorithm>
#include <cstring>

namespace tofu::base {

namespace {
constexpr std::size_t kFirstChunk = 4 * 1024;
constexpr std::size_t kMaxChunkSize = 1024 * 1024;
}  // namespace

Arena::Arena(Arena&& other) noexcept { *this = std::move(other); }

Arena& Arena::operator=(Arena&& other) noexcept {
  cursor_ = std::exchange(other.cursor_, 0);
  limit_ = std::exchange(other.limit_, 0);
  reserved_ = std::exchange(other.reserved_, 0);
  chunks_ = std::move(other.chunks_);
  other.chunks_.clear();
  return *this;
}

Arena::~Arena() = default;

void* Arena::allocate_slow(std::size_t size, std::size_t alignment) {
  // Chunks double up to a limit, so that a small file wastes little and a large
  // one asks the system rarely.
  const std::size_t chunk =
      std::max(size + alignment, std::clamp(reserved_, kFirstChunk, kMaxChunkSize));
  chunks_.push_back(std::make_unique_for_overwrite<std::byte[]>(chunk));
  reserved_ += chunk;
  cursor_ = reinterpret_cast<std::uintptr_t>(chunks_.back().get());
  limit_ = cursor_ + chunk;
  return allocate(size, alignment);
}

std::string_view Arena::copy(std::string_view text) {
  if (text.empty()) return {};
  auto* out = static_cast<char*>(allocate(text.size(), 1));
  std::memcpy(out, text.data(), text.size());
  return {out, text.size()};
}

}  // namespace tofu::base
