#include "functions/yaml_encode.h"

#include <fmt/format.h>
#include <string_view>
#include <utility>
#include <vector>

#include "base/unicode.h"
#include "value/size_limit.h"

namespace tofu::functions {

namespace {

using value::Kind;
using value::Value;

constexpr int kIndent = 2;
constexpr int kLineWidth = 80;              // after which a quoted string is folded at a space
constexpr std::size_t kMaxKeyLength = 128;  // in bytes; longer keys are written after "? "

bool is_line_break(char32_t c) {
  return c == '\r' || c == '\n' || c == 0x85 || c == 0x2028 || c == 0x2029;
}

// The characters that YAML 1.1 allows unescaped, without those beyond U+FFFF, which this spelling
// always escapes.
bool is_plain_character(char32_t c) {
  if (c == '\n' || (c >= 0x20 && c <= 0x7E)) return true;
  return (c >= 0xA0 && c <= 0xD7FF) || (c >= 0xE000 && c <= 0xFFFD && c != 0xFEFF);
}

// Properties that decide how a string may be written.
struct TextTraits {
  bool has_break = false;
  bool block_allowed = true;  // as a literal block
};

TextTraits traits_of(std::string_view text) {
  TextTraits traits;
  bool after_space = false;
  for (std::size_t i = 0; i < text.size();) {
    const base::Decoded c = base::decode_utf8(text.substr(i));
    i += c.length;
    const bool line_break = is_line_break(c.code);
    traits.has_break = traits.has_break || line_break;
    if (!is_plain_character(c.code) || (line_break && after_space)) traits.block_allowed = false;
    after_space = c.code == ' ';
  }
  if (after_space) traits.block_allowed = false;
  return traits;
}

char short_escape(char32_t c) {
  switch (c) {
    case 0x00: return '0';
    case 0x07: return 'a';
    case 0x08: return 'b';
    case 0x09: return 't';
    case 0x0A: return 'n';
    case 0x0B: return 'v';
    case 0x0C: return 'f';
    case 0x0D: return 'r';
    case 0x1B: return 'e';
    case 0x22: return '"';
    case 0x5C: return '\\';
    case 0x85: return 'N';
    case 0xA0: return '_';
    case 0x2028: return 'L';
    case 0x2029: return 'P';
    default: return 0;
  }
}

std::string escape(char32_t c) {
  if (const char letter = short_escape(c)) return {'\\', letter};
  const auto code = static_cast<std::uint32_t>(c);
  if (code <= 0xFF) return fmt::format("\\x{:02X}", code);
  if (code <= 0xFFFF) return fmt::format("\\u{:04X}", code);
  return fmt::format("\\U{:08X}", code);
}

enum class Place : std::uint8_t { Root, Item, Key, Entry };  // Entry: a key or value of a mapping

class Emitter {
 public:
  base::Result<std::string> run(const Value& root) {
    if (!node(root, Place::Root)) return failure_;
    while (!open_.empty()) {
      if (open_.back().next == open_.back().collection.plain().size()) {
        indent_ = open_.back().outer_indent;
        open_.pop_back();
      } else if (!member()) {
        return failure_;
      }
    }
    new_line();
    // A lone plain scalar could still go on, so it needs an end mark.
    if (open_ended_) {
      indicator("...", true);
      new_line();
    }
    return std::move(out_);
  }

 private:
  // A collection whose members are being written. They are on a stack of our
  // own, because values can be nested more deeply than the machine's stack.
  struct Open {
    Value collection;
    std::size_t next = 0;
    int outer_indent = 0;
  };

  bool fail(std::string_view why) {
    failure_.what = why;
    return false;
  }

  void put(std::string_view character) {
    out_ += character;
    ++column_;
  }

  void line_end() {
    out_ += '\n';
    column_ = 0;
  }

  // Goes to the start of a line at the current indentation, if not there yet.
  void new_line() {
    const int indent = indent_ < 0 ? 0 : indent_;
    if (!at_indent_ || column_ > indent || (column_ == indent && !after_white_)) line_end();
    while (column_ < indent) put(" ");
    after_white_ = true;
    at_indent_ = true;
  }

  void indicator(std::string_view text, bool space_before, bool opens = false) {
    if (space_before && !after_white_) put(" ");
    out_ += text;
    column_ += static_cast<int>(text.size());
    after_white_ = false;
    at_indent_ = at_indent_ && opens;
    open_ended_ = false;
  }

  // The next member of the innermost collection.
  bool member() {
    // Parts that the value shares are written as often as they occur.
    if (out_.size() > value::kMaxTextSize) return fail(value::text_too_long());
    Open& open = open_.back();
    const std::size_t i = open.next++;
    const Value item = open.collection.plain().items()[i];
    new_line();
    const Kind kind = open.collection.kind();
    if (kind != Kind::Map && kind != Kind::Object) {
      indicator("-", true, true);
      return node(item, Place::Item);
    }
    const Value key = kind == Kind::Map
                          ? open.collection.plain().map_keys()[i]
                          : Value::string(open.collection.type().attributes()[i].name);
    const std::string_view text = key.plain().as_string();
    if (text.size() <= kMaxKeyLength && !traits_of(text).has_break) {
      if (!node(key, Place::Key)) return false;
      indicator(":", false);
    } else {
      indicator("?", true, true);
      if (!node(key, Place::Entry)) return false;
      new_line();
      indicator(":", true, true);
    }
    return node(item, Place::Entry);
  }

  bool node(const Value& v, Place place) {
    switch (v.kind()) {
      case Kind::Null: return plain("null", place);
      case Kind::Bool: return plain(v.plain().as_bool() ? "true" : "false", place);
      case Kind::Number: return plain(v.plain().as_number().to_string(), place);
      case Kind::String: return text(v.plain().as_string(), place);
      case Kind::List:
      case Kind::Set:
      case Kind::Tuple: return collection(v, "[]", place == Place::Entry && !at_indent_);
      case Kind::Map:
      case Kind::Object: return collection(v, "{}", false);
      case Kind::Unknown:
      case Kind::Marked: break;
      case Kind::Capsule: return fail("a value of this type cannot be written as YAML");
    }
    base::broken_promise("only known values without marks are written as YAML");
  }

  // A sequence directly after its key stays at the key's indentation.
  bool collection(const Value& v, std::string_view empty, bool same_indent) {
    if (v.plain().size() == 0) {
      indicator(empty, true);
      return true;
    }
    open_.push_back({v, 0, indent_});
    if (indent_ < 0) {
      indent_ = 0;
    } else if (!same_indent) {
      indent_ += kIndent;
    }
    return true;
  }

  bool plain(std::string_view text, Place place) {
    if (!after_white_) put(" ");
    out_ += text;
    column_ += static_cast<int>(text.size());
    after_white_ = false;
    at_indent_ = false;
    if (place == Place::Root) open_ended_ = true;
    return true;
  }

  bool text(std::string_view text, Place place) {
    if (!base::is_valid_utf8(text)) return fail("YAML text must be valid UTF-8");
    const int outer = indent_;
    indent_ = indent_ < 0 ? kIndent : indent_ + kIndent;
    if (place != Place::Key && text.find('\n') != std::string_view::npos &&
        traits_of(text).block_allowed) {
      literal_block(text);
    } else {
      quoted(text, place != Place::Key);
    }
    indent_ = outer;
    return true;
  }

  void quoted(std::string_view text, bool may_fold) {
    // A byte order mark at the start has everything after it escaped as well.
    const bool escape_all = text.starts_with("\xEF\xBB\xBF");
    bool after_space = false;
    indicator("\"", true);
    for (std::size_t i = 0; i < text.size();) {
      const base::Decoded c = base::decode_utf8(text.substr(i));
      const std::string_view character = text.substr(i, c.length);
      const bool first = i == 0;
      i += c.length;
      if (escape_all || !is_plain_character(c.code) || is_line_break(c.code) || c.code == '"' ||
          c.code == '\\') {
        const std::string escaped = escape(c.code);
        out_ += escaped;
        column_ += static_cast<int>(escaped.size());
        after_space = false;
        continue;
      }
      if (c.code == ' ' && may_fold && !after_space && column_ > kLineWidth && !first &&
          i < text.size()) {
        new_line();
        if (text[i] == ' ') put("\\");
      } else {
        put(character);
      }
      after_space = c.code == ' ';
    }
    indicator("\"", false);
  }

  // How the block ends: all line ends dropped, one kept, or all kept.
  std::string_view chomping(std::string_view text) {
    const auto take_break = [&text] {
      for (const std::string_view end : {"\n", "\r", "\xC2\x85", "\xE2\x80\xA8", "\xE2\x80\xA9"}) {
        if (text.ends_with(end)) {
          text.remove_suffix(end.size());
          return true;
        }
      }
      return false;
    };
    if (!take_break()) return "-";
    return text.empty() || take_break() ? "+" : "";
  }

  void literal_block(std::string_view text) {
    indicator("|", true);
    const char32_t first = base::decode_utf8(text).code;
    if (first == ' ' || is_line_break(first)) indicator("2", false);
    const std::string_view end = chomping(text);
    if (!end.empty()) indicator(end, false);
    line_end();
    at_indent_ = true;
    after_white_ = true;
    bool line_start = true;
    while (!text.empty()) {
      const base::Decoded c = base::decode_utf8(text);
      if (c.code == '\n') {
        line_end();
      } else {
        if (line_start && !is_line_break(c.code)) new_line();
        put(text.substr(0, c.length));
        if (is_line_break(c.code)) column_ = 0;
      }
      line_start = is_line_break(c.code);
      at_indent_ = line_start;
      text.remove_prefix(c.length);
    }
  }

  std::string out_;
  base::Error failure_;
  std::vector<Open> open_;
  int column_ = 0;
  int indent_ = -1;          // of the innermost collection; -1 outside of all
  bool after_white_ = true;  // no space is needed before the next thing
  bool at_indent_ = true;    // only indentation and indicators so far on this line
  bool open_ended_ = false;
};

}  // namespace

base::Result<std::string> to_yaml(const Value& v) { return Emitter().run(v); }

}  // namespace tofu::functions
