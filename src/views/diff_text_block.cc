// Blocks: their attributes, then their nested blocks.
#include <string>

#include "base/unicode.h"
#include "views/diff_text.h"
#include "views/diff_writer.h"
#include "views/shown_keys.h"

namespace tofu::views {

using plans::Action;

void DiffWriter::block(const Diff& diff, int indent, const DiffStyle& style) {
  if (diff.parts.empty() && diff.blocks.empty()) {
    out_ += "{}";
    return replacement_note(diff.replace, style);
  }
  out_ += '{';
  replacement_note(diff.replace, style);
  out_ += '\n';
  attributes(diff, indent, style, style.inside());
  std::size_t unchanged = 0;
  for (const BlockGroup& group : diff.blocks) unchanged += block_group(diff, group, indent, style);
  if (unchanged > 0) {
    out_ += '\n';
    hidden("block", unchanged, indent + 1, style);
  }
  begin_line(indent, Action::NoOp, style);
  out_ += '}';
}

void DiffWriter::attributes(const Diff& diff, int indent, const DiffStyle& style,
                            const DiffStyle& inner) {
  const ShownKeys keys(diff.keys, attribute_name);
  std::size_t unchanged = 0;
  for (std::size_t i = 0; i < diff.parts.size(); ++i) {
    const Diff& part = diff.parts[i];
    const bool important = is_important(diff.keys[i]);
    if (!important && part.action == Action::NoOp && !style.show_unchanged) {
      ++unchanged;
      continue;
    }
    const DiffStyle part_style = important ? inner.whole() : inner;
    warnings(part, indent + 1);
    begin_line(indent + 1, part.action, part_style);
    append_padded(out_, keys[i], keys.width());
    out_ += " = ";
    write(part, indent + 1, part_style);
    out_ += '\n';
  }
  if (unchanged > 0) hidden("attribute", unchanged, indent + 1, style);
}

namespace {

// Whether a block is covered because its whole group is sensitive on a side
// that the block has.
bool is_covered(const BlockGroup& group, Action action) {
  switch (action) {
    case Action::Create: return group.after_sensitive;
    case Action::Delete: return group.before_sensitive;
    case Action::NoOp:
    case Action::Update: return group.before_sensitive || group.after_sensitive;
    case Action::Read:
    case Action::DeleteThenCreate:
    case Action::CreateThenDelete:
    case Action::ForgetThenCreate:
    case Action::Forget: return false;
  }
  return false;
}

Diff covered(const BlockGroup& group, const Diff& block) {
  Diff out;
  out.kind = DiffKind::SensitiveBlock;
  out.action = block.action;
  if (block.action == Action::NoOp && group.before_sensitive != group.after_sensitive)
    out.action = Action::Update;
  out.replace = block.replace;
  out.before_sensitive = group.before_sensitive;
  out.after_sensitive = group.after_sensitive;
  // Its contents are never written; only whether it changes is asked.
  out.parts.emplace_back().action = block.action;
  return out;
}

}  // namespace

// Returns how many blocks of the group were omitted.
std::size_t DiffWriter::block_group(const Diff& outer, const BlockGroup& group, int indent,
                                    const DiffStyle& style) {
  std::size_t unchanged = 0;
  bool first = true;
  for (std::size_t i = 0; i < group.blocks.size(); ++i) {
    const bool cover = is_covered(group, group.blocks[i].action);
    const Diff cover_diff = cover ? covered(group, group.blocks[i]) : Diff{};
    const Diff& diff = cover ? cover_diff : group.blocks[i];
    if (diff.action == Action::NoOp && !style.show_unchanged) {
      ++unchanged;
      continue;
    }
    if (first && !outer.parts.empty()) out_ += '\n';
    if (!outer.parts.empty()) first = false;
    DiffStyle inner = style.inside();
    inner.note_replacement = group.replace;
    warnings(diff, indent + 1);
    begin_line(indent + 1, diff.action, inner);
    out_ += attribute_name(group.name);
    if (!group.labels.empty()) out_ += " " + base::quote_go(group.labels[i]);
    out_ += ' ';
    write(diff, indent + 1, inner);
    out_ += '\n';
  }
  return unchanged;
}

void DiffWriter::sensitive_block(const Diff& diff, int indent, const DiffStyle& style) {
  out_ += '{';
  replacement_note(diff.replace, style);
  out_ += '\n';
  begin_line(indent, Action::NoOp, style);
  out_ += "  # Something in this block is or was sensitive, so none of it is shown.\n";
  begin_line(indent, Action::NoOp, style);
  out_ += '}';
}

}  // namespace tofu::views
