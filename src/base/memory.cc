#include "base/memory.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <sys/mman.h>
#include <unistd.h>

#if __has_include(<malloc.h>)
#include <malloc.h>
#endif

namespace tofu::base {

namespace {

// Blocks of this size and more are mapped one by one, so that a list that grows to many megabytes
// leaves no hole behind each time it moves.
constexpr int kMapped = 4 * 1024 * 1024;

#if defined(MADV_POPULATE_WRITE)
// Allocates and frees so many bytes, which are then what is allocated next: where their first
// whole page begins. 0 if there are none.
std::uintptr_t place_of_next(std::size_t bytes) {
  void* block = std::malloc(bytes);
  if (block == nullptr) return 0;
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto first = (reinterpret_cast<std::uintptr_t>(block) + page - 1) / page * page;
  std::free(block);
  return first;
}

// Changes nothing in the memory, whoever has it by now.
void bring_in(std::uintptr_t first, std::size_t bytes) {
  // In small steps: others that need the map of our memory wait for each.
  constexpr std::size_t kStep = 64 * 1024;
  for (std::size_t at = 0; first != 0 && at + kStep <= bytes; at += kStep) {
    (void)madvise(reinterpret_cast<void*>(first + at), kStep, MADV_POPULATE_WRITE);
  }
}
#endif

}  // namespace

void keep_freed_memory() {
#if defined(M_TRIM_THRESHOLD) && defined(M_MMAP_THRESHOLD) && defined(M_TOP_PAD)
  constexpr int kKept = 64 * 1024 * 1024;
  mallopt(M_TRIM_THRESHOLD, kKept);
  mallopt(M_MMAP_THRESHOLD, kMapped);
  // What a thread takes from the system at first. Beyond that it asks for one page at a time,
  // and the other threads wait for each.
  constexpr int kTaken = 1024 * 1024;
  mallopt(M_TOP_PAD, kTaken);
#endif
}

MemoryAhead::MemoryAhead(std::size_t bytes) {
#if defined(MADV_POPULATE_WRITE)
  constexpr std::size_t kFew = 256 * 1024;
  constexpr std::size_t kMost = 3 * 1024 * 1024;
  static_assert(kMost < kMapped, "what is freed stays");
  if (bytes < kFew || kMemoryIsChecked || processors() == 1) return;
  bytes = std::min(bytes, kMost);
  constexpr std::size_t kStack = 64 * 1024;
  thread_ = Thread::start_or_run(kStack, [first = place_of_next(bytes), bytes] {
    bring_in(first, bytes);
    // What this thread allocates from, the next one gets, which helps to plan.
    bring_in(place_of_next(bytes / 4), bytes / 4);
  });
#else
  (void)bytes;
#endif
}

void give_back(std::span<char> bytes) {
#if defined(MADV_DONTNEED)
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<std::uintptr_t>(bytes.data());
  const std::uintptr_t first = (begin + page - 1) / page * page;
  const std::uintptr_t end = (begin + bytes.size()) / page * page;
  // That it cannot be done changes nothing.
  if (first < end) (void)madvise(reinterpret_cast<void*>(first), end - first, MADV_DONTNEED);
#else
  (void)bytes;
#endif
}

void give_back_freed() {
#if defined(__GLIBC__)
  (void)malloc_trim(0);
#endif
}

}  // namespace tofu::base
