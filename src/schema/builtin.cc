#include <string>
#include <utility>

#include "schema/builtin_functions.h"
#include "schema/provider.h"

namespace tofu::schema {

namespace {

using value::Type;

enum class Use { Required, Optional, Computed };

Attribute attribute(std::string name, Type type, Use use) {
  Attribute out;
  out.name = std::move(name);
  out.type = type;
  out.required = use == Use::Required;
  out.optional = use == Use::Optional;
  out.computed = use == Use::Computed;
  return out;
}

// Attributes come in the order of their names, as Block promises.
ResourceSchema terraform_data() {
  ResourceSchema schema;
  schema.block.description =
      "Stores a value across runs, and can trigger provisioners or replacements.";
  Attribute id = attribute("id", Type::string(), Use::Computed);
  id.never_null = true;
  schema.block.attributes = {
      std::move(id),
      attribute("input", Type::dynamic(), Use::Optional),
      attribute("output", Type::dynamic(), Use::Computed),
      attribute("triggers_replace", Type::dynamic(), Use::Optional),
  };
  return schema;
}

ResourceSchema terraform_remote_state() {
  ResourceSchema schema;
  schema.block.description = "Reads the root module outputs of another configuration's state.";
  schema.block.attributes = {
      attribute("backend", Type::string(), Use::Required),
      attribute("config", Type::dynamic(), Use::Optional),
      attribute("defaults", Type::dynamic(), Use::Optional),
      attribute("outputs", Type::dynamic(), Use::Computed),
      attribute("workspace", Type::string(), Use::Optional),
  };
  for (Attribute& each : schema.block.attributes) each.markdown = true;
  return schema;
}

ProviderSchema make_builtin() {
  ProviderSchema schema;
  schema.resources.emplace("terraform_data", terraform_data());
  schema.data_sources.emplace("terraform_remote_state", terraform_remote_state());
  for (syntax::Function& function : builtin_functions()) {
    std::string name = function.name;
    schema.functions.emplace(std::move(name), std::move(function));
  }
  return schema;
}

class BuiltinSchemas final : public ProviderSchemas {
 public:
  const ProviderSchema* find(const std::string& provider) const override {
    return provider == "terraform.io/builtin/terraform" ? &builtin_terraform() : nullptr;
  }
};

}  // namespace

const ProviderSchemas& builtin_schemas() {
  static const BuiltinSchemas kSchemas;
  return kSchemas;
}

const ProviderSchema& builtin_terraform() {
  static const ProviderSchema kSchema = make_builtin();
  return kSchema;
}

}  // namespace tofu::schema
