// The functions of the built-in provider: reading and writing variables files.
//
// They are called as provider::terraform::NAME and know nothing of files: text
// in, text out.
#pragma once

#include <vector>

#include "syntax/function.h"

namespace tofu::schema {

// decode_tfvars, encode_tfvars, encode_expr.
std::vector<syntax::Function> builtin_functions();

}  // namespace tofu::schema
