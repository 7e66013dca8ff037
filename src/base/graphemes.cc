// Grapheme clusters of Unicode 15.
//
// The rules are UAX #29 with the departures of the segmenter that OpenTofu uses,
// since columns, string lengths and fmt's alignment depend on them: U+FFFD stands
// alone, a pictograph joins a preceding ZWJ also after Hangul and flags, and a
// Hangul LV syllable that follows a leading consonant takes no trailing one.
#include <algorithm>
#include <utf8proc.h>

#include "base/unicode.h"

namespace tofu::base {

namespace {

enum class Break : std::uint8_t {
  End,  // no more text, or a byte that fits no UTF-8 pattern
  Other,
  Cr,
  Lf,
  Control,
  Extend,
  Zwj,
  SpacingMark,
  Prepend,
  Flag,
  Pictograph,
  L,
  V,
  T,
  Lv,
  Lvt,
};

Break break_of(char32_t code) {
  if (code == kReplacement) return Break::Control;
  switch (utf8proc_get_property(static_cast<utf8proc_int32_t>(code))->boundclass) {
    case UTF8PROC_BOUNDCLASS_CR: return Break::Cr;
    case UTF8PROC_BOUNDCLASS_LF: return Break::Lf;
    case UTF8PROC_BOUNDCLASS_CONTROL: return Break::Control;
    case UTF8PROC_BOUNDCLASS_EXTEND: return Break::Extend;
    case UTF8PROC_BOUNDCLASS_ZWJ: return Break::Zwj;
    case UTF8PROC_BOUNDCLASS_SPACINGMARK: return Break::SpacingMark;
    case UTF8PROC_BOUNDCLASS_PREPEND: return Break::Prepend;
    case UTF8PROC_BOUNDCLASS_REGIONAL_INDICATOR: return Break::Flag;
    case UTF8PROC_BOUNDCLASS_EXTENDED_PICTOGRAPHIC: return Break::Pictograph;
    case UTF8PROC_BOUNDCLASS_L: return Break::L;
    case UTF8PROC_BOUNDCLASS_V: return Break::V;
    case UTF8PROC_BOUNDCLASS_T: return Break::T;
    case UTF8PROC_BOUNDCLASS_LV: return Break::Lv;
    case UTF8PROC_BOUNDCLASS_LVT: return Break::Lvt;
    default: break;
  }
  // Code points set aside for future controls, which utf8proc does not classify.
  const bool reserved =
      code == 0x2065 || (code >= 0xFFF0 && code <= 0xFFF8) || (code >= 0xE0000 && code <= 0xE0FFF);
  return reserved ? Break::Control : Break::Other;
}

// Reads one cluster from the front of a text, one code point ahead.
class Cluster {
 public:
  explicit Cluster(std::string_view text) : text_(text) { look(); }

  std::size_t read() {
    if (next_ == Break::End) return std::min<std::size_t>(text_.size(), 1);
    while (skip(Break::Prepend)) {
    }
    switch (next_) {
      case Break::Cr:
        if (at_ == 0) skip(Break::Cr) && skip(Break::Lf);
        break;
      case Break::Lf:
      case Break::Control:
        if (at_ == 0) step();
        break;
      case Break::End:
      case Break::Prepend: break;
      case Break::L:
      case Break::V:
      case Break::T:
      case Break::Lv:
      case Break::Lvt:
        hangul();
        extension();
        break;
      case Break::Flag:
        skip(Break::Flag);
        skip(Break::Flag);
        extension();
        break;
      case Break::Pictograph:
        step();
        extension();
        break;
      case Break::Other:
      case Break::Extend:
      case Break::Zwj:
      case Break::SpacingMark:
        step();
        while (skip(Break::Extend) || skip(Break::Zwj) || skip(Break::SpacingMark)) {
        }
        break;
    }
    return at_;
  }

 private:
  void look() {
    const std::string_view rest = text_.substr(at_);
    const Decoded decoded = decode_utf8(rest);
    length_ = decoded.length;
    if (decoded.code != kReplacement || decoded.length > 1) {
      next_ = break_of(decoded.code);
      return;
    }
    // An encoded surrogate counts as one character.
    const std::size_t shape = rest.empty() ? 0 : sequence_length(rest);
    next_ = shape == 0 ? Break::End : Break::Other;
    if (shape != 0) length_ = shape;
  }
  void step() {
    at_ += length_;
    look();
  }
  bool skip(Break wanted) {
    if (next_ != wanted) return false;
    step();
    return true;
  }
  void skip_all(Break wanted) {
    while (skip(wanted)) {
    }
  }

  void hangul() {
    const bool leading = next_ == Break::L;
    skip_all(Break::L);
    if (skip(Break::Lv)) {
      if (leading && next_ != Break::V) return;
      skip_all(Break::V);
    } else if (!skip(Break::Lvt)) {
      if (leading && next_ == Break::T) return;
      skip_all(Break::V);
    }
    skip_all(Break::T);
  }

  void extension() {
    while (true) {
      if (skip(Break::Zwj)) {
        skip(Break::Pictograph);
      } else if (!skip(Break::Extend) && !skip(Break::SpacingMark)) {
        return;
      }
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t length_ = 0;  // of the code point ahead
  Break next_ = Break::End;
};

bool is_high(char byte) { return static_cast<unsigned char>(byte) >= 0x80; }

}  // namespace

std::size_t first_grapheme(std::string_view text) {
  if (text.size() < 2) return text.size();
  if (!is_high(text[0]) && !is_high(text[1])) return text[0] == '\r' && text[1] == '\n' ? 2 : 1;
  return Cluster(text).read();
}

std::size_t count_graphemes(std::string_view text) {
  std::size_t count = 0;
  while (!text.empty()) {
    text.remove_prefix(first_grapheme(text));
    ++count;
  }
  return count;
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    std::string_view cluster = text.substr(0, first_grapheme(text));
    text.remove_prefix(cluster.size());
    if (cluster.size() == 1 && !is_high(cluster[0])) {
      width += cluster[0] >= 0x20 && cluster[0] != 0x7F ? 1 : 0;
      continue;
    }
    // Marks are drawn over their base, so a cluster is as wide as its widest part.
    int widest = 0;
    while (!cluster.empty()) {
      const Decoded decoded = decode_utf8(cluster);
      widest = std::max(widest, utf8proc_charwidth(static_cast<utf8proc_int32_t>(decoded.code)));
      cluster.remove_prefix(decoded.length);
    }
    width += static_cast<std::size_t>(widest);
  }
  return width;
}

}  // namespace tofu::base
