#include <algorithm>
#include <string>
#include <vector>

#include "base/json_writer.h"
#include "commands/command.h"
#include "functions/table.h"
#include "syntax/function.h"
#include "value/json.h"

namespace tofu::commands {

namespace {

constexpr Flag kFlags[] = {
    {"json", FlagKind::Bool, "false", "json", "Print as JSON. Required: there is no other form."},
};

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

// The type of the result as far as the parameters' types alone decide it.
value::Type declared_result(const syntax::Function& function) {
  if (function.lazy) return value::Type::dynamic();
  std::vector<value::Value> unknowns;
  for (const syntax::Parameter& parameter : function.parameters) {
    unknowns.push_back(value::Value::unknown(parameter.type));
  }
  const auto type = syntax::result_type(function, unknowns);
  return type ? *type : value::Type::dynamic();
}

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

int run(const Request& request, World& world) {
  if (!request.flags.is_true("json")) {
    diag::Diagnostics diags;
    diags.error("The -json option is required")
        .detail(
            "Function signatures are printed only as JSON: run \"tofu metadata functions -json\".");
    print_diagnostics(diags, request.view, world);
    return kExitError;
  }
  functions::Environment environment;
  environment.plan_timestamp = "1970-01-01T00:00:00Z";  // so that plantimestamp is listed
  const functions::Table table(std::move(environment));

  std::string text;
  base::JsonWriter json(text);
  json.begin_object();
  json.field("format_version", "1.0");
  json.key("function_signatures");
  json.begin_object();
  // Every function has two names; the sorted list has both.
  std::vector<std::string> names;
  for (const std::string_view name : table.names()) {
    names.emplace_back(name);
    names.push_back("core::" + std::string(name));
  }
  std::ranges::sort(names);
  for (const std::string& name : names) {
    json.key(name);
    write_function(json, *table.find(name));
  }
  json.end_object();
  json.end_object();
  world.out.line(text);
  return kExitOk;
}

}  // namespace

const Command kMetadataFunctionsCommand = {
    "metadata functions",
    "Print the signatures of all functions",
    "-json",
    "Prints the name, parameters, result type and description of every function of the language.",
    kFlags,
    Completes::Nothing,
    run,
};

}  // namespace tofu::commands
