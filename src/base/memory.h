// How memory is taken from the system, and what happens to what is not needed any more.
//
// Nothing here changes what a program does, only how fast it is and how large. Where the
// system has no such thing, nothing happens.
#pragma once

#include <cstddef>
#include <span>

#include "base/thread.h"

namespace tofu::base {

// Whether a sanitizer watches every use of memory. Blocks that are kept for the next use would
// escape it, and signal handlers be in its way.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kMemoryIsChecked = true;
#elif defined(__has_feature)
inline constexpr bool kMemoryIsChecked =
    __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
inline constexpr bool kMemoryIsChecked = false;
#endif

// To be called at the start of main(), before there are other threads.
//
// Keeps freed memory for the next use instead of giving it back to the system, and takes it
// in large pieces. We read many files, each into a tree that dies as a whole: giving back and
// taking again, page by page, was a third of the time of parsing.
void keep_freed_memory();

// Has another processor bring in memory that is about to be allocated. The system takes a
// microsecond or two for each page when it is first touched, in virtual machines above all, which
// is a third of what reading a configuration takes. Only some megabytes, and none if they are
// few; nothing where there is no other processor.
class MemoryAhead {
 public:
  MemoryAhead() = default;
  explicit MemoryAhead(std::size_t bytes);

 private:
  Thread thread_;
};

// Gives back to the system what whole pages of memory the bytes have, which stay allocated:
// they can be written again, but what they are until then is anything. For the part of a long
// text that was read and is not read again.
void give_back(std::span<char> bytes);

// Gives back to the system what was freed so far. What a thread allocated is, once freed, used
// again by that thread and a few others only, so where one thread makes a lot of large things and
// others make more in their place, all of it stays. Takes time: for once in many megabytes.
void give_back_freed();

}  // namespace tofu::base
