// Test output for people: a line for each file and run, and how it ended.
//
// OpenTofu's lines, which other programs read; the caller prints diagnostics. Nothing is kept
// between two lines: the caller knows what was printed before.
#pragma once

#include <string>
#include <string_view>

#include "plans/test_events.h"

namespace tofu::views {

// `tests/a.tftest.hcl... pass`
std::string test_line(const plans::TestFileEnded& event, bool color);
// `  run "a"... fail`
std::string test_line(const plans::TestRunEnded& event, bool color);
// `Success! 3 passed, 0 failed.`
std::string test_summary(const plans::TestsEnded& event, bool color);
// Objects that could not be destroyed, one per line, with the place of their state; empty if
// nothing is left.
std::string left_objects(const plans::TestCleanedUp& event);
// Objects that may be left after a forced exit; empty if nothing is.
std::string broken_tests(const plans::TestsBroken& event);
// The current test, for a line that is rewritten: at most `width` columns.
std::string test_progress(const plans::TestProgress& event, std::size_t width);

}  // namespace tofu::views
