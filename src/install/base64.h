// Base64 as HTTP and Docker's files use it: the standard alphabet, with padding.
//
// For names and passwords, so decoding is strict: anything else is refused, and a
// wrong secret is never sent in place of the one that was meant.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tofu::install {

std::string base64_encode(std::string_view bytes);
std::optional<std::string> base64_decode(std::string_view text);

}  // namespace tofu::install
