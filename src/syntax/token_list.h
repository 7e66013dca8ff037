// The tokens of a text as the scanner leaves them for the parser.
//
// A vector would do, but for its checks: scanning is a third of parsing, and this is its innermost
// step. Private to this component; they call syntax/token.h.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "syntax/token.h"

namespace tofu::syntax {

class TokenList {
 public:
  explicit TokenList(std::size_t expected)
      : tokens_(std::make_unique_for_overwrite<Token[]>(expected)),
        next_(tokens_.get()),
        limit_(next_ + expected) {}

  void push(Token token) {
    if (next_ == limit_) [[unlikely]]
      grow(1);
    has_invalid_ |= is_never_valid(token.kind);
    *next_++ = token;
  }

  // Memory for up to `count` tokens; they count after use_until() is called with their end. They
  // are of kinds that may be valid.
  Token* room_for(std::size_t count) {
    if (static_cast<std::size_t>(limit_ - next_) < count) [[unlikely]]
      grow(count);
    return next_;
  }
  void use_until(Token* end) { next_ = end; }

  const Token* begin() const { return tokens_.get(); }
  const Token* end() const { return next_; }
  std::size_t size() const { return static_cast<std::size_t>(next_ - tokens_.get()); }
  // Whether check_tokens() has anything to report.
  bool has_invalid() const { return has_invalid_; }

 private:
  void grow(std::size_t count);  // so that `count` more tokens fit

  std::unique_ptr<Token[]> tokens_;
  Token* next_;
  Token* limit_;
  bool has_invalid_ = false;
};

TokenList scan_list(std::string_view source, ScanMode mode);

}  // namespace tofu::syntax
