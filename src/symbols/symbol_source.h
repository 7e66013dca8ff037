// The symbols that a module's expressions can use: values, functions and types.
//
// An interface, so that evaluation knows nothing of how libraries are read. Names are those of the
// module: `symbols.lib.x`, `symbols::lib::f`, where lib is the label of a symbols block. Symbols of
// a library that could not be loaded are unknown and cause no further error.
//
// Threads: safe to use from several threads.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "addrs/reference.h"
#include "diag/diagnostic.h"
#include "syntax/eval.h"
#include "syntax/function.h"
#include "syntax/type_expr.h"

namespace tofu::symbols {

class SymbolSource {
 public:
  virtual ~SymbolSource() = default;

  // The value that `traversal`, whose start is `reference` (a FeatureBlock), names.
  virtual diag::Checked<syntax::Scope::Resolved> resolve(const addrs::Reference& reference,
                                                         const syntax::Traversal& traversal,
                                                         diag::Diagnostics& diags) const = 0;

  // The function of a name that begins with `symbols::`. Never null for such a name:
  // a function that does not exist is one that reports so when it is called.
  virtual const syntax::Function* function(std::string_view name) const = 0;

  // `symbols::lib::t()` in a type constraint, as syntax::TypeExprOptions wants it:
  // whether the call is meant for this source; then `out` is filled or an error added.
  virtual bool named_type(const syntax::CallExpr& call, syntax::TypeConstraint& out,
                          diag::Diagnostics& diags) const = 0;

  // Everything there is, sorted: "symbols.lib.x", "symbols::lib::f", "symbols::lib::t".
  virtual std::vector<std::string_view> value_names() const = 0;
  virtual std::vector<std::string_view> function_names() const = 0;
  virtual std::vector<std::string_view> type_names() const = 0;
};

}  // namespace tofu::symbols
