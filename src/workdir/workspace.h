// Where a working directory keeps its data, and which workspace is chosen in it.
//
// The environment wins over what is on disk. A directory without data is one that was
// never initialized.
#pragma once

#include <string>
#include <vector>

#include "cli/environment.h"
#include "diag/diagnostic.h"

namespace tofu::workdir {

// .terraform, or what TF_DATA_DIR says.
std::string data_directory(const cli::Environment& environment);

// Where journals of states that are not files of this machine are kept: what TOFU_JOURNAL_DIR
// says, or the user's directory for such things, which outlives the working directory's data.
// The last one is in that data, for machines where the others cannot be written.
std::vector<std::string> journal_directories(const cli::Environment& environment);

// What TF_WORKSPACE says, or what was selected before, or "default". If the selection cannot be
// read, a name that no workspace can have, for which check_workspace() has the reason: the default
// workspace is not the one that was selected.
inline constexpr std::string_view kUnreadableWorkspace = "?";
std::string workspace_name(const cli::Environment& environment);

// Whether that can be the name of a workspace; where it cannot, the error says where it is from.
diag::Checked<void> check_workspace(const cli::Environment& environment, diag::Diagnostics& diags);

// Selects it.
diag::Checked<void> write_workspace_name(const std::string& name,
                                         const cli::Environment& environment,
                                         diag::Diagnostics& diags);

}  // namespace tofu::workdir
