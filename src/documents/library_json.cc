#include "documents/library_json.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json_writer.h"
#include "documents/function_json.h"
#include "value/json.h"

namespace tofu::documents {

namespace {

// The members of a list by name, so that the text does not depend on the order in
// which the author wrote them.
template <class T>
std::vector<const T*> by_name(const base::Named<T>& all) {
  std::vector<const T*> sorted;
  for (const T& each : all) {
    if constexpr (requires { each.is_private; }) {
      if (each.is_private) continue;
    }
    sorted.push_back(&each);
  }
  std::ranges::sort(sorted, {}, [](const T* each) -> const std::string& { return each->name; });
  return sorted;
}

template <class T, class Write>
void write_members(base::JsonWriter& json, std::string_view key, const base::Named<T>& all,
                   Write&& write) {
  const std::vector<const T*> members = by_name(all);
  if (members.empty()) return;
  json.key(key);
  json.begin_object();
  for (const T* each : members) {
    json.key(each->name);
    write(*each);
  }
  json.end_object();
}

// What there is to say of types beside their structure.
void write_type_details(base::JsonWriter& json, const base::Named<symbols::LibraryType>& types) {
  bool any = false;
  for (const symbols::LibraryType* type : by_name(types)) {
    const bool has_rules = type->constraint.rules != nullptr;
    if (type->description.empty() && !has_rules) continue;
    if (!std::exchange(any, true)) {
      json.key("type_details");
      json.begin_object();
    }
    json.key(type->name);
    json.begin_object();
    if (!type->description.empty()) json.field("description", type->description);
    if (has_rules) json.field("has_validation", true);
    json.end_object();
  }
  if (any) json.end_object();
}

void write_value(base::JsonWriter& json, const symbols::LibraryValue& member) {
  const value::Value& value = member.value;
  json.begin_object();
  if (!member.description.empty()) json.field("description", member.description);
  const value::Marks marks = value.deep_marks();
  if (marks.is_sensitive() || marks.is_ephemeral()) {
    json.field("sensitive", true);
  } else if (const auto text = value::to_json(value.deep_unmarked())) {
    json.key("value");
    json.raw(*text);
  }
  json.key("type");
  json.raw(value::type_to_json(value.type()));
  json.end_object();
}

}  // namespace

std::string library_json(const symbols::Library& library) {
  std::string text;
  base::JsonWriter json(text);
  json.begin_object();
  json.field("format_version", "1.0");
  json.key("library");
  json.begin_object();
  write_members(json, "symbols", library.imports, [&](const symbols::LibraryImport& import) {
    json.begin_object();
    json.field("source", import.source);
    if (!import.version.empty()) json.field("version_constraint", import.version);
    json.end_object();
  });
  write_members(json, "types", library.types, [&](const symbols::LibraryType& type) {
    json.raw(value::type_to_json(type.constraint.type));
  });
  write_type_details(json, library.types);
  write_members(json, "values", library.values,
                [&](const symbols::LibraryValue& each) { write_value(json, each); });
  write_members(
      json, "functions", library.functions,
      [&](const symbols::LibraryFunction& function) { write_function(json, function.callable); });
  json.end_object();
  json.end_object();
  return text;
}

}  // namespace tofu::documents
