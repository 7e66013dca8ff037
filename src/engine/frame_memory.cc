#include "engine/frame_memory.h"

#include <array>
#include <new>

#include "base/memory.h"

namespace tofu::engine {

namespace {

// Frames are kept by size, in steps of so many bytes.
constexpr std::size_t kStep = 256;
constexpr std::size_t kSizes = 64;
constexpr std::size_t kKeptOfEach = 4;

constexpr std::size_t index_of(std::size_t size) { return (size + kStep - 1) / kStep; }

class KeptFrames {
 public:
  KeptFrames() = default;
  KeptFrames(const KeptFrames&) = delete;
  KeptFrames& operator=(const KeptFrames&) = delete;
  ~KeptFrames() {
    for (Kept& kept : by_size_) {
      while (kept.count != 0) ::operator delete(kept.frames[--kept.count]);
    }
  }

  void* take(std::size_t index) {
    Kept& kept = by_size_[index];
    return kept.count == 0 ? ::operator new(index* kStep) : kept.frames[--kept.count];
  }

  void leave(void* frame, std::size_t index) noexcept {
    Kept& kept = by_size_[index];
    if (kept.count == kKeptOfEach) return ::operator delete(frame);
    kept.frames[kept.count++] = frame;
  }

 private:
  struct Kept {
    std::array<void*, kKeptOfEach> frames = {};
    std::size_t count = 0;
  };
  std::array<Kept, kSizes + 1> by_size_;
};

thread_local KeptFrames kept_frames;

bool is_kept(std::size_t size) { return !base::kMemoryIsChecked && index_of(size) <= kSizes; }

}  // namespace

void* take_frame(std::size_t size) {
  return is_kept(size) ? kept_frames.take(index_of(size)) : ::operator new(size);
}

void leave_frame(void* frame, std::size_t size) noexcept {
  if (is_kept(size)) return kept_frames.leave(frame, index_of(size));
  ::operator delete(frame);
}

}  // namespace tofu::engine
