// Cleans error text of other programs for our own messages.
//
// Programs such as git, hg and az print arbitrary text on standard error: control characters,
// progress lines, and sometimes the credentials that they were given.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tofu::net {

// One valid UTF-8 text without control characters and without `secrets`. Long text is cut
// at the front, because the reason of a failure comes last.
std::string redact(std::string_view errors, const std::vector<std::string>& secrets);

}  // namespace tofu::net
