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

class SymbolSource : public syntax::ImportedSymbols {
 public:
  // The value that `traversal`, whose start is `reference` (a FeatureBlock), names.
  virtual diag::Checked<syntax::Scope::Resolved> resolve(const addrs::Reference& reference,
                                                         const syntax::Traversal& traversal,
                                                         diag::Diagnostics& diags) const = 0;

  // For a name that begins with `symbols::`, function() is never null: a function that does not
  // exist is one that reports so when it is called.

  // Everything there is, sorted: "symbols.lib.x", "symbols::lib::f", "symbols::lib::t".
  virtual std::vector<std::string_view> value_names() const = 0;
  virtual std::vector<std::string_view> function_names() const = 0;
  virtual std::vector<std::string_view> type_names() const = 0;
};

}  // namespace tofu::symbols
