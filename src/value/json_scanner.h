// Reads JSON text token by token, the way Go's encoding/json does.
//
// simdjson is not used here: jsondecode must replace broken UTF-8 and lone
// surrogates by U+FFFD where simdjson refuses the document, and accept what Go
// accepts behind a document. Text is scanned once; strings without escapes are
// handed out as views of it.
//
// Promise: no recursion, and never a read beyond the text.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "value/json.h"

namespace tofu::value {

class JsonScanner {
 public:
  explicit JsonScanner(std::string_view text, std::size_t at = 0) : text_(text), at_(at) {}

  static constexpr int kEnd = -1;
  // The next character that is not white space, or kEnd. Does not consume it.
  int peek();
  std::size_t offset() const { return at_; }
  void seek(std::size_t offset) { at_ = offset; }

  // Each consumes the named token, or records an error.
  bool expect(char c);
  bool literal(std::string_view word);
  std::optional<std::string_view> number();
  // Valid until the next call. Valid UTF-8.
  std::optional<std::string_view> string() &;
  std::optional<std::string_view> member_name();  // a string and the colon behind it
  // Whether another element follows in the container that `close` ends; consumes
  // the comma or the bracket. Nothing for an error.
  std::optional<bool> more(char close, bool first);
  // Checks and passes over one value of any kind.
  bool skip_value();

  bool fail(std::string_view what);  // false; the error says where
  bool fail_unexpected(std::string_view wanted);
  base::Error error() const { return {error_}; }

  // Feeds one value to `sink`, which has null(), boolean(bool), number(view),
  // string(view), open(bool is_object), name(view) and close(), each telling
  // whether to go on. One that stops calls fail().
  template <class Sink>
  bool walk(Sink& sink);

 private:
  template <class Sink>
  bool scalar(int first, Sink& sink);
  bool string_slow(std::size_t start);
  bool escape();
  bool too_deep();

  std::string_view text_;
  std::size_t at_;
  std::string scratch_;
  std::string error_;
};

inline int JsonScanner::peek() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c != ' ' && c != '\n' && c != '\t' && c != '\r') return static_cast<unsigned char>(c);
    ++at_;
  }
  return kEnd;
}

template <class Sink>
bool JsonScanner::scalar(int first, Sink& sink) {
  switch (first) {
    case '"': {
      const auto text = string();
      return text && sink.string(*text);
    }
    case 't': return literal("true") && sink.boolean(true);
    case 'f': return literal("false") && sink.boolean(false);
    case 'n': return literal("null") && sink.null();
    default: {
      const auto text = number();
      return text && sink.number(*text);
    }
  }
}

template <class Sink>
bool JsonScanner::walk(Sink& sink) {
  std::string open;  // the expected closing brackets, innermost last
  for (;;) {
    const int first = peek();
    if (first == '{' || first == '[') {
      if (open.size() > static_cast<std::size_t>(kMaxJsonNesting)) return too_deep();
      const bool is_object = first == '{';
      open.push_back(is_object ? '}' : ']');
      ++at_;
      if (!sink.open(is_object)) return false;
      if (peek() != open.back()) {
        if (!is_object) continue;
        const auto name = member_name();
        if (!name || !sink.name(*name)) return false;
        continue;
      }
    } else if (!scalar(first, sink)) {
      return false;
    }
    // A value is complete: close the containers that it completes, up to the next comma.
    while (!open.empty() && peek() == open.back()) {
      ++at_;
      open.pop_back();
      if (!sink.close()) return false;
    }
    if (open.empty()) return true;
    if (peek() != ',') return fail_unexpected(open.back() == '}' ? "a comma or }" : "a comma or ]");
    ++at_;
    if (open.back() == '}') {
      const auto name = member_name();
      if (!name || !sink.name(*name)) return false;
    }
  }
}

}  // namespace tofu::value
