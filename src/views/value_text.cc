#include "views/value_text.h"

#include <string_view>

#include "base/check.h"
#include "base/trim.h"
#include "base/unicode.h"
#include "diag/wrap.h"

namespace tofu::views {

namespace {

using value::Kind;
using value::Type;
using value::TypeKind;
using value::Value;

// Deeper than anybody reads: each level is indented further, so that the text would
// grow with the square of the depth.
constexpr std::size_t kDeepest = 1'000;
constexpr std::string_view kTooDeep = "(nested too deeply to show)";

class ValueWriter {
 public:
  explicit ValueWriter(std::string& out) : out_(out) {}
  void write(const Value& v, std::size_t indent);

 private:
  void write_known(const Value& v, std::size_t indent);
  void write_string(std::string_view text, std::size_t indent);
  void write_heredoc(std::string_view text, std::size_t indent);
  void write_sequence(const Value& v, std::size_t indent);
  void write_mapping(const Value& v, std::size_t indent);
  void write_null(Type type);
  void new_line(std::size_t indent) {
    out_ += '\n';
    out_.append(indent, ' ');
  }

  std::string& out_;
};

void ValueWriter::write(const Value& v, std::size_t indent) {
  const value::Marks marks = v.marks();
  const auto plain = v.unmarked();
  if (plain.is_unknown()) {
    out_ += "(known after apply)";
  } else if (marks.is_sensitive()) {
    out_ += "(sensitive value)";
  } else if (marks.is_ephemeral()) {
    out_ += "(ephemeral value)";
  } else if (indent > 2 * kDeepest) {
    out_ += kTooDeep;
  } else {
    write_known(plain, indent);
  }
}

void ValueWriter::write_known(const Value& v, std::size_t indent) {
  switch (v.kind()) {
    case Kind::Null: return write_null(v.type());
    case Kind::Bool: out_ += v.plain().as_bool() ? "true" : "false"; return;
    case Kind::Number: out_ += v.plain().as_number().to_string(); return;
    case Kind::String: return write_string(v.plain().as_string(), indent);
    case Kind::Tuple: return write_sequence(v, indent);
    case Kind::Object: return write_mapping(v, indent);
    case Kind::List:
      out_ += "tolist(";
      write_sequence(v, indent);
      out_ += ')';
      return;
    case Kind::Set:
      out_ += "toset(";
      write_sequence(v, indent);
      out_ += ')';
      return;
    case Kind::Map:
      out_ += "tomap(";
      write_mapping(v, indent);
      out_ += ')';
      return;
    case Kind::Capsule: out_ += v.type().capsule_name(); return;
    case Kind::Unknown:
    case Kind::Marked: break;
  }
  base::broken_promise("unknown and marked values are written by write()");
}

void ValueWriter::write_null(Type type) {
  const auto collection = [&](std::string_view function) {
    out_ += function;
    out_ += "(null) /* of " + value::friendly_name(type.element()) + " */";
  };
  switch (type.kind()) {
    case TypeKind::Dynamic: out_ += "null"; return;
    case TypeKind::String: out_ += "tostring(null)"; return;
    case TypeKind::Number: out_ += "tonumber(null)"; return;
    case TypeKind::Bool: out_ += "tobool(null)"; return;
    case TypeKind::List: return collection("tolist");
    case TypeKind::Set: return collection("toset");
    case TypeKind::Map: return collection("tomap");
    case TypeKind::Tuple:
    case TypeKind::Object:
    case TypeKind::Capsule: out_ += "null /* " + value::friendly_name(type) + " */"; return;
  }
}

void ValueWriter::write_string(std::string_view text, std::size_t indent) {
  if (text.find('\n') == std::string_view::npos) {
    out_ += base::quote_go(text);
  } else {
    write_heredoc(text, indent);
  }
}

template <class On>
void for_each_line(std::string_view text, On&& on) {
  while (true) {
    const std::size_t end = text.find('\n');
    on(text.substr(0, end));
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

// EOT, made longer until no line of the text could be mistaken for it: the end of a heredoc may
// stand between any spaces of Unicode.
std::string heredoc_marker(std::string_view text) {
  std::string marker = "EOT";
  for (bool taken = true; taken;) {
    taken = false;
    for_each_line(
        text, [&](std::string_view line) { taken = taken || base::trim_space(line) == marker; });
    if (taken) marker += '_';
  }
  return marker;
}

void ValueWriter::write_heredoc(std::string_view text, std::size_t indent) {
  const std::string marker = heredoc_marker(text);
  out_ += indent > 0 ? "<<-" : "<<";
  out_ += marker;
  for_each_line(text, [&](std::string_view line) {
    new_line(indent);
    out_ += diag::safe_for_terminal(line, diag::CarriageReturns::Keep);
  });
  new_line(indent);
  out_ += marker;
}

void ValueWriter::write_sequence(const Value& v, std::size_t indent) {
  out_ += '[';
  for (const Value& item : v.plain().items()) {
    new_line(indent + 2);
    write(item, indent + 2);
    out_ += ',';
  }
  if (v.plain().size() > 0) new_line(indent);
  out_ += ']';
}

void ValueWriter::write_mapping(const Value& v, std::size_t indent) {
  out_ += '{';
  value::for_each_element(v.plain(), [&](const Value& key, const Value& item) {
    new_line(indent + 2);
    write(key, indent + 2);
    out_ += " = ";
    write(item, indent + 2);
  });
  if (v.plain().size() > 0) new_line(indent);
  out_ += '}';
}

class TypeWriter {
 public:
  explicit TypeWriter(std::string& out) : out_(out) {}
  void write(Type type, std::size_t level);

 private:
  void write_shallow(Type type, std::size_t level);
  void write_object(Type type, std::size_t level);
  void write_tuple(Type type, std::size_t level);
  void write_collection(std::string_view name, Type element, std::size_t level);
  void blanks(std::size_t level) { out_.append(4 * level, ' '); }

  std::string& out_;
  std::size_t depth_ = 0;  // not all of which are lines of their own
};

void TypeWriter::write(Type type, std::size_t level) {
  if (depth_ == kDeepest) {
    out_ += kTooDeep;
    return;
  }
  ++depth_;
  write_shallow(type, level);
  --depth_;
}

void TypeWriter::write_shallow(Type type, std::size_t level) {
  switch (type.kind()) {
    case TypeKind::Object: return write_object(type, level);
    case TypeKind::Tuple: return write_tuple(type, level);
    case TypeKind::List: return write_collection("list", type.element(), level);
    case TypeKind::Set: return write_collection("set", type.element(), level);
    case TypeKind::Map: return write_collection("map", type.element(), level);
    case TypeKind::Dynamic:
    case TypeKind::Bool:
    case TypeKind::Number:
    case TypeKind::String:
    case TypeKind::Capsule: out_ += value::friendly_name(type); return;
  }
}

void TypeWriter::write_object(Type type, std::size_t level) {
  if (type.attributes().empty()) {
    out_ += "object({})";
    return;
  }
  out_ += "object({\n";
  for (const value::ObjectAttribute& attribute : type.attributes()) {
    blanks(level + 1);
    out_ += diag::safe_for_terminal(attribute.name) + ": ";
    write(attribute.type, level + 1);
    out_ += ",\n";
  }
  blanks(level);
  out_ += "})";
}

void TypeWriter::write_tuple(Type type, std::size_t level) {
  if (type.elements().empty()) {
    out_ += "tuple([])";
    return;
  }
  out_ += "tuple([\n";
  for (const Type element : type.elements()) {
    blanks(level + 1);
    write(element, level + 1);
    out_ += ",\n";
  }
  blanks(level);
  out_ += "])";
}

void TypeWriter::write_collection(std::string_view name, Type element, std::size_t level) {
  out_ += name;
  out_ += '(';
  // A structure inside gets lines of its own, so that the collection is seen.
  const bool on_own_lines = element.is_structural();
  if (on_own_lines) {
    out_ += '\n';
    blanks(++level);
  }
  write(element, level);
  if (on_own_lines) {
    out_ += ",\n";
    blanks(--level);
  }
  out_ += ')';
}

}  // namespace

std::string value_text(const value::Value& v) {
  std::string out;
  ValueWriter(out).write(v, 0);
  return out;
}

std::string type_text(value::Type type) {
  std::string out;
  TypeWriter(out).write(type, 0);
  return out;
}

}  // namespace tofu::views
