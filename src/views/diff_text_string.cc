// Strings: on one line, over several, and JSON inside of them.
#include <optional>
#include <string>

#include "base/trim.h"
#include "base/unicode.h"
#include "diag/wrap.h"
#include "views/diff_place.h"
#include "views/diff_text.h"
#include "views/diff_writer.h"
#include "views/sequence_match.h"

namespace tofu::views {

using plans::Action;

namespace {

bool has_lines(const PlainValue* v) {
  return v != nullptr && v->text.find('\n') != std::string_view::npos;
}

// Only what begins like a document is taken for one: a number or a quoted word
// is more likely to be text.
std::optional<PlainValue> json_in(base::Arena& arena, const PlainValue* v) {
  if (v == nullptr || !(v->text.starts_with('{') || v->text.starts_with('['))) return std::nullopt;
  return parse_plain_json(arena, v->text);
}

}  // namespace

void DiffWriter::quoted(const PlainValue* v) {
  out_ += v == nullptr ? paint_.gray("null") : base::quote_go(v->text);
}

void DiffWriter::text(const Diff& diff, int indent, const DiffStyle& style) {
  if (diff.action == Action::Update) return changed_text(diff, indent, style);
  const bool removed = diff.action == Action::Delete;
  const PlainValue* v = removed ? diff.before : diff.after;
  if (const auto found = json_in(arena_, v)) {
    const PlainValue* before = diff.action == Action::Create ? nullptr : &*found;
    return json(diff, before, removed ? nullptr : &*found, indent, style);
  }
  if (has_lines(v)) return lines(diff, v->text, indent, style);
  quoted(v);
  if (v != nullptr) null_suffix(diff, style);  // not `null -> null`
  replacement_note(diff.replace, style);
}

// Text from outside is not quoted here, and must not drive the terminal.
void DiffWriter::text_line(std::string_view line) {
  out_ += diag::safe_for_terminal(line);
  out_ += '\n';
}

void DiffWriter::lines(const Diff& diff, std::string_view whole, int indent,
                       const DiffStyle& style) {
  out_ += "<<-EOT";
  replacement_note(diff.replace, style);
  out_ += '\n';
  for (const std::string_view line : lines_of(base::trim_space(whole))) {
    begin_line(indent + 1, Action::NoOp, style);
    text_line(line);
  }
  begin_line(indent, Action::NoOp, style);
  out_ += "EOT";
  null_suffix(diff, style);
}

void DiffWriter::changed_text(const Diff& diff, int indent, const DiffStyle& style) {
  const auto old_json = json_in(arena_, diff.before);
  const auto new_json = json_in(arena_, diff.after);
  if (old_json && new_json) return json(diff, &*old_json, &*new_json, indent, style);
  if (old_json || new_json) {
    Diff change;
    change.kind = DiffKind::TypeChange;
    for (const bool old : {true, false}) {
      Diff& side = change.parts.emplace_back();
      side.kind = DiffKind::Text;
      side.action = old ? Action::Delete : Action::Create;
      (old ? side.before : side.after) = old ? diff.before : diff.after;
    }
    return type_change(change, indent, style);
  }
  if (!has_lines(diff.before) && !has_lines(diff.after)) {
    quoted(diff.before);
    out_ += " " + paint_.yellow("->") + " ";
    quoted(diff.after);
    return replacement_note(diff.replace, style);
  }
  const auto trimmed = [](const PlainValue* v) {
    if (v == nullptr) return std::string_view("null");
    return has_lines(v) ? base::trim_space(v->text) : v->text;
  };
  const auto before = lines_of(trimmed(diff.before));
  const auto after = lines_of(trimmed(diff.after));
  out_ += "<<-EOT";
  replacement_note(diff.replace, style);
  out_ += '\n';
  for (const MatchedPair& pair : match_lines(before, after)) {
    const Action action = pair.before == kNowhere  ? Action::Create
                          : pair.after == kNowhere ? Action::Delete
                                                   : Action::NoOp;
    begin_line(indent + 1, action, style);
    text_line(pair.before == kNowhere ? after[pair.after] : before[pair.before]);
  }
  begin_line(indent, Action::NoOp, style);
  out_ += "EOT";
}

void DiffWriter::json(const Diff& diff, const PlainValue* before, const PlainValue* after,
                      int indent, const DiffStyle& style) {
  DiffPlace place(DiffInput{before, after});
  place.before_given = diff.action != Action::Create;
  place.after_given = diff.action != Action::Delete;
  const Diff inner = diff_dynamic(place);

  DiffStyle inner_style = style.inside();
  inner_style.hide_null_suffix = true;
  // The text changed, but nothing that it says: only its layout.
  const bool layout_only = inner.action == Action::NoOp && diff.action == Action::Update;
  if (layout_only) inner_style.show_unchanged = true;
  std::string rendered;
  DiffWriter(rendered, paint_).write(inner, indent + 1, inner_style);

  const std::string_view layout_note = !layout_only   ? ""
                                       : diff.replace ? " # whitespace changes force replacement"
                                                      : " # whitespace changes";
  const bool one_line = rendered.find('\n') == std::string::npos;
  out_ += "jsonencode(";
  if (one_line) {
    out_ += rendered;
    out_ += ')';
    out_ += layout_note;
    if (!layout_only) replacement_note(diff.replace, style);
    return;
  }
  out_ += layout_note;
  out_ += '\n';
  // Only a change has a symbol: what is created or removed has it further out.
  begin_line(indent + 1,
             diff.action == Action::Update && !layout_only ? Action::Update : Action::NoOp, style);
  out_ += rendered;
  if (!layout_only) replacement_note(diff.replace, style);
  out_ += '\n';
  begin_line(indent, Action::NoOp, style);
  out_ += ')';
  null_suffix(diff, style);
}

}  // namespace tofu::views
