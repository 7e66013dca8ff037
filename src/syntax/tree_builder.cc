#include "syntax/tree_builder.h"

#include <fmt/format.h>

#include "base/unicode.h"

namespace tofu::syntax {

Parsed TreeBuilder::too_deep(diag::SourceRange at) {
  if (!gave_up_) {
    tokens_.error("Nesting too deep",
                  fmt::format("Expressions, templates and blocks may be nested {} levels deep, and "
                              "this goes beyond. Give parts of it names of their own.",
                              kMaxNesting),
                  at);
  }
  gave_up_ = true;
  tokens_.skip_rest();
  return invalid(at);
}

// The scanner lets overlong UTF-8 pass, but a value never holds any.
const value::Value* TreeBuilder::keep_string(std::string_view text) {
  if (base::is_ascii(text)) return constants_.ascii(text);
  if (base::is_valid_utf8(text)) return constants_.string(text);
  return constants_.string(base::to_valid_utf8(text));
}

}  // namespace tofu::syntax
