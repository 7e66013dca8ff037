#include "base/json_text.h"

#include <array>
#include <cstdint>
#include <optional>

#include "base/hex.h"
#include "base/plain_text.h"
#include "base/unicode.h"

namespace tofu::base {

namespace {

enum Action : std::uint8_t { kPlain, kHtml, kEscape, kHigh };

constexpr std::array<Action, 256> kActions = [] {
  std::array<Action, 256> actions{};
  for (int byte = 0; byte < 256; ++byte) {
    actions[byte] = byte < 0x20 ? kEscape : byte < 0x80 ? kPlain : kHigh;
  }
  actions['"'] = actions['\\'] = kEscape;
  actions['<'] = actions['>'] = actions['&'] = kHtml;
  return actions;
}();

void append_escape(std::string& out, unsigned char byte) {
  switch (byte) {
    case '"': out += "\\\""; return;
    case '\\': out += "\\\\"; return;
    case '\b': out += "\\b"; return;
    case '\f': out += "\\f"; return;
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    case '\t': out += "\\t"; return;
    default: break;
  }
  constexpr std::string_view kHex = "0123456789abcdef";
  out += "\\u00";
  out += kHex[byte >> 4];
  out += kHex[byte & 15];
}

}  // namespace

void append_json_string(std::string& out, std::string_view text, bool escape_html) {
  out += '"';
  std::size_t copied = 0;  // everything before it is in `out`
  std::size_t at = 0;
  const auto flush = [&] { out.append(text, copied, at - copied); };
  const auto skip_plain = [&] { at += plain_prefix(text.substr(at)); };
  skip_plain();
  while (at < text.size()) {
    const auto byte = static_cast<unsigned char>(text[at]);
    const Action action = kActions[byte];
    if (action == kPlain || (action == kHtml && !escape_html)) {
      ++at;
      continue;
    }
    if (action != kHigh) {
      flush();
      append_escape(out, byte);
      copied = ++at;
      skip_plain();
      continue;
    }
    const Decoded decoded = decode_utf8(text.substr(at));
    const bool broken = decoded.code == kReplacement && decoded.length == 1;
    if (broken || decoded.code == 0x2028 || decoded.code == 0x2029) {
      flush();
      out += broken ? "\\ufffd" : decoded.code == 0x2028 ? "\\u2028" : "\\u2029";
      copied = at + decoded.length;
    }
    at += decoded.length;
    if (at < text.size() && kActions[static_cast<unsigned char>(text[at])] == kPlain) skip_plain();
  }
  flush();
  out += '"';
}

namespace {

// Four digits at `at`; nothing if there are fewer, and `at` is then behind those.
std::optional<char32_t> read_four_digits(std::string_view text, std::size_t& at) {
  char32_t code = 0;
  for (const std::size_t end = at + 4; at < end; ++at) {
    const int digit = at < text.size() ? hex_digit(text[at]) : -1;
    if (digit < 0) return std::nullopt;
    code = code * 16 + static_cast<char32_t>(digit);
  }
  return code;
}

}  // namespace

JsonEscape read_json_escape(std::string_view text, std::size_t& at, std::string& out) {
  constexpr std::string_view kLetters = "\"\\/bfnrt";
  constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  if (at >= text.size()) return JsonEscape::Unknown;
  if (const auto which = kLetters.find(text[at]); which != std::string_view::npos) {
    out += kMeanings[which];
    ++at;
    return JsonEscape::Read;
  }
  if (text[at] != 'u') return JsonEscape::Unknown;
  auto code = read_four_digits(text, ++at);
  if (!code) return JsonEscape::BadDigit;
  if (*code >= 0xD800 && *code < 0xE000) {  // half of a pair, of use only before the other half
    std::optional<char32_t> low;
    std::size_t behind = at + 2;
    if (*code < 0xDC00 && text.substr(at).starts_with("\\u")) low = read_four_digits(text, behind);
    if (low && *low >= 0xDC00 && *low < 0xE000) {
      code = 0x10000 + ((*code - 0xD800) << 10) + (*low - 0xDC00);
      at = behind;
    } else {
      code = kReplacement;
    }
  }
  append_utf8(out, *code);
  return JsonEscape::Read;
}

}  // namespace tofu::base
