// Base64 with the standard alphabet and padding, as Go's encoding has it.
//
// Decoding skips CR and LF wherever they stand, wants complete padding, and
// does not look at the unused bits of the last character. OpenSSL's decoder is
// not used because it differs in all three.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace tofu::base {

struct Base64Error {
  std::size_t offset;  // of the first byte that does not fit
};

std::string base64_encode(std::string_view bytes);
Result<std::string, Base64Error> base64_decode(std::string_view text);

}  // namespace tofu::base
