// What warnings about one deprecated variable or output have in common.
//
// Reports and editors find the declaration of a warning by it.
#pragma once

#include <string>

#include "diag/source.h"

namespace tofu::eval {

// Diagnostic::similar_if of the warnings about what is declared there. Modules that are called from
// several places share it.
std::string deprecation_key(diag::SourceRange declaration);

}  // namespace tofu::eval
