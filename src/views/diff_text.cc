#include "views/diff_text.h"

#include <algorithm>

#include "base/check.h"
#include "base/unicode.h"
#include "views/diff_writer.h"

namespace tofu::views {

using plans::Action;

void append_action_symbol(std::string& out, Action action, const Paint& paint) {
  switch (action) {
    case Action::NoOp: out += "   "; return;
    case Action::Create: out += "  "; return paint.append_green(out, "+");
    case Action::Read: out += ' '; return paint.append_cyan(out, "<=");
    case Action::Update: out += "  "; return paint.append_yellow(out, "~");
    case Action::DeleteThenCreate:
      paint.append_red(out, "-");
      out += '/';
      return paint.append_green(out, "+");
    case Action::CreateThenDelete:
      paint.append_green(out, "+");
      out += '/';
      return paint.append_red(out, "-");
    case Action::ForgetThenCreate:
      out += "  ";
      paint.append_red(out, ".");
      out += '/';
      return paint.append_green(out, "+");
    case Action::Delete: out += "  "; return paint.append_red(out, "-");
    case Action::Forget: out += "  "; return paint.append_red(out, ".");
  }
  base::broken_promise("an action out of range");
}

std::string action_symbol(Action action, const Paint& paint) {
  std::string symbol;
  append_action_symbol(symbol, action, paint);
  return symbol;
}

std::string attribute_name(std::string_view name) {
  return base::is_identifier(name) ? std::string(name) : base::quote_go(name);
}

void append_padded(std::string& out, std::string_view text, std::size_t width) {
  out += text;
  const auto characters = static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
  if (characters < width) out.append(width - characters, ' ');
}

void append_diff_text(std::string& out, const Diff& diff, const DiffTextOptions& options) {
  const Paint paint(options.color);
  DiffStyle style;
  style.show_sensitive = options.show_sensitive;
  style.show_unchanged = options.show_unchanged;
  style.hide_symbols = options.hide_symbols;
  style.hide_null_suffix = options.hide_null_suffix;
  DiffWriter(out, paint).write(diff, 0, style);
}

std::string diff_text(const Diff& diff, const DiffTextOptions& options) {
  std::string out;
  append_diff_text(out, diff, options);
  return out;
}

void DiffWriter::write(const Diff& diff, int indent, const DiffStyle& style) {
  switch (diff.kind) {
    case DiffKind::Text: return text(diff, indent, style);
    case DiffKind::Scalar: return scalar(diff, style);
    case DiffKind::Object:
    case DiffKind::NestedObject: return object(diff, indent, style);
    case DiffKind::Map:
    case DiffKind::NestedMap: return map(diff, indent, style);
    case DiffKind::List:
    case DiffKind::NestedList: return list(diff, indent, style);
    case DiffKind::Set:
    case DiffKind::NestedSet: return set(diff, indent, style);
    case DiffKind::Unknown: return unknown(diff, indent, style);
    case DiffKind::Sensitive: return sensitive(diff, indent, style);
    case DiffKind::SensitiveBlock: return sensitive_block(diff, indent, style);
    case DiffKind::TypeChange: return type_change(diff, indent, style);
    case DiffKind::WriteOnly:
      out_ += "(write-only attribute)";
      replacement_note(diff.replace, style);
      null_suffix(diff, style);
      return;
    case DiffKind::Block: return block(diff, indent, style);
  }
}

void DiffWriter::unknown(const Diff& diff, int indent, const DiffStyle& style) {
  if (!diff.parts.empty()) {
    DiffStyle inner = style;
    inner.hide_null_suffix = true;
    write(diff.parts.front(), indent, inner);
    out_ += " -> ";
  }
  out_ += "(known after apply)";
  replacement_note(diff.replace, style);
}

void DiffWriter::sensitive(const Diff& diff, int indent, const DiffStyle& style) {
  if (style.show_sensitive) return write(diff.parts.front(), indent, style);
  out_ += "(sensitive value)";
  null_suffix(diff, style);
  replacement_note(diff.replace, style);
}

void DiffWriter::type_change(const Diff& diff, int indent, const DiffStyle& style) {
  DiffStyle inner = style;
  inner.hide_null_suffix = true;
  write(diff.parts.front(), indent, inner);
  out_ += " " + paint_.yellow("->") + " ";
  write(diff.parts.back(), indent, inner);
}

void DiffWriter::scalar(const Diff& diff, const DiffStyle& style) {
  const auto shown = [&](const PlainValue* v) {
    return v == nullptr ? paint_.gray("null") : std::string(v->text);
  };
  if (diff.action != Action::Create) out_ += shown(diff.before);
  if (diff.action == Action::Update) out_ += " " + paint_.yellow("->") + " ";
  if (diff.action == Action::Create || diff.action == Action::Update) out_ += shown(diff.after);
  null_suffix(diff, style);
  replacement_note(diff.replace, style);
}

void DiffWriter::warnings(const Diff& diff, int indent) {
  if (diff.kind != DiffKind::Sensitive && diff.kind != DiffKind::SensitiveBlock) return;
  const Action inside = diff.parts.front().action;
  if (diff.before_sensitive == diff.after_sensitive || inside == Action::Create ||
      inside == Action::Delete) {
    return;
  }
  const std::string_view what = diff.kind == DiffKind::Sensitive ? "value" : "block";
  out_.append(static_cast<std::size_t>(indent) * 4 + 2, ' ');
  out_ += "# " + paint_.yellow("Warning") + ": this ";
  out_ += what;
  out_ += diff.before_sensitive ? " is no longer sensitive and will be shown from now on."
                                : " becomes sensitive and will be hidden from now on.";
  if (diff.kind == DiffKind::Sensitive && inside == Action::NoOp) out_ += " It does not change.";
  out_ += '\n';
}

void DiffWriter::hidden(std::string_view what, std::size_t count, int indent,
                        const DiffStyle& style) {
  begin_line(indent, Action::NoOp, style);
  out_ += paint_.gray("# (" + std::to_string(count) + " unchanged " + std::string(what) +
                      (count == 1 ? "" : "s") + " hidden)");
  out_ += '\n';
}

void DiffWriter::close(char bracket, const Diff& diff, int indent, const DiffStyle& style) {
  begin_line(indent, Action::NoOp, style);
  out_ += bracket;
  null_suffix(diff, style);
}

void DiffWriter::begin_line(int indent, Action action, const DiffStyle& style) {
  out_.append(static_cast<std::size_t>(indent) * 4, ' ');
  symbol(action, style);
}

void DiffWriter::symbol(Action action, const DiffStyle& style) {
  if (style.hide_symbols) return;
  append_action_symbol(out_, action, paint_);
  out_ += ' ';
}

void DiffWriter::null_suffix(const Diff& diff, const DiffStyle& style) {
  if (!style.hide_null_suffix && diff.action == Action::Delete) out_ += paint_.gray(" -> null");
}

void DiffWriter::replacement_note(bool replace, const DiffStyle& style) {
  if (replace || style.note_replacement) out_ += paint_.red(" # forces replacement");
}

}  // namespace tofu::views
