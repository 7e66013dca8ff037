// A symbol library for people: the types, values and functions that it offers.
//
// Written in the words of the language, so that a line can be copied into a module.
// Sensitive values are named, not shown.
#pragma once

#include <string>

#include "symbols/library.h"
#include "syntax/type_expr.h"

namespace tofu::views {

// Several lines, the last without its end. The library was compiled without errors.
std::string library_text(const symbols::Library& library);

// A type constraint as its author would write it, with what is optional.
std::string constraint_text(const syntax::TypeConstraint& constraint);

}  // namespace tofu::views
