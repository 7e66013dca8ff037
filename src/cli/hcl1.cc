#include "cli/hcl1.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <utility>

#include "base/ascii.h"
#include "base/unicode.h"

namespace tofu::cli {

namespace {

// No real configuration is nested deeper than this.
constexpr int kMaxNesting = 100;
constexpr std::uint32_t kReplacement = 0xFFFD;

class Parser {
 public:
  Parser(const diag::SourceMap& sources, diag::FileId file, diag::Diagnostics& diags)
      : sources_(sources), text_(sources.text(file)), file_(file), diags_(diags) {}

  std::optional<std::vector<Hcl1Item>> parse_file();

 private:
  // False, an empty result: an error was added.
  bool parse_items(std::vector<Hcl1Item>& out, char end, int depth);
  bool parse_item(Hcl1Item& out, int depth);
  bool parse_key(std::string& out);
  bool parse_value(Hcl1Value& out, int depth);
  bool parse_list(Hcl1Value& out, int depth);
  bool parse_string(std::string& out);
  bool parse_escape(std::string& out);
  bool parse_heredoc(std::string& out);
  bool parse_word(Hcl1Value& out);

  void skip_space();
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool at_end() const { return at_ >= text_.size(); }
  bool take(char c);
  bool fail(std::string_view detail);
  diag::SourceRange range_from(std::size_t begin) const {
    return {file_, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(at_)};
  }

  const diag::SourceMap& sources_;
  std::string_view text_;
  diag::FileId file_;
  diag::Diagnostics& diags_;
  std::size_t at_ = 0;
};

bool is_word_char(char c) {
  return base::is_ascii_alphanumeric(c) || c == '_' || c == '-' || c == '.';
}

// Half of a surrogate pair, which is not a character by itself.
bool is_surrogate(std::uint32_t code) { return code >= 0xD800 && code <= 0xDFFF; }

bool Parser::fail(std::string_view detail) {
  const auto place = static_cast<std::uint32_t>(std::min(at_, text_.size()));
  diags_.error("Invalid CLI configuration")
      .detail(fmt::format("{}: {}", shown_place({file_, place, place}, sources_), detail));
  return false;
}

bool Parser::take(char c) {
  if (peek() != c || at_end()) return false;
  ++at_;
  return true;
}

void Parser::skip_space() {
  while (!at_end()) {
    const std::string_view rest = text_.substr(at_);
    if (rest[0] == '#' || rest.starts_with("//")) {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (rest.starts_with("/*")) {
      const std::size_t end = text_.find("*/", at_ + 2);
      at_ = end == std::string_view::npos ? text_.size() : end + 2;
    } else if (base::kAsciiSpace.find(rest[0]) != std::string_view::npos) {
      ++at_;
    } else {
      return;
    }
  }
}

std::optional<std::vector<Hcl1Item>> Parser::parse_file() {
  std::vector<Hcl1Item> items;
  skip_space();
  const bool json = take('{');
  if (!parse_items(items, json ? '}' : '\0', 0)) return std::nullopt;
  skip_space();
  if (!at_end()) {
    fail("Unexpected content after the end of the configuration.");
    return std::nullopt;
  }
  return items;
}

bool Parser::parse_items(std::vector<Hcl1Item>& out, char end, int depth) {
  if (depth > kMaxNesting) return fail("Blocks and lists are nested too deeply.");
  while (true) {
    skip_space();
    if (at_end()) return end == '\0' || fail("Missing closing brace.");
    if (end != '\0' && take(end)) return true;
    if (!parse_item(out.emplace_back(), depth)) return false;
    skip_space();
    take(',');
  }
}

bool Parser::parse_item(Hcl1Item& out, int depth) {
  const std::size_t begin = at_;
  while (true) {
    if (!parse_key(out.keys.emplace_back())) return false;
    out.range = range_from(begin);
    skip_space();
    if (peek() == '=' || peek() == ':') {
      ++at_;
      out.assigned = true;
      break;
    }
    if (peek() == '{') break;
  }
  skip_space();
  return parse_value(out.value, depth);
}

bool Parser::parse_key(std::string& out) {
  if (peek() == '"') return parse_string(out);
  const std::size_t begin = at_;
  while (!at_end() && is_word_char(peek())) ++at_;
  out = text_.substr(begin, at_ - begin);
  return !out.empty() || fail("Expected a setting name.");
}

bool Parser::parse_value(Hcl1Value& out, int depth) {
  const std::size_t begin = at_;
  bool ok = false;
  if (peek() == '"') {
    ok = parse_string(out.text);
  } else if (text_.substr(at_).starts_with("<<")) {
    ok = parse_heredoc(out.text);
  } else if (take('[')) {
    ok = parse_list(out, depth + 1);
  } else if (take('{')) {
    out.kind = Hcl1Kind::Object;
    ok = parse_items(out.items, '}', depth + 1);
  } else {
    ok = parse_word(out);
  }
  out.range = range_from(begin);
  return ok;
}

bool Parser::parse_list(Hcl1Value& out, int depth) {
  if (depth > kMaxNesting) return fail("Blocks and lists are nested too deeply.");
  out.kind = Hcl1Kind::List;
  while (true) {
    skip_space();
    if (take(']')) return true;
    if (!parse_value(out.list.emplace_back(), depth)) return false;
    skip_space();
    if (!take(',') && peek() != ']') return fail("Expected a comma or the end of the list.");
  }
}

bool Parser::parse_word(Hcl1Value& out) {
  const std::size_t begin = at_;
  while (!at_end() && (is_word_char(peek()) || peek() == '+')) ++at_;
  out.text = text_.substr(begin, at_ - begin);
  if (out.text == "true" || out.text == "false") {
    out.kind = Hcl1Kind::Bool;
    return true;
  }
  double ignored = 0;
  const char* end = out.text.data() + out.text.size();
  const auto read = std::from_chars(out.text.data(), end, ignored);
  if (read.ec == std::errc() && read.ptr == end && !out.text.empty()) {
    out.kind = Hcl1Kind::Number;
    return true;
  }
  at_ = begin;
  return fail("Expected a value: a quoted string, a number, true, false, a list or an object.");
}

bool Parser::parse_string(std::string& out) {
  ++at_;  // the quote
  while (!at_end() && peek() != '\n') {
    if (take('"')) return true;
    if (take('\\')) {
      if (!parse_escape(out)) return false;
    } else {
      out.push_back(text_[at_++]);
    }
  }
  return fail("Missing closing quote on this line.");
}

bool Parser::parse_escape(std::string& out) {
  if (at_end()) return fail("Missing closing quote.");
  const char c = text_[at_++];
  switch (c) {
    case 'n': out.push_back('\n'); return true;
    case 'r': out.push_back('\r'); return true;
    case 't': out.push_back('\t'); return true;
    case '"':
    case '\\':
    case '/': out.push_back(c); return true;
    case 'u': {
      std::uint32_t code = 0;
      const std::string_view digits = text_.substr(at_, 4);
      const char* end = digits.data() + digits.size();
      const auto read = std::from_chars(digits.data(), end, code, 16);
      if (digits.size() == 4 && read.ec == std::errc() && read.ptr == end) {
        at_ += 4;
        base::append_utf8(out, is_surrogate(code) ? kReplacement : code);
        return true;
      }
      return fail("Expected four hexadecimal digits after \\u.");
    }
    default: return fail("Unknown escape sequence.");
  }
}

bool Parser::parse_heredoc(std::string& out) {
  at_ += 2;
  take('-');
  const std::size_t line_end = std::min(text_.find('\n', at_), text_.size());
  const std::string_view marker = text_.substr(at_, line_end - at_);
  at_ = std::min(line_end + 1, text_.size());
  while (!at_end()) {
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    const std::string_view line = text_.substr(at_, end - at_);
    at_ = std::min(end + 1, text_.size());
    const std::size_t first = line.find_first_not_of(" \t");
    if (first != std::string_view::npos && line.substr(first) == marker) return true;
    out += line;
    out.push_back('\n');
  }
  return fail("The heredoc has no end marker.");
}

}  // namespace

std::optional<std::vector<std::string>> string_list(const Hcl1Value& value) {
  if (value.kind != Hcl1Kind::List) return std::nullopt;
  std::vector<std::string> strings;
  for (const Hcl1Value& each : value.list) {
    if (each.kind != Hcl1Kind::String) return std::nullopt;
    strings.push_back(each.text);
  }
  return strings;
}

std::string not_a_string_list(std::string_view name) {
  return fmt::format("{} must be a list of strings, such as {} = [\"...\"].", name, name);
}

std::string shown_place(diag::SourceRange place, const diag::SourceMap& sources) {
  return fmt::format("{}, line {}", sources.name(place.file),
                     sources.position(place.file, place.begin).line);
}

diag::Checked<std::vector<Hcl1Item>> parse_hcl1(const diag::SourceMap& sources, diag::FileId file,
                                                diag::Diagnostics& diags) {
  return Parser(sources, file, diags).parse_file();
}

}  // namespace tofu::cli
