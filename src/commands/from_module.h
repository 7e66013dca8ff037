// `init -from-module`: the working directory becomes a copy of a module.
//
// The source may be anything that a module call could have. What the module itself
// calls is installed afterwards, by the rest of init.
#pragma once

#include <string>

#include "commands/command.h"
#include "commands/progress.h"
#include "diag/diagnostic.h"

namespace tofu::commands {

// The working directory has to be empty. False if and only if an error was added.
bool copy_from_module(const std::string& source, Progress& progress, World& world,
                      diag::Diagnostics& diags);

}  // namespace tofu::commands
