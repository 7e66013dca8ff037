#include "syntax/template_tree.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <utility>

#include "base/unicode.h"

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

std::string_view directive_name(PartKind kind) {
  if (kind == PartKind::Else) return "else";
  return kind == PartKind::EndIf ? "endif" : "endfor";
}

}  // namespace

void flush_indentation(std::span<TemplatePart> parts) {
  constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
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
    part->range = diag::part_of(part->range, static_cast<std::uint32_t>(bytes),
                                part->range.end - part->range.begin);
  }
}

Parsed TemplateTree::make(diag::SourceRange at, bool heredoc) {
  const TemplatePart& first = parts_.front();
  if (first.kind == PartKind::Interpolation && parts_[1].kind == PartKind::End) {
    return tree_.above(first.height, tree_.node<TemplateWrapExpr>(at, first.expr));
  }
  int height = 0;
  while (next() != PartKind::End) {
    const Parsed made = item();
    items_.push_back(made.expr);
    height = std::max(height, made.height);
  }
  return template_of(0, height, at, heredoc);
}

// The items from `first_item` on as a template.
Parsed TemplateTree::template_of(std::size_t first_item, int height, diag::SourceRange at,
                                 bool heredoc) {
  const auto taken = tree_.take_from(items_, first_item);
  return tree_.above(height, tree_.node<TemplateExpr>(at, taken, heredoc));
}

Parsed TemplateTree::item() {
  const Level level(tree_);
  const TemplatePart& part = parts_[place_];
  if (level.too_deep()) {
    // The rest of the parts is of no use; what is open has to see the end.
    while (next() != PartKind::End) ++place_;
    return tree_.too_deep(part.range);
  }
  switch (part.kind) {
    case PartKind::Literal: return literal();
    case PartKind::Interpolation: ++place_; return {part.expr, part.height};
    case PartKind::If: return conditional();
    case PartKind::For: return loop();
    case PartKind::Else:
    case PartKind::EndIf:
    case PartKind::EndFor:
      ++place_;
      tokens_.error(fmt::format("Unexpected \"{}\" directive", directive_name(part.kind)),
                    "This directive does not match an earlier one.", part.range);
      return tree_.invalid(part.range);
    case PartKind::End: break;
  }
  base::broken_promise("the end of a template is not an item of it");
}

// All neighboring literals as one. Mostly they are neighbors in the source too,
// and then nothing is copied.
Parsed TemplateTree::literal() {
  const TemplatePart& first = parts_[place_];
  std::string_view whole = first.text;
  diag::SourceRange at = first.range;
  std::string joined;
  for (++place_; next() == PartKind::Literal; ++place_) {
    const std::string_view more = parts_[place_].text;
    at.end = parts_[place_].range.end;
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
// part. They are added to items_. Returns the height of the highest.
int TemplateTree::items() {
  int height = 0;
  while (true) {
    const PartKind kind = next();
    if (kind == PartKind::End || kind == PartKind::Else || kind == PartKind::EndIf ||
        kind == PartKind::EndFor) {
      return height;
    }
    const Parsed made = item();
    items_.push_back(made.expr);
    height = std::max(height, made.height);
  }
}

// The items from `first_item` on as what is inside a directive; if there are
// none, an empty text at `empty`.
Parsed TemplateTree::branch(std::size_t first_item, int height, diag::SourceRange empty) {
  if (items_.size() == first_item) items_.push_back(literal_part({}, empty));
  const diag::SourceRange first = items_[first_item]->range;
  const diag::SourceRange last = items_.back()->range;
  return template_of(first_item, std::max(height, 1), {first.file, first.begin, last.end}, false);
}

// Reports the part that ends an `if` or `for` wrongly.
Parsed TemplateTree::wrong_end(const TemplatePart& open) {
  const TemplatePart& end = parts_[place_];
  const std::string_view opened = open.kind == PartKind::If ? "if" : "for";
  if (end.kind == PartKind::End) {
    if (!tree_.gave_up()) {
      tokens_.error(
          "Unexpected end of template",
          fmt::format(
              "The template ends before the \"{0}\" directive at {1} is closed with \"end{0}\".",
              opened, tokens_.line_of(open.range)),
          end.range);
    }
    return tree_.invalid(end.range);
  }
  ++place_;
  tokens_.error(fmt::format("Unexpected \"{}\" directive", directive_name(end.kind)),
                fmt::format("The \"{0}\" directive at {1} must be closed first, with \"end{0}\".",
                            opened, tokens_.line_of(open.range)),
                end.range);
  return tree_.invalid(end.range);
}

Parsed TemplateTree::conditional() {
  const TemplatePart& open = parts_[place_++];
  const std::size_t first_item = items_.size();
  int height = items();
  const diag::SourceRange after_open{open.range.file, open.range.end, open.range.end};
  const auto fail = [&] {
    items_.resize(first_item);
    return wrong_end(open);
  };
  if (next() != PartKind::Else && next() != PartKind::EndIf) return fail();
  const Parsed if_true = branch(first_item, height, after_open);
  height = 0;
  if (next() == PartKind::Else) {
    ++place_;
    height = items();
    if (next() != PartKind::EndIf) return fail();
  }
  const diag::SourceRange close = parts_[place_++].range;
  const Parsed if_false = branch(first_item, height, {close.file, close.begin, close.begin});
  return tree_.above(std::max({open.height, if_true.height, if_false.height}),
                     tree_.node<ConditionalExpr>({close.file, open.range.begin, close.end},
                                                 open.expr, if_true.expr, if_false.expr));
}

Parsed TemplateTree::loop() {
  const TemplatePart& open = parts_[place_++];
  const std::size_t first_item = items_.size();
  const int height = items();
  if (next() != PartKind::EndFor) {
    items_.resize(first_item);
    return wrong_end(open);
  }
  const Parsed content =
      branch(first_item, height, {open.range.file, open.range.end, open.range.end});
  const diag::SourceRange close = parts_[place_++].range;
  const diag::SourceRange whole{close.file, open.range.begin, close.end};
  const Parsed made = tree_.above(
      std::max(open.height, content.height),
      tree_.node<ForExpr>(whole, open.key_name, open.value_name, open.key_slot, open.key_slot + 1,
                          open.expr, nullptr, content.expr, nullptr, false, open.range, close));
  return tree_.above(made.height, tree_.node<TemplateJoinExpr>(whole, made.expr));
}

}  // namespace tofu::syntax
