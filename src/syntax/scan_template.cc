#include "base/trim.h"
#include "base/unicode.h"
#include "syntax/byte_run.h"
#include "syntax/scanner.h"

namespace tofu::syntax {
namespace {}  // namespace

std::size_t Scanner::newline_length(const char* at) const {
  if (at != end_ && *at == '\n') return 1;
  if (end_ - at >= 2 && at[0] == '\r' && at[1] == '\n') return 2;
  return 0;
}

// Opens ${ or %{ if there is one here.
bool Scanner::template_sequence() {
  const unsigned char c = current();
  if ((c != '$' && c != '%') || peek(1) != '{') return false;
  emit(c == '$' ? TokenKind::TemplateInterp : TokenKind::TemplateControl, peek(2) == '~' ? 3 : 2);
  template_braces_.push_back(++braces_);
  if (!heredocs_.empty()) heredocs_.back().start_of_line = false;
  enter(Mode::Code);
  return true;
}

const char* Scanner::quoted_run() const {
  const char* at = at_;
  while ((at = run_end<Run::Quoted>(at, end_)) != end_) {
    const auto c = static_cast<unsigned char>(*at);
    const char* escaped = c == '\\' ? at + 1 : at;
    if (escaped == end_ || *escaped == '\r' || *escaped == '\n') break;
    if (c < 0x80 && c != '\\') break;
    const std::size_t length =
        base::sequence_length({escaped, static_cast<std::size_t>(end_ - escaped)});
    if (length == 0) break;
    at = escaped + length;
  }
  return at;
}

void Scanner::scan_quoted() {
  while (at_ != end_) {
    const char* run = quoted_run();
    if (run != at_) {
      emit_until(TokenKind::QuotedText, run);
      continue;
    }
    const unsigned char c = current();
    if (c == '"') {
      emit(TokenKind::CloseQuote, 1);
      return leave();
    }
    if (c == '$' || c == '%') {
      if (template_sequence()) return;
      if (peek(1) == c && peek(2) == '{') {
        emit(TokenKind::QuotedText, peek(3) == '~' ? 4 : 3);
      } else {
        emit(left() == 1 ? TokenKind::Invalid : TokenKind::QuotedText, 1);
      }
      continue;
    }
    if (c == '\r' || c == '\n') {
      const char* end = at_;
      while (end != end_ && (*end == '\r' || *end == '\n')) ++end;
      emit_until(TokenKind::QuotedNewline, end);
      continue;
    }
    emit(c == '\\' ? TokenKind::Invalid : TokenKind::BadUtf8, 1);
  }
}

// End of the text from here to a dollar, per cent, line end or broken byte.
const char* Scanner::text_run() const {
  const char* at = at_;
  while ((at = run_end<Run::Text>(at, end_)) != end_) {
    if (static_cast<unsigned char>(*at) < 0x80) break;
    const std::size_t length = base::sequence_length({at, static_cast<std::size_t>(end_ - at)});
    if (length == 0) break;
    at += length;
  }
  return at;
}

// The end of a text that begins with $ or % but opens no sequence; the current
// position if this is the last byte. Where texts are cut matters, because a
// strip marker works on the one text next to it; so this cuts as OpenTofu does.
const char* Scanner::marked_text(bool& whole_line) const {
  const unsigned char c = current();
  if (peek(1) == c && peek(2) == '{') {
    const char* end = at_ + (peek(3) == '~' ? 4 : 3);
    const std::size_t newline = newline_length(end);
    whole_line = newline != 0;
    return end + newline;
  }
  whole_line = false;
  if (left() == 1) return at_;
  const bool before_line_end = left() > 2 && (peek(2) == '\n' || peek(2) == '\r');
  return at_ + (before_line_end ? 2 : 1);
}

// A piece of a heredoc, which is its end if it is a line with nothing but the marker.
void Scanner::heredoc_text(const char* end, bool whole_line) {
  Heredoc& heredoc = heredocs_.back();
  if (!whole_line) {
    heredoc.start_of_line = false;
    return emit_until(TokenKind::HeredocText, end);
  }
  const std::string_view line(at_, static_cast<std::size_t>(end - at_));
  if (!heredoc.start_of_line || base::trim_space(line) != heredoc.marker) {
    heredoc.start_of_line = true;
    return emit_until(TokenKind::HeredocText, end);
  }
  // The line end is a token of its own, so that it can end the attribute.
  const std::size_t newline = line.ends_with("\r\n") ? 2 : 1;
  emit(TokenKind::CloseHeredoc, line.size() - newline);
  emit(TokenKind::Newline, newline);
  heredocs_.pop_back();
  leave();
}

void Scanner::scan_heredoc() {
  while (at_ != end_ && mode_ == Mode::Heredoc) {
    if (template_sequence()) return;
    const unsigned char c = current();
    if (c == '$' || c == '%') {
      bool whole_line = false;
      const char* end = marked_text(whole_line);
      if (end == at_) return emit(TokenKind::Invalid, 1);
      heredoc_text(end, whole_line);
      continue;
    }
    const char* run = text_run();
    const std::size_t newline = newline_length(run);
    if (run == at_ && newline == 0) {
      // A lone carriage return is where OpenTofu's scanner gives up.
      if (c == '\r') return emit(TokenKind::Invalid, left());
      emit(TokenKind::BadUtf8, 1);
      continue;
    }
    heredoc_text(run + newline, newline != 0);
  }
}

void Scanner::scan_bare() {
  while (at_ != end_) {
    if (template_sequence()) return;
    const unsigned char c = current();
    if (c == '$' || c == '%') {
      bool whole_line = false;
      const char* end = marked_text(whole_line);
      emit_until(TokenKind::HeredocText, end == at_ ? end_ : end);
      continue;
    }
    const char* run = text_run();
    const char* end = run + newline_length(run);
    if (end != at_) {
      emit_until(TokenKind::HeredocText, end);
    } else if (c == '\r') {
      emit(TokenKind::HeredocText, left());
    } else {
      emit(TokenKind::BadUtf8, 1);
    }
  }
}

}  // namespace tofu::syntax
