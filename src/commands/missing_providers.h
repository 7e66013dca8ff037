// Providers that a configuration needs and that are not there.
//
// Until providers can be installed, only the built-in one is there. Whatever else
// is wrong with the use of a provider that is missing cannot be told, so these
// errors stand alone.
#pragma once

#include "commands/configuration.h"
#include "config/tree.h"
#include "diag/diagnostic.h"

namespace tofu::commands {

// One error for each provider that `tree` needs and is missing; `with_tests` also
// counts what the test files of `loaded` need.
void report_missing_providers(const Configuration& loaded, const config::Tree& tree,
                              bool with_tests, diag::Diagnostics& diags);

}  // namespace tofu::commands
