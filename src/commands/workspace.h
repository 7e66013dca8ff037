// Where a working directory keeps its data, and which workspace is chosen in it.
//
// The environment wins over what is on disk. A directory without data is one that was
// never initialized.
#pragma once

#include <string>

#include "commands/environment.h"
#include "diag/diagnostic.h"

namespace tofu::commands {

// .terraform, or what TF_DATA_DIR says.
std::string data_directory(const Environment& environment);

// What TF_WORKSPACE says, or what was selected before, or "default".
std::string workspace_name(const Environment& environment);

// Selects it. False if and only if an error was added.
bool write_workspace_name(const std::string& name, const Environment& environment,
                          diag::Diagnostics& diags);

}  // namespace tofu::commands
