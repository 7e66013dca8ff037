// Schemas of blocks, and checks of their labels.
//
// Modules, test files and symbol libraries read their blocks by the same rules and report the same
// errors.
#pragma once

#include <initializer_list>
#include <string_view>

#include "diag/diagnostic.h"
#include "syntax/body.h"

namespace tofu::syntax {

// Schemas are written in one line each; none of these names is required.
syntax::BodySchema schema_of(std::initializer_list<std::string_view> attributes,
                             std::initializer_list<syntax::BlockSchema> blocks = {});
syntax::BodySchema with_required(syntax::BodySchema schema,
                                 std::initializer_list<std::string_view> names);

// Reports a name that is not an identifier; `what` is the named thing in messages.
void check_identifier(const syntax::Label& label, std::string_view what, diag::Diagnostics& diags);

}  // namespace tofu::syntax
