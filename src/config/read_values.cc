#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "base/trim.h"
#include "base/unicode.h"
#include "config/reading.h"
#include "syntax/analysis.h"

namespace tofu::config {

namespace {

// Names that mean something else in a module block, so no child module could get
// a value for them.
constexpr std::string_view kReserved[] = {"source",     "version",   "count", "for_each",
                                          "depends_on", "providers", "_",     "lifecycle",
                                          "locals",     "provider"};

// A text that tells users what to do instead, so it must say something.
std::optional<std::string> read_deprecated(Reading& reading, const syntax::Attribute& attribute) {
  auto text = constant_string(*attribute.expr, reading.diags);
  if (text && base::trim_space(*text).empty()) {
    reading.diags.error("Empty deprecation message")
        .detail(
            "The argument \"deprecated\" tells users of the module what to do instead, so it "
            "cannot be empty.")
        .at(attribute.expr->range);
  }
  return text;
}

void check_validation(Reading& reading, const Condition& validation, std::string_view name) {
  if (validation.condition == nullptr) return;
  for (const syntax::Traversal* used : syntax::variables(*validation.condition)) {
    diag::Diagnostics ignored;
    const auto reference = addrs::parse_reference(*used, reading.references, ignored);
    if (!reference) continue;
    const auto* variable = std::get_if<addrs::InputVariable>(&reference->subject);
    if (variable != nullptr && variable->name == name) return;
  }
  reading.diags.error("Validation of something else")
      .detail(
          fmt::format("The condition has to refer to var.{} in order to check its values.", name))
      .at(validation.condition->range);
}

}  // namespace

Variable read_variable(Reading& reading, const syntax::Block& block) {
  static const syntax::BodySchema kSchema =
      schema_of({"description", "default", "type", "sensitive", "ephemeral", "const", "deprecated",
                 "nullable"},
                {{"validation", {}}});
  const syntax::Content content = block.body.content(kSchema, reading.diags);
  const syntax::Label& label = block.labels[0];
  Variable variable;
  variable.name = label.text;
  variable.range = block.range;
  variable.name_range = label.range;
  check_identifier(reading, label, "variable name");
  if (std::ranges::find(kReserved, label.text) != std::end(kReserved)) {
    reading.diags.error("Invalid variable name")
        .detail(fmt::format("The name \"{}\" has a meaning of its own in module blocks, so nobody "
                            "could set this variable.",
                            label.text))
        .at(label.range);
  }
  for (const syntax::Attribute& attribute : content.attributes) {
    const syntax::Expr& expr = *attribute.expr;
    if (attribute.name == "description") {
      variable.description = constant_string(expr, reading.diags);
    } else if (attribute.name == "default") {
      variable.default_expr = &expr;
    } else if (attribute.name == "type") {
      variable.type_expr = &expr;
    } else if (attribute.name == "sensitive") {
      variable.sensitive = constant_bool(expr, reading.diags);
    } else if (attribute.name == "ephemeral") {
      variable.ephemeral = constant_bool(expr, reading.diags);
    } else if (attribute.name == "const") {
      variable.is_const = constant_bool(expr, reading.diags).value_or(false);
    } else if (attribute.name == "nullable") {
      // One that cannot be read is false, not left out, as in OpenTofu: it decides
      // whether null is a default.
      variable.nullable = constant_bool(expr, reading.diags).value_or(false);
    } else if (attribute.name == "deprecated") {
      variable.deprecated = read_deprecated(reading, attribute);
    }
  }
  for (const syntax::Block& inner : content.blocks) {
    variable.validations.push_back(read_condition(reading, inner));
    check_validation(reading, variable.validations.back(), variable.name);
  }
  return variable;
}

Output read_output(Reading& reading, const syntax::Block& block) {
  static const syntax::BodySchema kOverride =
      schema_of({"description", "value", "depends_on", "sensitive", "ephemeral", "deprecated"},
                {{"precondition", {}}, {"postcondition", {}}});
  static const syntax::BodySchema kSchema = with_required(kOverride, {"value"});
  const std::size_t errors_before = reading.diags.error_count();
  const syntax::Content content =
      block.body.content(reading.is_override ? kOverride : kSchema, reading.diags);
  const syntax::Label& label = block.labels[0];
  Output output;
  output.name = label.text;
  output.range = block.range;
  output.name_range = label.range;
  check_identifier(reading, label, "output name");
  if (const auto* attribute = content.attribute("description")) {
    output.description = constant_string(*attribute->expr, reading.diags);
  }
  if (const auto* attribute = content.attribute("value")) output.expr = attribute->expr;
  if (const auto* attribute = content.attribute("sensitive")) {
    output.sensitive = constant_bool(*attribute->expr, reading.diags);
  }
  if (const auto* attribute = content.attribute("deprecated")) {
    if (reading.diags.error_count() == errors_before) {
      output.deprecated = read_deprecated(reading, *attribute);
    } else {
      output.deprecated = constant_string(*attribute->expr, reading.diags);
    }
  }
  if (const auto* attribute = content.attribute("ephemeral")) {
    output.ephemeral = constant_bool(*attribute->expr, reading.diags);
  }
  if (const auto* attribute = content.attribute("depends_on")) {
    output.depends_on = reference_list(reading, *attribute);
  }
  for (const syntax::Block& inner : content.blocks) {
    if (inner.type == "precondition") {
      output.preconditions.push_back(read_condition(reading, inner));
      continue;
    }
    reading.diags.error("Postcondition of an output")
        .detail("Outputs can have preconditions only.")
        .at(inner.type_range);
  }
  return output;
}

std::vector<Local> read_locals(Reading& reading, const syntax::Block& block) {
  std::vector<Local> locals;
  for (const syntax::Attribute& attribute : block.body.just_attributes(reading.diags)) {
    check_identifier(reading, {attribute.name, attribute.name_range}, "local value name");
    locals.push_back(
        {std::string(attribute.name), attribute.expr, attribute.range, attribute.name_range});
  }
  return locals;
}

}  // namespace tofu::config
