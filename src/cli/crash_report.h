// The report for the user when the program crashes because of a bug.
//
// A few fixed sentences: no arguments, no values, nothing that could be a secret. The
// signal then does what it always does, so that exit statuses and core dumps stay.
#pragma once

#include <string_view>

namespace tofu::cli {

// The report, instead, when the system refuses more memory.
inline constexpr std::string_view kOutOfMemory =
    "\nError: Out of memory\n\nThe system refused to allocate more memory. Finished operations are "
    "in the state or\nin the journal beside it, and the next command completes the state from the "
    "journal.\nSplit the configuration, reduce the number of instances or the size of values, or "
    "use\na machine with more memory.";

// Once, early in main. If the program has a sanitizer, that reports crashes instead.
void report_crashes();

}  // namespace tofu::cli
