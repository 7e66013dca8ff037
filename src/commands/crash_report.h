// What a person reads when the program dies of a fault of its own.
//
// A few fixed sentences: no arguments, no values, nothing that could be a secret. The
// signal then does what it always does, so that exit statuses and core dumps stay.
#pragma once

namespace tofu::commands {

// Once, early in main. With a sanitizer it does nothing: that reports faults itself.
void report_crashes();

}  // namespace tofu::commands
