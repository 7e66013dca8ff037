#include "syntax/body_parser.h"

#include <fmt/format.h>

#include "syntax/plain_string.h"

namespace tofu::syntax {

const NativeBody* BodyParser::whole() {
  return tree_.arena().make<NativeBody>(body(TokenKind::EndOfFile));
}

// Attributes and blocks up to `end`, which is read too.
NativeBody BodyParser::body(TokenKind end) {
  const diag::SourceRange start = tokens_.last_range();
  const std::size_t first_attribute = attributes_.size();
  const std::size_t first_block = blocks_.size();
  AttributeNames names;
  while (true) {
    const Token next = tokens_.peek();
    if (next.kind == end) {
      const diag::SourceRange last = tokens_.range(tokens_.read());
      return close_body(first_attribute, first_block, start, last);
    }
    if (next.kind == TokenKind::Newline) {
      tokens_.read();
    } else if (next.kind == TokenKind::Identifier) {
      item(first_attribute, names);
    } else {
      tokens_.read();
      if (!tokens_.recovering()) misplaced(next, start);
      const diag::SourceRange last = tokens_.last_range();
      tokens_.recover(end);
      return close_body(first_attribute, first_block, start, last);
    }
  }
}

void BodyParser::misplaced(const Token& token, diag::SourceRange body_start) {
  if (token.kind == TokenKind::OpenQuote) {
    tokens_.error("Invalid argument name", "Write argument names without quotes.",
                  tokens_.range(token));
  } else if (token.kind == TokenKind::EndOfFile) {
    tokens_.error("Unclosed configuration block",
                  "The file ends before the closing brace of this block. Check for mismatched "
                  "braces earlier in the file.",
                  body_start);
  } else {
    tokens_.error("Argument or block definition required",
                  fmt::format("Expected an argument or a block, found {}.", describe(token.kind)),
                  tokens_.range(token));
  }
}

// Moves the lists from the given places on into the arena.
NativeBody BodyParser::close_body(std::size_t first_attribute, std::size_t first_block,
                                  diag::SourceRange start, diag::SourceRange last) {
  NativeBody made;
  made.attributes = tree_.take_from(attributes_, first_attribute);
  made.blocks = tree_.take_from(blocks_, first_block);
  made.range = {start.file, start.begin, std::max(start.end, last.end)};
  made.end_range = {last.file, last.end, last.end};
  return made;
}

void BodyParser::item(std::size_t first_attribute, AttributeNames& names) {
  const Token name = tokens_.read();
  const TokenKind next = tokens_.peek().kind;
  if (next == TokenKind::Equal) {
    add_attribute(finish_attribute(name, false), first_attribute, names);
  } else if (next == TokenKind::OpenQuote || next == TokenKind::OpenBrace ||
             next == TokenKind::Identifier) {
    finish_block(name);
  } else {
    incomplete_item(name);
  }
}

void BodyParser::incomplete_item(const Token& name) {
  tokens_.error(
      "Argument or block definition required",
      fmt::format("To set the argument \"{}\", write an equals sign and a value after the name.",
                  tokens_.text(name)),
      tokens_.range(name));
  tokens_.recover_after_item();
}

inline bool BodyParser::AttributeNames::seen(std::string_view name) {
  const auto first = static_cast<unsigned char>(name.front());
  const auto last = static_cast<unsigned char>(name.back());
  const std::uint64_t shape = std::uint64_t{1} << ((7 * first + 3 * last + name.size()) % 64);
  return (std::exchange(shapes, shapes | shape) & shape) != 0;
}

// Keeps the first of several arguments of one name.
void BodyParser::add_attribute(const Attribute& attribute, std::size_t first_attribute,
                               AttributeNames& names) {
  if (!names.seen(attribute.name)) {
    attributes_.push_back(attribute);
    return;
  }
  constexpr std::size_t kFew = 16;  // up to here looking at each is faster than hashing
  const std::span known = std::span(attributes_).subspan(first_attribute);
  const Attribute* existing = nullptr;
  if (known.size() < kFew) {
    for (const Attribute& other : known) {
      if (other.name == attribute.name) existing = &other;
    }
  } else {
    auto& places = names.places;
    for (std::size_t i = places.size(); i < known.size(); ++i) places.emplace(known[i].name, i);
    const auto found = places.find(attribute.name);
    if (found != places.end()) existing = &known[found->second];
  }
  if (!existing) {
    attributes_.push_back(attribute);
    return;
  }
  tokens_.error(
      "Attribute redefined",
      fmt::format("The argument \"{}\" was already set at {}. Each argument can be set only once.",
                  attribute.name, tokens_.line_of(existing->name_range)),
      attribute.name_range);
}

// From the equals sign on. `single_line` is for blocks like a { b = 1 }, where no
// line end follows.
Attribute BodyParser::finish_attribute(const Token& name, bool single_line) {
  const Token equals = tokens_.read();
  const std::size_t before = tokens_.mark();
  const Parsed value = expressions_.expression();
  diag::SourceRange last = tokens_.last_range();
  if (tokens_.lost_since(before)) {
    tokens_.recover_after_item();
  } else if (!single_line) {
    const Token end = tokens_.peek();
    if (end.kind == TokenKind::Newline || end.kind == TokenKind::EndOfFile) {
      tokens_.read();
    } else {
      if (!tokens_.recovering()) missing_line_end(name, end);
      tokens_.recover_after_item();
    }
  }
  const diag::SourceRange at = tokens_.range(name);
  last.end = std::max(at.end, last.end);
  return {tokens_.text(name), value.expr, {at.file, at.begin, last.end}, at, tokens_.range(equals)};
}

void BodyParser::missing_line_end(const Token& name, const Token& end) {
  if (end.kind == TokenKind::Comma) {
    tokens_
        .error("Unexpected comma after argument",
               "Arguments are separated by newlines, not commas. Remove the comma.",
               tokens_.range(end))
        .within(tokens_.covering(name, end));
    return;
  }
  tokens_
      .error("Missing newline after argument",
             fmt::format("Expected a newline after the value, found {}.", describe(end.kind)),
             tokens_.range(end))
      .within(tokens_.covering(name, end));
}

// From the labels on.
void BodyParser::finish_block(const Token& type) {
  const Level level(tree_);
  if (level.too_deep()) {
    tree_.too_deep(tokens_.range(type));
    return;
  }
  const std::size_t first_label = labels_.size();
  const std::optional<Token> open = block_labels(type);
  NativeBlock block;
  block.type = tokens_.text(type);
  block.labels = tree_.take_from(labels_, first_label);
  block.type_range = tokens_.range(type);
  if (!open) {
    block.body.range = block.body.end_range = block.open_range = block.close_range =
        tokens_.range(type);
    blocks_.push_back(block);
    return;
  }
  block.open_range = tokens_.range(*open);
  const TokenKind first = tokens_.peek().kind;
  if (first == TokenKind::Newline || first == TokenKind::EndOfFile ||
      first == TokenKind::CloseBrace) {
    block.body = body(TokenKind::CloseBrace);
  } else {
    block.body = single_line_body(type, *open);
  }
  block.close_range = tokens_.last_range();
  blocks_.push_back(block);
  const Token end = tokens_.peek();
  if (end.kind == TokenKind::Newline || end.kind == TokenKind::EndOfFile) {
    tokens_.read();
    return;
  }
  if (!tokens_.recovering()) {
    tokens_
        .error("Missing newline after block definition",
               fmt::format("Expected a newline after the closing brace, found {}.",
                           describe(end.kind)),
               tokens_.range(end))
        .within(tokens_.covering(type, end));
  }
  tokens_.recover_after_item();
}

// Reads labels into labels_, and the opening brace. Nothing if there is no brace.
std::optional<Token> BodyParser::block_labels(const Token& type) {
  while (true) {
    const Token token = tokens_.peek();
    if (token.kind == TokenKind::OpenBrace) {
      return tokens_.read();
    }
    if (token.kind == TokenKind::OpenQuote) {
      labels_.push_back(read_plain_string(tokens_, tree_));
    } else if (token.kind == TokenKind::Identifier) {
      tokens_.read();
      labels_.push_back({tokens_.text(token), tokens_.range(token)});
    } else {
      // Two errors so plain that they are reported even while recovering.
      if (token.kind == TokenKind::Equal) {
        tokens_
            .error(
                "Invalid block definition",
                "Only arguments have an equals sign. Remove it, or write a single name before it.",
                tokens_.range(token))
            .within(tokens_.covering(type, token));
      } else if (token.kind == TokenKind::Newline) {
        tokens_
            .error("Invalid block definition",
                   "The opening brace of a block must be on the same line as the block header.",
                   tokens_.range(token))
            .within(tokens_.covering(type, token));
      } else if (!tokens_.recovering()) {
        tokens_
            .error("Invalid block definition",
                   fmt::format(
                       "Expected a quoted label or an opening brace in the block header, found {}.",
                       describe(token.kind)),
                   tokens_.range(token))
            .within(tokens_.covering(type, token));
      }
      tokens_.recover_after_item();
      return std::nullopt;
    }
  }
}

// The rest of a { b = 1 }, closing brace included.
NativeBody BodyParser::single_line_body(const Token& type, const Token& open) {
  const std::optional<NativeBody> made = single_attribute();
  const Token next = tokens_.peek();
  if (next.kind == TokenKind::CloseBrace) {
    tokens_.read();
  } else {
    if (next.kind == TokenKind::Comma) {
      tokens_.error("Invalid single-argument block definition",
                    "A block on a single line can have only one argument. Write each argument on "
                    "its own line.",
                    tokens_.range(next));
    } else if (next.kind == TokenKind::Newline) {
      tokens_.error("Invalid single-argument block definition",
                    "This single-line block has no closing brace on the same line. Close it, or "
                    "start a new line after the opening brace.",
                    tokens_.range(next));
    } else if (!tokens_.recovering() && next.kind == TokenKind::EndOfFile) {
      tokens_
          .error("Unclosed configuration block",
                 "The file ends before the closing brace of this block.", tokens_.range(open))
          .within(tokens_.covering(type, open));
    } else if (!tokens_.recovering()) {
      tokens_.error(
          "Invalid single-argument block definition",
          fmt::format(
              "Expected a closing brace after the argument of a single-line block, found {}.",
              describe(next.kind)),
          tokens_.range(next));
    }
    tokens_.recover(TokenKind::CloseBrace);
  }
  if (made) return *made;
  const diag::SourceRange close = tokens_.last_range();
  return {{},
          {},
          {close.file, tokens_.range(open).begin, std::max(tokens_.range(open).end, close.end)},
          close};
}

std::optional<NativeBody> BodyParser::single_attribute() {
  const Token name = tokens_.read();
  if (name.kind != TokenKind::Identifier) {
    tokens_.error("Invalid single-argument block definition",
                  fmt::format("Expected an argument in this single-line block, found {}.",
                              describe(name.kind)),
                  tokens_.range(name));
    tokens_.recover_after_item();
    return std::nullopt;
  }
  const Token next = tokens_.peek();
  if (next.kind == TokenKind::Equal) {
    const Attribute attribute = finish_attribute(name, true);
    NativeBody made;
    made.attributes = tree_.arena().copy(std::span(&attribute, 1));
    made.range = attribute.range;
    made.end_range = {attribute.range.file, attribute.range.end, attribute.range.end};
    return made;
  }
  if (next.kind == TokenKind::OpenQuote || next.kind == TokenKind::OpenBrace ||
      next.kind == TokenKind::Identifier) {
    tokens_.error(
        "Invalid single-argument block definition",
        fmt::format("A single-line block can contain one argument and no other blocks. To set the "
                    "argument \"{}\", add an equals sign; to nest a block, start a new line.",
                    tokens_.text(name)),
        tokens_.covering(name, next));
    tokens_.recover_after_item();
    return std::nullopt;
  }
  incomplete_item(name);
  return std::nullopt;
}

}  // namespace tofu::syntax
