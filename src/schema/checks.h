// Checks of the built-in provider that concern several arguments of a decoded block. Plugins answer
// the same question themselves.
//
// Configurations may hold unknowns, but no marks.
#pragma once

#include <string>
#include <string_view>

#include "diag/diagnostic.h"
#include "diag/source.h"
#include "syntax/body.h"
#include "value/path.h"
#include "value/value.h"

namespace tofu::schema {

// The place for reporting a problem with an attribute: its expression, or the place where one would
// be added.
diag::SourceRange place_of(const syntax::Body& body, std::string_view attribute);
// The same for something inside of an attribute or of nested blocks: the element of a
// list or map that is written out, the whole attribute if it is not, and the block around
// it where the path goes on into an object.
diag::SourceRange place_of(const syntax::Body& body, const value::Path& path);

// Of a type of the built-in provider. `body` is what `config` was decoded from: where problems
// are reported.
void check_builtin_resource(std::string_view type, const value::Value& config,
                            const syntax::Body& body, diag::Diagnostics& diags);

}  // namespace tofu::schema
