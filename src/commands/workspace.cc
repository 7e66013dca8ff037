#include "commands/workspace.h"

#include <filesystem>
#include <fmt/format.h>

#include "base/file.h"
#include "base/trim.h"

namespace tofu::commands {

std::string data_directory(const Environment& environment) {
  const std::string_view chosen = environment.variable("TF_DATA_DIR");
  return chosen.empty() ? ".terraform" : std::string(chosen);
}

std::string workspace_name(const Environment& environment) {
  const std::string_view chosen = environment.variable("TF_WORKSPACE");
  if (!chosen.empty()) return std::string(chosen);
  const auto saved = base::read_file(data_directory(environment) + "/environment");
  const std::string name(saved ? base::trim_space(*saved) : std::string_view());
  return name.empty() ? "default" : name;
}

bool write_workspace_name(const std::string& name, const Environment& environment,
                          diag::Diagnostics& diags) {
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

}  // namespace tofu::commands
