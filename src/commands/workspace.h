// Where a working directory keeps its data, and which workspace is chosen in it.
//
// The environment wins over what is on disk. Nothing is made or changed here; a
// directory without data is one that was never initialised.
#pragma once

#include <string>

#include "commands/environment.h"

namespace tofu::commands {

// .terraform, or what TF_DATA_DIR says.
std::string data_directory(const Environment& environment);

// What TF_WORKSPACE says, or what was selected before, or "default".
std::string workspace_name(const Environment& environment);

}  // namespace tofu::commands
