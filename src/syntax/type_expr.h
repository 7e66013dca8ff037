// Type constraints: `list(object({ a = optional(string, "x") }))`.
//
// A type expression is read, not evaluated. Calls that it does not know, such as
// `symbols::lib::name()`, are offered to the caller.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "diag/diagnostic.h"
#include "syntax/ast.h"
#include "syntax/type_rules.h"
#include "value/defaults.h"
#include "value/path.h"
#include "value/type.h"
#include "value/value.h"

namespace tofu::syntax {

struct TypeConstraint {
  value::Type type;
  std::shared_ptr<const value::Defaults> defaults;  // null if there are none; shared by copies
  std::shared_ptr<const TypeRules> rules = {};      // of named types; likewise
};

// A value as the constraint wants it: with defaults of optional attributes, converted, and with all
// rules met.
value::PathResult<value::Value> fit(const TypeConstraint& constraint, value::Value value);

struct TypeExprOptions {
  bool allow_any = true;       // `any` anywhere
  bool allow_optional = true;  // optional(…) in object types
  // Called for a call whose name is not a type constructor. Returns whether the
  // name is one of its own; then either fills `out` or adds an error.
  std::function<bool(const CallExpr&, TypeConstraint& out, diag::Diagnostics&)> named_type;
};

diag::Checked<TypeConstraint> read_type(const Expr& expr, const TypeExprOptions& options,
                                        diag::Diagnostics& diags);

// The same for the `type` of a variable, where a bare `list` or `map` means one
// of any element type, and where a type in quotes (as very old configurations
// have it) is an error of its own. JSON strings are not quotes in this sense.
std::optional<TypeConstraint> read_variable_type(const Expr& expr, const TypeExprOptions& options,
                                                 diag::Diagnostics& diags);

// The constraint as an author would write it: `list(string)`.
std::string type_expr_text(value::Type type);

}  // namespace tofu::syntax
