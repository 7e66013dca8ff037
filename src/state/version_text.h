// Whether a text is a version, as the program that wrote a state has one.
//
// State files are the only reason to ask: constraints and their order are in addrs/version.h, and a
// state may have been written by any version.
#pragma once

#include <string_view>

namespace tofu::state {

// One or more numbers with dots between them, perhaps a v before and a pre-release
// or metadata behind.
bool is_version(std::string_view text);

}  // namespace tofu::state
