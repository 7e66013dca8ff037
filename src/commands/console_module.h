// The module that a console evaluates in: the one in this directory, or an empty
// one where there is no configuration.
//
// Values for its variables come from the environment (TF_VAR_name), from
// terraform.tfvars and from *.auto.tfvars, the later ones winning. A variable
// without a value and a default is unknown.
#pragma once

#include <memory>
#include <optional>

#include "commands/command.h"
#include "config/module.h"
#include "diag/diagnostic.h"
#include "eval/module_scope.h"

namespace tofu::commands {

struct ConsoleModule {
  std::unique_ptr<config::Module> module;
  eval::ModuleScope::Inputs inputs;
};

// Nothing if and only if an error was added.
std::optional<ConsoleModule> load_console_module(World& world, diag::Diagnostics& diags);

}  // namespace tofu::commands
