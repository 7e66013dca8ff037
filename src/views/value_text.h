// Values and types as the console shows them.
//
// A value is written as an expression that would make it again, as far as that
// is possible: strings over several lines become heredocs, collections name
// their conversion function, typed nulls too. Secrets and unknowns are named,
// not shown.
#pragma once

#include <string>

#include "value/type.h"
#include "value/value.h"

namespace tofu::views {

std::string value_text(const value::Value& v);

// As the console's type() shows it: over several lines, four blanks a level.
std::string type_text(value::Type type);

}  // namespace tofu::views
