// Finds the elements that enclose a place in a file: the words after "in" of a diagnostic.
//
// For people only; nothing is decided by it. A place outside every block is in
// none.
#pragma once

#include <cstdint>
#include <string>

#include "syntax/parser.h"

namespace tofu::syntax {

// The header of the outermost block around `byte`, such as `resource "a" "b"`; in
// JSON the path to the innermost object or array, such as resource.a.b[0]. Empty
// if there is none.
std::string enclosing_block(const File& file, std::uint32_t byte);

}  // namespace tofu::syntax
