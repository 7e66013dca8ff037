// Expressions as JSON, as far as they can be described without being evaluated:
// the value of a constant, and the objects that others refer to.
//
// The form is that of OpenTofu's configuration documents, which policy tools read.
#pragma once

#include <string>

#include "addrs/reference.h"
#include "base/json_writer.h"
#include "schema/schema.h"
#include "syntax/ast.h"
#include "syntax/body.h"

namespace tofu::documents {

// One object: {"constant_value":…} or {"references":[…]}; empty braces if nothing
// can be said. `context` is the module around the expression.
std::string expression_json(const syntax::Expr& expr, const addrs::ParseRefContext& context);

// One object with the expressions of every argument and block that `schema` names.
std::string expressions_json(const syntax::Body& body, const schema::Block& schema,
                             const addrs::ParseRefContext& context);

// The output of either for a missing value.
inline constexpr std::string_view kEmptyJson = "{}";

}  // namespace tofu::documents
