#include <algorithm>
#include <fmt/format.h>
#include <limits>

#include "base/unicode.h"
#include "syntax/native_parser.h"

namespace tofu::syntax {
namespace {

std::size_t leading_space_bytes(std::string_view text) {
  // Mostly the spaces are just that.
  std::size_t bytes = std::min(text.find_first_not_of(' '), text.size());
  while (bytes < text.size()) {
    const auto [code, length] = base::decode_utf8(text.substr(bytes));
    if (!base::is_space(code)) break;
    bytes += length;
  }
  return bytes;
}

// How many bytes the first `count` graphemes have.
std::size_t first_graphemes(std::string_view text, std::size_t count) {
  // Mostly they are single spaces. The one before a high byte may be part of a
  // larger grapheme, and is looked at below.
  const std::size_t spaces = std::min(text.find_first_not_of(' '), text.size());
  const bool at_ascii = spaces == text.size() || static_cast<unsigned char>(text[spaces]) < 0x80;
  std::size_t found = std::min(count, at_ascii || spaces == 0 ? spaces : spaces - 1);
  std::size_t bytes = found;
  for (; found < count; ++found) bytes += base::first_grapheme(text.substr(bytes));
  return bytes;
}

}  // namespace

// What <<- does: takes as many spaces from the start of every line as the least
// indented line has. Only what is written counts, not what interpolations give,
// and blank lines neither count nor change.
void NativeParser::flush_indentation(std::size_t first_part) {
  constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  const std::span parts = std::span(parts_).subspan(first_part);
  std::vector<TemplatePart*> indented;
  std::size_t least = kNone;
  bool line_start = true;
  for (TemplatePart& part : parts) {
    if (std::exchange(line_start, false)) {
      if (part.kind == PartKind::End) break;
      std::size_t spaces = 0;
      if (part.kind == PartKind::Literal) {
        const std::size_t bytes = leading_space_bytes(part.text);
        const bool blank = bytes == part.text.size() && part.text.ends_with('\n');
        spaces = blank ? kNone : base::count_graphemes(part.text.substr(0, bytes));
        if (!blank) indented.push_back(&part);
      }
      least = std::min(least, spaces);
    }
    if (part.kind == PartKind::Literal && part.text.ends_with('\n')) line_start = true;
  }
  for (TemplatePart* part : indented) {
    const std::size_t bytes = first_graphemes(part->text, least);
    part->text.remove_prefix(bytes);
    part->range.begin += static_cast<std::uint32_t>(bytes);
  }
}

// Turns the flat parts from `first_part` on into one expression.
NativeParser::Parsed NativeParser::template_tree(std::size_t first_part, diag::SourceRange at,
                                                 bool heredoc) {
  std::size_t place = first_part;
  const TemplatePart& first = parts_[place];
  if (first.kind == PartKind::Interpolation && parts_[place + 1].kind == PartKind::End) {
    return above(first.height, node<TemplateWrapExpr>(at, first.expr));
  }
  const std::size_t first_item = exprs_.size();
  int height = 0;
  while (parts_[place].kind != PartKind::End) {
    const Parsed item = template_item(place);
    exprs_.push_back(item.expr);
    height = std::max(height, item.height);
  }
  return template_of(first_item, height, at, heredoc);
}

// The items from `first_item` on as a template.
NativeParser::Parsed NativeParser::template_of(std::size_t first_item, int height,
                                               diag::SourceRange at, bool heredoc) {
  const auto items = file_.arena.copy(std::span(std::as_const(exprs_)).subspan(first_item));
  exprs_.resize(first_item);
  return above(height, node<TemplateExpr>(at, items, heredoc));
}

NativeParser::Parsed NativeParser::template_item(std::size_t& place) {
  const Level level(*this);
  const TemplatePart& part = parts_[place];
  if (level.too_deep()) {
    // The rest of the parts is of no use; what is open has to see the end.
    while (parts_[place].kind != PartKind::End) ++place;
    return too_deep(part.range);
  }
  switch (part.kind) {
    case PartKind::Literal: return template_literal(place);
    case PartKind::Interpolation: ++place; return {part.expr, part.height};
    case PartKind::If: return template_if(place);
    case PartKind::For: return template_for(place);
    case PartKind::Else:
    case PartKind::EndIf:
    case PartKind::EndFor:
      ++place;
      error(fmt::format("Unexpected \"{}\" directive", directive_name(part.kind)),
            "There is no directive open that this could belong to.", part.range);
      return invalid(part.range);
    case PartKind::End: break;
  }
  base::broken_promise("the end of a template is not an item of it");
}

std::string_view NativeParser::directive_name(PartKind kind) {
  if (kind == PartKind::Else) return "else";
  return kind == PartKind::EndIf ? "endif" : "endfor";
}

// All neighbouring literals as one. Mostly they are neighbours in the source too,
// and then nothing is copied.
NativeParser::Parsed NativeParser::template_literal(std::size_t& place) {
  const TemplatePart& first = parts_[place];
  std::string_view whole = first.text;
  diag::SourceRange at = first.range;
  std::string joined;
  for (++place; parts_[place].kind == PartKind::Literal; ++place) {
    const std::string_view more = parts_[place].text;
    at.end = parts_[place].range.end;
    if (joined.empty() && whole.data() + whole.size() == more.data()) {
      whole = {whole.data(), whole.size() + more.size()};
      continue;
    }
    if (joined.empty()) joined = whole;
    joined += more;
    whole = joined;
  }
  return {literal_part(whole, at), 1};
}

// Reads items up to the directive that ends them, which is left as the current
// part. They are added to exprs_. Returns the height of the highest.
int NativeParser::template_items(std::size_t& place) {
  int height = 0;
  while (true) {
    const PartKind kind = parts_[place].kind;
    if (kind == PartKind::End || kind == PartKind::Else || kind == PartKind::EndIf ||
        kind == PartKind::EndFor) {
      return height;
    }
    const Parsed item = template_item(place);
    exprs_.push_back(item.expr);
    height = std::max(height, item.height);
  }
}

// The items from `first_item` on as what is inside a directive; if there are
// none, an empty text at `empty`.
NativeParser::Parsed NativeParser::template_branch(std::size_t first_item, int height,
                                                   diag::SourceRange empty) {
  if (exprs_.size() == first_item) exprs_.push_back(literal_part({}, empty));
  const diag::SourceRange first = exprs_[first_item]->range;
  const diag::SourceRange last = exprs_.back()->range;
  return template_of(first_item, std::max(height, 1), {first.file, first.begin, last.end}, false);
}

// Reports the part that ends an `if` or `for` wrongly.
NativeParser::Parsed NativeParser::wrong_end(const TemplatePart& open, std::size_t& place) {
  const TemplatePart& end = parts_[place];
  const std::string_view opened = open.kind == PartKind::If ? "if" : "for";
  if (end.kind == PartKind::End) {
    if (!gave_up_) {
      error("Directive not closed",
            fmt::format("The template ends before the \"{0}\" directive on {1} has its \"end{0}\".",
                        opened, line_of(open.range)),
            end.range);
    }
    return invalid(end.range);
  }
  ++place;
  error(fmt::format("Unexpected \"{}\" directive", directive_name(end.kind)),
        fmt::format("The \"{0}\" directive on {1} has to be ended first, with \"end{0}\".", opened,
                    line_of(open.range)),
        end.range);
  return invalid(end.range);
}

NativeParser::Parsed NativeParser::template_if(std::size_t& place) {
  const TemplatePart& open = parts_[place++];
  const std::size_t first_item = exprs_.size();
  int height = template_items(place);
  const diag::SourceRange after_open{open.range.file, open.range.end, open.range.end};
  const auto fail = [&] {
    exprs_.resize(first_item);
    return wrong_end(open, place);
  };
  if (parts_[place].kind != PartKind::Else && parts_[place].kind != PartKind::EndIf) return fail();
  const Parsed if_true = template_branch(first_item, height, after_open);
  height = 0;
  if (parts_[place].kind == PartKind::Else) {
    ++place;
    height = template_items(place);
    if (parts_[place].kind != PartKind::EndIf) return fail();
  }
  const diag::SourceRange close = parts_[place++].range;
  const Parsed if_false =
      template_branch(first_item, height, {close.file, close.begin, close.begin});
  return above(std::max({open.height, if_true.height, if_false.height}),
               node<ConditionalExpr>({close.file, open.range.begin, close.end}, open.expr,
                                     if_true.expr, if_false.expr));
}

NativeParser::Parsed NativeParser::template_for(std::size_t& place) {
  const TemplatePart& open = parts_[place++];
  const std::size_t first_item = exprs_.size();
  const int height = template_items(place);
  if (parts_[place].kind != PartKind::EndFor) {
    exprs_.resize(first_item);
    return wrong_end(open, place);
  }
  const Parsed content =
      template_branch(first_item, height, {open.range.file, open.range.end, open.range.end});
  const diag::SourceRange close = parts_[place++].range;
  const diag::SourceRange whole{close.file, open.range.begin, close.end};
  const Parsed loop =
      above(std::max(open.height, content.height),
            node<ForExpr>(whole, open.key_name, open.value_name, open.key_slot, open.key_slot + 1,
                          open.expr, nullptr, content.expr, nullptr, false, open.range, close));
  return above(loop.height, node<TemplateJoinExpr>(whole, loop.expr));
}

}  // namespace tofu::syntax
