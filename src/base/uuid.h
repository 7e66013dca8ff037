// UUIDs as OpenTofu makes them: 16 random bytes in hexadecimal digits with dashes.
//
// All bits are random, also those that RFC 4122 reserves for the version: it has
// always been so, and nobody takes these apart.
#pragma once

#include <array>
#include <string>

#include "base/result.h"

namespace tofu::base {

using UuidBytes = std::array<unsigned char, 16>;

// 8-4-4-4-12 digits in small letters.
std::string uuid_text(const UuidBytes& bytes);

// An error if the system gives no random numbers.
Result<std::string> random_uuid();

}  // namespace tofu::base
