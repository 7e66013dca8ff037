#include "documents/function_json.h"

#include <string>

#include "syntax/signature.h"

namespace tofu::documents {

namespace {

void write_parameter(base::JsonWriter& json, const syntax::Parameter& parameter) {
  json.begin_object();
  json.field("name", parameter.name);
  if (!parameter.description.empty()) json.field("description", parameter.description);
  if (parameter.allow_null) json.field("is_nullable", true);
  if (parameter.default_value) json.field("is_optional", true);
  json.key("type");
  json.raw(syntax::type_for_others(parameter.type));
  json.end_object();
}

}  // namespace

void write_function(base::JsonWriter& json, const syntax::Function& function) {
  json.begin_object();
  json.field("description", function.description);
  json.key("return_type");
  json.raw(syntax::type_for_others(syntax::declared_result(function)));
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

}  // namespace tofu::documents
