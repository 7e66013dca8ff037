#include "base/memory.h"

#if __has_include(<malloc.h>)
#include <malloc.h>
#endif

namespace tofu::base {

void keep_freed_memory() {
#if defined(M_TRIM_THRESHOLD) && defined(M_MMAP_THRESHOLD) && defined(M_TOP_PAD)
  constexpr int kKept = 64 * 1024 * 1024;
  // Larger blocks are mapped one by one, so that a list that grows to many
  // megabytes leaves no hole behind each time it moves.
  constexpr int kMapped = 4 * 1024 * 1024;
  mallopt(M_TRIM_THRESHOLD, kKept);
  mallopt(M_MMAP_THRESHOLD, kMapped);
  // What a thread takes from the system at first. Beyond that it asks for one page at a time,
  // and the other threads wait for each.
  constexpr int kTaken = 1024 * 1024;
  mallopt(M_TOP_PAD, kTaken);
#endif
}

}  // namespace tofu::base
