// The way from the words on the command line to a command.
//
// Global options, TF_CLI_ARGS, help, unknown commands and completion are settled
// here; a command sees only its own flags and arguments.
#pragma once

#include "commands/command.h"

namespace tofu::commands {

// Runs what `world.environment.arguments` asks for and returns the exit status.
int run_cli(World& world);

}  // namespace tofu::commands
