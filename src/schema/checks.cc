#include "schema/checks.h"

#include <fmt/format.h>

namespace tofu::schema {

namespace {

using value::Value;

void check_data(const Value& config, diag::Diagnostics& diags) {
  for (const std::string_view name : {"id", "output"}) {
    if (config.find(name)->is_null()) continue;
    diags.error("Read-only attribute")
        .detail(fmt::format("{:?} is decided by the provider and cannot be set.", name));
  }
}

diag::SourceRange place_of(const syntax::Body& body, std::string_view attribute) {
  diag::Diagnostics ignored;
  const auto content =
      body.partial_content({{{std::string(attribute), false}}, {}}, ignored).content;
  const syntax::Attribute* found = content.attribute(attribute);
  return found == nullptr ? body.missing_item_range() : found->expr->range;
}

// Something that has named parts, or may turn out to have.
bool may_be_object(const Value& v) {
  const value::Type type = v.type();
  return v.is_null() || type.is_dynamic() || type.kind() == value::TypeKind::Object ||
         type.kind() == value::TypeKind::Map;
}

void check_remote_state(const Value& config, const syntax::Body& body, diag::Diagnostics& diags) {
  for (const std::string_view name : {"config", "defaults"}) {
    if (may_be_object(*config.find(name))) continue;
    diags.error("Invalid remote state configuration")
        .detail(fmt::format("The argument {:?} takes an object.", name))
        .at(place_of(body, name));
  }
}

}  // namespace

void check_resource(const std::string& provider, std::string_view type, const Value& config,
                    const syntax::Body& body, diag::Diagnostics& diags) {
  if (provider != "terraform.io/builtin/terraform" || config.is_null() || config.is_unknown()) {
    return;
  }
  if (type == "terraform_data") check_data(config, diags);
  if (type == "terraform_remote_state") check_remote_state(config, body, diags);
}

}  // namespace tofu::schema
