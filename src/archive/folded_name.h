// Detects file names that some file systems treat as equal.
//
// The result of unpacking or downloading must not depend on the file system, so two names that any
// file system treats as equal are refused everywhere.
#pragma once

#include <string>
#include <string_view>

namespace tofu::archive {

// The same text for all such names: without case, in one normal form. Bytes that are not
// UTF-8 stay as they are.
std::string folded_name(std::string_view name);

}  // namespace tofu::archive
