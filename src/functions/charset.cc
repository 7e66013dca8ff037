#include "functions/charset.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/unicode.h"
#include "functions/charset_table.h"

namespace tofu::functions {

namespace {

// The character at the start of `text`, taken off it.
char32_t take_character(std::string_view& text) {
  const base::Decoded decoded = base::decode_utf8(text);
  text.remove_prefix(decoded.length);
  return decoded.code;
}

std::uint32_t byte_at(std::string_view bytes, std::size_t at) {
  return static_cast<unsigned char>(bytes[at]);
}

class Utf8 final : public Charset {
 public:
  std::optional<std::string> encode(std::string_view text) const override {
    return base::to_valid_utf8(text);
  }
  std::optional<std::string> decode(std::string_view bytes) const override {
    if (!base::is_valid_utf8(bytes)) return std::nullopt;
    return std::string(bytes);
  }
};

enum class ByteOrder : std::uint8_t { Big, Little, Marked };  // Marked: by a mark at the start

class Utf16 final : public Charset {
 public:
  explicit Utf16(ByteOrder order) : order_(order) {}

  std::optional<std::string> encode(std::string_view text) const override {
    std::string out;
    const auto put = [&](std::uint32_t unit) {
      if (order_ == ByteOrder::Little) unit = (unit >> 8 | unit << 8) & 0xFFFF;
      out += static_cast<char>(unit >> 8);
      out += static_cast<char>(unit);
    };
    if (order_ == ByteOrder::Marked) put(0xFEFF);
    while (!text.empty()) {
      const std::uint32_t c = take_character(text);
      if (c < 0x10000) {
        put(c);
      } else {
        put(0xD800 + ((c - 0x10000) >> 10));
        put(0xDC00 + (c & 0x3FF));
      }
    }
    return out;
  }

  std::optional<std::string> decode(std::string_view bytes) const override {
    if (bytes.size() % 2 != 0) return std::nullopt;
    bool little = order_ == ByteOrder::Little;
    if (order_ == ByteOrder::Marked &&
        (bytes.starts_with("\xFE\xFF") || bytes.starts_with("\xFF\xFE"))) {
      little = bytes.front() == '\xFF';
      bytes.remove_prefix(2);
    }
    std::string out;
    const auto unit = [&](std::size_t i) {
      return byte_at(bytes, little ? i + 1 : i) << 8 | byte_at(bytes, little ? i : i + 1);
    };
    for (std::size_t i = 0; i < bytes.size(); i += 2) {
      char32_t c = unit(i);
      if (c >= 0xD800 && c < 0xDC00 && i + 2 < bytes.size() && unit(i + 2) >> 10 == 0xDC00 >> 10) {
        c = 0x10000 + ((c - 0xD800) << 10 | (unit(i + 2) & 0x3FF));
        i += 2;
      }
      if ((c >= 0xD800 && c < 0xE000) || c == base::kReplacement) return std::nullopt;
      base::append_utf8(out, c);
    }
    return out;
  }

 private:
  ByteOrder order_;
};

// Codes of one to three bytes, one after the other.
class Stateless : public Charset {
 public:
  explicit Stateless(CodeTable table) : table_(std::move(table)) {}

  std::optional<std::string> encode(std::string_view text) const override {
    std::string out;
    while (!text.empty()) {
      const auto code = code_of(take_character(text));
      if (!code) return std::nullopt;
      append_code(out, *code);
    }
    return out;
  }

  std::optional<std::string> decode(std::string_view bytes) const override {
    std::string out;
    while (!bytes.empty()) {
      std::size_t length = 0;
      std::uint32_t code = 0;
      std::optional<char32_t> c;
      while (!c && length < std::min<std::size_t>(bytes.size(), 4)) {
        code = code << 8 | byte_at(bytes, length++);
        c = character_of(code);
      }
      if (!c) return std::nullopt;
      base::append_utf8(out, *c);
      bytes.remove_prefix(length);
    }
    return out;
  }

 protected:
  virtual std::optional<std::uint32_t> code_of(char32_t c) const { return table_.code(c); }
  virtual std::optional<char32_t> character_of(std::uint32_t code) const {
    return table_.character(code);
  }

 private:
  CodeTable table_;
};

// The characters beyond U+FFFF stand in order from 90308130.
class Gb18030 final : public Stateless {
 public:
  using Stateless::Stateless;

 protected:
  std::optional<std::uint32_t> code_of(char32_t c) const override {
    if (c < 0x10000) return Stateless::code_of(c);
    const std::uint32_t i = c - 0x10000;
    return (0x90 + i / 12'600) << 24 | (0x30 + i / 1'260 % 10) << 16 | (0x81 + i / 10 % 126) << 8 |
           (0x30 + i % 10);
  }
  std::optional<char32_t> character_of(std::uint32_t code) const override {
    if (code < 0x90308130) return Stateless::character_of(code);
    const auto digit = [code](int shift, std::uint32_t first, std::uint32_t count) {
      const std::uint32_t byte = code >> shift & 0xFF;
      return byte >= first && byte < first + count ? std::optional(byte - first) : std::nullopt;
    };
    const auto a = digit(24, 0x90, 84);
    const auto b = digit(16, 0x30, 10);
    const auto c = digit(8, 0x81, 126);
    const auto d = digit(0, 0x30, 10);
    if (!a || !b || !c || !d) return std::nullopt;
    const std::uint32_t i = ((*a * 10 + *b) * 126 + *c) * 10 + *d;
    return i < 0x100000 ? std::optional<char32_t>(0x10000 + i) : std::nullopt;
  }
};

// Seven-bit Japanese: escape sequences switch between sets of characters. The
// table is that of EUC-JP, whose bytes are the same with the high bit set.
class Iso2022Jp final : public Charset {
 public:
  explicit Iso2022Jp(CodeTable table) : table_(std::move(table)) {}

  std::optional<std::string> encode(std::string_view text) const override {
    std::string out;
    Set set = Set::Ascii;
    const auto use = [&](Set next, std::string_view sequence) {
      if (std::exchange(set, next) != next) out += sequence;
    };
    while (!text.empty()) {
      const auto code = table_.code(take_character(text));
      if (!code || *code > 0xFFFF) return std::nullopt;
      if (*code < 0x80) {
        use(Set::Ascii, "\x1B(B");
      } else if (*code >> 8 == 0x8E) {
        use(Set::Katakana, "\x1B(I");
      } else {
        use(Set::Kanji, "\x1B$B");
        out += static_cast<char>(*code >> 8 & 0x7F);
      }
      out += static_cast<char>(*code & 0x7F);
    }
    use(Set::Ascii, "\x1B(B");
    return out;
  }

  std::optional<std::string> decode(std::string_view bytes) const override {
    std::string out;
    Set set = Set::Ascii;
    while (!bytes.empty()) {
      if (bytes.front() == '\x1B') {
        const auto next = take_escape(bytes);
        if (!next) return std::nullopt;
        set = *next;
        continue;
      }
      if (bytes.front() == '\n' && (set == Set::Kanji || set == Set::MoreKanji)) set = Set::Ascii;
      const std::size_t length = set == Set::Kanji || set == Set::MoreKanji ? 2 : 1;
      if (bytes.size() < length) return std::nullopt;
      std::uint32_t code = prefix_of(set);
      for (std::size_t i = 0; i < length; ++i) {
        const std::uint32_t byte = byte_at(bytes, i);
        if (byte >= 0x80 || (set != Set::Ascii && byte < 0x21)) return std::nullopt;
        code = code << 8 | (set == Set::Ascii ? byte : byte | 0x80);
      }
      const auto c = table_.character(code);
      if (!c) return std::nullopt;
      base::append_utf8(out, *c);
      bytes.remove_prefix(length);
    }
    return out;
  }

 private:
  enum class Set : std::uint8_t { Ascii, Katakana, Kanji, MoreKanji };

  static std::uint32_t prefix_of(Set set) {
    if (set == Set::Katakana) return 0x8E;
    return set == Set::MoreKanji ? 0x8F : 0;
  }

  static std::optional<Set> take_escape(std::string_view& bytes) {
    constexpr std::array<std::pair<std::string_view, Set>, 6> kSequences{{
        {"\x1B(B", Set::Ascii},
        {"\x1B(J", Set::Ascii},
        {"\x1B(I", Set::Katakana},
        {"\x1B$@", Set::Kanji},
        {"\x1B$B", Set::Kanji},
        {"\x1B$(D", Set::MoreKanji},
    }};
    for (const auto& [sequence, set] : kSequences) {
      if (!bytes.starts_with(sequence)) continue;
      bytes.remove_prefix(sequence.size());
      return set;
    }
    return std::nullopt;
  }

  CodeTable table_;
};

// Seven-bit Chinese: ~{ and ~} switch, ~~ is a tilde. Of the table,
// the codes with two bytes from A1 are used.
class Hz final : public Charset {
 public:
  explicit Hz(CodeTable table) : table_(std::move(table)) {}

  // Like OpenTofu's, the text does not switch back at its end.
  std::optional<std::string> encode(std::string_view text) const override {
    std::string out;
    bool chinese = false;
    while (!text.empty()) {
      const char32_t c = take_character(text);
      if (c < 0x80) {
        if (c != '~' && std::exchange(chinese, false)) out += "~}";
        out += c == '~' ? std::string("~~") : std::string(1, static_cast<char>(c));
        continue;
      }
      const auto code = table_.code(c);
      if (!code || (*code & 0xFF) < 0xA1 || *code < 0xA1A1) return std::nullopt;
      if (!std::exchange(chinese, true)) out += "~{";
      append_code(out, *code & 0x7F7F);
    }
    return out;
  }

  std::optional<std::string> decode(std::string_view bytes) const override {
    std::string out;
    bool chinese = false;
    while (!bytes.empty()) {
      if (bytes.size() > 1 && bytes.front() == '~') {
        switch (bytes[1]) {
          case '{': chinese = true; break;
          case '}': chinese = false; break;
          case '~': out += '~'; break;
          case '\n': break;
          default: return std::nullopt;
        }
        bytes.remove_prefix(2);
        continue;
      }
      const std::size_t length = chinese ? 2 : 1;
      if (bytes.size() < length || bytes.front() == '~') return std::nullopt;
      std::uint32_t code = 0;
      for (std::size_t i = 0; i < length; ++i) {
        const std::uint32_t byte = byte_at(bytes, i);
        if (byte >= 0x80 || (chinese && byte < 0x21)) return std::nullopt;
        code = code << 8 | (chinese ? byte | 0x80 : byte);
      }
      const auto c = table_.character(code);
      if (!c) return std::nullopt;
      base::append_utf8(out, *c);
      bytes.remove_prefix(length);
    }
    return out;
  }

 private:
  CodeTable table_;
};

template <class Kind>
std::unique_ptr<const Charset> from_table(CodeTable table) {
  if (table.empty()) return nullptr;
  return std::make_unique<Kind>(std::move(table));
}

}  // namespace

std::unique_ptr<const Charset> make_charset(std::string_view canonical) {
  if (canonical == "UTF-8") return std::make_unique<Utf8>();
  if (canonical == "UTF-16") return std::make_unique<Utf16>(ByteOrder::Marked);
  if (canonical == "UTF-16BE") return std::make_unique<Utf16>(ByteOrder::Big);
  if (canonical == "UTF-16LE") return std::make_unique<Utf16>(ByteOrder::Little);
  if (canonical == "Shift_JIS") return from_table<Stateless>(shift_jis_table());
  if (canonical == "EUC-JP") return from_table<Stateless>(euc_jp_table());
  if (canonical == "ISO-2022-JP") return from_table<Iso2022Jp>(euc_jp_table());
  if (canonical == "EUC-KR") return from_table<Stateless>(euc_kr_table());
  if (canonical == "GBK") return from_table<Stateless>(gbk_table());
  if (canonical == "GB18030") return from_table<Gb18030>(gb18030_table());
  if (canonical == "HZ-GB-2312") return from_table<Hz>(gb2312_table());
  if (canonical == "Big5") return from_table<Stateless>(big5_table());
  return from_table<Stateless>(single_byte_table(canonical));
}

}  // namespace tofu::functions
