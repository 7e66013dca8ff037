// What people read of tests: a line for each file and run, and how it ended.
//
// OpenTofu's lines, which other programs read; diagnostics are printed by whoever has them.
// Nothing is kept between two lines: whoever prints them knows what came before.
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
// What could not be destroyed, one object a line, with where its state is now; empty if
// nothing is left.
std::string left_objects(const plans::TestCleanedUp& event);
// What may be left of tests that were ended at once; empty if nothing is.
std::string broken_tests(const plans::TestsBroken& event);
// What goes on right now, for a line that is written again and again: at most `width` columns.
std::string test_progress(const plans::TestProgress& event, std::size_t width);

}  // namespace tofu::views
