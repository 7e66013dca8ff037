#include "syntax/traversal_parser.h"

#include <algorithm>
#include <fmt/format.h>

#include "syntax/expression_parser.h"
#include "syntax/plain_string.h"

namespace tofu::syntax {
namespace {

// The value of a key that needs no evaluation; null if it does.
const value::Value* constant_key(const Expr& key) {
  if (const auto* literal = as_if<LiteralExpr>(key)) return literal->value;
  const auto* quoted = as_if<TemplateExpr>(key);
  if (!quoted || quoted->parts.size() != 1) return nullptr;
  const auto* text = as_if<LiteralExpr>(*quoted->parts[0]);
  return text ? text->value : nullptr;
}

}  // namespace

Parsed TraversalParser::after_name(std::string_view word, diag::SourceRange at) {
  const std::optional<std::uint32_t> slot = names_.slot_of(word);
  // Most traversals are names and dots only, and need no chain to be collected.
  const std::span<const TraversalStep> steps = dotted_names();
  const diag::SourceRange whole{at.file, at.begin, steps.empty() ? at.end : steps.back().range.end};
  const TokenKind following = tokens_.peek().kind;
  const Traversal read{word, at, steps, whole};
  if (following != TokenKind::Dot && following != TokenKind::OpenBracket) [[likely]] {
    return {root_expr(read, slot), 1};
  }
  return chain_after(read, slot);
}

// Apart from the above, so that names without a chain do not pay for one.
[[gnu::noinline]] Parsed TraversalParser::chain_after(const Traversal& read,
                                                      std::optional<std::uint32_t> slot) {
  Chain chain;
  chain.root = read.root;
  chain.root_range = read.root_range;
  chain.range = read.range;
  chain.slot = slot;
  chain.first_step = steps_.size();
  steps_.insert(steps_.end(), read.steps.begin(), read.steps.end());
  return postfix(chain);
}

// Reads what may follow a term: .name, .0, [key], .* and [*].
Parsed TraversalParser::postfix(Chain chain) {
  while (true) {
    const TokenKind next = tokens_.peek().kind;
    if (next == TokenKind::Dot) {
      dot(chain);
    } else if (next == TokenKind::OpenBracket) {
      bracket(chain);
    } else {
      return finish_chain(chain);
    }
  }
}

Parsed TraversalParser::postfix_of(Parsed term) {
  Chain chain;
  chain.first_step = steps_.size();
  chain.source = term.expr;
  chain.height = term.height;
  chain.range = term.expr->range;
  return postfix(chain);
}

// The .name steps that stand here one after the other, read in one go.
std::span<const TraversalStep> TraversalParser::dotted_names() {
  const std::span<const Token> names = tokens_.read_dotted_names();
  if (names.empty()) return {};
  const std::size_t count = names.size() / 2;
  auto* steps = static_cast<TraversalStep*>(
      tree_.arena().allocate(count * sizeof(TraversalStep), alignof(TraversalStep)));
  for (std::size_t i = 0; i < count; ++i) {
    const Token& dot = names[2 * i];
    const Token& name = names[2 * i + 1];
    steps[i] = {StepKind::Attribute, tokens_.covering(dot, name), tokens_.text(name), nullptr};
  }
  return {steps, count};
}

// The expression for what the chain has collected so far.
Parsed TraversalParser::finish_chain(Chain& chain) {
  const auto steps = tree_.take_from(steps_, chain.first_step);
  if (chain.source) {
    if (steps.empty()) return {chain.source, chain.height};
    return tree_.above(chain.height,
                       tree_.node<RelativeTraversalExpr>(chain.range, chain.source, steps));
  }
  return {root_expr({chain.root, chain.root_range, steps, chain.range}, chain.slot), 1};
}

// Goes on collecting after `source` instead.
void TraversalParser::rebase(Chain& chain, Parsed source) {
  steps_.resize(chain.first_step);
  chain.source = source.expr;
  chain.height = source.height;
  chain.range.end = std::max(chain.range.end, source.expr->range.end);
}

void TraversalParser::add_step(Chain& chain, TraversalStep step) {
  steps_.push_back(step);
  chain.range.end = std::max(chain.range.end, step.range.end);
}

void TraversalParser::dot(Chain& chain) {
  const Token dot = tokens_.read();
  const Token next = tokens_.peek();
  if (next.kind == TokenKind::Identifier) {
    tokens_.read();
    return add_step(
        chain, {StepKind::Attribute, tokens_.covering(dot, next), tokens_.text(next), nullptr});
  }
  if (next.kind == TokenKind::Number) return legacy_index(chain, dot);
  if (next.kind == TokenKind::Star) return attribute_splat(chain, dot);
  tokens_.error(
      "Invalid attribute name",
      fmt::format("Expected an attribute name after the dot, found {}.", describe(next.kind)),
      tokens_.range(next));
  tokens_.set_recovering();
  rebase(chain, tree_.invalid({tokens_.file(), chain.range.begin, tokens_.range(dot).end}));
}

// The old form a.0 of a[0].
void TraversalParser::legacy_index(Chain& chain, const Token& dot) {
  const Token number = tokens_.read();
  if (tokens_.text(number).find('.') != std::string_view::npos) {
    chained_index_error(number, tokens_.range(number));
    return rebase(chain, tree_.invalid(tokens_.covering(dot, number)));
  }
  const value::Value* key = expressions_.number_value(number);
  if (!key) return rebase(chain, tree_.invalid(tokens_.covering(dot, number)));
  add_step(chain, {StepKind::Index, tokens_.covering(dot, number), {}, key});
}

void TraversalParser::chained_index_error(const Token& number, diag::SourceRange at) {
  const std::string_view digits = tokens_.text(number);
  const std::size_t dot = digits.find('.');
  tokens_.error(
      "Invalid legacy index syntax",
      fmt::format("\".{0}\" is read as a fraction. Write the two indexes in brackets: [{1}][{2}].",
                  digits, digits.substr(0, dot), digits.substr(dot + 1)),
      at);
}

// a.*.b.0: takes only names and numbers; a bracket after it applies to the result.
void TraversalParser::attribute_splat(Chain& chain, const Token& dot) {
  const Token star = tokens_.read();
  const Binder binder(names_);
  const std::uint32_t slot = names_.take_slot();
  const diag::SourceRange marker = tokens_.covering(dot, star);
  const diag::SourceRange first = tokens_.next_range();
  const std::size_t first_step = steps_.size();
  diag::SourceRange last = tokens_.range(star);
  while (tokens_.peek_is(TokenKind::Dot)) {
    if (!splat_step(star)) {
      steps_.resize(first_step);
      return;
    }
    last = tokens_.last_range();
  }
  Chain each;
  each.root_range = marker;
  each.slot = slot;
  each.first_step = first_step;
  each.range =
      steps_.size() == first_step ? marker : diag::SourceRange{first.file, first.begin, last.end};
  const Parsed element = finish_chain(each);
  const Parsed source = finish_chain(chain);
  const diag::SourceRange whole{tokens_.file(), chain.range.begin, last.end};
  rebase(chain, tree_.above(std::max(source.height, element.height),
                            tree_.node<SplatExpr>(whole, source.expr, element.expr, slot, marker)));
}

// One step of an attribute-only splat. False after an error that ends it.
bool TraversalParser::splat_step(const Token& star) {
  const Token dot = tokens_.read();
  const Token next = tokens_.peek();
  if (next.kind == TokenKind::Identifier) {
    tokens_.read();
    steps_.push_back(
        {StepKind::Attribute, tokens_.covering(dot, next), tokens_.text(next), nullptr});
    return true;
  }
  if (next.kind == TokenKind::Number) {
    tokens_.read();
    const value::Value* key = nullptr;
    if (tokens_.text(next).find('.') != std::string_view::npos) {
      chained_index_error(next, tokens_.range(star));
    } else {
      key = expressions_.number_value(next);
    }
    if (!key) key = tree_.constants().keep(value::Value::unknown());
    steps_.push_back({StepKind::Index, tokens_.covering(dot, next), {}, key});
    return true;
  }
  if (!tokens_.recovering()) {
    if (next.kind == TokenKind::Star) {
      tokens_.error("Nested splat expression not allowed",
                    "An attribute splat (\".*\") cannot contain another one. Use \"[*]\" instead.",
                    tokens_.range(next));
    } else {
      tokens_.error("Invalid attribute name",
                    "Expected an attribute name after the dot following \"*\".",
                    tokens_.range(star));
    }
  }
  tokens_.set_recovering();
  return false;
}

void TraversalParser::bracket(Chain& chain) {
  const Token open = tokens_.read();
  if (tokens_.peek_is(TokenKind::Star)) return full_splat(chain, open);
  const Newlines insignificant(tokens_, false);
  const std::size_t before = tokens_.mark();
  const Parsed key = expressions_.expression();
  Token close;
  if (tokens_.lost_since(before)) {
    close = tokens_.recover(TokenKind::CloseBracket);
  } else {
    close = tokens_.read();
    if (close.kind != TokenKind::CloseBracket && !tokens_.recovering()) {
      close = unclosed_bracket("Missing close bracket on index",
                               "Expected a closing bracket after the index", close);
    }
  }
  const diag::SourceRange brackets = tokens_.covering(open, close);
  if (const value::Value* constant = constant_key(*key.expr)) {
    return add_step(chain, {StepKind::Index, brackets, {}, constant});
  }
  const Parsed collection = finish_chain(chain);
  const diag::SourceRange whole{tokens_.file(), chain.range.begin, brackets.end};
  rebase(chain, tree_.above(std::max(collection.height, key.height),
                            tree_.node<IndexExpr>(whole, collection.expr, key.expr,
                                                  tokens_.range(open), brackets)));
}

// Reports, at the bracket where reading goes on: that is where OpenTofu points.
Token TraversalParser::unclosed_bracket(std::string summary, std::string_view wanted,
                                        const Token& found) {
  const Token close = tokens_.recover(TokenKind::CloseBracket);
  tokens_.error(std::move(summary), fmt::format("{}, but found {}.", wanted, describe(found.kind)),
                tokens_.range(close));
  return close;
}

// a[*].b[0]: everything that follows applies to each element.
void TraversalParser::full_splat(Chain& chain, const Token& open) {
  const Level level(tree_);
  if (level.too_deep()) return rebase(chain, tree_.too_deep(tokens_.range(open)));
  tokens_.read();
  Token close = tokens_.read();
  if (close.kind != TokenKind::CloseBracket && !tokens_.recovering()) {
    close = unclosed_bracket("Missing close bracket on splat index",
                             "Expected a closing bracket after the asterisk of the splat", close);
  }
  const diag::SourceRange marker = tokens_.covering(open, close);
  const Parsed source = finish_chain(chain);
  const Binder binder(names_);
  Chain each;
  each.slot = names_.take_slot();
  each.root_range = each.range = marker;
  each.first_step = steps_.size();
  const Parsed element = postfix(each);
  const diag::SourceRange whole{tokens_.file(), chain.range.begin,
                                std::max(marker.end, element.expr->range.end)};
  rebase(chain,
         tree_.above(std::max(source.height, element.height),
                     tree_.node<SplatExpr>(whole, source.expr, element.expr, *each.slot, marker)));
}

diag::Checked<Traversal> TraversalParser::whole(bool allow_splat) {
  const Newlines insignificant(tokens_, false);
  const Token root = tokens_.read();
  if (root.kind != TokenKind::Identifier) {
    tokens_.error(
        "Variable name required",
        fmt::format("A reference must start with a name, not with {}.", describe(root.kind)),
        tokens_.range(root));
    return std::nullopt;
  }
  while (!tokens_.peek_is(TokenKind::EndOfFile)) {
    const Token next = tokens_.peek();
    if (next.kind == TokenKind::Dot) {
      if (!traversal_attribute(root)) return std::nullopt;
    } else if (next.kind == TokenKind::OpenBracket) {
      if (!traversal_index(root, allow_splat)) return std::nullopt;
    } else {
      tokens_
          .error("Invalid character",
                 fmt::format("Expected \".name\" or \"[key]\", found {}.", describe(next.kind)),
                 tokens_.range(next))
          .within(tokens_.covering(root, next));
      return std::nullopt;
    }
  }
  if (tokens_.failed()) return std::nullopt;
  const diag::SourceRange whole =
      steps_.empty()
          ? tokens_.range(root)
          : diag::SourceRange{tokens_.file(), tokens_.range(root).begin, steps_.back().range.end};
  return Traversal{tokens_.text(root), tokens_.range(root), tree_.arena().copy(steps_), whole};
}

bool TraversalParser::traversal_attribute(const Token& root) {
  const Token dot = tokens_.read();
  const Token name = tokens_.read();
  if (name.kind != TokenKind::Identifier) {
    tokens_
        .error("Attribute name required",
               name.kind == TokenKind::Star
                   ? std::string("Splats (\".*\") are not allowed here.")
                   : fmt::format("Expected an attribute name after the dot, found {}.",
                                 describe(name.kind)),
               tokens_.range(name))
        .within(tokens_.covering(root, name));
    return false;
  }
  steps_.push_back({StepKind::Attribute, tokens_.covering(dot, name), tokens_.text(name), nullptr});
  return true;
}

bool TraversalParser::traversal_index(const Token& root, bool allow_splat) {
  const Token open = tokens_.read();
  const Token next = tokens_.peek();
  if (next.kind == TokenKind::Number) {
    const value::Value* number = expressions_.number_value(tokens_.read());
    return close_index(open, StepKind::Index, number) && number;
  }
  if (next.kind == TokenKind::OpenQuote) {
    const std::size_t before = tokens_.mark();
    const Label key = read_plain_string(tokens_, tree_);
    const bool closed = close_index(open, StepKind::Index, tree_.keep_string(key.text));
    return closed && !tokens_.failed_since(before);
  }
  if (next.kind == TokenKind::Star && allow_splat) {
    tokens_.read();
    return close_index(open, StepKind::Splat, nullptr);
  }
  tokens_
      .error("Index value required",
             next.kind == TokenKind::Star
                 ? std::string("Splats (\"[*]\") are not allowed here.")
                 : fmt::format("The key must be a number or a quoted string, but found {}.",
                               describe(next.kind)),
             tokens_.range(next))
      .within(tokens_.covering(root, next));
  return false;
}

bool TraversalParser::close_index(const Token& open, StepKind kind, const value::Value* key) {
  const Token close = tokens_.read();
  if (close.kind != TokenKind::CloseBracket) {
    tokens_
        .error("Unclosed index brackets",
               fmt::format("Expected a closing bracket after the key, found {}.",
                           describe(close.kind)),
               tokens_.range(close))
        .within(tokens_.covering(open, close));
    return false;
  }
  steps_.push_back({kind, tokens_.covering(open, close), {}, key});
  return true;
}

}  // namespace tofu::syntax
