// Whether the values of `backend` and `cloud` blocks can be known before
// anything is planned.
//
// Only the code that opens the state knows what the values mean; here they are only evaluated, so
// that init can report every error with its chain of references.
#pragma once

#include <functional>

#include "config/module.h"
#include "config/static_eval.h"
#include "diag/diagnostic.h"
#include "syntax/body.h"

namespace tofu::config {

// Calls `each` for every argument of a block of settings, also of blocks inside.
void each_argument(const syntax::Body& body,
                   const std::function<void(const syntax::Attribute&)>& each);

// These values are kept in files, so secrets are refused.
void check_backend_values(StaticEvaluator& statics, diag::Diagnostics& diags);

}  // namespace tofu::config
