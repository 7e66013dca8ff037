// Reading expressions without evaluating them.
//
// For arguments whose value is not a value: a reference in depends_on, a keyword such as `create`
// or `all`, the list inside ignore_changes. JSON strings count as the expression that they contain,
// as in OpenTofu. And: which outside names does an expression use?
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "diag/diagnostic.h"
#include "diag/source.h"
#include "syntax/ast.h"

namespace tofu::syntax {

// The argument of a call of convert() that is a type and not a value: nothing in it is a reference
// or a call. Null if there is none.
const Expr* type_argument(const CallExpr& call);
// The other arguments, which are expressions.
std::span<const Expr* const> evaluated_arguments(const CallExpr& call);

// Every traversal of an outside name inside `expr`, in source order.
std::vector<const Traversal*> variables(const Expr& expr);
void append_variables(const Expr& expr, std::vector<const Traversal*>& out);
// Every call inside `expr`, in source order.
std::vector<const CallExpr*> calls(const Expr& expr);
// Every part of `expr` that takes something out of a value that has to be evaluated
// first, in source order: `xs[key]`, `f(x).a` and splats.
std::vector<const Expr*> accesses(const Expr& expr);
// How many expressions stand inside each other at most: 1 for a lone name.
int nesting(const Expr& expr);

// The expression as a traversal.
diag::Checked<Traversal> as_traversal(const Expr& expr, diag::Diagnostics& diags);
// The same without reporting: nothing if it is not one.
std::optional<Traversal> traversal_if(const Expr& expr);

// A bare word such as `all`; empty if it is not one.
std::string_view keyword(const Expr& expr);
// The start of an expression: what messages about its shape point at.
diag::SourceRange start_range(const Expr& expr);
// The items of a tuple written out.
diag::Checked<std::span<const Expr* const>> as_list(const Expr& expr, diag::Diagnostics& diags);
// The items of an object written out.
diag::Checked<std::span<const ObjectItem>> as_map(const Expr& expr, diag::Diagnostics& diags);
// A function call written out.
const CallExpr* as_call(const Expr& expr, diag::Diagnostics& diags);

}  // namespace tofu::syntax
