// Normal form C of Unicode 15, as Go's norm package produces it.
//
// Text is cut into segments that cannot influence each other, and utf8proc
// composes each. Like Go, a segment takes at most 30 marks and is then closed
// with U+034F: that is the Stream-Safe rule of UAX #15, and it also keeps the
// sorting of marks linear when someone sends a megabyte of them.
#include <algorithm>
#include <array>
#include <span>
#include <utf8proc.h>

#include "base/check.h"
#include "base/unicode.h"

namespace tofu::base {

namespace {

constexpr std::size_t kMaxMarks = 30;
constexpr char32_t kGraphemeJoiner = 0x034F;

// Characters of combining class 0 that nevertheless compose with the one before
// them, beside the Hangul vowels and trailing consonants.
constexpr std::array kComposeBackward = std::to_array<char32_t>(
    {0x9BE,   0x9D7,   0xB3E,   0xB56,   0xB57,   0xBBE,   0xBD7,   0xCC2,
     0xCD5,   0xCD6,   0xD3E,   0xD57,   0xDCF,   0xDDF,   0x102E,  0x1B35,
     0x11127, 0x1133E, 0x11357, 0x114B0, 0x114BA, 0x114BD, 0x115AF, 0x11930});

bool is_mark(char32_t code) {
  if (code < 0x300) return false;
  if (code >= 0x1161 && code <= 0x1175) return true;
  if (code >= 0x11A8 && code <= 0x11C2) return true;
  if (utf8proc_get_property(static_cast<utf8proc_int32_t>(code))->combining_class != 0) return true;
  return std::ranges::binary_search(kComposeBackward, code);
}

// How many marks the compatibility decomposition of a character begins and
// ends with: what the Stream-Safe rule counts.
struct Marks {
  std::size_t leading = 0;
  std::size_t trailing = 0;
};

Marks count_marks(char32_t code) {
  if (code < 0xC0) return {};
  std::array<utf8proc_int32_t, 64> parts{};
  int boundary = 0;
  const utf8proc_ssize_t count = utf8proc_decompose_char(
      static_cast<utf8proc_int32_t>(code), parts.data(), parts.size(),
      static_cast<utf8proc_option_t>(UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT), &boundary);
  if (count <= 0 || count > static_cast<utf8proc_ssize_t>(parts.size())) return {};
  const auto mark = [](utf8proc_int32_t part) { return is_mark(static_cast<char32_t>(part)); };
  const std::span used(parts.data(), static_cast<std::size_t>(count));
  const auto first = std::ranges::find_if_not(used, mark);
  if (first == used.end()) return {used.size(), used.size()};
  const auto last = std::find_if_not(used.rbegin(), used.rend(), mark);
  return {static_cast<std::size_t>(first - used.begin()),
          static_cast<std::size_t>(last - used.rbegin())};
}

bool has_canonical_decomposition(char32_t code) {
  if (code < 0xC0) return false;
  const auto* property = utf8proc_get_property(static_cast<utf8proc_int32_t>(code));
  return property->decomp_seqindex != UINT16_MAX && property->decomp_type == 0;
}

// Appends a segment in normal form: a starter and at most kMaxMarks marks, which
// is what makes a buffer of fixed size enough.
void append_composed(std::string& out, std::u32string_view segment) {
  if (segment.size() == 1 && !has_canonical_decomposition(segment[0])) {
    return append_utf8(out, segment[0]);
  }
  constexpr auto kOptions = static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE);
  std::string source;
  for (const char32_t code : segment) append_utf8(source, code);
  std::array<utf8proc_int32_t, 256> buffer{};
  const utf8proc_ssize_t count = utf8proc_decompose(
      reinterpret_cast<const utf8proc_uint8_t*>(source.data()),
      static_cast<utf8proc_ssize_t>(source.size()), buffer.data(), buffer.size(), kOptions);
  if (count < 0 || count > static_cast<utf8proc_ssize_t>(buffer.size())) {
    broken_promise("a segment of normal form C fits its buffer");
  }
  const utf8proc_ssize_t composed = utf8proc_normalize_utf32(buffer.data(), count, kOptions);
  for (utf8proc_ssize_t i = 0; i < composed; ++i) {
    append_utf8(out, static_cast<char32_t>(buffer[static_cast<std::size_t>(i)]));
  }
}

// True if nothing in the text decomposes or composes, seen one by one.
bool surely_nfc(std::string_view text) {
  while (!text.empty()) {
    const Decoded decoded = decode_utf8(text);
    if (decoded.code >= 0x300 &&
        (is_mark(decoded.code) || has_canonical_decomposition(decoded.code) ||
         decoded.code == 0xFF9E || decoded.code == 0xFF9F)) {
      return false;
    }
    text.remove_prefix(decoded.length);
  }
  return true;
}

}  // namespace

bool is_nfc(std::string_view text) {
  return is_ascii(text) || surely_nfc(text) || to_nfc(text) == text;
}

std::string to_nfc(std::string_view text) {
  if (is_ascii(text) || surely_nfc(text)) return std::string(text);
  std::string out;
  out.reserve(text.size());
  std::u32string segment;
  std::size_t marks = 0;
  const auto flush = [&] {
    if (!segment.empty()) append_composed(out, segment);
    segment.clear();
  };
  while (!text.empty()) {
    const Decoded decoded = decode_utf8(text);
    if (decoded.code == kReplacement && decoded.length == 1) {  // kept as it is, like Go does
      flush();
      marks = 0;
      out += text[0];
      text.remove_prefix(1);
      continue;
    }
    const Marks here = count_marks(decoded.code);
    if (here.leading == 0) {
      flush();
      marks = here.trailing;
    } else if (marks += here.leading; marks > kMaxMarks) {
      flush();
      append_utf8(out, kGraphemeJoiner);
      marks = here.leading;
    }
    segment += decoded.code;
    text.remove_prefix(decoded.length);
  }
  flush();
  return out;
}

}  // namespace tofu::base
