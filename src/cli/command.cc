#include "cli/command.h"

#include <algorithm>

namespace tofu::cli {

const Command* CommandTable::find(std::string_view name) const {
  const auto alias = std::ranges::find(aliases_, name, &CommandAlias::name);
  if (alias != aliases_.end()) name = alias->means;
  const auto found = std::ranges::find(commands_, name, &Command::name);
  return found == commands_.end() ? nullptr : &*found;
}

std::vector<std::string_view> CommandTable::examples_of(const Command& command) const {
  std::vector<std::string_view> lines;
  for (const CommandExample& example : examples_) {
    if (example.command == command.name) lines.push_back(example.line);
  }
  return lines;
}

}  // namespace tofu::cli
