// A configuration that was checked as a whole, made ready to be evaluated.
//
// What `validate` does, and what every run does first: a run begins only with a
// configuration that makes sense by itself.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cli/keep_alive.h"
#include "config/tree.h"
#include "diag/diagnostic.h"
#include "eval/deprecation.h"
#include "eval/program.h"
#include "functions/found_files.h"
#include "runs/run_providers.h"
#include "workdir/load_context.h"

namespace tofu::runs {

// Without validating it: names and types in it are not checked. As for lifetimes and
// errors, see below.
std::shared_ptr<const eval::Program> compile_program(const config::Tree& tree,
                                                     RunProviders& providers,
                                                     cli::KeepAlive& keep_alive,
                                                     diag::Diagnostics& diags);

struct ValidProgram {
  std::shared_ptr<const eval::Program> program;
  eval::Deprecations deprecations;  // that were warned about
};

// `keep_alive` keeps the program, and `tree` lives as long as long as the program. `found_files` is
// that of the functions.
diag::Checked<ValidProgram> compile_valid(const config::Tree& tree, const std::string& workspace,
                                          const workdir::LoadContext& context,
                                          RunProviders& providers, cli::KeepAlive& keep_alive,
                                          diag::Diagnostics& diags,
                                          functions::FoundFiles* found_files = nullptr);

}  // namespace tofu::runs
