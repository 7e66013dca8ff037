// The `module.a[0].module.b.` that addresses begin with.
//
// For the parsers of this room only: each takes the prefix off first and goes on
// with the steps that are left.
#pragma once

#include <optional>

#include "addrs/module.h"
#include "addrs/steps.h"
#include "diag/diagnostic.h"

namespace tofu::addrs {

struct ModulePrefix {
  ModuleInstance module;
  Steps rest;
};

enum class Keys : bool { Refused, Allowed };

// Takes as many module steps as there are. Nothing if and only if an error was added.
std::optional<ModulePrefix> parse_module_prefix(Steps steps, Keys keys, diag::Diagnostics& diags);

}  // namespace tofu::addrs
