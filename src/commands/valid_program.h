// A configuration that was checked as a whole, made ready to be evaluated.
//
// What `validate` does, and what every run does first: a run begins only with a
// configuration that makes sense by itself.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "commands/command.h"
#include "config/tree.h"
#include "diag/diagnostic.h"
#include "eval/deprecation.h"
#include "eval/program.h"
#include "functions/found_files.h"

namespace tofu::commands {

// Without validating it: names and types in it are not checked. As for lifetimes and
// errors, see below.
std::shared_ptr<const eval::Program> compile_program(const config::Tree& tree, World& world,
                                                     diag::Diagnostics& diags);

struct ValidProgram {
  std::shared_ptr<const eval::Program> program;
  eval::Deprecations deprecations;  // that were warned about
};

// The program lives as long as `world`, and `tree` as long as the program. `found_files` is
// that of the functions. Nothing if and only if an error was added.
std::optional<ValidProgram> compile_valid(const config::Tree& tree, const std::string& workspace,
                                          World& world, diag::Diagnostics& diags,
                                          functions::FoundFiles* found_files = nullptr);

}  // namespace tofu::commands
