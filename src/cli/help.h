// The help texts, made from the table of commands.
//
// Nothing is written twice: names, flags and their defaults come from the same
// tables that parsing uses, so help cannot promise what is not there.
#pragma once

#include <string>

#include "cli/command.h"

namespace tofu::cli {

std::string help_for_program(const CommandTable& table);
std::string help_for(const Command& command, const CommandTable& table);

}  // namespace tofu::cli
