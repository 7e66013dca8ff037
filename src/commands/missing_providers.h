// Providers that a configuration needs and that are not there.
//
// Until providers can be installed, only the built-in one is there. Whatever else
// is wrong with the use of a provider that is missing cannot be determined, so these
// errors stand alone.
#pragma once

#include "addrs/provider.h"
#include "config/tree.h"
#include "diag/diagnostic.h"

namespace tofu::commands {

bool is_available(const addrs::Provider& provider);

void report_missing_provider(const addrs::Provider& provider, diag::Diagnostics& diags);

// One error for each provider that `tree`, with its tests, needs and is missing.
void report_missing_providers(const config::Tree& tree, diag::Diagnostics& diags);

}  // namespace tofu::commands
