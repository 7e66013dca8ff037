// Type expressions: what can be read can be written, and reads the same again.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "diag/diagnostic.h"
#include "diag/source.h"
#include "syntax/parser.h"
#include "syntax/type_expr.h"

namespace {

std::optional<tofu::syntax::TypeConstraint> read(std::string_view text) {
  tofu::diag::SourceMap sources;
  tofu::diag::Diagnostics diags;
  const auto id = sources.add("fuzz", std::string(text));
  const auto file = tofu::syntax::parse_expression(sources, id, diags);
  if (diags.has_errors()) return std::nullopt;
  auto type = tofu::syntax::read_variable_type(*file->expr, {}, diags);
  TOFU_CHECK(type.has_value() != diags.has_errors(), "there is a type or an error");
  return type;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto type = read({reinterpret_cast<const char*>(data), size});
  if (!type) return 0;
  const auto again = read(tofu::syntax::type_expr_text(type->type));
  TOFU_CHECK(again && again->type == type->type.without_optional_attributes(),
             "a type reads back as it was");
  return 0;
}
