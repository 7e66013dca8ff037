// The header of the block that a place in a file stands in.
//
// In native syntax that of the outermost block, `resource "a" "b"`; in JSON, where blocks cannot be
// distinguished from arguments, the way to the innermost object, `.resource.a.b`. Both as OpenTofu
// shows them.
#pragma once

#include <string>

#include "diag/source.h"
#include "syntax/parser.h"

namespace tofu::syntax {

// Empty if the place is in no block.
std::string block_around(const syntax::File& file, diag::SourceRange place);

}  // namespace tofu::syntax
