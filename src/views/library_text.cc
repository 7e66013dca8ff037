#include "views/library_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>
#include <utility>
#include <vector>

#include "syntax/type_expr.h"
#include "value/defaults.h"
#include "value/json.h"
#include "value/type.h"
#include "views/value_text.h"

namespace tofu::views {

namespace {

// Every line but the first, moved right.
std::string indented(std::string_view text) {
  std::string out;
  for (const char c : text) {
    out.push_back(c);
    if (c == '\n') out += "  ";
  }
  return out;
}

// A type constraint as its author would write it, with what is optional.
void append_constraint(std::string& out, value::Type type, const value::Defaults* defaults,
                       std::size_t depth);

const value::Defaults* defaults_of(const value::Defaults* whole, std::string_view part) {
  if (whole == nullptr) return nullptr;
  const auto found = whole->children.find(part);
  return found == whole->children.end() ? nullptr : found->second.get();
}

void append_object(std::string& out, value::Type type, const value::Defaults* defaults,
                   std::size_t depth) {
  std::size_t widest = 0;
  for (const value::ObjectAttribute& each : type.attributes()) {
    widest = std::max(widest, each.name.size());
  }
  out += "object({\n";
  for (const value::ObjectAttribute& each : type.attributes()) {
    out += fmt::format("{:{}}{:{}} = ", "", 2 * (depth + 1), each.name, widest);
    if (each.optional) out += "optional(";
    append_constraint(out, each.type, defaults_of(defaults, each.name), depth + 1);
    if (each.optional && defaults != nullptr) {
      const auto given = defaults->attribute_defaults.find(each.name);
      if (given != defaults->attribute_defaults.end()) {
        // On one line, as people write them.
        const auto json = value::to_json(given->second.deep_unmarked());
        if (json) out += ", " + *json;
      }
    }
    out += each.optional ? ")\n" : "\n";
  }
  out += std::string(2 * depth, ' ') + "})";
}

void append_constraint(std::string& out, value::Type type, const value::Defaults* defaults,
                       std::size_t depth) {
  switch (type.kind()) {
    case value::TypeKind::Object: return append_object(out, type, defaults, depth);
    case value::TypeKind::List:
    case value::TypeKind::Set:
    case value::TypeKind::Map:
      out += type.kind() == value::TypeKind::List  ? "list("
             : type.kind() == value::TypeKind::Set ? "set("
                                                   : "map(";
      append_constraint(out, type.element(), defaults_of(defaults, ""), depth);
      out += ')';
      return;
    case value::TypeKind::Tuple: {
      out += "tuple([";
      for (std::size_t i = 0; i < type.elements().size(); ++i) {
        if (i != 0) out += ", ";
        append_constraint(out, type.elements()[i], defaults_of(defaults, std::to_string(i)), depth);
      }
      out += "])";
      return;
    }
    case value::TypeKind::Dynamic:
    case value::TypeKind::Bool:
    case value::TypeKind::Number:
    case value::TypeKind::String:
    case value::TypeKind::Capsule: out += syntax::type_expr_text(type); return;
  }
}

// With the default, if it may be left out.
std::string parameter_text(const symbols::LibraryParameter& parameter) {
  if (!parameter.is_optional) return parameter.name;
  const value::Marks marks = parameter.default_value.deep_marks();
  if (marks.is_sensitive() || marks.is_ephemeral()) return parameter.name + " = ...";
  const auto json = value::to_json(parameter.default_value.deep_unmarked());
  return fmt::format("{} = {}", parameter.name, json ? *json : "...");
}

// A description below the name that it is about.
std::string described(std::string text, const std::string& description) {
  return description.empty() ? text : std::move(text) + "\n    " + indented(description);
}

std::string signature(const symbols::LibraryFunction& function) {
  std::vector<std::string> parameters;
  for (const symbols::LibraryParameter& parameter : function.parameters) {
    parameters.push_back(parameter_text(parameter));
  }
  if (function.variadic) parameters.push_back(function.variadic->name + "...");
  std::string text = fmt::format("{}({})", function.name, fmt::join(parameters, ", "));
  if (!function.description.empty()) text += "\n    " + indented(function.description);
  const auto describe = [&](const symbols::LibraryParameter& parameter) {
    if (parameter.description.empty()) return;
    text += fmt::format("\n    {}: {}", parameter.name, indented(parameter.description));
  };
  for (const symbols::LibraryParameter& parameter : function.parameters) describe(parameter);
  if (function.variadic) describe(*function.variadic);
  return text;
}

// One heading with its lines, by name; nothing without lines.
void append_section(std::string_view heading, std::vector<std::string> lines, std::string& out) {
  if (lines.empty()) return;
  std::ranges::sort(lines);
  if (!out.empty()) out += "\n\n";
  out += heading;
  for (const std::string& line : lines) out += "\n  " + line;
}

}  // namespace

std::string constraint_text(const syntax::TypeConstraint& constraint) {
  std::string text;
  append_constraint(text, constraint.type, constraint.defaults.get(), 0);
  return text;
}

std::string library_text(const symbols::Library& library) {
  std::vector<std::string> types;
  for (const symbols::LibraryType& type : library.types) {
    if (type.is_private) continue;
    types.push_back(
        described(fmt::format("{} = {}", type.name, indented(constraint_text(type.constraint))),
                  type.description));
  }
  std::vector<std::string> values;
  for (const symbols::LibraryValue& each : library.values) {
    if (each.is_private) continue;
    values.push_back(described(fmt::format("{} = {}", each.name, indented(value_text(each.value))),
                               each.description));
  }
  std::vector<std::string> functions;
  for (const symbols::LibraryFunction& function : library.functions) {
    if (!function.is_private) functions.push_back(signature(function));
  }
  std::string out;
  append_section("Types:", std::move(types), out);
  append_section("Values:", std::move(values), out);
  append_section("Functions:", std::move(functions), out);
  return out;
}

}  // namespace tofu::views
