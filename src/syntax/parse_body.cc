#include <fmt/format.h>

#include "syntax/native_parser.h"
#include "syntax/string_literal.h"

namespace tofu::syntax {

const NativeBody* NativeParser::whole_body() {
  return file_.arena.make<NativeBody>(body(TokenKind::EndOfFile));
}

// Attributes and blocks up to `end`, which is read too.
NativeBody NativeParser::body(TokenKind end) {
  const diag::SourceRange start = last_range();
  const std::size_t first_attribute = attributes_.size();
  const std::size_t first_block = blocks_.size();
  AttributeNames names;
  while (true) {
    const Token next = peek();
    if (next.kind == end) {
      const diag::SourceRange last = range(read());
      return close_body(first_attribute, first_block, start, last);
    }
    if (next.kind == TokenKind::Newline) {
      read();
    } else if (next.kind == TokenKind::Identifier) {
      body_item(first_attribute, names);
    } else {
      read();
      if (!recovery_) misplaced(next, start);
      const diag::SourceRange last = last_range();
      recover(end);
      return close_body(first_attribute, first_block, start, last);
    }
  }
}

void NativeParser::misplaced(const Token& token, diag::SourceRange body_start) {
  if (token.kind == TokenKind::OpenQuote) {
    error("Argument name in quotes", "The name of an argument is written without quotes.",
          range(token));
  } else if (token.kind == TokenKind::EndOfFile) {
    error("Block not closed",
          "The file ends before the closing brace of this block. Perhaps braces before or in it "
          "do not match.",
          body_start);
  } else {
    error("Argument or block expected",
          fmt::format("An argument or a block has to be here; neither begins with {}.",
                      describe(token.kind)),
          range(token));
  }
}

// Moves the lists from the given places on into the arena.
NativeBody NativeParser::close_body(std::size_t first_attribute, std::size_t first_block,
                                    diag::SourceRange start, diag::SourceRange last) {
  NativeBody made;
  made.attributes =
      file_.arena.copy(std::span(std::as_const(attributes_)).subspan(first_attribute));
  attributes_.resize(first_attribute);
  made.blocks = file_.arena.copy(std::span(std::as_const(blocks_)).subspan(first_block));
  blocks_.resize(first_block);
  made.range = {start.file, start.begin, std::max(start.end, last.end)};
  made.end_range = {last.file, last.end, last.end};
  return made;
}

void NativeParser::body_item(std::size_t first_attribute, AttributeNames& names) {
  const Token name = read();
  const TokenKind next = peek().kind;
  if (next == TokenKind::Equal) {
    add_attribute(finish_attribute(name, false), first_attribute, names);
  } else if (next == TokenKind::OpenQuote || next == TokenKind::OpenBrace ||
             next == TokenKind::Identifier) {
    finish_block(name);
  } else {
    incomplete_item(name);
  }
}

void NativeParser::incomplete_item(const Token& name) {
  error("Argument or block expected",
        fmt::format("\"{}\" alone is neither. To set an argument, write an equals sign and its "
                    "value after the name.",
                    text(name)),
        range(name));
  recover_after_item();
}

inline bool NativeParser::AttributeNames::seen(std::string_view name) {
  const auto first = static_cast<unsigned char>(name.front());
  const auto last = static_cast<unsigned char>(name.back());
  const std::uint64_t shape = std::uint64_t{1} << ((7 * first + 3 * last + name.size()) % 64);
  return (std::exchange(shapes, shapes | shape) & shape) != 0;
}

// Keeps the first of several arguments of one name.
void NativeParser::add_attribute(const Attribute& attribute, std::size_t first_attribute,
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
  error("Argument set twice",
        fmt::format("The argument \"{}\" was already set on {}. Remove one of the two.",
                    attribute.name, line_of(existing->name_range)),
        attribute.name_range);
}

// From the equals sign on. `single_line` is for blocks like a { b = 1 }, where no
// line end follows.
Attribute NativeParser::finish_attribute(const Token& name, bool single_line) {
  const Token equals = read();
  const std::size_t before = mark();
  const Parsed value = expression();
  diag::SourceRange last = last_range();
  if (lost_since(before)) {
    recover_after_item();
  } else if (!single_line) {
    const Token end = peek();
    if (end.kind == TokenKind::Newline || end.kind == TokenKind::EndOfFile) {
      read();
    } else {
      if (!recovery_) missing_line_end(name, end);
      recover_after_item();
    }
  }
  const diag::SourceRange at = range(name);
  last.end = std::max(at.end, last.end);
  return {text(name), value.expr, {at.file, at.begin, last.end}, at, range(equals)};
}

void NativeParser::missing_line_end(const Token& name, const Token& end) {
  if (end.kind == TokenKind::Comma) {
    error("Comma after an argument",
          "Arguments are separated by line breaks, not by commas. Remove the comma and begin a "
          "new line.",
          range(end))
        .within(covering(name, end));
    return;
  }
  error("Line break missing after an argument",
        fmt::format("An argument ends with its line, but there is {} after the value.",
                    describe(end.kind)),
        range(end))
      .within(covering(name, end));
}

// From the labels on.
void NativeParser::finish_block(const Token& type) {
  const Level level(*this);
  if (level.too_deep()) {
    too_deep(range(type));
    return;
  }
  const std::size_t first_label = labels_.size();
  Token open;
  const bool has_body = block_labels(type, open);
  NativeBlock block;
  block.type = text(type);
  block.labels = file_.arena.copy(std::span(std::as_const(labels_)).subspan(first_label));
  labels_.resize(first_label);
  block.type_range = range(type);
  if (!has_body) {
    block.body.range = block.body.end_range = block.open_range = block.close_range = range(type);
    blocks_.push_back(block);
    return;
  }
  block.open_range = range(open);
  const TokenKind first = peek().kind;
  if (first == TokenKind::Newline || first == TokenKind::EndOfFile ||
      first == TokenKind::CloseBrace) {
    block.body = body(TokenKind::CloseBrace);
  } else {
    block.body = single_line_body(type, open);
  }
  block.close_range = last_range();
  blocks_.push_back(block);
  const Token end = peek();
  if (end.kind == TokenKind::Newline || end.kind == TokenKind::EndOfFile) {
    read();
    return;
  }
  if (!recovery_) {
    error("Line break missing after a block",
          fmt::format("A block ends with its line, but there is {} after the closing brace.",
                      describe(end.kind)),
          range(end))
        .within(covering(type, end));
  }
  recover_after_item();
}

// Reads labels into labels_, and the opening brace. False if there is no brace.
bool NativeParser::block_labels(const Token& type, Token& open) {
  while (true) {
    const Token token = peek();
    if (token.kind == TokenKind::OpenBrace) {
      open = read();
      return true;
    }
    if (token.kind == TokenKind::OpenQuote) {
      labels_.push_back(quoted_label());
    } else if (token.kind == TokenKind::Identifier) {
      read();
      labels_.push_back({text(token), range(token)});
    } else {
      // Two mistakes so plain that they are reported even while recovering.
      if (token.kind == TokenKind::Equal) {
        error("Equals sign in a block header",
              "Only arguments have an equals sign. Remove it, or write a single name before it.",
              range(token))
            .within(covering(type, token));
      } else if (token.kind == TokenKind::Newline) {
        error("Opening brace missing",
              "The opening brace of a block has to be on the line of its name.", range(token))
            .within(covering(type, token));
      } else if (!recovery_) {
        error("Opening brace missing",
              fmt::format("The header of a block goes on with a label in quotes or ends with an "
                          "opening brace, but there is {}.",
                          describe(token.kind)),
              range(token))
            .within(covering(type, token));
      }
      recover_after_item();
      return false;
    }
  }
}

// The rest of a { b = 1 }, closing brace included.
NativeBody NativeParser::single_line_body(const Token& type, const Token& open) {
  const std::optional<NativeBody> made = single_attribute();
  const Token next = peek();
  if (next.kind == TokenKind::CloseBrace) {
    read();
  } else {
    if (next.kind == TokenKind::Comma) {
      error("More than one argument in a single-line block",
            "A block on one line can have one argument only. Write each argument on its own line.",
            range(next));
    } else if (next.kind == TokenKind::Newline) {
      error("Single-line block not closed",
            "A block whose argument is on the line of its opening brace has to be closed on that "
            "line too. Otherwise begin a new line after the opening brace.",
            range(next));
    } else if (!recovery_ && next.kind == TokenKind::EndOfFile) {
      error("Block not closed", "The file ends before the closing brace of this block.",
            range(open))
          .within(covering(type, open));
    } else if (!recovery_) {
      error("Single-line block not closed",
            fmt::format("A closing brace has to follow the one argument of a block on one line, "
                        "but there is {}.",
                        describe(next.kind)),
            range(next));
    }
    recover(TokenKind::CloseBrace);
  }
  if (made) return *made;
  const diag::SourceRange close = last_range();
  return {{}, {}, {close.file, range(open).begin, std::max(range(open).end, close.end)}, close};
}

std::optional<NativeBody> NativeParser::single_attribute() {
  const Token name = read();
  if (name.kind != TokenKind::Identifier) {
    error("Argument expected",
          fmt::format("A block on one line holds one argument, which does not begin with {}.",
                      describe(name.kind)),
          range(name));
    recover_after_item();
    return std::nullopt;
  }
  const Token next = peek();
  if (next.kind == TokenKind::Equal) {
    const Attribute attribute = finish_attribute(name, true);
    NativeBody made;
    made.attributes = file_.arena.copy(std::span(&attribute, 1));
    made.range = attribute.range;
    made.end_range = {attribute.range.file, attribute.range.end, attribute.range.end};
    return made;
  }
  if (next.kind == TokenKind::OpenQuote || next.kind == TokenKind::OpenBrace ||
      next.kind == TokenKind::Identifier) {
    error("Block inside a single-line block",
          fmt::format("A block on one line holds one argument and nothing else. To set the "
                      "argument \"{}\", write an equals sign after it; to nest a block, begin a "
                      "new line.",
                      text(name)),
          covering(name, next));
    recover_after_item();
    return std::nullopt;
  }
  incomplete_item(name);
  return std::nullopt;
}

// A quoted string without template sequences in it. Reads to the closing quote
// even when there are errors.
Label NativeParser::quoted_label() {
  const Token open = read();
  std::string_view plain;
  std::string joined;
  bool first = true;
  while (true) {
    const Token token = read();
    if (token.kind == TokenKind::QuotedText) {
      const std::string_view piece = literal_text(token);
      if (std::exchange(first, false)) {
        plain = piece;
        continue;
      }
      if (joined.empty()) joined = plain;
      plain = joined += piece;
      continue;
    }
    if (token.kind == TokenKind::TemplateInterp || token.kind == TokenKind::TemplateControl) {
      const char which = text(token).front();
      error("Template in a plain string",
            fmt::format("This string is taken literally and cannot hold a template sequence. For "
                        "the characters themselves, write \"{0}{0}{{\".",
                        which),
            range(token))
          .within(covering(open, token));
      recover(TokenKind::TemplateSeqEnd);
      // So that later messages do not take the label for another one.
      first = false;
      if (joined.empty()) joined = plain;
      joined += which;
      plain = joined += "{…}";
      continue;
    }
    if (token.kind == TokenKind::EndOfFile) {
      error("String not closed", "The text ends before the closing quote of this string.",
            range(token))
          .within(covering(open, token));
    } else if (token.kind != TokenKind::CloseQuote) {
      error("Wrong text in a string",
            fmt::format("This string cannot hold {}.", describe(token.kind)), range(token))
          .within(covering(open, token));
      recover(TokenKind::CloseQuote);
    }
    const std::string_view kept = joined.empty() ? plain : file_.arena.copy(plain);
    return {kept, covering(open, token)};
  }
}

}  // namespace tofu::syntax
