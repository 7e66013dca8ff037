#include "schema/builtin_functions.h"

#include <fmt/format.h>

#include "base/unicode.h"
#include "diag/diagnostic.h"
#include "diag/source.h"
#include "syntax/eval.h"
#include "syntax/generate.h"
#include "syntax/parser.h"

namespace tofu::schema {

namespace {

using syntax::Arguments;
using syntax::CallResult;
using value::Type;
using value::Value;

syntax::CallError first_error(const diag::Diagnostics& diags, const diag::SourceMap& sources) {
  for (const diag::Diagnostic& diagnostic : diags.items()) {
    if (diagnostic.severity != diag::Severity::Error) continue;
    std::uint32_t line = 1;
    if (diagnostic.subject) {
      line = sources.position(diagnostic.subject->file, diagnostic.subject->begin).line;
    }
    return syntax::argument_error(0, fmt::format("in line {} of the text: {}: {}", line,
                                                 diagnostic.summary, diagnostic.detail));
  }
  return syntax::argument_error(0, "the text is not a variables file");
}

CallResult<Value> decode_tfvars(Arguments arguments, Type) {
  diag::SourceMap sources;
  diag::Diagnostics diags;
  const diag::FileId id = sources.add("content", std::string(arguments[0].plain().as_string()));
  const auto file = syntax::parse_file(sources, id, diags);
  std::vector<value::Attr> attributes;
  if (!diags.has_errors()) {
    for (const syntax::Attribute& attribute : file->body().just_attributes(diags)) {
      auto v = syntax::evaluate(*attribute.expr, nullptr, diags);
      if (v) attributes.push_back({std::string(attribute.name), std::move(*v)});
    }
  }
  if (diags.has_errors()) return first_error(diags, sources);
  return Value::object(std::move(attributes));
}

CallResult<Value> encode_tfvars(Arguments arguments, Type) {
  const Value& input = arguments[0];
  if (input.kind() != value::Kind::Object)
    return syntax::argument_error(0, "an object is required");
  if (!input.wholly_known()) return Value::unknown(Type::string());
  for (const value::ObjectAttribute& attribute : input.type().attributes()) {
    if (!base::is_identifier(attribute.name)) {
      return syntax::argument_error(
          0, fmt::format("{:?} is not a valid variable name", attribute.name));
    }
  }
  return Value::string(syntax::attributes_text(input));
}

CallResult<Value> encode_expr(Arguments arguments, Type) {
  if (!arguments[0].wholly_known()) return Value::unknown(Type::string());
  return Value::string(syntax::expression_text(arguments[0]));
}

syntax::Function define(std::string name, std::string description, syntax::Parameter parameter,
                        Type result, CallResult<Value> (*body)(Arguments, Type)) {
  syntax::Function function;
  function.name = std::move(name);
  function.description = std::move(description);
  function.parameters.push_back(std::move(parameter));
  function.result_type = syntax::always(result);
  function.body = body;
  return function;
}

syntax::Parameter parameter(std::string name, Type type, std::string description) {
  syntax::Parameter out;
  out.name = std::move(name);
  out.type = type;
  out.description = std::move(description);
  return out;
}

}  // namespace

std::vector<syntax::Function> builtin_functions() {
  return {
      define("decode_tfvars", "Decodes the text of a variables file into an object.",
             parameter("content", Type::string(), "The text of the file."), Type::dynamic(),
             decode_tfvars),
      define(
          "encode_tfvars", "Encodes an object as the text of a variables file.",
          parameter("input", Type::dynamic(), "An object whose attribute names are identifiers."),
          Type::string(), encode_tfvars),
      define("encode_expr", "Encodes a value as an expression in OpenTofu syntax.",
             parameter("expr", Type::dynamic(), "The value to encode."), Type::string(),
             encode_expr),
  };
}

}  // namespace tofu::schema
