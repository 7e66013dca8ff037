// What a command is: a name, words about it, its flags, and a function.
//
// A command gets its options (what was asked, parsed) and a World (the doors it may
// use) and returns the exit status. There is one table of all commands; help, completion
// and dispatch read it and nothing else.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "commands/cli_config.h"
#include "commands/environment.h"
#include "commands/flags.h"
#include "commands/input.h"
#include "commands/interrupts.h"
#include "commands/output.h"
#include "commands/view_options.h"
#include "diag/diagnostic.h"
#include "diag/source.h"

namespace tofu::commands {

class CommandEncryption;
class RunProviders;

// The doors of a run. No behaviour of its own.
struct World {
  const Environment& environment;
  Input& in;
  Output& out;
  Output& err;
  Interrupts& interrupts;       // has the token that every wait heeds
  base::Log log = {};           // TF_LOG and TF_LOG_CORE
  base::Log provider_log = {};  // TF_LOG_PROVIDER: what provider plugins write
  diag::SourceMap sources = {};
  CliConfig cli_config = {};  // read before the command runs
  ViewOptions view = {};      // of the command line
  // What would take long to take apart, such as a tree of modules. The program ends
  // without doing so.
  std::vector<std::shared_ptr<const void>> kept = {};
  std::shared_ptr<RunProviders> providers = {};  // made by run_providers(); ended with the command
  // Made by set_up_encryption(); null: nothing is encrypted. Shared, because only its maker
  // knows how to end it.
  std::shared_ptr<const CommandEncryption> encryption = {};
  // What went wrong when a command had told everything already, such as a lock that could
  // not be given back.
  diag::Diagnostics afterwards = {};
};

// A command's flags and what it does, whatever type its options have. Made by action().
struct Action {
  std::vector<FlagInfo> (*flags)() = nullptr;
  // The exit status. Nothing if and only if an error was added: the arguments are wrong,
  // and nothing was done.
  std::optional<int> (*run)(std::span<const std::string> arguments, World& world,
                            diag::Diagnostics& diags) = nullptr;
};

// `Options` has a function declare(FlagSet&), which binds its fields to flags.
template <class Options, int (*kRun)(const Options& options, World& world)>
constexpr Action action() {
  return {.flags =
              [] {
                Options options;
                FlagSet flags;
                options.declare(flags);
                return flags.infos();
              },
          .run = [](std::span<const std::string> arguments, World& world,
                    diag::Diagnostics& diags) -> std::optional<int> {
            Options options;
            FlagSet flags;
            options.declare(flags);
            if (!flags.parse(arguments, diags)) return std::nullopt;
            return kRun(options, world);
          }};
}

struct Command {
  std::string_view name;                     // "fmt", "metadata functions"
  std::string_view synopsis;                 // one line in the list of commands
  std::string_view usage;                    // what follows the name: "[options] [target...]"
  std::string_view about;                    // paragraphs, separated by empty lines
  Action action = {};                        // none: has only subcommands
  Completes completes = Completes::Nothing;  // its positional arguments

  bool has_action() const { return action.run != nullptr; }
};

inline constexpr int kExitOk = 0;
inline constexpr int kExitError = 1;

// Every command, sorted by name.
std::span<const Command> all_commands();
// Null if there is none of that name. Also by the other names that some have.
const Command* find_command(std::string_view name);

// Defined in the command's own file.
extern const Command kApplyCommand;
extern const Command kConsoleCommand;
extern const Command kDestroyCommand;
extern const Command kFmtCommand;
extern const Command kForceUnlockCommand;
extern const Command kGetCommand;
extern const Command kGraphCommand;
extern const Command kImportCommand;
extern const Command kInitCommand;
extern const Command kLoginCommand;
extern const Command kLogoutCommand;
extern const Command kMetadataFunctionsCommand;
extern const Command kMetadataManCommand;
extern const Command kModulesCommand;
extern const Command kOutputCommand;
extern const Command kPlanCommand;
extern const Command kProvidersCommand;
extern const Command kProvidersLockCommand;
extern const Command kProvidersMirrorCommand;
extern const Command kProvidersSchemaCommand;
extern const Command kRefreshCommand;
extern const Command kShowCommand;
extern const Command kStateCommand;
extern const Command kStateListCommand;
extern const Command kStateMvCommand;
extern const Command kStatePullCommand;
extern const Command kStatePushCommand;
extern const Command kStateRecoverCommand;
extern const Command kStateReplaceProviderCommand;
extern const Command kStateRmCommand;
extern const Command kStateShowCommand;
extern const Command kTaintCommand;
extern const Command kTestCommand;
extern const Command kUntaintCommand;
extern const Command kValidateCommand;
extern const Command kVersionCommand;
extern const Command kWorkspaceCommand;
extern const Command kWorkspaceDeleteCommand;
extern const Command kWorkspaceListCommand;
extern const Command kWorkspaceNewCommand;
extern const Command kWorkspaceSelectCommand;
extern const Command kWorkspaceShowCommand;

// Prints diagnostics as the view options say: warnings to standard output,
// errors to standard error. OpenTofu's commands differ in whether an empty line
// follows each.
enum class Spacing : std::uint8_t { Wide, Close };
void print_diagnostics(const diag::Diagnostics& diags, World& world,
                       Spacing spacing = Spacing::Wide);

}  // namespace tofu::commands
