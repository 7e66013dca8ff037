#include "base/uuid.h"

#include <unistd.h>

namespace tofu::base {

std::string uuid_text(const UuidBytes& bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(36);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += kDigits[bytes[i] >> 4];
    text += kDigits[bytes[i] & 15];
  }
  return text;
}

namespace {

template <std::size_t kCount>
Result<void> fill(std::array<UuidBytes, kCount>& bytes) {
  if (getentropy(bytes.data(), sizeof bytes) == 0) return {};
  return Error{"the system gives no random numbers"};
}

}  // namespace

Result<std::string> random_uuid() {
  std::array<UuidBytes, 1> bytes;
  if (const auto filled = fill(bytes); !filled) return filled.error();
  return uuid_text(bytes[0]);
}

Result<std::string> UuidSource::next() {
  const std::lock_guard lock(mutex_);
  if (used_ == bytes_.size()) {
    if (const auto filled = fill(bytes_); !filled) return filled.error();
    used_ = 0;
  }
  return uuid_text(bytes_[used_++]);
}

}  // namespace tofu::base
