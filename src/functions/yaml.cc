#include "functions/define.h"
#include "functions/errors.h"
#include "functions/families.h"
#include "functions/yaml_decode.h"
#include "functions/yaml_encode.h"

namespace tofu::functions {

namespace {

using syntax::Arguments;
using syntax::CallResult;
using value::Type;
using value::Value;

CallResult<Value> yamldecode(Arguments args, Type) {
  auto decoded = parse_yaml(args[0].plain().as_string());
  if (!decoded) return call_error(decoded.error().what);
  return *std::move(decoded);
}

CallResult<Value> yamlencode(Arguments args, Type type) {
  if (!args[0].wholly_known()) return Value::unknown(type);
  const auto text = to_yaml(args[0]);
  if (!text) return call_error(text.error().what);
  return Value::string(*text);
}

}  // namespace

void add_yaml(List& list) {
  // The type depends on the content, so it is left open until the text is read.
  define(list, "yamldecode",
         "Reads one YAML document. Mappings become objects and sequences become tuples.")
      .takes("src", Type::string())
      .gives(Type::dynamic())
      .may_give_null()
      .as(yamldecode);
  define(list, "yamlencode", "Writes a value as YAML text in block style, with all strings quoted.")
      .takes("value", Type::dynamic(), {.null = true, .dynamic = true})
      .gives(Type::string())
      .may_give_null()
      .as(yamlencode);
}

}  // namespace tofu::functions
