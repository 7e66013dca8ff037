// Shell completion: answering what may come next, and telling shells to ask.
//
// A shell asks by running the program with COMP_LINE set to the line typed so
// far (and COMP_POINT to the cursor); the answer is one word per line. All it
// knows comes from the table of commands and the disk: files, and the workspaces
// and addresses of states in files. A remote state is not asked for while
// somebody types.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "commands/command.h"

namespace tofu::commands {

bool is_completion_request(const Environment& environment);
int run_completion(World& world);

// Names that only the working directory knows, asked for only where they can stand.
struct CompletionNames {
  std::function<std::vector<std::string>()> addresses = [] { return std::vector<std::string>(); };
  std::function<std::vector<std::string>()> workspaces = [] { return std::vector<std::string>(); };
};

// The words that may stand where `line` ends. Pure but for listing directories and what
// `names` does. An address that a shell would take apart is quoted.
std::vector<std::string> complete(std::string_view line, const CompletionNames& names = {});

// Adds the lines that bash, zsh and fish need to the start-up files that exist
// (and for fish, a file of its own), or takes them out. Each says what it did.
int install_completion(World& world);
int uninstall_completion(World& world);

}  // namespace tofu::commands
