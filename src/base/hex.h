// Hexadecimal digits, as escapes, percent-encoding and hashes have them.
//
// Large and small letters are the same. Whether a text may have both is for the
// caller to say.
#pragma once

namespace tofu::base {

// The value of a digit, 0 to 15; -1 if it is none.
constexpr int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace tofu::base
