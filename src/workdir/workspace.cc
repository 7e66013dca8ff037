#include "workdir/workspace.h"

#include <filesystem>
#include <fmt/format.h>

#include "backends/workspace_name.h"
#include "base/file.h"
#include "base/trim.h"

namespace tofu::workdir {

namespace {

constexpr std::size_t kMaxShownName = 100;  // bytes

// What was selected; empty if nothing was.
base::Result<std::string> selected_workspace(const cli::Environment& environment) {
  const std::string path = data_directory(environment) + "/environment";
  const auto saved = base::read_file(path);
  if (saved) return std::string(base::trim_space(*saved));
  const auto kind = base::file_kind(path);
  if (kind && *kind == base::FileKind::Missing) return std::string();
  return saved.error();
}

}  // namespace

std::string data_directory(const cli::Environment& environment) {
  const std::string_view chosen = environment.variable("TF_DATA_DIR");
  return chosen.empty() ? ".terraform" : std::string(chosen);
}

std::vector<std::string> journal_directories(const cli::Environment& environment) {
  std::vector<std::string> directories;
  const std::string_view chosen = environment.variable("TOFU_JOURNAL_DIR");
  const std::string_view state = environment.variable("XDG_STATE_HOME");
  const std::string_view home = environment.variable("HOME");
  if (!chosen.empty()) {
    directories.emplace_back(chosen);
  } else if (state.starts_with('/')) {  // a relative one does not count, as XDG has it
    directories.push_back(std::string(state) + "/tofu/journal");
  } else if (!home.empty()) {
    directories.push_back(std::string(home) + "/.local/state/tofu/journal");
  }
  directories.push_back(data_directory(environment) + "/journal");
  return directories;
}

std::string workspace_name(const cli::Environment& environment) {
  const std::string_view chosen = environment.variable("TF_WORKSPACE");
  if (!chosen.empty()) return std::string(chosen);
  const auto selected = selected_workspace(environment);
  if (!selected) return std::string(kUnreadableWorkspace);
  return selected->empty() ? "default" : *selected;
}

diag::Checked<void> check_workspace(const cli::Environment& environment, diag::Diagnostics& diags) {
  const std::string name = workspace_name(environment);
  if (backends::is_workspace_name(name)) return true;
  if (name == kUnreadableWorkspace) {
    const auto selected = selected_workspace(environment);
    diags.error("Cannot read the selected workspace")
        .detail(fmt::format("Reading {}/environment failed: {}.", data_directory(environment),
                            selected ? "it was changed meanwhile" : selected.error().what));
    return false;
  }
  const std::string allowed = "Workspace names can contain letters, digits and - _ . only.";
  if (!environment.variable("TF_WORKSPACE").empty()) {
    diags.error("Invalid workspace name set using TF_WORKSPACE")
        .detail(fmt::format("TF_WORKSPACE is set to {:?}, which is not a valid workspace name. {} "
                            "Unset it, or set it to a valid name.",
                            name, allowed));
  } else {
    // The file may be anything.
    const std::string_view shown = std::string_view(name).substr(0, kMaxShownName);
    diags.error("Invalid workspace name")
        .detail(fmt::format("The file {0}/environment selects the workspace {1:?}, which is not a "
                            "valid name. {2} Remove {0}/environment, and select a workspace again.",
                            data_directory(environment), shown, allowed));
  }
  return false;
}

diag::Checked<void> write_workspace_name(const std::string& name,
                                         const cli::Environment& environment,
                                         diag::Diagnostics& diags) {
  if (!backends::check_workspace_name(name, diags)) return false;
  const std::string directory = data_directory(environment);
  std::error_code failed;
  std::filesystem::create_directories(directory, failed);
  const auto written = failed ? base::Result<void>(base::Error{failed.message()})
                              : base::write_file(directory + "/environment", name);
  if (written) return true;
  diags.error("Cannot select the workspace")
      .detail(fmt::format("Writing {}/environment failed: {}.", directory, written.error().what));
  return false;
}

}  // namespace tofu::workdir
