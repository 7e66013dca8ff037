// The two sides of a comparison that does not hold, for the diagnostic about it.
//
// Made when the problem is reported, as the words about references are (shown.h), and as free
// of secrets: a sensitive part is replaced by a text with a number, the same number for the
// same value, so that a reader still sees which secrets differ.
#pragma once

#include <optional>

#include "diag/diagnostic.h"
#include "syntax/ast.h"
#include "syntax/eval.h"

namespace tofu::syntax {

// Nothing unless `expr` is `left == right`, both sides have a value, the left one is wholly known,
// and nothing of it is ephemeral.
std::optional<diag::ShownDifference> shown_difference(const Expr& expr, const Scope* scope);

}  // namespace tofu::syntax
