#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <vector>

#include "base/suggest.h"
#include "schema/schema.h"
#include "syntax/eval.h"

namespace tofu::schema {

namespace {

using Steps = std::span<const syntax::TraversalStep>;

bool refuse(diag::SourceRange place, std::string detail, diag::Diagnostics& diags) {
  diags.error("Invalid reference").detail(std::move(detail)).at(place);
  return false;
}

bool check_attribute(const Attribute& attribute, Steps after, diag::Diagnostics& diags) {
  const auto unknown = value::Value::unknown(attribute.type.without_optional_attributes());
  return syntax::traverse(unknown, after, diags).has_value();
}

bool check_nested(const NestedBlock& nested, Steps after, diag::Diagnostics& diags) {
  if (nested.nesting == Nesting::Single || nested.nesting == Nesting::Group) {
    return check_traversal(*nested.block, after, diags);
  }
  if (after.empty()) return true;
  if (nested.nesting == Nesting::Set) {
    return refuse(after[0].range,
                  fmt::format("Blocks of type {:?} form a set, which has no keys. To select "
                              "elements, use a 'for' expression with an 'if' clause.",
                              nested.name),
                  diags);
  }
  if (nested.nesting == Nesting::List && after[0].kind != syntax::StepKind::Index) {
    return refuse(
        after[0].range,
        fmt::format("Blocks of type {0:?} form a list. Select one of them, as in .{0}[0].",
                    nested.name),
        diags);
  }
  return check_traversal(*nested.block, after.subspan(1), diags);
}

std::string suggestion(const Block& schema, std::string_view name) {
  std::vector<std::string_view> names;
  for (const Attribute& attribute : schema.attributes) names.push_back(attribute.name);
  for (const NestedBlock& nested : schema.blocks) names.push_back(nested.name);
  std::ranges::sort(names);
  return base::did_you_mean(name, names);
}

}  // namespace

diag::Checked<void> check_traversal(const Block& schema, Steps steps, diag::Diagnostics& diags) {
  if (steps.empty()) return true;
  const syntax::TraversalStep& first = steps[0];
  if (first.kind != syntax::StepKind::Attribute) {
    return refuse(first.range, "This is an object. Write one of its attribute names after a dot.",
                  diags);
  }
  if (const Attribute* attribute = schema.attribute(first.name)) {
    return check_attribute(*attribute, steps.subspan(1), diags);
  }
  if (const NestedBlock* nested = schema.block(first.name)) {
    return check_nested(*nested, steps.subspan(1), diags);
  }
  diags.error("Unsupported attribute")
      .detail(fmt::format("This object has no argument, block or attribute {:?}.{}", first.name,
                          suggestion(schema, first.name)))
      .at(first.range);
  return false;
}

}  // namespace tofu::schema
