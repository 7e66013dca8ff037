#include "syntax/tree_builder.h"

#include <fmt/format.h>

#include "base/unicode.h"

namespace tofu::syntax {

Parsed TreeBuilder::too_deep(diag::SourceRange at) {
  if (!gave_up_) {
    tokens_.error("Nesting too deep",
                  fmt::format("Expressions, templates and blocks can be nested at most {} levels "
                              "deep. Move parts of this expression to local values.",
                              kMaxNesting),
                  at);
  }
  gave_up_ = true;
  tokens_.skip_rest();
  return invalid(at);
}

// The scanner lets overlong forms and surrogates pass; like OpenTofu, a literal does too.
const value::Value* TreeBuilder::keep_string(std::string_view text) {
  return base::is_ascii(text) ? constants_.ascii(text) : constants_.string(text);
}

}  // namespace tofu::syntax
