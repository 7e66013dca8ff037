#include "commands/workspace.h"

#include "base/file.h"
#include "commands/console_input.h"

namespace tofu::commands {

std::string data_directory(const Environment& environment) {
  const std::string_view chosen = environment.variable("TF_DATA_DIR");
  return chosen.empty() ? ".terraform" : std::string(chosen);
}

std::string workspace_name(const Environment& environment) {
  const std::string_view chosen = environment.variable("TF_WORKSPACE");
  if (!chosen.empty()) return std::string(chosen);
  const auto saved = base::read_file(data_directory(environment) + "/environment");
  const std::string name(saved ? trim_space(*saved) : std::string_view());
  return name.empty() ? "default" : name;
}

}  // namespace tofu::commands
