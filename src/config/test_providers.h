// Whether the provider configurations of test files fit the modules that their runs
// are about.
//
// A provider block in a test file does not say which provider its name stands for:
// the first run that uses it decides, by the module it is about, and every other
// run has to mean the same.
#pragma once

#include "config/tree.h"
#include "diag/diagnostic.h"
#include "diag/source.h"

namespace tofu::config {

// Checks all test files of a tree without other errors.
void check_test_providers(const Tree& tree, const diag::SourceMap& sources,
                          diag::Diagnostics& diags);

}  // namespace tofu::config
