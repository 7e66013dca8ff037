#include "base/json_layout.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

#include "base/ascii.h"
#include "base/hex.h"
#include "base/plain_text.h"

namespace tofu::base {

namespace {

enum StringByte : std::uint8_t { kPlain, kQuote, kBackslash, kControl, kHtml, kSeparator };

constexpr std::array<StringByte, 256> kStringBytes = [] {
  std::array<StringByte, 256> bytes{};
  for (int byte = 0; byte < 0x20; ++byte) bytes[byte] = kControl;
  bytes['"'] = kQuote;
  bytes['\\'] = kBackslash;
  bytes['<'] = bytes['>'] = bytes['&'] = kHtml;
  bytes[0xE2] = kSeparator;  // the first byte of U+2028 and U+2029, and of others
  return bytes;
}();

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

// Writes over the text that is read, always behind what was not read yet.
class Overwriter {
 public:
  explicit Overwriter(char* begin) : end_(begin) {}

  void operator+=(char c) { *end_++ = c; }
  void operator+=(std::string_view piece) {
    std::memmove(end_, piece.data(), piece.size());
    end_ += piece.size();
  }
  void append(std::string_view text, std::size_t from, std::size_t count) {
    *this += text.substr(from, count);
  }
  const char* end() const { return end_; }

 private:
  char* end_;
};

// One value, checked and copied. Each step returns false after an error.
template <class Out>
class Compactor {
 public:
  Compactor(Out& out, std::string_view text) : out_(out), text_(text) {}

  Result<void, JsonFault> run() {
    if (!value()) return JsonFault{at_, std::move(what_)};
    skip_space();
    if (at_ == text_.size()) return {};
    return JsonFault{at_, "something follows the end of the document"};
  }

 private:
  bool fail(std::string what) {
    what_ = at_ >= text_.size() ? "the text ends where more is due" : std::move(what);
    return false;
  }
  void skip_space() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }
  char next() {
    skip_space();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  void copy() { out_ += text_[at_++]; }

  bool value() {
    std::string open;  // the brackets that close what is open
    while (true) {
      const char first = next();
      if (first == '{' || first == '[') {
        if (open.size() >= kMaxJsonDepth) return fail("brackets are nested too deep");
        open.push_back(first == '{' ? '}' : ']');
        copy();
        if (next() != open.back()) {
          if (first == '{' && !member_name()) return false;
          continue;
        }
      } else if (!scalar(first)) {
        return false;
      }
      while (!open.empty() && next() == open.back()) {
        copy();
        open.pop_back();
      }
      if (open.empty()) return true;
      if (next() != ',') return fail("a comma or a closing bracket is due");
      copy();
      if (open.back() == '}' && !member_name()) return false;
    }
  }

  bool member_name() {
    if (next() != '"') return fail("a name in quotes is due");
    if (!string()) return false;
    if (next() != ':') return fail("a colon is due");
    copy();
    return true;
  }

  bool scalar(char first) {
    switch (first) {
      case '"': return string();
      case 't': return word("true");
      case 'f': return word("false");
      case 'n': return word("null");
      default: return number();
    }
  }

  bool word(std::string_view expected) {
    for (const char c : expected) {
      if (at_ >= text_.size() || text_[at_] != c) return fail("a value is due");
      ++at_;
    }
    out_ += expected;
    return true;
  }

  bool digits() {
    const std::size_t from = at_;
    while (at_ < text_.size() && is_ascii_digit(text_[at_])) ++at_;
    return at_ > from || fail("a digit is due");
  }

  bool number() {
    const std::size_t from = at_;
    const auto is = [&](char c) { return at_ < text_.size() && text_[at_] == c; };
    if (is('-')) {
      ++at_;
    } else if (at_ >= text_.size() || !is_ascii_digit(text_[at_])) {
      return fail("a value is due");
    }
    if (is('0')) {
      ++at_;  // a digit behind it would be the next token, and does not fit
    } else if (!digits()) {
      return false;
    }
    if (is('.')) {
      ++at_;
      if (!digits()) return false;
    }
    if (is('e') || is('E')) {
      ++at_;
      if (is('+') || is('-')) ++at_;
      if (!digits()) return false;
    }
    out_.append(text_, from, at_ - from);
    return true;
  }

  bool string() {
    std::size_t copied = at_++;
    const auto flush = [&] { out_.append(text_, copied, at_ - copied); };
    const auto skip_plain = [&] { at_ += plain_prefix(text_.substr(at_)); };
    skip_plain();
    while (at_ < text_.size()) {
      const auto byte = static_cast<unsigned char>(text_[at_]);
      switch (kStringBytes[byte]) {
        case kPlain: ++at_; break;
        case kQuote:
          ++at_;
          flush();
          return true;
        case kBackslash:
          if (!escape()) return false;
          skip_plain();
          break;
        case kControl: return fail("a control character in a string must be escaped");
        case kHtml:
          flush();
          out_ += byte == '<' ? "\\u003c" : byte == '>' ? "\\u003e" : "\\u0026";
          copied = ++at_;
          skip_plain();
          break;
        case kSeparator:
          if (at_ + 2 < text_.size() && text_[at_ + 1] == '\x80' &&
              (static_cast<unsigned char>(text_[at_ + 2]) & ~1U) == 0xA8) {
            flush();
            out_ += text_[at_ + 2] == '\xA8' ? "\\u2028" : "\\u2029";
            copied = at_ += 3;
          } else {
            ++at_;
          }
          skip_plain();
          break;
      }
    }
    return fail("the string is not closed");
  }

  bool escape() {
    ++at_;
    const char kind = at_ < text_.size() ? text_[at_] : '\0';
    if (kind == 'u') {
      for (int i = 0; i < 4; ++i) {
        ++at_;
        if (at_ >= text_.size() || hex_digit(text_[at_]) < 0) {
          return fail("a hexadecimal digit is due");
        }
      }
    } else if (std::string_view("\"\\/bfnrt").find(kind) == std::string_view::npos) {
      return fail("a backslash begins no escape");
    }
    ++at_;
    return true;
  }

  Out& out_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::string what_;
};

// How many bytes the escapes that compacting adds need at most.
std::size_t room_for_escapes(std::string_view text) {
  std::size_t room = 0;
  for (std::size_t at = plain_prefix(text); at < text.size(); ++at) {
    const StringByte kind = kStringBytes[static_cast<unsigned char>(text[at])];
    if (kind == kPlain) continue;
    if (kind == kHtml) room += 5;       // one byte becomes six
    if (kind == kSeparator) room += 3;  // three become six, if it is one
    at += plain_prefix(text.substr(at + 1));
  }
  return room;
}

// Behind the closing quote of the string that begins at `at`. Quotes are looked for,
// and the backslashes before one counted, since memchr is faster than any loop.
std::size_t string_end(std::string_view text, std::size_t at) {
  for (std::size_t quote = text.find('"', at + 1); quote != std::string_view::npos;
       quote = text.find('"', quote + 1)) {
    std::size_t escapes = quote;
    while (text[escapes - 1] == '\\') --escapes;
    if ((quote - escapes) % 2 == 0) return quote + 1;
  }
  return text.size();
}

// Large texts are not copied into a smaller place, which would need both at once: the pages
// behind them are given back to the system.
void release_spare(std::string& text) {
  constexpr std::size_t kLarge = std::size_t{1} << 20;
  if (text.capacity() < kLarge) {
    if (text.size() < text.capacity() / 4 * 3) text.shrink_to_fit();
    return;
  }
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto start = reinterpret_cast<std::uintptr_t>(text.data());
  const std::uintptr_t from = (start + text.size() + page) / page * page;  // the zero stays
  const std::uintptr_t to = (start + text.capacity()) / page * page;
  if (from < to) ::madvise(reinterpret_cast<void*>(from), to - from, MADV_DONTNEED);
}

}  // namespace

Result<void, JsonFault> append_compact_json(std::string& out, std::string_view text) {
  return Compactor(out, text).run();
}

Result<void, JsonFault> compact_json(std::string& text) {
  const std::size_t room = room_for_escapes(text);
  if (room != 0) text.insert(0, room, ' ');
  Overwriter out(text.data());
  const auto done = Compactor(out, std::string_view(text).substr(room)).run();
  text.resize(static_cast<std::size_t>(out.end() - text.data()));
  release_spare(text);
  return done;
}

std::size_t json_value_end(std::string_view text, std::size_t at) {
  std::size_t depth = 0;
  while (at < text.size()) {
    switch (text[at]) {
      case '"': at = string_end(text, at); break;
      case '{':
      case '[':
        ++depth;
        ++at;
        continue;
      case '}':
      case ']':
        if (depth > 0) --depth;
        ++at;
        break;
      case ',':
      case ':': ++at; continue;
      default:
        while (at < text.size() && text[at] != ',' && text[at] != '}' && text[at] != ']') ++at;
        break;
    }
    if (depth == 0) return at;
  }
  return at;
}

void JsonIndenter::new_line() {
  // Most lines are nested as deep as some line before.
  const std::size_t length = 1 + depth_ * indent_.size();
  while (line_.size() < length) line_ += indent_;
  out_.append(line_, 0, length);
}

void JsonIndenter::append(std::string_view compact) {
  std::size_t at = 0;
  while (at < compact.size()) {
    if (in_string_) {
      const std::size_t from = at;
      if (!after_backslash_) at += plain_prefix(compact.substr(at));
      for (; at < compact.size(); ++at) {
        if (after_backslash_) {
          after_backslash_ = false;
        } else if (compact[at] == '\\') {
          after_backslash_ = true;
        } else if (compact[at] == '"') {
          in_string_ = false;
          ++at;
          break;
        }
      }
      out_.append(compact, from, at - from);
      continue;
    }
    const char c = compact[at++];
    const bool closes = c == '}' || c == ']';
    if (just_opened_ && !closes) {
      ++depth_;
      new_line();
    }
    const bool was_opened = just_opened_;
    just_opened_ = c == '{' || c == '[';
    if (closes && !was_opened) {
      --depth_;
      new_line();
    }
    out_ += c;
    if (c == ',') new_line();
    if (c == ':') out_ += ' ';
    in_string_ = c == '"';
  }
}

}  // namespace tofu::base
