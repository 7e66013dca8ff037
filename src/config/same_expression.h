// Whether two expressions are written alike.
//
// A best effort to notice that two for_each say the same; no proof of anything.
// Only what is written counts: nothing is evaluated and no name is looked up.
#pragma once

#include "syntax/ast.h"

namespace tofu::config {

bool same_expression(const syntax::Expr* a, const syntax::Expr* b);

}  // namespace tofu::config
