// Names that some file system takes for one.
//
// What is unpacked or downloaded into a directory must not depend on the file system below
// it: two names that one of them takes for the same are refused everywhere.
#pragma once

#include <string>
#include <string_view>

namespace tofu::transport {

// The same text for all such names: without case, in one normal form. Bytes that are not
// UTF-8 stay as they are.
std::string folded_name(std::string_view name);

}  // namespace tofu::transport
