// Tuning of memory allocation and of returning freed memory to the system.
//
// Nothing here changes what a program does, only how fast it is and how large. On systems without
// support nothing happens.
#pragma once

#include <cstddef>
#include <span>

namespace tofu::base {

// Whether a sanitizer watches every use of memory. It needs more memory itself, so that limits are
// lower, and has signal handlers of its own.
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
// Keeps freed memory for the next use instead of giving it back to the system, and takes it in
// large pieces. We read many files, each into a tree that is freed as a whole: giving back and
// taking again, page by page, was a third of the time of parsing.
void keep_freed_memory();

// Gives back to the system what whole pages of memory the bytes have, which stay allocated: they
// can be written again, but their contents are undefined until then. For the part of a long text
// that was read and is not read again.
void give_back(std::span<char> bytes);

// Returns freed memory to the system. Freed memory is reused only by the thread that allocated it
// and a few others. If one thread frees many large things and others allocate more, the process
// keeps all of it. Takes time: for once in many megabytes.
void trim_heap();

}  // namespace tofu::base
