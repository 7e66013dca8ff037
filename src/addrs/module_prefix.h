// The `module.a[0].module.b.` that addresses begin with.
//
// Private to the parsers of this component: each takes the prefix off first and goes on with the
// steps that are left.
#pragma once

#include "addrs/module.h"
#include "addrs/steps.h"
#include "diag/diagnostic.h"

namespace tofu::addrs {

struct ModulePrefix {
  ModuleInstance module;
  Steps rest;
};

enum class Keys : bool { Refused, Allowed };

// Takes as many module steps as there are.
diag::Checked<ModulePrefix> parse_module_prefix(Steps steps, Keys keys, diag::Diagnostics& diags);

}  // namespace tofu::addrs
