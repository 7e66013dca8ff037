#include "base/memory.h"

#include <cstdint>
#include <sys/mman.h>
#include <unistd.h>

#if __has_include(<malloc.h>)
#include <malloc.h>
#endif

namespace tofu::base {

void keep_freed_memory() {
#if defined(M_TRIM_THRESHOLD) && defined(M_MMAP_THRESHOLD) && defined(M_TOP_PAD)
  constexpr int kKept = 64 * 1024 * 1024;
  mallopt(M_TRIM_THRESHOLD, kKept);
  // Blocks of this size and more are mapped one by one, so that a list that grows to many
  // megabytes leaves no hole behind each time it moves.
  constexpr int kMapped = 4 * 1024 * 1024;
  mallopt(M_MMAP_THRESHOLD, kMapped);
  // The first allocation of a thread from the system. Beyond that it asks for one page at a time,
  // and the other threads wait for each.
  constexpr int kTaken = 1024 * 1024;
  mallopt(M_TOP_PAD, kTaken);
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

void trim_heap() {
#if defined(__GLIBC__)
  (void)malloc_trim(0);
#endif
}

}  // namespace tofu::base
