// The scanner behind scan(): a small state machine over the bytes of one source.
//
// In code it reads names, numbers and punctuation (scan.cc); inside quotes, heredocs and bare
// templates it reads literal text (scan_template.cc). A template sequence goes from text back to
// code, so the modes form a stack. Private to this component; they call syntax/token.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "syntax/token_list.h"

namespace tofu::syntax {

struct CodeWindow;  // byte_run.h

// Large: a function for each kind of token, over one position in the text.
class Scanner {
 public:
  Scanner(std::string_view source, ScanMode mode)
      : begin_(source.data()),
        at_(begin_),
        end_(begin_ + source.size()),
        mode_(mode == ScanMode::Template ? Mode::Bare : Mode::Code),
        tokens_(source.size() / 4 + 16) {
    TOFU_CHECK(source.size() < UINT32_MAX, "source texts are shorter than 4 GiB");
    if (source.starts_with("\xEF\xBB\xBF")) at_ += 3;
  }

  TokenList run();

 private:
  enum class Mode : std::uint8_t { Code, Quoted, Heredoc, Bare };

  struct Heredoc {
    std::string_view marker;
    bool start_of_line = true;  // the next text may be the line of the marker
  };

  std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }
  // The byte `offset` after the current one, or 0 at the end.
  unsigned char peek(std::size_t offset) const {
    return offset < left() ? static_cast<unsigned char>(at_[offset]) : '\0';
  }
  unsigned char current() const { return static_cast<unsigned char>(*at_); }

  Token token(TokenKind kind, const char* from, const char* to, bool plain = false) const {
    return {kind, plain, static_cast<std::uint32_t>(from - begin_),
            static_cast<std::uint32_t>(to - begin_)};
  }
  void put(TokenKind kind, const char* from, const char* to) {
    tokens_.push(token(kind, from, to));
  }
  void emit(TokenKind kind, std::size_t length) {
    put(kind, at_, at_ + length);
    at_ += length;
  }
  void emit_until(TokenKind kind, const char* end) {
    emit(kind, static_cast<std::size_t>(end - at_));
  }
  // A token of two bytes if `second` follows, otherwise one of one byte.
  void emit_pair(unsigned char second, TokenKind pair, TokenKind single) {
    if (peek(1) == second) return emit(pair, 2);
    emit(single, 1);
  }

  void enter(Mode mode) {
    callers_.push_back(mode_);
    mode_ = mode;
  }
  void leave() {
    mode_ = callers_.back();
    callers_.pop_back();
  }

  bool in_sequence() const { return !template_braces_.empty(); }

  // Code (scan.cc)
  void scan_texts();
  void scan_window();
  std::uint8_t looks_in(const CodeWindow& window) const;
  void scan_bytes(const char* limit);
  void scan_special();
  void punctuation();
  void quote();
  void line_comment();
  const char* identifier_end(const char* from) const;
  const char* name_end(const char* from) const;
  void number();
  void slash();
  void less();
  void open_brace();
  void close_brace();
  void close_strip();
  void high_byte();

  // Text (scan_template.cc). The first three stop where the mode changes.
  void scan_quoted();
  void scan_heredoc();
  void scan_bare();
  bool template_sequence();
  const char* quoted_run() const;
  const char* text_run() const;
  const char* marked_text(bool& whole_line) const;
  std::size_t newline_length(const char* at) const;
  void heredoc_text(const char* end, bool whole_line);

  const char* begin_;
  const char* at_;
  const char* end_;
  Mode mode_;
  bool comments_end_ = true;                   // false once a search for */ has failed
  std::int64_t braces_ = 0;                    // open ones inside template sequences
  std::vector<std::int64_t> template_braces_;  // value of braces_ inside each open sequence
  std::vector<Heredoc> heredocs_;
  std::vector<Mode> callers_;
  TokenList tokens_;
};

}  // namespace tofu::syntax
