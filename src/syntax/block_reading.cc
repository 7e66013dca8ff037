#include "syntax/block_reading.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>

#include "base/unicode.h"

namespace tofu::syntax {

namespace {

constexpr std::string_view kIdentifierRule =
    "A name must start with a letter or underscore and can contain only letters, digits, "
    "underscores and dashes.";

}  // namespace

syntax::BodySchema schema_of(std::initializer_list<std::string_view> attributes,
                             std::initializer_list<syntax::BlockSchema> blocks) {
  syntax::BodySchema schema;
  for (const std::string_view name : attributes) schema.attributes.push_back({std::string(name)});
  schema.blocks = blocks;
  return schema;
}

syntax::BodySchema with_required(syntax::BodySchema schema,
                                 std::initializer_list<std::string_view> names) {
  for (syntax::AttributeSchema& attribute : schema.attributes) {
    if (std::ranges::find(names, attribute.name) != names.end()) attribute.required = true;
  }
  return schema;
}

void check_identifier(const syntax::Label& label, std::string_view what, diag::Diagnostics& diags) {
  if (base::is_identifier(label.text)) return;
  diags.error(fmt::format("Invalid {}", what)).detail(std::string(kIdentifierRule)).at(label.range);
}

}  // namespace tofu::syntax
