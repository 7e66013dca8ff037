// A command: its name, its help, its flags, and a function.
//
// A command gets its options (what was asked, parsed) and the session, and returns the exit
// status. There is one table of all commands; help, completion
// and dispatch read it and nothing else.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/flags.h"
#include "cli/session.h"
#include "diag/diagnostic.h"

namespace tofu::cli {

inline constexpr int kExitOk = 0;
inline constexpr int kExitError = 1;

// A command's flags and what it does, whatever type its options have. Made by action().
struct Action {
  std::vector<FlagInfo> (*flags)() = nullptr;
  // The exit status. An error means that the arguments are wrong, and nothing was done.
  diag::Checked<int> (*run)(std::span<const std::string> arguments, Session& session,
                            diag::Diagnostics& diags) = nullptr;
};

// `Options` has a function declare(FlagSet&), which binds its fields to flags.
template <class Options, int (*kRun)(const Options& options, Session& session)>
constexpr Action action() {
  return {.flags =
              [] {
                Options options;
                FlagSet flags;
                options.declare(flags);
                return flags.infos();
              },
          .run = [](std::span<const std::string> arguments, Session& session,
                    diag::Diagnostics& diags) -> std::optional<int> {
            Options options;
            FlagSet flags;
            options.declare(flags);
            if (!flags.parse(arguments, diags)) return std::nullopt;
            return kRun(options, session);
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

// Another name of a command, which is understood but not shown.
struct CommandAlias {
  std::string_view name;
  std::string_view means;
};

// A command line that help shows as an example.
struct CommandExample {
  std::string_view command;  // its name
  std::string_view line;     // from "tofu" on
};

// All commands of the program, sorted by name.
class CommandTable {
 public:
  // All of them outlive the table.
  CommandTable(std::span<const Command> commands, std::span<const CommandAlias> aliases,
               std::span<const CommandExample> examples = {})
      : commands_(commands), aliases_(aliases), examples_(examples) {}

  std::span<const Command> commands() const { return commands_; }
  std::span<const CommandExample> examples() const { return examples_; }
  std::vector<std::string_view> examples_of(const Command& command) const;
  // Also by an alias. Null if no command has this name.
  const Command* find(std::string_view name) const;

 private:
  std::span<const Command> commands_;
  std::span<const CommandAlias> aliases_;
  std::span<const CommandExample> examples_;
};

}  // namespace tofu::cli
