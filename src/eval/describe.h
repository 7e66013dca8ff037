// The declaration of a row's object: "module.net.aws_x.y", "module.net.var.a".
//
// A variable's argument has the name of the variable; the start and the end of a module
// have that of the module, which is empty for the root.
#pragma once

#include <string>

#include "eval/program.h"

namespace tofu::eval {

std::string address_of(const Program& program, ObjectId id);

}  // namespace tofu::eval
