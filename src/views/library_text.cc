#include "views/library_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>
#include <utility>
#include <vector>

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

std::string signature(const config::LibraryFunction& function) {
  std::vector<std::string> parameters;
  for (const config::LibraryParameter& parameter : function.parameters) {
    parameters.push_back(parameter.name);
  }
  if (function.variadic) parameters.push_back(function.variadic->name + "...");
  std::string text = fmt::format("{}({})", function.name, fmt::join(parameters, ", "));
  if (!function.description.empty()) text += "\n    " + indented(function.description);
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

std::string library_text(const config::Library& library) {
  std::vector<std::string> types;
  for (const config::LibraryType& type : library.types) {
    types.push_back(fmt::format("{} = {}", type.name, indented(type_text(type.constraint.type))));
  }
  std::vector<std::string> values;
  for (const config::LibraryValue& each : library.values) {
    values.push_back(fmt::format("{} = {}", each.name, indented(value_text(each.value))));
  }
  std::vector<std::string> functions;
  for (const config::LibraryFunction& function : library.functions) {
    functions.push_back(signature(function));
  }
  std::string out;
  append_section("Types:", std::move(types), out);
  append_section("Values:", std::move(values), out);
  append_section("Functions:", std::move(functions), out);
  return out;
}

}  // namespace tofu::views
