// Rules about what a module declares: variables, locals, outputs, resources, module calls.
//
// They read the module's records, so they are about JSON files as well, and each costs one pass.
#pragma once

#include "config/module.h"
#include "lint/finding.h"
#include "lint/usage.h"

namespace tofu::lint {

void check_declarations(const config::Module& module, const Usage& usage, Findings& findings);

}  // namespace tofu::lint
