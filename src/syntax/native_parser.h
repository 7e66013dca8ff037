// The recursive-descent parser of native syntax, spread over parse_*.cc.
//
// One object reads one text, which is a whole source or a string inside a JSON
// source. It never stops at an error: it reports, puts an InvalidExpr in place
// and goes on at the next token from which sense can be made. What is skipped and
// which follow-up errors are kept quiet is OpenTofu's choice, since the places of
// all reports have to agree with it: once `recovery_` is set, errors that may be
// no more than an effect of an earlier one are not reported.
//
// Not for other rooms; they call syntax/parser.h.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "diag/diagnostic.h"
#include "diag/source.h"
#include "syntax/ast.h"
#include "syntax/body.h"
#include "syntax/parser.h"
#include "syntax/token_list.h"
#include "value/value.h"

namespace tofu::syntax {

class NativeParser {
 public:
  // `at` is the place of `text` in its file: it begins there, though it may end
  // elsewhere where escapes were removed. `depth` is how deep the text already
  // is inside something else.
  NativeParser(File& file, std::string_view text, diag::SourceRange at, ScanMode mode,
               diag::Diagnostics& diags, int depth = 0);

  const NativeBody* whole_body();
  const Expr* whole_expression();
  const Expr* whole_template();
  // Nothing if and only if an error was added.
  std::optional<Traversal> whole_traversal(bool allow_splat);

 private:
  // An expression and how many nodes deep it is. A chain of left operands counts
  // as one (see ast.h).
  struct Parsed {
    const Expr* expr;
    int height;
  };

  // Counts one more level of recursion for as long as it lives.
  class Level {
   public:
    explicit Level(NativeParser& parser) : parser_(parser) { ++parser_.depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;
    ~Level() { --parser_.depth_; }
    bool too_deep() const { return parser_.depth_ > kMaxNesting; }

   private:
    NativeParser& parser_;
  };

  // Whether line ends are tokens, for as long as it lives: not inside brackets.
  class Newlines {
   public:
    Newlines(NativeParser& parser, bool significant)
        : parser_(parser), outer_(std::exchange(parser.newlines_, significant)) {}
    Newlines(const Newlines&) = delete;
    Newlines& operator=(const Newlines&) = delete;
    ~Newlines() { parser_.newlines_ = outer_; }

   private:
    NativeParser& parser_;
    bool outer_;
  };

  // Names bound while it lives; see bind() and slot_of().
  class Binder {
   public:
    explicit Binder(NativeParser& parser)
        : parser_(parser), names_(parser.bound_.size()), slot_(parser.next_slot_) {}
    Binder(const Binder&) = delete;
    Binder& operator=(const Binder&) = delete;
    ~Binder() { release(); }
    void release() {
      parser_.bound_.resize(names_);
      parser_.next_slot_ = slot_;
    }

   private:
    NativeParser& parser_;
    std::size_t names_;
    std::uint32_t slot_;
  };

  struct Bound {
    std::string_view name;
    std::uint32_t slot;
  };

  // Steps being collected after `source`, or after a root name if that is null.
  struct Chain {
    const Expr* source = nullptr;
    int height = 0;
    std::string_view root;
    diag::SourceRange root_range;
    std::optional<std::uint32_t> slot;  // of a root name that is bound here
    std::size_t first_step = 0;         // in steps_
    diag::SourceRange range;
  };

  // A number that was read before, with its text packed into one word.
  struct KnownNumber {
    std::uint64_t text = 0;
    const value::Value* value = nullptr;
  };

  enum class PartKind : std::uint8_t { Literal, Interpolation, If, For, Else, EndIf, EndFor, End };

  // A piece of a template, before it is known which pieces a directive encloses.
  struct TemplatePart {
    PartKind kind;
    diag::SourceRange range;
    std::string_view text = {};      // of a Literal, in the source or the arena
    const Expr* expr = nullptr;      // what is interpolated, the condition, the collection
    int height = 0;                  // of `expr`
    std::string_view key_name = {};  // of a For
    std::string_view value_name = {};
    std::uint32_t key_slot = 0;
  };

  // A directive whose end has not come yet, and the names bound before it.
  struct OpenDirective {
    bool is_for;
    std::size_t names;
    std::uint32_t slot;
  };

  struct ForHead;

  // The names of the arguments of a body, to find those that are set twice.
  struct AttributeNames {
    // Whether `name` may have been here before; if not, it surely was not.
    bool seen(std::string_view name);

    std::uint64_t shapes = 0;  // a bit for each length and outer letters, as hashed
    std::unordered_map<std::string_view, std::size_t> places;  // filled if there are many
  };

  // Tokens (parse_tokens.cc)
  // The next token that matters, which is the last one, EndOfFile, for ever.
  Token peek() const { return matters(*next_) ? *next_ : as_seen(*skip_blank(next_)); }
  Token read() {
    const Token* place = matters(*next_) ? next_ : skip_blank(next_);
    last_ = place;
    next_ = place->kind == TokenKind::EndOfFile ? place : place + 1;
    return as_seen(*place);
  }
  // Whether it is plain to see that a token is not to be skipped. The kinds up to
  // Comment are those that may have to be.
  bool matters(const Token& token) const {
    return token.kind > TokenKind::Comment || (newlines_ && token.kind == TokenKind::Newline);
  }
  const Token* skip_blank(const Token* from) const;
  // The comments that are not skipped are those that stand for the line end in them.
  static Token as_seen(Token token) {
    if (token.kind == TokenKind::Comment) token.kind = TokenKind::Newline;
    return token;
  }
  bool peek_is(TokenKind kind) const { return peek().kind == kind; }
  bool is_keyword(const Token& token, std::string_view word) const {
    return token.kind == TokenKind::Identifier && text(token) == word;
  }
  std::string_view text(const Token& token) const { return token.text(source_); }
  diag::SourceRange range(const Token& token) const {
    return {at_.file, at_.begin + token.begin, at_.begin + token.end};
  }
  diag::SourceRange next_range() const { return range(peek()); }
  diag::SourceRange last_range() const { return last_ ? range(*last_) : next_range(); }
  [[gnu::cold]] Token recover(TokenKind end);
  [[gnu::cold]] void recover_over(TokenKind open);
  [[gnu::cold]] void recover_after_item();

  // Errors. What is only for broken text is marked cold, so that it stays out of the way
  // of what is not.
  std::size_t mark() const { return diags_.error_count(); }
  bool failed_since(std::size_t before) const { return diags_.error_count() != before; }
  // Whether an error since then has left the position in a place of no meaning.
  bool lost_since(std::size_t before) const { return recovery_ && failed_since(before); }
  [[gnu::cold]] diag::Diagnostics::Entry error(std::string summary, std::string detail,
                                               diag::SourceRange at);
  [[gnu::cold]] Parsed too_deep(diag::SourceRange at);
  [[gnu::cold]] Parsed invalid(diag::SourceRange at);
  std::string line_of(diag::SourceRange at) const;

  // Making nodes
  template <class Node, class... Fields>
  Node* node(diag::SourceRange at, Fields&&... fields) {
    return file_.arena.make<Node>(Expr{Node::kKind, false, at}, std::forward<Fields>(fields)...);
  }
  // `height` is that of the highest child.
  template <class Node>
  Parsed above(int height, const Node* made) {
    return height >= kMaxNesting ? too_deep(made->range) : Parsed{made, height + 1};
  }
  const value::Value* keep(value::Value constant);
  const value::Value* keep_string(std::string_view text);
  std::optional<std::uint32_t> slot_of(std::string_view name) const;
  void bind(std::string_view name);

  // From the start of `first` to the end of `last`.
  diag::SourceRange covering(const Token& first, const Token& last) const {
    return {at_.file, at_.begin + first.begin, at_.begin + std::max(first.end, last.end)};
  }

  // Bodies (parse_body.cc)
  NativeBody body(TokenKind end);
  NativeBody close_body(std::size_t first_attribute, std::size_t first_block,
                        diag::SourceRange start, diag::SourceRange last);
  void misplaced(const Token& token, diag::SourceRange body_start);
  void body_item(std::size_t first_attribute, AttributeNames& names);
  void incomplete_item(const Token& name);
  Attribute finish_attribute(const Token& name, bool single_line);
  void add_attribute(const Attribute& attribute, std::size_t first_attribute,
                     AttributeNames& names);
  void missing_line_end(const Token& name, const Token& end);
  void finish_block(const Token& type);
  bool block_labels(const Token& type, Token& open);
  NativeBody single_line_body(const Token& type, const Token& open);
  std::optional<NativeBody> single_attribute();
  Label quoted_label();

  // Expressions (parse_expression.cc)
  Parsed expression();
  Parsed conditional(diag::SourceRange start, Parsed condition, std::size_t before);
  Parsed binary(int lowest_level);
  Parsed binary_from(Parsed left, int lowest_level, std::size_t before);
  Parsed operand();
  Parsed unexpected(const Token& token);
  Parsed parens();
  Parsed unary(UnaryOp op);
  Parsed number();
  const value::Value* number_value(const Token& token);
  Parsed name();
  Parsed call(const Token& first);
  bool call_name(const Token& first, std::string_view& name, diag::SourceRange& name_range,
                 Token& open, Parsed& failure);
  int call_arguments(const Token& first, const Token& open, bool& expand, Token& close);

  // Tuples, objects, `for` (parse_collection.cc)
  Parsed tuple();
  Parsed object();
  bool object_item(const Token& open, int& height);
  void missing_comma(const Token& open, const Token& next);
  void missing_value(const Token& open, const Token& next);
  Parsed for_expression(const Token& open);
  bool for_head(const Token& open, ForHead& head, Parsed& failure);
  Parsed broken_for(const Token& open, std::string_view detail);
  void check_for_shape(const Token& open, const ForExpr& expr, std::optional<Token> ellipsis);

  // What follows a term (parse_traversal.cc)
  Parsed after(Parsed term) {
    const TokenKind next = peek().kind;
    if (next != TokenKind::Dot && next != TokenKind::OpenBracket) return term;
    return postfix_of(term);
  }
  Parsed postfix_of(Parsed term);
  Parsed postfix(Chain chain);
  std::span<const TraversalStep> dotted_names();
  Parsed finish_chain(Chain& chain);
  // A variable, or a name that is bound here.
  const Expr* root_expr(const Traversal& traversal, std::optional<std::uint32_t> slot) {
    if (slot) return node<LocalExpr>(traversal.range, *slot, traversal);
    return node<VariableExpr>(traversal.range, traversal);
  }
  void rebase(Chain& chain, Parsed source);
  void add_step(Chain& chain, TraversalStep step);
  void dot(Chain& chain);
  void legacy_index(Chain& chain, const Token& dot);
  void chained_index_error(const Token& number, diag::SourceRange at);
  void attribute_splat(Chain& chain, const Token& dot);
  bool splat_step(const Token& star);
  void bracket(Chain& chain);
  Token unclosed_bracket(std::string summary, std::string_view wanted, const Token& found);
  static const value::Value* constant_key(const Expr& key);
  void full_splat(Chain& chain, const Token& open);
  bool traversal_attribute(const Token& root);
  bool traversal_index(const Token& root, bool allow_splat);
  bool close_index(const Token& open, StepKind kind, const value::Value* key);

  // Templates as a list of parts (parse_template.cc)
  Parsed string_template();
  Parsed finish_template(TokenKind end, bool flush, const Token* open);
  const Expr* literal_part(std::string_view content, diag::SourceRange at);
  std::string_view literal_text(const Token& token);
  diag::SourceRange template_parts(TokenKind end);
  bool interpolation(const Token& open, diag::SourceRange start, TokenKind end);
  void unclosed_interpolation(const Token& close, diag::SourceRange start, TokenKind end);
  bool directive(const Token& open, diag::SourceRange start, std::size_t first_directive);
  bool directive_part(const Token& open, const Token& keyword, std::size_t first_directive);
  bool for_directive(const Token& open);

  // Templates as a tree (template_tree.cc). `place` is an index in parts_.
  void flush_indentation(std::size_t first_part);
  Parsed template_tree(std::size_t first_part, diag::SourceRange at, bool heredoc);
  Parsed template_of(std::size_t first_item, int height, diag::SourceRange at, bool heredoc);
  Parsed template_item(std::size_t& place);
  static std::string_view directive_name(PartKind kind);
  Parsed template_literal(std::size_t& place);
  int template_items(std::size_t& place);
  Parsed template_branch(std::size_t first_item, int height, diag::SourceRange empty);
  Parsed wrong_end(const TemplatePart& open, std::size_t& place);
  Parsed template_if(std::size_t& place);
  Parsed template_for(std::size_t& place);

  File& file_;
  std::string_view source_;
  diag::SourceRange at_;
  diag::Diagnostics& diags_;
  std::size_t errors_before_;  // in diags_ when this began
  TokenList tokens_;
  const Token* next_;
  const Token* last_ = nullptr;  // the one read last
  bool newlines_ = true;
  bool recovery_ = false;
  bool gave_up_ = false;  // too deeply nested: nothing more is read
  int depth_;

  // Files say the same few numbers again and again, and reading one to 512 bits is
  // slow. A later number takes the place of an earlier one with the same hash.
  static constexpr int kKnownNumberBits = 5;
  std::array<KnownNumber, 1 << kKnownNumberBits> known_numbers_{};

  std::vector<Bound> bound_;
  std::uint32_t next_slot_ = 0;

  // Lists being built. Each function that builds one remembers where its own part
  // begins, so that the memory is shared by all levels.
  std::vector<const Expr*> exprs_;
  std::vector<ObjectItem> items_;
  std::vector<TraversalStep> steps_;
  std::vector<Attribute> attributes_;
  std::vector<NativeBlock> blocks_;
  std::vector<Label> labels_;
  std::vector<TemplatePart> parts_;
  std::vector<OpenDirective> directives_;
};

}  // namespace tofu::syntax
