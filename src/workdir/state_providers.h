// The providers that objects of the state need, whether the configuration still names them
// or not.
//
// An object whose block was removed is destroyed by the provider that made it, so that has
// to be installed, too.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string_view>

#include "addrs/provider.h"
#include "cli/environment.h"
#include "config/tree.h"
#include "diag/diagnostic.h"
#include "state/state.h"
#include "workdir/access.h"
#include "workdir/configuration.h"

namespace tofu::workdir {

// Where Terraform's providers are, which are here under the same names.
inline constexpr std::string_view kTerraformRegistryHost = "registry.terraform.io";

// Whether a provider that a state of Terraform names is shown as recorded, or as the one that is
// used in its place (with_providers_of_here()).
enum class RecordedHosts : std::uint8_t { Kept, Translated };
// Of the chosen workspace, with what journals of interrupted runs add; none if there is no state.
diag::Checked<std::set<addrs::Provider>> providers_of_state(const Configuration& configuration,
                                                            RecordedHosts hosts,
                                                            StateAccess& access,
                                                            diag::Diagnostics& diags);

// The state as this program understands it. Those of Terraform name the providers of its
// registry; they are here under the same names, unless the configuration asks for the others
// by their full address. OPENTOFU_STATEFILE_PROVIDER_ADDRESS_TRANSLATION=0 leaves them alone.
state::State with_providers_of_here(state::State state, const config::Tree& tree,
                                    const cli::Environment& environment);

}  // namespace tofu::workdir
