// Whether the values of `backend` and `cloud` blocks can be known before
// anything is planned.
//
// What the values mean is known to whoever opens the state; here they are only
// evaluated, so that init can tell every mistake with its chain of references.
#pragma once

#include "config/module.h"
#include "config/static_eval.h"
#include "diag/diagnostic.h"

namespace tofu::config {

// These values are kept in files, so secrets are refused.
void check_backend_values(StaticEvaluator& statics, diag::Diagnostics& diags);

}  // namespace tofu::config
