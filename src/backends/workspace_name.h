// Names of workspaces.
//
// They stand in paths of files and addresses of the network, so each name is checked before it
// is used, wherever it comes from: the environment, a file, the command line or configuration.
#pragma once

#include <string_view>

#include "diag/diagnostic.h"

namespace tofu::backends {

// Letters, digits and characters that need no escape in an address; neither "." nor "..".
bool is_workspace_name(std::string_view name);

diag::Checked<void> check_workspace_name(std::string_view name, diag::Diagnostics& diags);

}  // namespace tofu::backends
