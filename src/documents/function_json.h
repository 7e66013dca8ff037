// Signatures of functions as JSON, the way `metadata functions` prints them: one object
// for each function, built-in or of a symbol library.
//
// The form is OpenTofu's: tools that know its functions read it.
#pragma once

#include "base/json_writer.h"
#include "syntax/function.h"

namespace tofu::documents {

// One object: description, type of the result, parameters.
void write_function(base::JsonWriter& json, const syntax::Function& function);

}  // namespace tofu::documents
