#include "value/json_scanner.h"

#include <fmt/format.h>

#include "base/ascii.h"
#include "base/json_text.h"
#include "base/plain_text.h"
#include "base/unicode.h"

namespace tofu::value {
namespace {

struct Ignore {
  bool null() { return true; }
  bool boolean(bool) { return true; }
  bool number(std::string_view) { return true; }
  bool string(std::string_view) { return true; }
  bool open(bool) { return true; }
  bool name(std::string_view) { return true; }
  bool close() { return true; }
};

}  // namespace

bool JsonScanner::fail(std::string_view what) {
  error_ = fmt::format("{}, at byte {}", what, at_);
  return false;
}

bool JsonScanner::fail_unexpected(std::string_view wanted) {
  if (at_ >= text_.size()) return fail(fmt::format("the text ends where {} is expected", wanted));
  const base::Decoded found = base::decode_utf8(text_.substr(at_));
  return fail(fmt::format("found {} where {} is expected",
                          base::quote_go(text_.substr(at_, found.length)), wanted));
}

bool JsonScanner::too_deep() {
  return fail(fmt::format("brackets are nested more than {} deep", kMaxJsonNesting));
}

bool JsonScanner::expect(char c) {
  if (peek() != static_cast<unsigned char>(c)) return fail_unexpected(std::string(1, c));
  ++at_;
  return true;
}

bool JsonScanner::literal(std::string_view word) {
  peek();
  if (!text_.substr(at_).starts_with(word)) return fail_unexpected("a value");
  at_ += word.size();
  return true;
}

std::optional<std::string_view> JsonScanner::number() {
  const int first = peek();
  const std::size_t start = at_;
  const auto digits = [&] {
    const std::size_t from = at_;
    while (at_ < text_.size() && base::is_ascii_digit(text_[at_])) ++at_;
    return at_ > from;
  };
  const auto next_is = [&](std::string_view any_of) {
    return at_ < text_.size() && any_of.find(text_[at_]) != std::string_view::npos;
  };
  const auto bad = [&](std::string_view wanted) {
    fail_unexpected(wanted);
    return std::nullopt;
  };

  if (first == '-') {
    ++at_;
  } else if (first == kEnd || !base::is_ascii_digit(static_cast<char>(first))) {
    return bad("a value");
  }
  if (next_is("0")) {
    ++at_;  // and no digit behind it: that is the next token, which will not fit
  } else if (!digits()) {
    return bad("a digit");
  }
  if (next_is(".")) {
    ++at_;
    if (!digits()) return bad("a digit");
  }
  if (next_is("eE")) {
    ++at_;
    if (next_is("+-")) ++at_;
    if (!digits()) return bad("a digit");
  }
  return text_.substr(start, at_ - start);
}

std::optional<std::string_view> JsonScanner::string() & {
  if (!expect('"')) return std::nullopt;
  const std::size_t start = at_;
  bool ascii = true;
  at_ += base::plain_prefix(text_.substr(at_));
  for (; at_ < text_.size(); ++at_) {
    const auto c = static_cast<unsigned char>(text_[at_]);
    if (c == '"' || c == '\\' || c < 0x20) break;
    ascii = ascii && c < 0x80;
  }
  if (at_ < text_.size() && text_[at_] == '"') {
    const std::string_view plain = text_.substr(start, at_ - start);
    if (ascii || base::is_valid_utf8(plain)) {
      ++at_;
      return plain;
    }
  }
  if (!string_slow(start)) return std::nullopt;
  return scratch_;
}

// With escapes or broken UTF-8: has to be put together anew.
bool JsonScanner::string_slow(std::size_t start) {
  scratch_.clear();
  at_ = start;
  const auto copy_plain = [&] {
    const std::size_t plain = base::plain_prefix(text_.substr(at_));
    scratch_.append(text_, at_, plain);
    at_ += plain;
  };
  copy_plain();
  while (at_ < text_.size()) {
    const auto c = static_cast<unsigned char>(text_[at_]);
    if (c == '"') {
      ++at_;
      return true;
    }
    if (c == '\\') {
      if (!escape()) return false;
      copy_plain();
    } else if (c < 0x20) {
      return fail_unexpected("an escape for a control character");
    } else if (c < 0x80) {
      scratch_.push_back(static_cast<char>(c));
      ++at_;
    } else {
      const base::Decoded decoded = base::decode_utf8(text_.substr(at_));
      base::append_utf8(scratch_, decoded.code);
      at_ += decoded.length;
    }
  }
  return fail_unexpected("the end of a string");
}

bool JsonScanner::escape() {
  ++at_;  // the backslash
  switch (base::read_json_escape(text_, at_, scratch_)) {
    case base::JsonEscape::Read: return true;
    case base::JsonEscape::Unknown: return fail_unexpected("an escape");
    case base::JsonEscape::BadDigit: return fail_unexpected("a hexadecimal digit");
  }
  return false;
}

std::optional<std::string_view> JsonScanner::member_name() {
  const auto name = string();
  if (!name || !expect(':')) return std::nullopt;
  return name;
}

std::optional<bool> JsonScanner::more(char close, bool first) {
  const int next = peek();
  if (next == static_cast<unsigned char>(close)) {
    ++at_;
    return false;
  }
  if (first) return true;
  if (next == ',') {
    ++at_;
    // A comma promises an element: the bracket now would not be one.
    if (peek() != static_cast<unsigned char>(close)) return true;
    fail_unexpected("an element");
    return std::nullopt;
  }
  fail_unexpected(close == '}' ? "a comma or }" : "a comma or ]");
  return std::nullopt;
}

bool JsonScanner::skip_value() {
  Ignore ignore;
  return walk(ignore);
}

}  // namespace tofu::value
