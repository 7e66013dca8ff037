// The providers that objects of the state need, whether the configuration still names them
// or not.
//
// An object whose block was removed is destroyed by the provider that made it, so that has
// to be installed, too.
#pragma once

#include <optional>
#include <set>

#include "addrs/provider.h"
#include "commands/command.h"
#include "commands/configuration.h"
#include "diag/diagnostic.h"

namespace tofu::commands {

// Of the chosen workspace; none if there is no state. Nothing if and only if an error was
// added.
std::optional<std::set<addrs::Provider>> providers_of_state(const Configuration& configuration,
                                                            World& world, diag::Diagnostics& diags);

}  // namespace tofu::commands
