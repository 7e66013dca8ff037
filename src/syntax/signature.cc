#include "syntax/signature.h"

#include <vector>

#include "base/json_writer.h"
#include "value/json.h"
#include "value/value.h"

namespace tofu::syntax {

using value::Type;
using value::Value;

namespace {

void write_parameter(base::JsonWriter& json, const Parameter& parameter) {
  json.begin_object();
  json.field("name", parameter.name);
  json.key("type");
  json.raw(type_for_others(parameter.type));
  json.end_object();
}

}  // namespace

Type declared_result(const Function& function) {
  if (!function.result_type) return Type::dynamic();
  std::vector<Value> unknowns;
  const auto assume = [&](const Parameter& parameter) {
    unknowns.push_back(Value::unknown(parameter.type.without_optional_attributes()));
  };
  for (const Parameter& parameter : function.parameters) assume(parameter);
  if (function.variadic) assume(*function.variadic);
  const auto type =
      function.lazy ? function.result_type(unknowns) : result_type(function, unknowns);
  return type ? *type : Type::dynamic();
}

std::string type_for_others(Type type) {
  return value::type_to_json(type.kind() == value::TypeKind::Capsule ? Type::dynamic() : type);
}

std::string signature_json(std::string_view name, const Function& function) {
  const std::size_t space = name.rfind("::");
  std::string text;
  base::JsonWriter json(text);
  json.begin_object();
  json.field("name", space == std::string_view::npos ? name : name.substr(space + 2));
  json.key("params");
  json.begin_array();
  for (const Parameter& parameter : function.parameters) write_parameter(json, parameter);
  json.end_array();
  if (function.variadic) {
    json.key("variadic_param");
    write_parameter(json, *function.variadic);
  }
  json.key("return_type");
  json.raw(type_for_others(declared_result(function)));
  json.end_object();
  return text;
}

}  // namespace tofu::syntax
