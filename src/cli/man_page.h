// Manual pages, made from the table of commands as the help texts are.
//
// One page for the program and one for each command that does something, in the language
// of man(7). What stands in them comes from the same declarations that parsing uses.
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"

namespace tofu::cli {

struct ManPage {
  std::string file;  // "tofu-state-mv.1"
  std::string text;
};

std::vector<ManPage> all_man_pages(const CommandTable& table);

}  // namespace tofu::cli
