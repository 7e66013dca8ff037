// The last resort for a state that its backend refuses.
//
// It goes to errored.tfstate in the working directory; if that fails too, its text is handed back,
// to be shown in full. The results of a run must not be lost.
#pragma once

#include <optional>
#include <string>

#include "base/disk.h"
#include "diag/diagnostic.h"
#include "state/encryption.h"
#include "state/state.h"

namespace tofu::backends {

inline constexpr std::string_view kErroredState = "errored.tfstate";

// The journal of the same run.
struct RescueJournal {
  std::string path = {};     // empty: there is none
  bool is_complete = false;  // everything could be written into it
  bool is_locked = true;     // otherwise it ends once errored.tfstate has everything
};

// Adds an error that says where the state is and how to store it. Nothing if the file
// was written, otherwise the text, encrypted where the state is.
std::optional<std::string> rescue_state(base::Disk& disk, const state::State& state,
                                        const state::Encryption& encryption,
                                        const RescueJournal& journal, diag::Diagnostics& diags);

// Removes what processes that were killed while they wrote errored.tfstate have left of it.
void remove_abandoned_rescues(base::Disk& disk);

}  // namespace tofu::backends
