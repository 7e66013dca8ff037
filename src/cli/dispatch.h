// The way from the words on the command line to a command.
//
// Global options, TF_CLI_ARGS, help, unknown commands and completion are settled
// here; a command sees only its own flags and arguments.
#pragma once

#include "cli/autocomplete.h"
#include "cli/command.h"
#include "cli/session.h"
#include "cli/settings.h"

namespace tofu::cli {

// Runs what the arguments in the environment ask for and returns the exit status. `names` is used
// if a shell asks for a completion. `settings` are those of the session: the CLI configuration is
// read into them before the command runs.
int run_cli(const CommandTable& table, const CompletionNames& names, Settings& settings,
            Session& session);

}  // namespace tofu::cli
