// The providers that objects of the state need, whether the configuration still names them
// or not.
//
// An object whose block was removed is destroyed by the provider that made it, so that has
// to be installed, too.
#pragma once

#include <optional>
#include <set>
#include <string_view>

#include "addrs/provider.h"
#include "commands/command.h"
#include "commands/configuration.h"
#include "commands/environment.h"
#include "config/tree.h"
#include "diag/diagnostic.h"
#include "state/state.h"

namespace tofu::commands {

// Where Terraform's providers are, which are here under the same names.
inline constexpr std::string_view kTerraformRegistryHost = "registry.terraform.io";

// Of the chosen workspace; none if there is no state. Nothing if and only if an error was
// added.
std::optional<std::set<addrs::Provider>> providers_of_state(const Configuration& configuration,
                                                            World& world, diag::Diagnostics& diags);

// The state as this program understands it. Those of Terraform name the providers of its
// registry; they are here under the same names, unless the configuration asks for the others
// by their full address. OPENTOFU_STATEFILE_PROVIDER_ADDRESS_TRANSLATION=0 leaves them alone.
state::State with_providers_of_here(state::State state, const config::Tree& tree,
                                    const Environment& environment);

}  // namespace tofu::commands
