#include <algorithm>
#include <array>

#include "commands/command.h"

namespace tofu::commands {

namespace {

constexpr Command kMetadataCommand = {
    "metadata",
    "Describe parts of the language for other programs",
    "<subcommand> [options]",
    "Prints descriptions of what the language offers, for editors and other tools.",
    {},
    Completes::Nothing,
    nullptr,
};

}  // namespace

std::span<const Command> all_commands() {
  static const std::array kTable = {
      kConsoleCommand,
      kFmtCommand,
      kGetCommand,
      kGraphCommand,
      kInitCommand,
      kMetadataCommand,
      kMetadataFunctionsCommand,
      kModulesCommand,
      kProvidersCommand,
      kShowCommand,
      kValidateCommand,
      kVersionCommand,
  };
  return kTable;
}

const Command* find_command(std::string_view name) {
  const auto commands = all_commands();
  const auto found = std::ranges::find(commands, name, &Command::name);
  return found == commands.end() ? nullptr : &*found;
}

}  // namespace tofu::commands
