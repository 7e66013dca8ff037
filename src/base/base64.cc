#include "base/base64.h"

#include <array>
#include <cstdint>

namespace tofu::base {

namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::array<std::int8_t, 256> digit_values() {
  std::array<std::int8_t, 256> values{};
  values.fill(-1);
  for (std::size_t i = 0; i < kAlphabet.size(); ++i) {
    values[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::int8_t>(i);
  }
  return values;
}

constexpr std::array<std::int8_t, 256> kDigits = digit_values();

std::size_t skip_line_ends(std::string_view text, std::size_t at) {
  while (at < text.size() && (text[at] == '\r' || text[at] == '\n')) ++at;
  return at;
}

}  // namespace

std::string base64_encode(std::string_view bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  const auto byte = [&](std::size_t i) -> std::uint32_t {
    return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0;
  };
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::uint32_t group = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    out += kAlphabet[group >> 18];
    out += kAlphabet[group >> 12 & 63];
    out += i + 1 < bytes.size() ? kAlphabet[group >> 6 & 63] : '=';
    out += i + 2 < bytes.size() ? kAlphabet[group & 63] : '=';
  }
  return out;
}

Result<std::string, Base64Error> base64_decode(std::string_view text) {
  std::string out;
  out.reserve(text.size() / 4 * 3);
  std::uint32_t group = 0;
  int digits = 0;
  std::size_t at = skip_line_ends(text, 0);
  while (at < text.size() && text[at] != '=') {
    const std::int8_t value = kDigits[static_cast<unsigned char>(text[at])];
    if (value < 0) return Base64Error{at};
    group = group << 6 | static_cast<std::uint32_t>(value);
    if (++digits == 4) {
      out += static_cast<char>(group >> 16);
      out += static_cast<char>(group >> 8);
      out += static_cast<char>(group);
      digits = 0;
      group = 0;
    }
    at = skip_line_ends(text, at + 1);
  }
  if (digits == 0 && at == text.size()) return out;

  // Two digits want two signs of padding, three want one, and nothing after it.
  if (digits < 2) return Base64Error{at};
  for (int missing = 4 - digits; missing > 0; --missing) {
    if (at == text.size() || text[at] != '=') return Base64Error{at};
    at = skip_line_ends(text, at + 1);
  }
  if (at != text.size()) return Base64Error{at};
  group <<= 6 * (4 - digits);
  out += static_cast<char>(group >> 16);
  if (digits == 3) out += static_cast<char>(group >> 8);
  return out;
}

}  // namespace tofu::base
