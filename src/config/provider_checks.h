// Whether a module's provider configurations, requirements and what its caller
// passes to it go together.
//
// A tree is checked by checking each of its modules, with the call to it.
#pragma once

#include "config/tree.h"
#include "diag/diagnostic.h"
#include "diag/source.h"

namespace tofu::config {

void check_providers(const Tree& tree, const diag::SourceMap& sources, diag::Diagnostics& diags);

// Whether versions are spelled as providers have them, and imports agree with their targets on a
// provider. The tree must have no other errors.
void check_provider_needs(const Tree& tree, diag::Diagnostics& diags);

}  // namespace tofu::config
