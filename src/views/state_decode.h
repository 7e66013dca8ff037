// A state and the schemas of its providers become what views take.
//
// Decodes the objects of a state, which are text until a schema gives their types, into values.
// Nothing is upgraded: an object of another version of its schema is an error, because only its
// provider could read it. So is one of a provider that is not available: its sensitive parts are
// not known.
#pragma once

#include <optional>

#include "diag/diagnostic.h"
#include "schema/provider.h"
#include "state/state.h"
#include "views/state_records.h"

namespace tofu::views {

diag::Checked<StateRecords> state_records(const state::State& state,
                                          const schema::ProviderSchemas& schemas,
                                          diag::Diagnostics& diags);

// The current object of one instance and those deposed. Other instances are not looked
// at. Without objects if there is no such instance.
std::optional<StateRecords> instance_records(const state::State& state,
                                             const addrs::AbsResourceInstance& address,
                                             const schema::ProviderSchemas& schemas,
                                             diag::Diagnostics& diags);

}  // namespace tofu::views
