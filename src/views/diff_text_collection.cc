// Objects, maps, lists and sets.
#include <algorithm>
#include <string>
#include <vector>

#include "base/unicode.h"
#include "views/diff_text.h"
#include "views/diff_writer.h"
#include "views/shown_keys.h"

namespace tofu::views {

using plans::Action;

namespace {

bool is_object(const Diff& diff) {
  return diff.kind == DiffKind::Object || diff.kind == DiffKind::NestedObject;
}

}  // namespace

void DiffWriter::object(const Diff& diff, int indent, const DiffStyle& style) {
  if (diff.parts.empty()) {
    out_ += "{}";
    null_suffix(diff, style);
    return replacement_note(diff.replace, style);
  }
  DiffStyle inner = style.inside();
  inner.hide_null_suffix = diff.kind == DiffKind::Object;
  out_ += '{';
  replacement_note(diff.replace, style);
  out_ += '\n';
  attributes(diff, indent, style, inner);
  close('}', diff, indent, style);
}

void DiffWriter::map(const Diff& diff, int indent, const DiffStyle& style) {
  // An attribute of several objects notes a replacement at each of them.
  const bool nested = diff.kind == DiffKind::NestedMap;
  if (diff.parts.empty()) {
    out_ += "{}";
    null_suffix(diff, style);
    return replacement_note(diff.replace && !nested, style);
  }
  DiffStyle inner = style.inside();
  inner.hide_null_suffix = nested || diff.action == Action::Delete;
  inner.note_replacement = diff.replace && nested;
  const ShownKeys keys(diff.keys, base::quote_go);
  out_ += '{';
  replacement_note(diff.replace && !nested, style);
  out_ += '\n';
  std::size_t unchanged = 0;
  for (std::size_t i = 0; i < diff.parts.size(); ++i) {
    const Diff& part = diff.parts[i];
    if (part.action == Action::NoOp && !style.show_unchanged) {
      ++unchanged;
      continue;
    }
    warnings(part, indent + 1);
    begin_line(indent + 1, part.action, inner);
    append_padded(out_, keys[i], nested ? 0 : keys.width());
    out_ += " = ";
    write(part, indent + 1, inner);
    out_ += is_object(part) ? ",\n" : "\n";
  }
  if (unchanged > 0) hidden("element", unchanged, indent + 1, style);
  close('}', diff, indent, style);
}

void DiffWriter::element(const Diff& diff, int indent, const DiffStyle& style) {
  begin_line(indent, diff.action, style);
  write(diff, indent, style);
  out_ += ",\n";
}

void DiffWriter::list(const Diff& diff, int indent, const DiffStyle& style) {
  if (diff.parts.empty()) {
    out_ += "[]";
    null_suffix(diff, style);
    return replacement_note(diff.replace, style);
  }
  DiffStyle changed = style.inside();
  changed.hide_null_suffix = true;
  // The neighbors of a change are shown, since in a list the place matters.
  const bool with_neighbors = diff.kind == DiffKind::List;
  out_ += '[';
  replacement_note(diff.replace, style);
  out_ += '\n';
  const Diff* left_out = nullptr;  // the last of those that are
  std::size_t left_out_count = 0;
  bool show_next = false;
  for (const Diff& part : diff.parts) {
    if (part.action == Action::NoOp && !show_next && !style.show_unchanged) {
      left_out = &part;
      ++left_out_count;
      continue;
    }
    show_next = false;
    DiffStyle part_style = changed;
    if (with_neighbors) {
      if (left_out_count > 1) hidden("element", left_out_count - 1, indent + 1, changed);
      if (left_out_count > 0) element(*left_out, indent + 1, style.whole());
      left_out_count = 0;
      if (part.action == Action::NoOp) {
        part_style = style.whole();
      } else {
        show_next = true;
      }
    }
    warnings(part, indent + 1);
    element(part, indent + 1, part_style);
  }
  if (left_out_count > 0) hidden("element", left_out_count, indent + 1, style);
  close(']', diff, indent, style);
}

void DiffWriter::set(const Diff& diff, int indent, const DiffStyle& style) {
  const bool nested = diff.kind == DiffKind::NestedSet;
  if (diff.parts.empty()) {
    out_ += "[]";
    null_suffix(diff, style);
    return replacement_note(diff.replace && !nested, style);
  }
  DiffStyle inner = style.inside();
  inner.hide_null_suffix = true;
  inner.note_replacement = diff.replace && nested;
  out_ += '[';
  replacement_note(diff.replace && !nested, style);
  out_ += '\n';
  std::size_t unchanged = 0;
  for (const Diff& part : diff.parts) {
    if (part.action == Action::NoOp && !style.show_unchanged) {
      ++unchanged;
      continue;
    }
    warnings(part, indent + 1);
    element(part, indent + 1, inner);
  }
  if (unchanged > 0) hidden("element", unchanged, indent + 1, style);
  close(']', diff, indent, style);
}

}  // namespace tofu::views
