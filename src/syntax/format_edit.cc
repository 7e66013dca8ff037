#include "syntax/format_edit.h"

#include <algorithm>
#include <span>

#include "syntax/generate.h"

namespace tofu::syntax {

namespace {

using Kind = TokenKind;

// Walks bodies and tokens side by side, so that every token is visited once.
class Editor {
 public:
  Editor(std::string_view source, const std::vector<Token>& tokens,
         std::deque<std::string>& new_texts)
      : source_(source), tokens_(tokens), new_texts_(new_texts) {
    pieces_.reserve(tokens.size());
  }

  void edit_body(const NativeBody& body, bool in_variable);

  std::vector<Piece> finish() {
    copy_until(tokens_.size());
    return std::move(pieces_);
  }

 private:
  void edit_attribute(const Attribute& attribute, bool in_variable);
  void edit_block(const NativeBlock& block, bool at_top);
  void edit_labels(const NativeBlock& block);

  std::size_t token_at(std::uint32_t byte) const;
  void copy_until(std::size_t end);
  void skip_until(std::size_t end) { next_ = end; }
  void copy_range(std::size_t begin, std::size_t end);
  void add(Kind kind, std::string_view text) { pieces_.push_back({text, kind, 0}); }

  bool edit_wrapped(std::size_t begin, std::size_t end);
  bool edit_type(std::size_t begin, std::size_t end);

  std::string_view source_;
  const std::vector<Token>& tokens_;
  std::deque<std::string>& new_texts_;
  std::size_t next_ = 0;  // first token that is not in pieces_ yet
  int depth_ = 0;
  std::vector<Piece> pieces_;
};

// The first token that starts at `byte` or after it.
std::size_t Editor::token_at(std::uint32_t byte) const {
  const auto from = tokens_.begin() + static_cast<std::ptrdiff_t>(next_);
  const auto at = std::ranges::lower_bound(from, tokens_.end(), byte, {}, &Token::begin);
  return static_cast<std::size_t>(at - tokens_.begin());
}

void Editor::copy_range(std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) {
    const Token& token = tokens_[i];
    // Only the end of the file keeps the blanks before it: layout decides about
    // all others. (A byte order mark counts as three there, as in OpenTofu.)
    std::uint32_t spaces = 0;
    if (token.kind == Kind::EndOfFile) spaces = token.begin - (i == 0 ? 0 : tokens_[i - 1].end);
    pieces_.push_back({token.text(source_), token.kind, spaces});
  }
}

void Editor::copy_until(std::size_t end) {
  copy_range(next_, end);
  next_ = end;
}

void Editor::edit_body(const NativeBody& body, bool in_variable) {
  // Attributes and blocks are two lists; the source has them mixed.
  std::size_t b = 0;
  const auto blocks_before = [&](std::uint32_t byte) {
    while (b < body.blocks.size() && body.blocks[b].type_range.begin < byte) {
      edit_block(body.blocks[b++], depth_ == 0);
    }
  };
  for (const Attribute& attribute : body.attributes) {
    blocks_before(attribute.range.begin);
    edit_attribute(attribute, in_variable);
  }
  blocks_before(UINT32_MAX);
}

void Editor::edit_attribute(const Attribute& attribute, bool in_variable) {
  const diag::SourceRange range = attribute.expr->range;
  const bool is_type = in_variable && attribute.name == "type";
  // Most values can be skipped without looking at their tokens.
  if (!is_type && source_.substr(range.begin, 3) != "\"${") return;

  const std::size_t begin = token_at(range.begin);
  copy_until(begin);
  const std::size_t end = token_at(range.end);
  if (is_type ? edit_type(begin, end) : edit_wrapped(begin, end)) skip_until(end);
}

void Editor::edit_block(const NativeBlock& block, bool at_top) {
  edit_labels(block);
  ++depth_;
  edit_body(block.body, at_top && block.type == "variable");
  --depth_;
}

// Labels become quoted, and what stands between the type and the last of them
// goes away, comments included. OpenTofu does that too.
void Editor::edit_labels(const NativeBlock& block) {
  if (block.labels.empty()) return;
  copy_until(token_at(block.type_range.begin) + 1);
  for (const Label& label : block.labels) {
    add(Kind::OpenQuote, "\"");
    new_texts_.push_back(escaped_text(label.text));
    if (!new_texts_.back().empty()) add(Kind::QuotedText, new_texts_.back());
    add(Kind::CloseQuote, "\"");
  }
  skip_until(token_at(block.labels.back().range.end));
}

// Whether [begin, end) is one "${ … }" with nothing beside it.
bool is_wrapped(std::span<const Token> tokens) {
  if (tokens.size() < 5 || tokens[0].kind != Kind::OpenQuote ||
      tokens[1].kind != Kind::TemplateInterp ||
      tokens[tokens.size() - 2].kind != Kind::TemplateSeqEnd ||
      tokens.back().kind != Kind::CloseQuote) {
    return false;
  }
  int quotes = 0;
  for (const Token& token : tokens.subspan(2, tokens.size() - 4)) {
    if (token.kind == Kind::OpenQuote) {
      ++quotes;
    } else if (token.kind == Kind::CloseQuote) {
      --quotes;
    } else if (quotes <= 0 &&
               (token.kind == Kind::TemplateInterp || token.kind == Kind::TemplateSeqEnd ||
                token.kind == Kind::QuotedText)) {
      return false;  // more than one part: "${a}${b}"
    }
  }
  return true;
}

bool Editor::edit_wrapped(std::size_t begin, std::size_t end) {
  const std::span<const Token> all(tokens_);
  if (!is_wrapped(all.subspan(begin, end - begin))) return false;

  std::size_t first = begin + 2;
  std::size_t last = end - 2;
  while (first < last && tokens_[first].kind == Kind::Newline) ++first;
  while (last > first && tokens_[last - 1].kind == Kind::Newline) --last;

  // An expression over several lines needs brackets around it to stay one.
  const bool multi_line = std::ranges::any_of(
      all.subspan(first, last - first), [](const Token& t) { return t.kind == Kind::Newline; });
  const bool bracketed = first < last && tokens_[first].kind == Kind::OpenParen &&
                         tokens_[last - 1].kind == Kind::CloseParen;
  const bool add_brackets = multi_line && !bracketed;
  if (add_brackets) add(Kind::OpenParen, "(");
  copy_range(first, last);
  if (add_brackets) add(Kind::CloseParen, ")");
  return true;
}

// `list` means list(any); "list", from before there was `any`, list(string).
bool Editor::edit_type(std::size_t begin, std::size_t end) {
  const auto text = [&](std::size_t i) { return tokens_[i].text(source_); };
  const auto add_collection = [&](std::string_view name, std::string_view element) {
    add(Kind::Identifier, name);
    add(Kind::OpenParen, "(");
    add(Kind::Identifier, element);
    add(Kind::CloseParen, ")");
    return true;
  };

  if (end - begin == 1 && tokens_[begin].kind == Kind::Identifier) {
    const std::string_view name = text(begin);
    if (name == "list" || name == "map" || name == "set") return add_collection(name, "any");
  }
  if (end - begin == 3 && tokens_[begin].kind == Kind::OpenQuote &&
      tokens_[begin + 1].kind == Kind::QuotedText) {
    const std::string_view name = text(begin + 1);
    if (name == "list" || name == "map") return add_collection(name, "string");
    if (name == "string") {
      add(Kind::Identifier, "string");
      return true;
    }
  }
  return false;
}

}  // namespace

std::vector<Piece> edited_pieces(const File& file, std::string_view source,
                                 const std::vector<Token>& tokens,
                                 std::deque<std::string>& new_texts) {
  Editor editor(source, tokens, new_texts);
  if (file.native != nullptr) editor.edit_body(*file.native, false);
  return editor.finish();
}

}  // namespace tofu::syntax
