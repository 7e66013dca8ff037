#include <fmt/format.h>

#include "syntax/native_parser.h"

namespace tofu::syntax {

// Reads what may follow a term: .name, .0, [key], .* and [*].
NativeParser::Parsed NativeParser::postfix(Chain chain) {
  while (true) {
    const TokenKind next = peek().kind;
    if (next == TokenKind::Dot) {
      dot(chain);
    } else if (next == TokenKind::OpenBracket) {
      bracket(chain);
    } else {
      return finish_chain(chain);
    }
  }
}

NativeParser::Parsed NativeParser::postfix_of(Parsed term) {
  Chain chain;
  chain.first_step = steps_.size();
  chain.source = term.expr;
  chain.height = term.height;
  chain.range = term.expr->range;
  return postfix(chain);
}

// The .name steps that stand here one after the other, read in one go.
std::span<const TraversalStep> NativeParser::dotted_names() {
  const Token* end = next_;
  // EndOfFile is the last of all tokens, so there is one after every dot.
  while (end[0].kind == TokenKind::Dot && end[1].kind == TokenKind::Identifier) end += 2;
  const auto count = static_cast<std::size_t>(end - next_) / 2;
  if (count == 0) return {};
  auto* steps = static_cast<TraversalStep*>(
      file_.arena.allocate(count * sizeof(TraversalStep), alignof(TraversalStep)));
  for (std::size_t i = 0; i < count; ++i, next_ += 2) {
    steps[i] = {StepKind::Attribute, covering(next_[0], next_[1]), text(next_[1]), nullptr};
  }
  last_ = next_ - 1;
  return {steps, count};
}

// The expression for what the chain has collected so far.
NativeParser::Parsed NativeParser::finish_chain(Chain& chain) {
  const auto steps = file_.arena.copy(std::span(std::as_const(steps_)).subspan(chain.first_step));
  steps_.resize(chain.first_step);
  if (chain.source) {
    if (steps.empty()) return {chain.source, chain.height};
    return above(chain.height, node<RelativeTraversalExpr>(chain.range, chain.source, steps));
  }
  return {root_expr({chain.root, chain.root_range, steps, chain.range}, chain.slot), 1};
}

// Goes on collecting after `source` instead.
void NativeParser::rebase(Chain& chain, Parsed source) {
  steps_.resize(chain.first_step);
  chain.source = source.expr;
  chain.height = source.height;
  chain.range.end = std::max(chain.range.end, source.expr->range.end);
}

void NativeParser::add_step(Chain& chain, TraversalStep step) {
  steps_.push_back(step);
  chain.range.end = std::max(chain.range.end, step.range.end);
}

void NativeParser::dot(Chain& chain) {
  const Token dot = read();
  const Token next = peek();
  if (next.kind == TokenKind::Identifier) {
    read();
    return add_step(chain, {StepKind::Attribute, covering(dot, next), text(next), nullptr});
  }
  if (next.kind == TokenKind::Number) return legacy_index(chain, dot);
  if (next.kind == TokenKind::Star) return attribute_splat(chain, dot);
  error("Attribute name missing",
        fmt::format("The name of an attribute has to follow a dot, but there is {}.",
                    describe(next.kind)),
        range(next));
  recovery_ = true;
  rebase(chain, invalid({at_.file, chain.range.begin, range(dot).end}));
}

// The old form a.0 of a[0].
void NativeParser::legacy_index(Chain& chain, const Token& dot) {
  const Token number = read();
  if (text(number).find('.') != std::string_view::npos) {
    chained_index_error(number, range(number));
    return rebase(chain, invalid(covering(dot, number)));
  }
  const value::Value* key = number_value(number);
  if (!key) return rebase(chain, invalid(covering(dot, number)));
  add_step(chain, {StepKind::Index, covering(dot, number), {}, key});
}

void NativeParser::chained_index_error(const Token& number, diag::SourceRange at) {
  const std::string_view digits = text(number);
  const std::size_t dot = digits.find('.');
  error("Ambiguous indexes",
        fmt::format("\".{0}\" reads as a fraction. Write the two indexes in brackets: [{1}][{2}].",
                    digits, digits.substr(0, dot), digits.substr(dot + 1)),
        at);
}

// a.*.b.0: takes only names and numbers; a bracket after it applies to the result.
void NativeParser::attribute_splat(Chain& chain, const Token& dot) {
  const Token star = read();
  const Binder binder(*this);
  const std::uint32_t slot = next_slot_++;
  const diag::SourceRange marker = covering(dot, star);
  const diag::SourceRange first = next_range();
  const std::size_t first_step = steps_.size();
  diag::SourceRange last = range(star);
  while (peek_is(TokenKind::Dot)) {
    if (!splat_step(star)) {
      steps_.resize(first_step);
      return;
    }
    last = last_range();
  }
  Chain each;
  each.root_range = marker;
  each.slot = slot;
  each.first_step = first_step;
  each.range =
      steps_.size() == first_step ? marker : diag::SourceRange{first.file, first.begin, last.end};
  const Parsed element = finish_chain(each);
  const Parsed source = finish_chain(chain);
  const diag::SourceRange whole{at_.file, chain.range.begin, last.end};
  rebase(chain, above(std::max(source.height, element.height),
                      node<SplatExpr>(whole, source.expr, element.expr, slot, marker)));
}

// One step of an attribute-only splat. False after an error that ends it.
bool NativeParser::splat_step(const Token& star) {
  const Token dot = read();
  const Token next = peek();
  if (next.kind == TokenKind::Identifier) {
    read();
    steps_.push_back({StepKind::Attribute, covering(dot, next), text(next), nullptr});
    return true;
  }
  if (next.kind == TokenKind::Number) {
    read();
    const value::Value* key = nullptr;
    if (text(next).find('.') != std::string_view::npos) {
      chained_index_error(next, range(star));
    } else {
      key = number_value(next);
    }
    if (!key) key = keep(value::Value::unknown());
    steps_.push_back({StepKind::Index, covering(dot, next), {}, key});
    return true;
  }
  if (!recovery_) {
    if (next.kind == TokenKind::Star) {
      error("Splat inside a splat",
            "A splat of the form \".*\" cannot have another one in it. Use \"[*]\" instead.",
            range(next));
    } else {
      error("Attribute name missing", "The name of an attribute has to follow the dot after \"*\".",
            range(star));
    }
  }
  recovery_ = true;
  return false;
}

void NativeParser::bracket(Chain& chain) {
  const Token open = read();
  if (peek_is(TokenKind::Star)) return full_splat(chain, open);
  const Newlines insignificant(*this, false);
  const std::size_t before = mark();
  const Parsed key = expression();
  Token close;
  if (lost_since(before)) {
    close = recover(TokenKind::CloseBracket);
  } else {
    close = read();
    if (close.kind != TokenKind::CloseBracket && !recovery_) {
      close = unclosed_bracket("Index not closed", "A closing bracket has to end the index", close);
    }
  }
  const diag::SourceRange brackets = covering(open, close);
  if (const value::Value* constant = constant_key(*key.expr)) {
    return add_step(chain, {StepKind::Index, brackets, {}, constant});
  }
  const Parsed collection = finish_chain(chain);
  const diag::SourceRange whole{at_.file, chain.range.begin, brackets.end};
  rebase(chain, above(std::max(collection.height, key.height),
                      node<IndexExpr>(whole, collection.expr, key.expr, range(open), brackets)));
}

// Reports, at the bracket where reading goes on: that is where OpenTofu points.
Token NativeParser::unclosed_bracket(std::string summary, std::string_view wanted,
                                     const Token& found) {
  const Token close = recover(TokenKind::CloseBracket);
  error(std::move(summary), fmt::format("{}, but there is {}.", wanted, describe(found.kind)),
        range(close));
  return close;
}

// The value of a key that needs no evaluation; null if it does.
const value::Value* NativeParser::constant_key(const Expr& key) {
  if (const auto* literal = as_if<LiteralExpr>(key)) return literal->value;
  const auto* quoted = as_if<TemplateExpr>(key);
  if (!quoted || quoted->parts.size() != 1) return nullptr;
  const auto* text = as_if<LiteralExpr>(*quoted->parts[0]);
  return text ? text->value : nullptr;
}

// a[*].b[0]: everything that follows applies to each element.
void NativeParser::full_splat(Chain& chain, const Token& open) {
  const Level level(*this);
  if (level.too_deep()) return rebase(chain, too_deep(range(open)));
  read();
  Token close = read();
  if (close.kind != TokenKind::CloseBracket && !recovery_) {
    close = unclosed_bracket("Splat not closed",
                             "A closing bracket has to follow the star of a splat", close);
  }
  const diag::SourceRange marker = covering(open, close);
  const Parsed source = finish_chain(chain);
  const Binder binder(*this);
  Chain each;
  each.slot = next_slot_++;
  each.root_range = each.range = marker;
  each.first_step = steps_.size();
  const Parsed element = postfix(each);
  const diag::SourceRange whole{at_.file, chain.range.begin,
                                std::max(marker.end, element.expr->range.end)};
  rebase(chain, above(std::max(source.height, element.height),
                      node<SplatExpr>(whole, source.expr, element.expr, *each.slot, marker)));
}

// Traversals as a text of their own: stricter than expressions, and without
// recovery, because nothing follows them.
std::optional<Traversal> NativeParser::whole_traversal(bool allow_splat) {
  const Newlines insignificant(*this, false);
  const Token root = read();
  if (root.kind != TokenKind::Identifier) {
    error("Name missing",
          fmt::format("A reference begins with a name, not with {}.", describe(root.kind)),
          range(root));
    return std::nullopt;
  }
  while (!peek_is(TokenKind::EndOfFile)) {
    const Token next = peek();
    if (next.kind == TokenKind::Dot) {
      if (!traversal_attribute(root)) return std::nullopt;
    } else if (next.kind == TokenKind::OpenBracket) {
      if (!traversal_index(root, allow_splat)) return std::nullopt;
    } else {
      error("Unexpected text in a reference",
            fmt::format("Only \".name\" and \"[key]\" can follow here, but there is {}.",
                        describe(next.kind)),
            range(next))
          .within(covering(root, next));
      return std::nullopt;
    }
  }
  if (failed_since(errors_before_)) return std::nullopt;
  const diag::SourceRange whole =
      steps_.empty() ? range(root)
                     : diag::SourceRange{at_.file, range(root).begin, steps_.back().range.end};
  return Traversal{text(root), range(root), file_.arena.copy(steps_), whole};
}

bool NativeParser::traversal_attribute(const Token& root) {
  const Token dot = read();
  const Token name = read();
  if (name.kind != TokenKind::Identifier) {
    error("Attribute name missing",
          name.kind == TokenKind::Star
              ? std::string("A splat (\".*\") cannot be used here.")
              : fmt::format("The name of an attribute has to follow a dot, but there is {}.",
                            describe(name.kind)),
          range(name))
        .within(covering(root, name));
    return false;
  }
  steps_.push_back({StepKind::Attribute, covering(dot, name), text(name), nullptr});
  return true;
}

bool NativeParser::traversal_index(const Token& root, bool allow_splat) {
  const Token open = read();
  const Token next = peek();
  if (next.kind == TokenKind::Number) {
    const value::Value* number = number_value(read());
    return close_index(open, StepKind::Index, number) && number;
  }
  if (next.kind == TokenKind::OpenQuote) {
    const std::size_t before = mark();
    const Label key = quoted_label();
    const bool closed = close_index(open, StepKind::Index, keep_string(key.text));
    return closed && !failed_since(before);
  }
  if (next.kind == TokenKind::Star && allow_splat) {
    read();
    return close_index(open, StepKind::Splat, nullptr);
  }
  error("Constant key required",
        next.kind == TokenKind::Star
            ? std::string("A splat (\"[*]\") cannot be used here.")
            : fmt::format("Only a number or a quoted string can be a key here, but there is {}.",
                          describe(next.kind)),
        range(next))
      .within(covering(root, next));
  return false;
}

bool NativeParser::close_index(const Token& open, StepKind kind, const value::Value* key) {
  const Token close = read();
  if (close.kind != TokenKind::CloseBracket) {
    error("Index not closed",
          fmt::format("A closing bracket has to follow the key, but there is {}.",
                      describe(close.kind)),
          range(close))
        .within(covering(open, close));
    return false;
  }
  steps_.push_back({kind, covering(open, close), {}, key});
  return true;
}

}  // namespace tofu::syntax
