// Shell completion: answering what may come next, and telling shells to ask.
//
// A shell asks by running the program with COMP_LINE set to the line typed so
// far (and COMP_POINT to the cursor); the answer is one word per line. All it
// knows comes from the table of commands and the disk: files, and the workspaces
// and addresses of states in files. A remote state is not requested while
// the user types.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "cli/environment.h"
#include "cli/terminal.h"

namespace tofu::cli {

bool is_completion_request(const Environment& environment);

// Names that only the working directory knows, asked for only where they can stand.
struct CompletionNames {
  std::function<std::vector<std::string>()> addresses = [] { return std::vector<std::string>(); };
  std::function<std::vector<std::string>()> workspaces = [] { return std::vector<std::string>(); };
};

// The words that may stand where `line` ends. Pure but for listing directories and what
// `names` does. An address that a shell would take apart is quoted.
std::vector<std::string> complete(std::string_view line, const CommandTable& table,
                                  const CompletionNames& names = {});

// Answers the request in the environment. Returns the exit status.
int run_completion(const CommandTable& table, const CompletionNames& names,
                   const Environment& environment, Terminal& terminal);

// The part of the word at the end of `line` that the shell keeps and a reply must not repeat:
// bash takes words apart behind `=` and `:`, and `arguments` (the program's name, the word to
// complete, the one before) say where.
std::string_view known_prefix(std::string_view line, std::span<const std::string> arguments);

// Adds the lines that bash, zsh and fish need to the start-up files that exist
// (and for fish, a file of its own), or takes them out. Each says what it did.
int install_completion(const Environment& environment, Terminal& terminal);
int uninstall_completion(const Environment& environment, Terminal& terminal);

}  // namespace tofu::cli
