#include <array>
#include <cstring>

#include "base/check.h"
#include "base/unicode.h"
#include "syntax/byte_run.h"
#include "syntax/token_list.h"

namespace tofu::syntax {
namespace {

// What a byte can start outside of templates. Bytes that need a closer look have
// a class of their own; Single ones are a token by themselves (kSingle). Blanks
// are skipped before they are looked up.
enum class ByteClass : std::uint8_t {
  Other,
  Letter,
  Digit,
  Single,
  Return,
  Hash,
  Slash,
  Quote,
  OpenBrace,
  CloseBrace,
  Equal,
  Bang,
  Less,
  Greater,
  Ampersand,
  Pipe,
  Colon,
  Dot,
  Tilde,
  High,
};

constexpr bool is_letter(int c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
constexpr bool is_digit(int c) { return c >= '0' && c <= '9'; }

struct SingleByteToken {
  char byte;
  TokenKind kind;
};
constexpr std::array kSingleByteTokens = {
    SingleByteToken{'[', TokenKind::OpenBracket}, SingleByteToken{']', TokenKind::CloseBracket},
    SingleByteToken{'(', TokenKind::OpenParen},   SingleByteToken{')', TokenKind::CloseParen},
    SingleByteToken{',', TokenKind::Comma},       SingleByteToken{'*', TokenKind::Star},
    SingleByteToken{'%', TokenKind::Percent},     SingleByteToken{'+', TokenKind::Plus},
    SingleByteToken{'-', TokenKind::Minus},       SingleByteToken{'?', TokenKind::Question},
    SingleByteToken{'^', TokenKind::BitwiseXor},  SingleByteToken{';', TokenKind::Semicolon},
    SingleByteToken{'`', TokenKind::Backtick},    SingleByteToken{'\'', TokenKind::Apostrophe},
    SingleByteToken{'\n', TokenKind::Newline},
};

constexpr auto kSingle = [] {
  std::array<TokenKind, 256> table{};
  table['='] = TokenKind::Equal;  // if nothing follows that makes it a part of more
  for (const auto& [byte, kind] : kSingleByteTokens) table[static_cast<unsigned char>(byte)] = kind;
  return table;
}();

constexpr auto kByteClass = [] {
  std::array<ByteClass, 256> table{};
  for (int c = 0; c < 256; ++c) {
    if (is_letter(c)) table[c] = ByteClass::Letter;
    if (is_digit(c)) table[c] = ByteClass::Digit;
    if (c >= 0x80) table[c] = ByteClass::High;
  }
  for (const auto& single : kSingleByteTokens) {
    table[static_cast<unsigned char>(single.byte)] = ByteClass::Single;
  }
  table['\r'] = ByteClass::Return;
  table['#'] = ByteClass::Hash;
  table['/'] = ByteClass::Slash;
  table['"'] = ByteClass::Quote;
  table['{'] = ByteClass::OpenBrace;
  table['}'] = ByteClass::CloseBrace;
  table['='] = ByteClass::Equal;
  table['!'] = ByteClass::Bang;
  table['<'] = ByteClass::Less;
  table['>'] = ByteClass::Greater;
  table['&'] = ByteClass::Ampersand;
  table['|'] = ByteClass::Pipe;
  table[':'] = ByteClass::Colon;
  table['.'] = ByteClass::Dot;
  table['~'] = ByteClass::Tilde;
  return table;
}();

// Length of the UTF-8 sequence at `at`, judged by its shape alone as OpenTofu's
// scanner does (overlong forms pass), or 0 if it is cut short or no sequence.
std::size_t sequence_length(const char* at, const char* end) {
  const auto lead = static_cast<unsigned char>(*at);
  std::ptrdiff_t length = 0;
  if (lead < 0x80) return 1;
  if (lead >= 0xC0 && lead < 0xE0) length = 2;
  if (lead >= 0xE0 && lead < 0xF0) length = 3;
  if (lead >= 0xF0 && lead < 0xF8) length = 4;
  if (length == 0 || end - at < length) return 0;
  for (std::ptrdiff_t i = 1; i < length; ++i) {
    if ((static_cast<unsigned char>(at[i]) & 0xC0) != 0x80) return 0;
  }
  return static_cast<std::size_t>(length);
}

// As Go's bytes.TrimSpace, which OpenTofu uses on the line of a heredoc's marker.
std::string_view trim_space(std::string_view text) {
  while (!text.empty()) {
    const auto [code, length] = base::decode_utf8(text);
    if (!base::is_space(code)) break;
    text.remove_prefix(length);
  }
  while (!text.empty()) {
    std::size_t last = text.size() - 1;
    while (last > 0 && (static_cast<unsigned char>(text[last]) & 0xC0) == 0x80) --last;
    if (!base::is_space(base::decode_utf8(text.substr(last)).code)) break;
    text.remove_suffix(text.size() - last);
  }
  return text;
}

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

  void run() {
    while (at_ != end_) {
      switch (mode_) {
        case Mode::Code: scan_code(); break;
        case Mode::Quoted: scan_quoted(); break;
        case Mode::Heredoc: scan_heredoc(); break;
        case Mode::Bare: scan_bare(); break;
      }
    }
    emit(TokenKind::EndOfFile, 0);
  }
  TokenList take() { return std::move(tokens_); }

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

  void put(TokenKind kind, const char* from, const char* to) {
    tokens_.push(
        {kind, static_cast<std::uint32_t>(from - begin_), static_cast<std::uint32_t>(to - begin_)});
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

  void scan_code();
  void scan_quoted();
  void scan_heredoc();
  void scan_bare();

  void scan_special(ByteClass byte_class);
  void line_comment();
  const char* name(const char* from);
  bool stands_alone(const char* equals) const;
  const char* plain_string(const char* quote);
  const char* identifier_end(const char* from) const;
  const char* name_end(const char* from) const;
  void number();
  void slash();
  void less();
  void close_brace();
  void close_strip();
  void high_byte();

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
  bool comments_end_ = true;  // false once a search for */ has failed
  std::int64_t braces_ = 0;
  std::vector<std::int64_t> template_braces_;  // value of braces_ inside each open sequence
  std::vector<Heredoc> heredocs_;
  std::vector<Mode> callers_;
  TokenList tokens_;
};

// A name that begins with an ASCII letter at `from`; returns its end.
inline const char* Scanner::name(const char* from) {
  const char* stop = run_end<Run::Name>(from + 1, end_);
  if (stop != end_ && static_cast<unsigned char>(*stop) >= 0x80) stop = identifier_end(stop);
  put(TokenKind::Identifier, from, stop);
  return stop;
}

// Whether an equals sign is neither `==` nor `=>`.
inline bool Scanner::stands_alone(const char* equals) const {
  return end_ - equals >= 2 && equals[1] != '=' && equals[1] != '>';
}

// A string of plain ASCII without escapes and sequences, which most are, needs no
// change of mode. Returns its end; null if it is not such a string.
inline const char* Scanner::plain_string(const char* quote) {
  const char* text = quote + 1;
  const char* close = run_end<Run::Quoted>(text, end_);
  if (close == end_ || *close != '"') return nullptr;
  put(TokenKind::OpenQuote, quote, text);
  if (close != text) put(TokenKind::QuotedText, text, close);
  put(TokenKind::CloseQuote, close, close + 1);
  return close + 1;
}

// The hot loop. Blanks and names, dotted ones too, are handled before anything is
// looked up: a jump by table is rarely predicted well, and these are three bytes
// out of four. Everything that needs more than a byte has a function of its own.
void Scanner::scan_code() {
  const auto class_of = [](char c) { return kByteClass[static_cast<unsigned char>(c)]; };
  const char* at = at_;
  const char* const end = end_;
  while (at != end) {
    if (*at == ' ' || *at == '\t') {
      at = run_end<Run::Blank>(at + 1, end);
      continue;
    }
    const ByteClass byte_class = class_of(*at);
    if (byte_class == ByteClass::Letter) {
      at = name(at);
      while (end - at >= 2 && *at == '.' && class_of(at[1]) == ByteClass::Letter) {
        put(TokenKind::Dot, at, at + 1);
        at = name(at + 1);
      }
      continue;
    }
    if (byte_class == ByteClass::Single || (*at == '=' && stands_alone(at))) {
      put(kSingle[static_cast<unsigned char>(*at)], at, at + 1);
      ++at;
      continue;
    }
    if (*at == '"') {
      if (const char* after = plain_string(at)) {
        at = after;
        continue;
      }
    }
    at_ = at;
    scan_special(byte_class);
    if (mode_ != Mode::Code) return;
    at = at_;
  }
  at_ = at;
}

void Scanner::scan_special(ByteClass byte_class) {
  switch (byte_class) {
    case ByteClass::Quote: emit(TokenKind::OpenQuote, 1); return enter(Mode::Quoted);
    case ByteClass::Digit: return number();
    case ByteClass::OpenBrace: ++braces_; return emit(TokenKind::OpenBrace, 1);
    case ByteClass::CloseBrace: return close_brace();
    case ByteClass::Hash: return line_comment();
    case ByteClass::Slash: return slash();
    case ByteClass::Return: return emit_pair('\n', TokenKind::Newline, TokenKind::Invalid);
    case ByteClass::Equal:
      if (peek(1) == '>') return emit(TokenKind::FatArrow, 2);
      return emit_pair('=', TokenKind::EqualEqual, TokenKind::Equal);
    case ByteClass::Bang: return emit_pair('=', TokenKind::NotEqual, TokenKind::Bang);
    case ByteClass::Less: return less();
    case ByteClass::Greater: return emit_pair('=', TokenKind::GreaterEqual, TokenKind::Greater);
    case ByteClass::Ampersand: return emit_pair('&', TokenKind::And, TokenKind::SingleAmpersand);
    case ByteClass::Pipe: return emit_pair('|', TokenKind::Or, TokenKind::SinglePipe);
    case ByteClass::Colon: return emit_pair(':', TokenKind::DoubleColon, TokenKind::Colon);
    case ByteClass::Dot:
      if (peek(1) == '.' && peek(2) == '.') return emit(TokenKind::Ellipsis, 3);
      return emit(TokenKind::Dot, 1);
    case ByteClass::Tilde: return close_strip();
    case ByteClass::High: return high_byte();
    case ByteClass::Other:
    case ByteClass::Letter:
    case ByteClass::Single: return emit(TokenKind::Invalid, 1);
  }
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
  const std::size_t shape = sequence_length(at_, end_);
  if (shape == 0) return emit(TokenKind::BadUtf8, 1);
  emit(TokenKind::Invalid, shape);
}

// Takes in all that looks like a number, such as 1.2.3, so that the parser can
// report it as one; but a dot at the end is not part of it.
void Scanner::number() {
  const char* at = at_ + 1;
  const char* accepted = at;
  while (at != end_) {
    if (is_digit(*at)) {
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
    if (digit == end_ || !is_digit(*digit)) break;
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

void Scanner::close_brace() {
  if (template_braces_.empty() || template_braces_.back() != braces_) {
    emit(TokenKind::CloseBrace, 1);
    --braces_;
    return;
  }
  emit(TokenKind::TemplateSeqEnd, 1);
  --braces_;
  template_braces_.pop_back();
  leave();
}

void Scanner::close_strip() {
  if (peek(1) != '}') return emit(TokenKind::BitwiseNot, 1);
  // A ~} that closes an ordinary brace is no sequence end, but the parser gets
  // to see it as one, so that it can say what is wrong.
  emit(TokenKind::TemplateSeqEnd, 2);
  const bool closes_sequence = !template_braces_.empty() && template_braces_.back() == braces_;
  --braces_;
  if (!closes_sequence) return;
  template_braces_.pop_back();
  leave();
}

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
    const std::size_t length = sequence_length(escaped, end_);
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
    const std::size_t length = sequence_length(at, end_);
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
  if (!heredoc.start_of_line || trim_space(line) != heredoc.marker) {
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

}  // namespace

TokenList scan_list(std::string_view source, ScanMode mode) {
  Scanner scanner(source, mode);
  scanner.run();
  return scanner.take();
}

std::vector<Token> scan(std::string_view source, ScanMode mode) {
  const TokenList list = scan_list(source, mode);
  return {list.begin(), list.end()};
}

void TokenList::grow() {
  const std::size_t capacity = 2 * size() + 16;
  auto larger = std::make_unique_for_overwrite<Token[]>(capacity);
  std::copy(begin(), end(), larger.get());
  next_ = larger.get() + size();
  tokens_ = std::move(larger);
  limit_ = tokens_.get() + capacity;
}

}  // namespace tofu::syntax
