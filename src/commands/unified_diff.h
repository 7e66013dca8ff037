// The difference between two texts as people read it, made by the `diff` program.
//
// The form is that of `diff -u` with old/ and new/ before the name, as OpenTofu
// prints it.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace tofu::commands {

base::Result<std::string> unified_diff(std::string_view name, std::string_view before,
                                       std::string_view after);

}  // namespace tofu::commands
