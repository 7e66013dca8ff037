#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "base/trim.h"
#include "base/unicode.h"
#include "config/block_reader.h"
#include "syntax/analysis.h"
#include "syntax/block_reading.h"
#include "syntax/eval.h"
#include "syntax/type_expr.h"
#include "value/value.h"

namespace tofu::config {

namespace {

// Names that mean something else in a module block, so no child module could get
// a value for them.
constexpr std::string_view kReserved[] = {"source",     "version",   "count", "for_each",
                                          "depends_on", "providers", "_",     "lifecycle",
                                          "locals",     "provider"};

// A constant string, where a number or bool does not stand for one. Nothing if an error was added.
std::optional<std::string> message_string(BlockReader& block_reader, const syntax::Expr& expr) {
  const std::size_t before = block_reader.diags.error_count();
  const auto given = syntax::evaluate(expr, nullptr, block_reader.diags);
  if (block_reader.diags.error_count() != before || !given) return std::nullopt;
  const value::Value& plain = given->plain();
  if (!plain.is_null() && !plain.is_unknown() && plain.type().kind() != value::TypeKind::String) {
    block_reader.diags.error("Invalid `deprecated` value")
        .detail(fmt::format("The argument \"deprecated\" must be a string, but this is of type {}. "
                            "Write the message in quotes.",
                            syntax::type_expr_text(plain.type())))
        .at(expr.range);
    return std::nullopt;
  }
  return syntax::constant_string(expr, block_reader.diags);
}

// A text about the alternative for users, so it must not be empty.
std::optional<std::string> read_deprecated(BlockReader& block_reader,
                                           const syntax::Attribute& attribute) {
  auto text = message_string(block_reader, *attribute.expr);
  if (text && base::trim_space(*text).empty()) {
    block_reader.diags.error("Invalid `deprecated` value")
        .detail(
            "The argument \"deprecated\" must not be empty. Explain to the module's users what to "
            "use instead.")
        .at(attribute.expr->range);
  }
  return text;
}

// What replaces something and when it is removed is of interest only if it is deprecated. The
// arguments themselves are read by Retirements.
void check_has_message(BlockReader& block_reader, const syntax::Content& content) {
  if (block_reader.is_override || content.attribute("deprecated") != nullptr) return;
  for (const char* name : {"replaced_by", "removed_in"}) {
    const syntax::Attribute* attribute = content.attribute(name);
    if (attribute == nullptr) continue;
    block_reader.diags.error("Missing deprecation message")
        .detail(fmt::format("{:?} is for something that is deprecated. Add the argument "
                            "\"deprecated\" with a message for callers.",
                            name))
        .at(attribute->name_range);
  }
}

// A constant, since nothing else can be read where the module is only declared.
void check_removed_in(BlockReader& block_reader, const syntax::Content& content) {
  const syntax::Attribute* attribute = content.attribute("removed_in");
  if (attribute != nullptr) (void)syntax::constant_string(*attribute->expr, block_reader.diags);
  check_has_message(block_reader, content);
}

void check_validation(BlockReader& block_reader, const syntax::Condition& validation,
                      std::string_view name) {
  if (validation.condition == nullptr) return;
  for (const syntax::Traversal* used : syntax::variables(*validation.condition)) {
    diag::Diagnostics ignored;
    const auto reference = addrs::parse_reference(*used, block_reader.references, ignored);
    if (!reference) continue;
    const auto* variable = std::get_if<addrs::InputVariable>(&reference->subject);
    if (variable != nullptr && variable->name == name) return;
  }
  block_reader.diags.error("Invalid variable validation condition")
      .detail(fmt::format("The condition must refer to var.{} to check its value.", name))
      .at(validation.condition->range);
}

}  // namespace

Variable read_variable(BlockReader& block_reader, const syntax::Block& block) {
  static const syntax::BodySchema kSchema =
      syntax::schema_of({"description", "default", "type", "sensitive", "ephemeral", "const",
                         "deprecated", "replaced_by", "removed_in", "nullable"},
                        {{"validation", {}}});
  const syntax::Content content = block.body.content(kSchema, block_reader.diags);
  const syntax::Label& label = block.labels[0];
  Variable variable;
  variable.name = label.text;
  variable.range = block.range;
  variable.name_range = label.range;
  check_identifier(block_reader, label, "variable name");
  if (std::ranges::find(kReserved, label.text) != std::end(kReserved)) {
    block_reader.diags.error("Invalid variable name")
        .detail(fmt::format(
            "The variable name \"{}\" is reserved, because it is an argument of module blocks.",
            label.text))
        .at(label.range);
  }
  for (const syntax::Attribute& attribute : content.attributes) {
    const syntax::Expr& expr = *attribute.expr;
    if (attribute.name == "description") {
      variable.description = syntax::constant_string(expr, block_reader.diags);
    } else if (attribute.name == "default") {
      variable.default_expr = &expr;
    } else if (attribute.name == "type") {
      variable.type_expr = &expr;
    } else if (attribute.name == "sensitive") {
      variable.sensitive = syntax::constant_bool(expr, block_reader.diags);
    } else if (attribute.name == "ephemeral") {
      variable.ephemeral = syntax::constant_bool(expr, block_reader.diags);
    } else if (attribute.name == "const") {
      variable.is_const = syntax::constant_bool(expr, block_reader.diags).value_or(false);
    } else if (attribute.name == "nullable") {
      // One that cannot be read is false, not left out, as in OpenTofu: it decides
      // whether null is a default.
      variable.nullable = syntax::constant_bool(expr, block_reader.diags).value_or(false);
    } else if (attribute.name == "deprecated") {
      variable.deprecated = read_deprecated(block_reader, attribute);
    }
  }
  check_removed_in(block_reader, content);
  for (const syntax::Block& inner : content.blocks) {
    variable.validations.push_back(read_condition(block_reader, inner));
    check_validation(block_reader, variable.validations.back(), variable.name);
  }
  return variable;
}

Output read_output(BlockReader& block_reader, const syntax::Block& block) {
  static const syntax::BodySchema kOverride =
      syntax::schema_of({"description", "value", "type", "depends_on", "sensitive", "ephemeral",
                         "deprecated", "replaced_by", "removed_in"},
                        {{"precondition", {}}, {"postcondition", {}}});
  static const syntax::BodySchema kSchema = syntax::with_required(kOverride, {"value"});
  const std::size_t errors_before = block_reader.diags.error_count();
  const syntax::Content content =
      block.body.content(block_reader.is_override ? kOverride : kSchema, block_reader.diags);
  const syntax::Label& label = block.labels[0];
  Output output;
  output.name = label.text;
  output.range = block.range;
  output.name_range = label.range;
  check_identifier(block_reader, label, "output name");
  if (const auto* attribute = content.attribute("description")) {
    output.description = syntax::constant_string(*attribute->expr, block_reader.diags);
  }
  if (const auto* attribute = content.attribute("value")) output.expr = attribute->expr;
  if (const auto* attribute = content.attribute("type")) output.type_expr = attribute->expr;
  if (const auto* attribute = content.attribute("sensitive")) {
    output.sensitive = syntax::constant_bool(*attribute->expr, block_reader.diags);
  }
  if (const auto* attribute = content.attribute("deprecated")) {
    if (block_reader.diags.error_count() == errors_before) {
      output.deprecated = read_deprecated(block_reader, *attribute);
    } else {
      output.deprecated = message_string(block_reader, *attribute->expr);
    }
  }
  check_removed_in(block_reader, content);
  if (const auto* attribute = content.attribute("ephemeral")) {
    output.ephemeral = syntax::constant_bool(*attribute->expr, block_reader.diags);
  }
  if (const auto* attribute = content.attribute("depends_on")) {
    output.depends_on = reference_list(block_reader, *attribute);
  }
  for (const syntax::Block& inner : content.blocks) {
    if (inner.type == "precondition") {
      output.preconditions.push_back(read_condition(block_reader, inner));
      continue;
    }
    block_reader.diags.error("Postconditions are not allowed")
        .detail("Outputs can have only preconditions.")
        .at(inner.type_range);
  }
  return output;
}

std::vector<Local> read_locals(BlockReader& block_reader, const syntax::Block& block) {
  std::vector<Local> locals;
  for (const syntax::Attribute& attribute : block.body.just_attributes(block_reader.diags)) {
    check_identifier(block_reader, {attribute.name, attribute.name_range}, "local value name");
    locals.push_back(
        {std::string(attribute.name), attribute.expr, attribute.range, attribute.name_range});
  }
  return locals;
}

}  // namespace tofu::config
