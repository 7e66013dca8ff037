// How memory is taken from the system, and what happens to what is freed.
//
// To be called at the start of main(), before there are other threads. Affects
// speed only; where the C library has no such setting, nothing happens.
#pragma once

namespace tofu::base {

// Keeps freed memory for the next use instead of giving it back to the system, and takes it
// in large pieces. We read many files, each into a tree that dies as a whole: giving back and
// taking again, page by page, was a third of the time of parsing.
void keep_freed_memory();

}  // namespace tofu::base
