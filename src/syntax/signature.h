// The documentation of a function: the type of its result, and its signature as a diagnostic in
// JSON shows it.
//
// Both follow from what the function declares; nothing is called.
#pragma once

#include <string>
#include <string_view>

#include "syntax/function.h"
#include "value/type.h"

namespace tofu::syntax {

// The type of the result as far as the parameters' types alone decide it. Of a variadic
// parameter one argument is assumed, as OpenTofu does.
value::Type declared_result(const Function& function);

// A type as other programs know it: what takes an expression instead of a value has a type of
// ours, which means nothing to them.
std::string type_for_others(value::Type type);

// The name without its namespace, the parameters and the type of the result, as one JSON object.
std::string signature_json(std::string_view name, const Function& function);

}  // namespace tofu::syntax
