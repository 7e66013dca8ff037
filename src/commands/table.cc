#include <algorithm>
#include <array>
#include <iterator>

#include "commands/command.h"

namespace tofu::commands {

namespace {

constexpr Command kMetadataCommand = {
    "metadata",
    "Describe the language and the commands for other programs",
    "<subcommand> [options]",
    "Describes what the language and the commands offer, for editors and other tools.",
};

// Names that are understood but not shown. Those of `env` are from the time before
// workspaces were called so.
struct Alias {
  std::string_view name;
  std::string_view means;
};
constexpr Alias kAliases[] = {
    {"env", "workspace"},
    {"env delete", "workspace delete"},
    {"env list", "workspace list"},
    {"env new", "workspace new"},
    {"env select", "workspace select"},
    {"env show", "workspace show"},
    {"state ls", "state list"},
    {"state move", "state mv"},
    {"state remove", "state rm"},
};

}  // namespace

std::span<const Command> all_commands() {
  static const std::array kTable = {
      kApplyCommand,
      kConsoleCommand,
      kDestroyCommand,
      kFmtCommand,
      kForceUnlockCommand,
      kGetCommand,
      kGraphCommand,
      kImportCommand,
      kInitCommand,
      kLoginCommand,
      kLogoutCommand,
      kMetadataCommand,
      kMetadataFunctionsCommand,
      kMetadataManCommand,
      kModulesCommand,
      kOutputCommand,
      kPlanCommand,
      kProvidersCommand,
      kProvidersLockCommand,
      kProvidersMirrorCommand,
      kProvidersSchemaCommand,
      kRefreshCommand,
      kShowCommand,
      kStateCommand,
      kStateListCommand,
      kStateMvCommand,
      kStatePullCommand,
      kStatePushCommand,
      kStateRecoverCommand,
      kStateReplaceProviderCommand,
      kStateRmCommand,
      kStateShowCommand,
      kTaintCommand,
      kTestCommand,
      kUntaintCommand,
      kValidateCommand,
      kVersionCommand,
      kWorkspaceCommand,
      kWorkspaceDeleteCommand,
      kWorkspaceListCommand,
      kWorkspaceNewCommand,
      kWorkspaceSelectCommand,
      kWorkspaceShowCommand,
  };
  return kTable;
}

const Command* find_command(std::string_view name) {
  const auto* alias = std::ranges::find(kAliases, name, &Alias::name);
  if (alias != std::end(kAliases)) name = alias->means;
  const auto commands = all_commands();
  const auto found = std::ranges::find(commands, name, &Command::name);
  return found == commands.end() ? nullptr : &*found;
}

}  // namespace tofu::commands
