// A rule that a value has to meet.
//
// Blocks `validation`, `precondition`, `postcondition` and `assert` have one, in modules and in
// symbol libraries.
#pragma once

#include "diag/source.h"
#include "syntax/ast.h"

namespace tofu::syntax {

// A rule the author wrote: validation, precondition, postcondition, assert.
struct Condition {
  const syntax::Expr* condition = nullptr;      // null after an error
  const syntax::Expr* error_message = nullptr;  // null after an error
  diag::SourceRange range;                      // of the block's header
  std::string place = {};                       // of the block, for messages; may be empty
};

}  // namespace tofu::syntax
