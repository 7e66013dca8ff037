// Names that completion offers from the state of the working directory.
//
// They are workspaces and addresses. Only states in files are read, because a remote state takes
// too long while the user types.
#pragma once

#include "cli/autocomplete.h"
#include "cli/session.h"

namespace tofu::commands {

// `session` outlives what is returned.
cli::CompletionNames completion_names(const cli::Session& session);

}  // namespace tofu::commands
