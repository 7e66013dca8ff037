#include "base/unicode.h"

#include <algorithm>
#include <array>
#include <utf8proc.h>

#include "base/ascii.h"
#include "base/plain_text.h"

namespace tofu::base {

namespace {

utf8proc_category_t category(char32_t code) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(code));
}

bool is_letter_category(utf8proc_category_t category) {
  return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO;
}

struct Range {
  char32_t first;
  char32_t last;
};

// HCL's scanner knows the identifiers of Unicode 9, utf8proc the categories of
// Unicode 15. In these ranges every letter, mark and digit is younger than
// Unicode 9, so none of them may be part of a name.
constexpr std::array kYoungerThanUnicode9 = std::to_array<Range>({
    {0x560, 0x560},     {0x588, 0x588},     {0x5EF, 0x5EF},     {0x7FD, 0x7FD},
    {0x860, 0x89F},     {0x8B5, 0x8B5},     {0x8BE, 0x8D3},     {0x9FC, 0x9FE},
    {0xAFA, 0xAFF},     {0xB55, 0xB55},     {0xC04, 0xC04},     {0xC3C, 0xC3C},
    {0xC5D, 0xC5D},     {0xCDD, 0xCDD},     {0xCF3, 0xD00},     {0xD04, 0xD04},
    {0xD3B, 0xD3C},     {0xD81, 0xD81},     {0xE86, 0xE86},     {0xE89, 0xE89},
    {0xE8C, 0xE8C},     {0xE8E, 0xE93},     {0xE98, 0xE98},     {0xEA0, 0xEA0},
    {0xEA8, 0xEA9},     {0xEAC, 0xEAC},     {0xEBA, 0xEBA},     {0xECE, 0xECE},
    {0x170D, 0x170D},   {0x1715, 0x171F},   {0x180F, 0x180F},   {0x1878, 0x1878},
    {0x1ABF, 0x1ACE},   {0x1B4C, 0x1B4C},   {0x1C90, 0x1CBF},   {0x1CF7, 0x1CF7},
    {0x1CFA, 0x1CFA},   {0x1DF6, 0x1DFA},   {0x2C2F, 0x2C2F},   {0x2C5F, 0x2C5F},
    {0x312E, 0x312F},   {0x31BB, 0x31BF},   {0x4DB6, 0x4DBF},   {0x9FD6, 0x9FFF},
    {0xA7AF, 0xA7AF},   {0xA7B8, 0xA7F6},   {0xA82C, 0xA82C},   {0xA8FE, 0xA8FF},
    {0xAB66, 0xAB69},   {0x1032D, 0x1032F}, {0x10570, 0x105BC}, {0x10780, 0x107BA},
    {0x10A34, 0x10A35}, {0x10D00, 0x10FF6}, {0x11070, 0x11075}, {0x110C2, 0x110C2},
    {0x11144, 0x11147}, {0x111C9, 0x111C9}, {0x111CE, 0x111CF}, {0x1123F, 0x11241},
    {0x1133B, 0x1133B}, {0x1145E, 0x11461}, {0x116B8, 0x116B8}, {0x1171A, 0x1171A},
    {0x11740, 0x1183A}, {0x11900, 0x11ABF}, {0x11D00, 0x11FB0}, {0x12F90, 0x12FF0},
    {0x1342F, 0x13455}, {0x16A70, 0x16AC9}, {0x16E40, 0x16E7F}, {0x16F45, 0x16F4F},
    {0x16F7F, 0x16F87}, {0x16FE1, 0x16FF1}, {0x187ED, 0x187F7}, {0x18AF3, 0x1AFFE},
    {0x1B002, 0x1B2FB}, {0x1CF00, 0x1CF46}, {0x1DF00, 0x1DF2A}, {0x1E030, 0x1E7FE},
    {0x1E94B, 0x1E94B}, {0x1FBF0, 0x1FBF9}, {0x2A6D7, 0x2A6DF}, {0x2B735, 0x2B739},
    {0x2CEB0, 0x2EBE0}, {0x30000, 0x323AF},
});

bool is_too_young(char32_t code) {
  const auto after = std::ranges::upper_bound(kYoungerThanUnicode9, code, {}, &Range::first);
  return after != kYoungerThanUnicode9.begin() && code <= std::prev(after)->last;
}

// Of the characters of ASCII.
constexpr std::array<bool, 0x80> kIdentifierContinue = [] {
  std::array<bool, 0x80> fits{};
  for (char32_t code = 0; code < fits.size(); ++code) {
    fits[code] = is_ascii_letter(code) || is_ascii_digit(code) || code == '_' || code == '-';
  }
  return fits;
}();

bool high_identifier_start(char32_t code) {
  // Other_ID_Start, and what changed its category after Unicode 9.
  switch (code) {
    case 0x1885:
    case 0x1886:
    case 0x2118:
    case 0x212E:
    case 0x309B:
    case 0x309C: return true;
    case 0x1CF2:
    case 0x1CF3:
    case 0x2E2F: return false;
    default: break;
  }
  const utf8proc_category_t is = category(code);
  return (is_letter_category(is) || is == UTF8PROC_CATEGORY_NL) && !is_too_young(code);
}

bool high_identifier_continue(char32_t code) {
  // Other_ID_Continue
  if (code == 0xB7 || code == 0x387 || code == 0x19DA || (code >= 0x1369 && code <= 0x1371)) {
    return true;
  }
  if (high_identifier_start(code)) return true;
  if (code == 0x1CF2 || code == 0x1CF3) return true;
  const utf8proc_category_t is = category(code);
  return (is == UTF8PROC_CATEGORY_MN || is == UTF8PROC_CATEGORY_MC || is == UTF8PROC_CATEGORY_ND ||
          is == UTF8PROC_CATEGORY_PC) &&
         !is_too_young(code);
}

}  // namespace

bool is_identifier_start(char32_t code) {
  return code < 0x80 ? is_ascii_letter(code) : high_identifier_start(code);
}

bool is_identifier_continue(char32_t code) {
  return code < 0x80 ? kIdentifierContinue[code] : high_identifier_continue(code);
}

bool is_identifier(std::string_view text) {
  const Decoded first = decode_utf8(text);
  if (text.empty() || !(is_identifier_start(first.code) || first.code == '_')) return false;
  for (std::size_t at = first.length; at < text.size();) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte < 0x80) {
      if (!kIdentifierContinue[byte]) return false;
      ++at;
      continue;
    }
    const Decoded next = decode_utf8(text.substr(at));
    if (!high_identifier_continue(next.code)) return false;
    at += next.length;
  }
  return true;
}

char32_t to_upper(char32_t code) {
  if (code < 0x80) return code >= 'a' && code <= 'z' ? code - 32 : code;
  if (code == 0xDF) return code;  // utf8proc would answer with the capital U+1E9E
  return static_cast<char32_t>(utf8proc_toupper(static_cast<utf8proc_int32_t>(code)));
}

char32_t to_lower(char32_t code) {
  if (code < 0x80) return code >= 'A' && code <= 'Z' ? code + 32 : code;
  return static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(code)));
}

char32_t to_title(char32_t code) {
  if (code < 0x80 || code == 0xDF) return to_upper(code);
  return static_cast<char32_t>(utf8proc_totitle(static_cast<utf8proc_int32_t>(code)));
}

bool is_letter(char32_t code) {
  return code < 0x80 ? is_ascii_letter(code) : is_letter_category(category(code));
}

bool is_digit(char32_t code) {
  return code < 0x80 ? is_ascii_digit(code) : category(code) == UTF8PROC_CATEGORY_ND;
}

bool is_space(char32_t code) {
  if (code < 0x80) return code == ' ' || (code >= '\t' && code <= '\r');
  switch (code) {
    case 0x85:
    case 0xA0:
    case 0x1680:
    case 0x2028:
    case 0x2029:
    case 0x202F:
    case 0x205F:
    case 0x3000: return true;
    default: return code >= 0x2000 && code <= 0x200A;
  }
}

bool is_printable(char32_t code) {
  if (code < 0x80) return code >= 0x20 && code != 0x7F;
  const utf8proc_category_t is = category(code);
  return is >= UTF8PROC_CATEGORY_LU && is <= UTF8PROC_CATEGORY_SO;
}

namespace {

void append_hex(std::string& out, char32_t code, int digits) {
  constexpr std::string_view kHex = "0123456789abcdef";
  for (int shift = (digits - 1) * 4; shift >= 0; shift -= 4) out += kHex[code >> shift & 15];
}

void append_quoted(std::string& out, char32_t code) {
  switch (code) {
    case '"': out += "\\\""; return;
    case '\\': out += "\\\\"; return;
    case '\a': out += "\\a"; return;
    case '\b': out += "\\b"; return;
    case '\f': out += "\\f"; return;
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    case '\t': out += "\\t"; return;
    case '\v': out += "\\v"; return;
    default: break;
  }
  if (is_printable(code)) {
    append_utf8(out, code);
  } else if (code < 0x80) {
    out += "\\x";
    append_hex(out, code, 2);
  } else if (code < 0x10000) {
    out += "\\u";
    append_hex(out, code, 4);
  } else {
    out += "\\U";
    append_hex(out, code, 8);
  }
}

}  // namespace

std::string quote_go(std::string_view text) {
  std::string out;
  out.reserve(text.size() + 2);
  out += '"';
  const auto is_plain = [](char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; };
  const auto copy_plain = [&] {
    std::size_t plain = plain_prefix(text);
    while (plain < text.size() && is_plain(text[plain])) ++plain;
    out += text.substr(0, plain);
    text.remove_prefix(plain);
  };
  copy_plain();
  while (!text.empty()) {
    const Decoded decoded = decode_utf8(text);
    if (decoded.code == kReplacement && decoded.length == 1) {
      out += "\\x";
      append_hex(out, static_cast<unsigned char>(text[0]), 2);
    } else {
      append_quoted(out, decoded.code);
    }
    text.remove_prefix(decoded.length);
    if (!text.empty() && is_plain(text.front())) copy_plain();
  }
  out += '"';
  return out;
}

}  // namespace tofu::base
