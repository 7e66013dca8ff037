#include <array>
#include <bit>
#include <cstring>

#include "base/ascii.h"
#include "base/unicode.h"
#include "syntax/byte_run.h"
#include "syntax/scanner.h"

namespace tofu::syntax {
namespace {

// Which bytes need a closer look than the table of kinds. All others are tokens by
// themselves, but for letters, which begin a name, and digits, which begin a number.
enum Look : std::uint8_t {
  kNever = 0,
  kPair = 1,   // if kSecond holds for the byte after it
  kBrace = 2,  // inside a template sequence, which a brace may end
  kDigit = 4,  // if the number may have more than digits
  kAlways = 8,
};

struct CodeByte {
  TokenKind kind;
  Look look;
};

constexpr auto kCodeBytes = [] {
  std::array<CodeByte, 256> table{};
  table.fill({TokenKind::Invalid, kAlways});
  for (unsigned char c = 'a'; c <= 'z'; ++c) table[c] = {TokenKind::Identifier, kNever};
  for (unsigned char c = 'A'; c <= 'Z'; ++c) table[c] = {TokenKind::Identifier, kNever};
  for (unsigned char c = '0'; c <= '9'; ++c) table[c] = {TokenKind::Number, kDigit};
  table['_'] = {TokenKind::Identifier, kNever};
  table['\n'] = {TokenKind::Newline, kNever};
  table['['] = {TokenKind::OpenBracket, kNever};
  table[']'] = {TokenKind::CloseBracket, kNever};
  table['('] = {TokenKind::OpenParen, kNever};
  table[')'] = {TokenKind::CloseParen, kNever};
  table[','] = {TokenKind::Comma, kNever};
  table['*'] = {TokenKind::Star, kNever};
  table['%'] = {TokenKind::Percent, kNever};
  table['+'] = {TokenKind::Plus, kNever};
  table['?'] = {TokenKind::Question, kNever};
  table['{'] = {TokenKind::OpenBrace, kBrace};
  table['}'] = {TokenKind::CloseBrace, kBrace};
  table['='] = {TokenKind::Equal, kPair};
  table['!'] = {TokenKind::Bang, kPair};
  table['<'] = {TokenKind::Less, kPair};
  table['>'] = {TokenKind::Greater, kPair};
  table[':'] = {TokenKind::Colon, kPair};
  table['.'] = {TokenKind::Dot, kPair};
  table['/'] = {TokenKind::Slash, kPair};
  return table;
}();

// kPair for the bytes that may be the second one of a token.
constexpr auto kSecond = [] {
  std::array<std::uint8_t, 256> table{};
  for (const unsigned char c : {'=', '>', '<', ':', '.', '/', '*'}) table[c] = kPair;
  return table;
}();

constexpr CodeByte code_byte(char c) { return kCodeBytes[static_cast<unsigned char>(c)]; }
constexpr std::uint8_t second(char c) { return kSecond[static_cast<unsigned char>(c)]; }

}  // namespace

TokenList Scanner::run() {
  scan_texts();
  while (at_ != end_) {
#if defined(__SSE2__)
    if (left() > kWindowBytes) {
      scan_window();
      continue;
    }
#endif
    scan_bytes(end_);
  }
  emit(TokenKind::EndOfFile, 0);
  return std::move(tokens_);
}

// Reads on until there is code again.
void Scanner::scan_texts() {
  while (at_ != end_) {
    switch (mode_) {
      case Mode::Code: return;
      case Mode::Quoted: scan_quoted(); break;
      case Mode::Heredoc: scan_heredoc(); break;
      case Mode::Bare: scan_bare(); break;
    }
  }
}

#if defined(__SSE2__)
// The hot loop. Where the tokens of the next 64 bytes begin and how long the names
// among them are is found out for all of them at once: to ask each byte what it is
// costs a wrong guess of the processor every few bytes.
void Scanner::scan_window() {
  const char* const base = at_;
  CodeWindow window = look_at(base);
  if (!window.ascii) return scan_bytes(base + kWindowBytes);
  std::uint64_t starts = token_starts(window);
  std::uint8_t looks = looks_in(window);
  Token* out = tokens_.room_for(kWindowBytes);
  while (starts != 0) {
    const int place = std::countr_zero(starts);
    const char* at = base + place;
    const CodeByte byte = code_byte(*at);
    if ((byte.look & (looks | second(at[1]))) != 0) {
      if (*at == '"') {
        // Most strings are short, plain and whole in the window.
        const int stop = text_stop(window, place);
        if (stop != kWindowBytes && base[stop] == '"') {
          const char* close = base + stop;
          *out++ = token(TokenKind::OpenQuote, at, at + 1);
          *out = token(TokenKind::QuotedText, at + 1, close, true);
          if (close != at + 1) ++out;
          *out++ = token(TokenKind::CloseQuote, close, close + 1);
          starts &= ~std::uint64_t{1} << stop;
          continue;
        }
      }
      tokens_.use_until(out);
      at_ = at;
      scan_special();
      const auto read = static_cast<std::size_t>(at_ - base);
      if (read >= kWindowBytes) return;
      window.drop(read);
      starts = token_starts(window);
      looks = looks_in(window);
      out = tokens_.room_for(kWindowBytes);
      continue;
    }
    const int length = std::countr_one(window.names >> place);
    if (place + length == kWindowBytes) break;  // the name may go on
    *out++ = token(byte.kind, at, at + std::max(length, 1));
    starts &= starts - 1;
  }
  tokens_.use_until(out);
  at_ = starts == 0 ? base + kWindowBytes : base + std::countr_zero(starts);
  if (at_ == base) scan_bytes(base + 1);
}

std::uint8_t Scanner::looks_in(const CodeWindow& window) const {
  return kAlways | (in_sequence() ? kBrace : kNever) | (has_odd_number(window) ? kDigit : kNever);
}
#endif

// The same byte by byte, up to `limit` or a little beyond.
void Scanner::scan_bytes(const char* limit) {
  while (at_ < limit) {
    const CodeByte byte = code_byte(*at_);
    if (*at_ == ' ' || *at_ == '\t') {
      at_ = run_end<Run::Blank>(at_ + 1, end_);
    } else if (byte.kind == TokenKind::Identifier) {
      emit_until(TokenKind::Identifier, name_end(at_ + 1));
    } else if (byte.look != kNever) {
      scan_special();
    } else {
      emit(byte.kind, 1);
    }
  }
}

// Everything that is more than one byte or opens a text, and that text.
void Scanner::scan_special() {
  if (*at_ == '"') {
    quote();
  } else if (base::is_ascii_digit(*at_)) {
    number();
  } else {
    punctuation();
  }
  scan_texts();
}

void Scanner::punctuation() {
  switch (current()) {
    case '{': return open_brace();
    case '}': return close_brace();
    case '#': return line_comment();
    case '/': return slash();
    case '\r': return emit_pair('\n', TokenKind::Newline, TokenKind::Invalid);
    case '=':
      if (peek(1) == '>') return emit(TokenKind::FatArrow, 2);
      return emit_pair('=', TokenKind::EqualEqual, TokenKind::Equal);
    case '!': return emit_pair('=', TokenKind::NotEqual, TokenKind::Bang);
    case '<': return less();
    case '>': return emit_pair('=', TokenKind::GreaterEqual, TokenKind::Greater);
    case '&': return emit_pair('&', TokenKind::And, TokenKind::SingleAmpersand);
    case '|': return emit_pair('|', TokenKind::Or, TokenKind::SinglePipe);
    case ':': return emit_pair(':', TokenKind::DoubleColon, TokenKind::Colon);
    case '.':
      if (peek(1) == '.' && peek(2) == '.') return emit(TokenKind::Ellipsis, 3);
      return emit(TokenKind::Dot, 1);
    case '-': return emit(TokenKind::Minus, 1);
    case '~': return close_strip();
    case '^': return emit(TokenKind::BitwiseXor, 1);
    case ';': return emit(TokenKind::Semicolon, 1);
    case '`': return emit(TokenKind::Backtick, 1);
    case '\'': return emit(TokenKind::Apostrophe, 1);
    default: break;
  }
  if (current() >= 0x80) return high_byte();
  emit(TokenKind::Invalid, 1);
}

// A string of plain ASCII without escapes and sequences, which most are, needs no
// change of mode.
void Scanner::quote() {
  const char* text = at_ + 1;
  const char* close = run_end<Run::Quoted>(text, end_);
  if (close == end_ || *close != '"') {
    emit(TokenKind::OpenQuote, 1);
    return enter(Mode::Quoted);
  }
  put(TokenKind::OpenQuote, at_, text);
  if (close != text) tokens_.push(token(TokenKind::QuotedText, text, close, true));
  put(TokenKind::CloseQuote, close, close + 1);
  at_ = close + 1;
}

void Scanner::line_comment() {
  const void* newline = std::memchr(at_, '\n', left());
  emit_until(TokenKind::Comment, newline ? static_cast<const char*>(newline) + 1 : end_);
}

// Goes on after the ASCII part of a name.
const char* Scanner::identifier_end(const char* from) const {
  while (from != end_ && static_cast<unsigned char>(*from) >= 0x80) {
    const auto [code, length] = base::decode_utf8({from, static_cast<std::size_t>(end_ - from)});
    if (code == base::kReplacement || !base::is_identifier_continue(code)) break;
    from = run_end<Run::Name>(from + length, end_);
  }
  return from;
}

// The end of a name whose first character ends at `from`.
const char* Scanner::name_end(const char* from) const {
  return identifier_end(run_end<Run::Name>(from, end_));
}

void Scanner::high_byte() {
  const auto [code, length] = base::decode_utf8({at_, left()});
  if (code != base::kReplacement && base::is_identifier_start(code)) {
    return emit_until(TokenKind::Identifier, name_end(at_ + length));
  }
  const std::size_t shape = base::sequence_length({at_, left()});
  if (shape == 0) return emit(TokenKind::BadUtf8, 1);
  emit(TokenKind::Invalid, shape);
}

// Takes in all that looks like a number, such as 1.2.3, so that the parser can
// report it as one; but a dot at the end is not part of it.
void Scanner::number() {
  const char* at = at_ + 1;
  const char* accepted = at;
  while (at != end_) {
    if (base::is_ascii_digit(*at)) {
      accepted = ++at;
      continue;
    }
    if (*at == '.') {
      ++at;
      continue;
    }
    if (*at != 'e' && *at != 'E') break;
    const char* digit = at + 1;
    if (digit != end_ && (*digit == '+' || *digit == '-')) ++digit;
    if (digit == end_ || !base::is_ascii_digit(*digit)) break;
    accepted = at = digit + 1;
  }
  emit_until(TokenKind::Number, accepted);
}

void Scanner::slash() {
  if (peek(1) == '/') return line_comment();
  if (peek(1) == '*' && comments_end_) {
    const std::string_view rest(at_ + 2, left() - 2);
    const std::size_t close = rest.find("*/");
    if (close != std::string_view::npos) return emit(TokenKind::Comment, close + 4);
    comments_end_ = false;  // so that many unclosed comments cost one search
  }
  emit(TokenKind::Slash, 1);
}

void Scanner::less() {
  if (peek(1) != '<') return emit_pair('=', TokenKind::LessEqual, TokenKind::Less);
  const char* name = at_ + 2;
  if (name != end_ && *name == '-') ++name;
  if (name != end_) {
    const auto first = base::decode_utf8({name, static_cast<std::size_t>(end_ - name)});
    const bool starts_name =
        *name == '_' || (first.code != base::kReplacement && base::is_identifier_start(first.code));
    if (starts_name) {
      const char* stop = name_end(name + first.length);
      if (const std::size_t newline = newline_length(stop)) {
        emit_until(TokenKind::OpenHeredoc, stop + newline);
        heredocs_.push_back({{name, static_cast<std::size_t>(stop - name)}});
        return enter(Mode::Heredoc);
      }
    }
  }
  emit(TokenKind::Less, 1);
}

// Braces count only inside template sequences: one of them ends the sequence.
void Scanner::open_brace() {
  if (in_sequence()) ++braces_;
  emit(TokenKind::OpenBrace, 1);
}

void Scanner::close_brace() {
  if (!in_sequence()) return emit(TokenKind::CloseBrace, 1);
  if (template_braces_.back() != braces_) {
    --braces_;
    return emit(TokenKind::CloseBrace, 1);
  }
  emit(TokenKind::TemplateSeqEnd, 1);
  --braces_;
  template_braces_.pop_back();
  leave();
}

void Scanner::close_strip() {
  if (peek(1) != '}') return emit(TokenKind::BitwiseNot, 1);
  // A ~} that closes an ordinary brace is not a sequence end, but the parser gets
  // to see it as one, so that it can say what is wrong.
  emit(TokenKind::TemplateSeqEnd, 2);
  if (!in_sequence()) return;
  const bool closes_sequence = template_braces_.back() == braces_;
  --braces_;
  if (!closes_sequence) return;
  template_braces_.pop_back();
  leave();
}

TokenList scan_list(std::string_view source, ScanMode mode) { return Scanner(source, mode).run(); }

std::vector<Token> scan(std::string_view source, ScanMode mode) {
  const TokenList list = scan_list(source, mode);
  return {list.begin(), list.end()};
}

void TokenList::grow(std::size_t count) {
  const std::size_t capacity = 2 * size() + count;
  auto larger = std::make_unique_for_overwrite<Token[]>(capacity);
  std::copy(begin(), end(), larger.get());
  next_ = larger.get() + size();
  tokens_ = std::move(larger);
  limit_ = tokens_.get() + capacity;
}

}  // namespace tofu::syntax
