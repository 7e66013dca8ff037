#include <cstring>

#include "base/unicode.h"

namespace tofu::base {

namespace {

constexpr std::uint64_t kHighBits = 0x8080808080808080;

// Length of the run of ASCII that `text` begins with, rounded down to words.
std::size_t ascii_prefix(std::string_view text) {
  std::size_t at = 0;
  while (at + sizeof(std::uint64_t) <= text.size()) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + at, sizeof word);
    if ((word & kHighBits) != 0) break;
    at += sizeof word;
  }
  return at;
}

constexpr Decoded kBroken{kReplacement, 1};

}  // namespace

Decoded decode_utf8(std::string_view text) {
  if (text.empty()) return {kReplacement, 0};
  const auto byte = [&](std::size_t at) -> std::uint32_t {
    return static_cast<unsigned char>(text[at]);
  };
  const auto continues = [&](std::size_t at) { return (byte(at) & 0xC0) == 0x80; };
  const std::uint32_t lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  if (lead < 0xC2) return kBroken;
  if (lead < 0xE0) {
    if (text.size() < 2 || !continues(1)) return kBroken;
    return {(lead & 0x1F) << 6 | (byte(1) & 0x3F), 2};
  }
  if (lead < 0xF0) {
    if (text.size() < 3 || !continues(1) || !continues(2)) return kBroken;
    const char32_t code = (lead & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
    if (code < 0x800 || (code >= 0xD800 && code <= 0xDFFF)) return kBroken;
    return {code, 3};
  }
  if (lead > 0xF4 || text.size() < 4 || !continues(1) || !continues(2) || !continues(3)) {
    return kBroken;
  }
  const char32_t code =
      (lead & 0x07) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F);
  if (code < 0x10000 || code > 0x10FFFF) return kBroken;
  return {code, 4};
}

void append_utf8(std::string& out, char32_t code) {
  if (code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) code = kReplacement;
  const auto put = [&](char32_t byte) { out += static_cast<char>(byte); };
  if (code < 0x80) return put(code);
  if (code < 0x800) {
    put(0xC0 | code >> 6);
  } else if (code < 0x10000) {
    put(0xE0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3F));
  } else {
    put(0xF0 | code >> 18);
    put(0x80 | (code >> 12 & 0x3F));
    put(0x80 | (code >> 6 & 0x3F));
  }
  put(0x80 | (code & 0x3F));
}

std::size_t find_invalid_utf8(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    at += ascii_prefix(text.substr(at));
    // Most text that is not ASCII goes on so for a while; the word loop is
    // tried again only after a step of its size.
    for (const std::size_t stop = at + sizeof(std::uint64_t); at < text.size() && at < stop;) {
      const Decoded decoded = decode_utf8(text.substr(at));
      if (decoded.code == kReplacement && decoded.length == 1) return at;
      at += decoded.length;
    }
  }
  return std::string_view::npos;
}

bool is_valid_utf8(std::string_view text) {
  return find_invalid_utf8(text) == std::string_view::npos;
}

std::string to_valid_utf8(std::string_view text) {
  std::string out;
  while (true) {
    const std::size_t broken = find_invalid_utf8(text);
    out.append(text.substr(0, broken));
    if (broken == std::string_view::npos) return out;
    append_utf8(out, kReplacement);
    text.remove_prefix(broken + 1);
  }
}

bool is_ascii(std::string_view text) {
  for (std::size_t at = ascii_prefix(text); at < text.size(); ++at) {
    if (static_cast<unsigned char>(text[at]) >= 0x80) return false;
  }
  return true;
}

void cut_utf8(std::string& text, std::size_t size) {
  if (text.size() <= size) return;
  while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80) --size;
  text.resize(size);
}

std::size_t sequence_length(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  std::size_t length = 0;
  if (lead < 0x80) return 1;
  if (lead >= 0xC0 && lead < 0xE0) length = 2;
  if (lead >= 0xE0 && lead < 0xF0) length = 3;
  if (lead >= 0xF0 && lead < 0xF8) length = 4;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) return 0;
  }
  return length;
}

}  // namespace tofu::base
