// Whether a module's provider configurations, requirements and what its caller
// passes to it go together.
//
// A tree is checked by checking each of its modules, with the call to it.
#pragma once

#include <optional>
#include <string>

#include "addrs/module.h"
#include "config/module.h"
#include "config/tree.h"
#include "diag/diagnostic.h"
#include "diag/source.h"

namespace tofu::config {

// A module and how it is called.
struct CalledModule {
  const Module* module;
  addrs::ModulePath path;
  const Module* parent = nullptr;    // null for the root module, as are those below
  const ModuleCall* call = nullptr;  // in the parent
  // Where this call or one around it says something (count, depends_on …) with
  // which a module cannot have provider configurations of its own.
  std::optional<diag::SourceRange> no_configurations = {};
};

void check_providers(const CalledModule& called, diag::Diagnostics& diags);
void check_providers(const Tree& tree, diag::Diagnostics& diags);

// Whether versions are spelt as providers have them, and imports agree with their
// targets on a provider. Of a tree that has no other mistakes.
void check_provider_needs(const Tree& tree, diag::Diagnostics& diags);

}  // namespace tofu::config
