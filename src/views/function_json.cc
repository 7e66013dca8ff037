#include "views/function_json.h"

#include <string>
#include <vector>

#include "value/json.h"

namespace tofu::views {

namespace {

// Parameters that take an expression instead of a value have a type of ours,
// which means nothing to others.
std::string type_for_others(value::Type type) {
  return value::type_to_json(type.kind() == value::TypeKind::Capsule ? value::Type::dynamic()
                                                                     : type);
}

void write_parameter(base::JsonWriter& json, const syntax::Parameter& parameter) {
  json.begin_object();
  json.field("name", parameter.name);
  if (!parameter.description.empty()) json.field("description", parameter.description);
  if (parameter.allow_null) json.field("is_nullable", true);
  json.key("type");
  json.raw(type_for_others(parameter.type));
  json.end_object();
}

// The type of the result as far as the parameters' types alone decide it. Of a
// variadic parameter one argument is assumed, as OpenTofu does.
value::Type declared_result(const syntax::Function& function) {
  std::vector<value::Value> unknowns;
  const auto assume = [&](const syntax::Parameter& parameter) {
    unknowns.push_back(value::Value::unknown(parameter.type.without_optional_attributes()));
  };
  for (const syntax::Parameter& parameter : function.parameters) assume(parameter);
  if (function.variadic) assume(*function.variadic);
  if (!function.result_type) return value::Type::dynamic();
  const auto type =
      function.lazy ? function.result_type(unknowns) : syntax::result_type(function, unknowns);
  return type ? *type : value::Type::dynamic();
}

}  // namespace

void write_function(base::JsonWriter& json, const syntax::Function& function) {
  json.begin_object();
  json.field("description", function.description);
  json.key("return_type");
  json.raw(type_for_others(declared_result(function)));
  if (!function.parameters.empty()) {
    json.key("parameters");
    json.begin_array();
    for (const syntax::Parameter& parameter : function.parameters) write_parameter(json, parameter);
    json.end_array();
  }
  if (function.variadic) {
    json.key("variadic_parameter");
    write_parameter(json, *function.variadic);
  }
  json.end_object();
}

}  // namespace tofu::views
