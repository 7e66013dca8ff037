#include "syntax/format.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <span>
#include <string_view>
#include <vector>

#include "base/ascii.h"
#include "base/unicode.h"
#include "syntax/format_edit.h"
#include "syntax/parser.h"
#include "syntax/token.h"

// The layout rules are those of OpenTofu's fmt, found by running it; each line
// of the result is decided by its tokens alone:
//
//   indentation  two spaces for each bracket still open at the line's start
//   spaces       none or one between two neighbors, by their kinds
//   columns      `=` signs, then trailing comments, of neighboring lines align

namespace tofu::syntax {

namespace {

using Kind = TokenKind;

// A line's tokens: [lead, assign) are what stands before an aligned `=`,
// [assign, comment) the `=` and what follows, [comment, end) a trailing comment.
struct Line {
  std::uint32_t lead;
  std::uint32_t assign;
  std::uint32_t comment;
  std::uint32_t end;

  bool has_assign() const { return assign < comment; }
  bool has_comment() const { return comment < end; }
};

int bracket_change(Kind kind) {
  if (kind == Kind::OpenBrace || kind == Kind::OpenBracket || kind == Kind::OpenParen ||
      kind == Kind::TemplateControl || kind == Kind::TemplateInterp) {
    return 1;
  }
  if (kind == Kind::CloseBrace || kind == Kind::CloseBracket || kind == Kind::CloseParen ||
      kind == Kind::TemplateSeqEnd) {
    return -1;
  }
  return 0;
}

bool ends_line(const Piece& piece) {
  return piece.kind == Kind::Newline || (piece.kind == Kind::Comment && piece.text.ends_with('\n'));
}

std::size_t columns(std::span<const Piece> pieces) {
  std::size_t sum = 0;
  for (const Piece& piece : pieces) {
    sum += piece.spaces;
    // A line end inside a comment may be two bytes, but is one grapheme.
    const bool by_bytes = base::is_ascii(piece.text) && piece.text.find('\r') == piece.text.npos;
    sum += by_bytes ? piece.text.size() : base::count_graphemes(piece.text);
  }
  return sum;
}

std::span<const Piece> between(const std::vector<Piece>& pieces, std::uint32_t begin,
                               std::uint32_t end) {
  return std::span(pieces).subspan(begin, end - begin);
}

// An `=` starts the aligned part only if no bracket opened after it is still
// open at the end of the line: `a = {` does not take part in alignment.
std::uint32_t find_assign(const std::vector<Piece>& pieces, std::uint32_t begin,
                          std::uint32_t end) {
  for (std::uint32_t i = begin + 1; i < end; ++i) {
    if (pieces[i].kind != Kind::Equal) continue;
    int net = 0;
    for (std::uint32_t j = i; j < end; ++j) net += bracket_change(pieces[j].kind);
    return net == 0 ? i : end;
  }
  return end;
}

Line make_line(const std::vector<Piece>& pieces, std::uint32_t begin, std::uint32_t end) {
  Line line{begin, end, end, end};
  if (end - begin > 1 && pieces[end - 1].kind == Kind::Comment) line.comment = end - 1;
  line.assign = begin == end ? end : find_assign(pieces, begin, line.comment);
  return line;
}

std::vector<Line> split_lines(const std::vector<Piece>& pieces) {
  std::vector<Line> lines;
  std::uint32_t start = 0;
  for (std::uint32_t i = 0; i < pieces.size(); ++i) {
    if (pieces[i].kind == Kind::EndOfFile) {
      lines.push_back(make_line(pieces, start, i));
      return lines;
    }
    if (ends_line(pieces[i])) {
      lines.push_back(make_line(pieces, start, i + 1));
      start = i + 1;
    }
  }
  lines.push_back(make_line(pieces, start, static_cast<std::uint32_t>(pieces.size())));
  return lines;
}

int net_brackets(const std::vector<Piece>& pieces, const Line& line) {
  int net = 0;
  for (const Piece& piece : between(pieces, line.lead, line.assign)) {
    net += bracket_change(piece.kind);
    // A heredoc's content is text, and its brackets balance.
    if (piece.kind == Kind::OpenHeredoc) break;
  }
  for (const Piece& piece : between(pieces, line.assign, line.comment)) {
    net += bracket_change(piece.kind);
  }
  return net;
}

void set_indents(std::vector<Piece>& pieces, const std::vector<Line>& lines) {
  // Each entry is how many brackets one line opened: they indent only once.
  std::vector<int> open;
  for (const Line& line : lines) {
    if (line.lead == line.assign) continue;
    Piece& first = pieces[line.lead];
    if (first.kind == Kind::Newline) {
      first.spaces = 0;
      continue;
    }
    int net = net_brackets(pieces, line);
    if (net < 0) {
      for (int closed = -net; closed > 0 && !open.empty();) {
        const int taken = std::min(closed, open.back());
        closed -= taken;
        open.back() -= taken;
        if (open.back() == 0) open.pop_back();
      }
    }
    first.spaces = static_cast<std::uint32_t>(2 * open.size());
    if (net > 0) open.push_back(net);
  }
}

bool is_text(Kind kind) { return kind == Kind::QuotedText || kind == Kind::HeredocText; }

// Whether the minus after a token of this kind is a sign, not an operator.
bool minus_is_sign_after(Kind before) {
  static constexpr std::array kOpeners = {
      Kind::EndOfFile,  // stands for "nothing before it on this line"
      Kind::OpenParen,    Kind::OpenBrace, Kind::OpenBracket, Kind::Equal,    Kind::Colon,
      Kind::Comma,        Kind::Question,  Kind::Plus,        Kind::Star,     Kind::Slash,
      Kind::Percent,      Kind::Minus,     Kind::EqualEqual,  Kind::NotEqual, Kind::Greater,
      Kind::GreaterEqual, Kind::Less,      Kind::LessEqual,   Kind::And,      Kind::Or,
      Kind::Bang};
  return std::ranges::find(kOpeners, before) != kOpeners.end();
}

// Whether a number and a dot must stay apart, since the number would take in the dot
// and what is after it. OpenTofu puts them together, and `2 .1` means something else.
bool number_would_grow(const Piece& left, const Piece& dot, const Piece* after) {
  if (left.kind != Kind::Number || dot.kind != Kind::Dot || after == nullptr) return false;
  if (after->kind == Kind::Number) return true;
  const std::string_view text = after->text;
  return after->kind == Kind::Identifier && text.size() > 1 && base::ascii_lower(text[0]) == 'e' &&
         base::is_ascii_digit(text[1]);
}

// Rules in the order in which they win; the first that applies decides.
bool space_between(const Piece& left, Kind before, const Piece& right, const Piece* after) {
  const Kind l = left.kind;
  const Kind r = right.kind;
  if (r == Kind::Newline) return false;
  if (number_would_grow(left, right, after)) return true;
  if (l == Kind::Identifier && r == Kind::OpenParen) return false;
  if ((l == Kind::Identifier && r == Kind::DoubleColon) ||
      (l == Kind::DoubleColon && r == Kind::Identifier)) {
    return false;
  }
  if (l == Kind::Dot || r == Kind::Dot) return false;
  if (r == Kind::Comma || r == Kind::Ellipsis) return false;
  if (l == Kind::Comma) return true;
  if (is_text(l) || is_text(r) || l == Kind::OpenQuote || l == Kind::OpenHeredoc ||
      r == Kind::CloseQuote || r == Kind::CloseHeredoc) {
    return false;
  }
  // `for x in [..]`: here the bracket is not an index.
  if (l == Kind::Identifier && left.text == "in" && before == Kind::Identifier) return true;
  if (r == Kind::OpenBracket &&
      (l == Kind::Identifier || l == Kind::Number || bracket_change(l) < 0)) {
    return false;
  }
  if (l == Kind::Bang) return false;
  if (l == Kind::Minus) return !minus_is_sign_after(before);
  if (l == Kind::OpenBrace || r == Kind::CloseBrace) {
    return !(l == Kind::OpenBrace && r == Kind::CloseBrace);
  }
  if ((l == Kind::TemplateInterp || l == Kind::TemplateControl) && r == Kind::OpenBrace)
    return true;
  if (l == Kind::CloseBrace && r == Kind::TemplateSeqEnd) return true;
  if (l == Kind::TemplateSeqEnd && (r == Kind::TemplateInterp || r == Kind::TemplateControl)) {
    return false;
  }
  return bracket_change(l) <= 0 && bracket_change(r) >= 0;
}

void set_spaces_within(std::vector<Piece>& pieces, std::uint32_t begin, std::uint32_t end) {
  Kind before = Kind::EndOfFile;
  for (std::uint32_t i = begin; i + 1 < end; ++i) {
    const Piece* after = i + 2 < end ? &pieces[i + 2] : nullptr;
    pieces[i + 1].spaces = space_between(pieces[i], before, pieces[i + 1], after) ? 1 : 0;
    before = pieces[i].kind;
  }
}

void set_spaces(std::vector<Piece>& pieces, const std::vector<Line>& lines) {
  for (const Line& line : lines) {
    set_spaces_within(pieces, line.lead, line.assign);
    if (line.has_assign()) pieces[line.assign].spaces = 1;
    set_spaces_within(pieces, line.assign, line.comment);
  }
}

// Gives the cell that starts at `cell_of(line)` the same column on every line of each run of
// neighbors that have one. `has_cell` returns which do.
template <class HasCell, class CellOf>
void align(std::vector<Piece>& pieces, const std::vector<Line>& lines, HasCell has_cell,
           CellOf cell_of) {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < lines.size();) {
    if (!has_cell(lines[i])) {
      ++i;
      continue;
    }
    widths.clear();
    std::size_t end = i;
    for (; end < lines.size() && has_cell(lines[end]); ++end) {
      widths.push_back(columns(between(pieces, lines[end].lead, cell_of(lines[end]))));
    }
    const std::size_t widest = *std::ranges::max_element(widths);
    for (std::size_t j = i; j < end; ++j) {
      pieces[cell_of(lines[j])].spaces = static_cast<std::uint32_t>(widest - widths[j - i] + 1);
    }
    i = end;
  }
}

std::string write(const std::vector<Piece>& pieces, std::size_t size_hint) {
  std::string out;
  out.reserve(size_hint + size_hint / 8 + 64);
  for (const Piece& piece : pieces) {
    out.append(piece.spaces, ' ');
    out.append(piece.text);
  }
  return out;
}

}  // namespace

diag::Checked<std::string> format_source(const diag::SourceMap& sources, diag::FileId id,
                                         diag::Diagnostics& diags) {
  diag::Diagnostics problems;
  const auto file = parse_file(sources, id, problems);
  if (problems.has_errors()) {
    diags.take(std::move(problems));
    return std::nullopt;
  }

  const std::string_view source = sources.text(id);
  std::deque<std::string> new_texts;
  std::vector<Piece> pieces =
      edited_pieces(*file, source, scan(source, ScanMode::Normal), new_texts);
  const std::vector<Line> lines = split_lines(pieces);
  set_indents(pieces, lines);
  set_spaces(pieces, lines);
  align(
      pieces, lines, [](const Line& line) { return line.has_assign(); },
      [](const Line& line) { return line.assign; });
  align(
      pieces, lines, [](const Line& line) { return line.has_comment(); },
      [](const Line& line) { return line.comment; });
  return write(pieces, source.size());
}

}  // namespace tofu::syntax
