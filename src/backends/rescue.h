// The last resort for a state that its backend refuses.
//
// It goes to errored.tfstate in the working directory; if that fails too, its text is
// handed back, to be shown in full. What happened must not be lost.
#pragma once

#include <optional>
#include <string>

#include "diag/diagnostic.h"
#include "state/encryption.h"
#include "state/state.h"

namespace tofu::backends {

inline constexpr std::string_view kErroredState = "errored.tfstate";

// Adds an error that says where the state is and how to store it. Nothing if the file
// was written, otherwise the text, encrypted where the state is. `journal` is the file of a
// journal that has the same; empty if there is none.
std::optional<std::string> rescue_state(const state::State& state,
                                        const state::Encryption& encryption,
                                        const std::string& journal, diag::Diagnostics& diags);

}  // namespace tofu::backends
