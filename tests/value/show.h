// Values and types as text, so that tests can say in one line what they expect. Different values
// have different texts: types of nulls, refinements, marks.
//
//   list(string)["a", null(string)]   {a=1, b=sensitive("x")}   unknown(number, not null, >= 1)
#pragma once

#include <string>
#include <string_view>

#include "value/type.h"
#include "value/value.h"

namespace tofu::value {

std::string show(Type type);
std::string show(const Value& v);

// The type that JSON text such as ["list","string"] stands for.
Type type_of(std::string_view json);

inline Value sensitive(const Value& v) { return v.with_marks(Marks::sensitive()); }

}  // namespace tofu::value
