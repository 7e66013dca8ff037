// Values as source text: the expression that an author would write for one.
//
// For code generation and for the built-in provider's encode functions. The text
// is laid out as fmt would, and reading it back gives the same value.
#pragma once

#include <string>
#include <string_view>

#include "value/value.h"

namespace tofu::syntax {

// `text` as it stands between the quotes of a string: \n, \", $${ and the like.
std::string escaped_text(std::string_view text);

// `v` is wholly known; its marks do not show.
std::string expression_text(const value::Value& v);

// One `name = value` line (or several, for structures) per attribute of an
// object, laid out together. Names are identifiers.
std::string attributes_text(const value::Value& object);

}  // namespace tofu::syntax
