// A body and a schema in, a value out.
//
// Blocks may be dynamic. Every error is reported at its place: unsupported and missing arguments,
// wrong types, too few or too many blocks. The value has the schema's implied type even after
// errors, with unknowns where something failed, so that one error does not hide the next.
#pragma once

#include <vector>

#include "diag/diagnostic.h"
#include "schema/schema.h"
#include "syntax/body.h"
#include "syntax/eval.h"
#include "value/value.h"

namespace tofu::schema {

// Evaluates everything in `body`. Whether there were errors is in `diags`.
value::Value decode(const syntax::Body& body, const Block& schema, const syntax::Scope& scope,
                    diag::Diagnostics& diags);

// The references in the expressions of `body`, as read by `schema`. decode() reports errors.
struct Uses {
  std::vector<const syntax::Traversal*> variables;  // without the iterators of dynamic blocks
  std::vector<const syntax::CallExpr*> calls;
  std::vector<const syntax::Expr*> exprs;  // those that `variables` stand in
};
Uses uses(const syntax::Body& body, const Block& schema);

}  // namespace tofu::schema
