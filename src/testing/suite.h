// All tests of a configuration: file by file, by name, each with states of its own that are
// destroyed at its end, the latest first.
//
// Of a file in which a run could not be made, the rest is skipped; a run whose assertions
// fail holds nothing up. Cleaning up changes no verdict.
#pragma once

#include <vector>

#include "config/test_file.h"
#include "plans/test_events.h"
#include "testing/environment.h"

namespace tofu::testing {

// The files that a filter leaves, by name; positions in Tree::tests.
std::vector<std::size_t> selected_files(const config::Tree& tree,
                                        const std::vector<std::string>& filter);

// The worst that became of any of them.
plans::TestStatus run_tests(const TestEnvironment& environment);

}  // namespace tofu::testing
