#include "providers/plugin_types.h"

#include <utility>

namespace tofu::providers {

namespace {

const schema::TypeSchemas& schemas_of(const schema::ProviderSchema& schema, TypeOf of) {
  switch (of) {
    case TypeOf::Resource: return schema.resources;
    case TypeOf::Data: return schema.data_sources;
    case TypeOf::Ephemeral: return schema.ephemeral_resources;
  }
  return schema.resources;
}

}  // namespace

PluginTypes::PluginTypes(std::shared_ptr<const PluginSchema> schema)
    : schema_(std::move(schema)), provider_(schema_->schema.provider.implied_type()) {
  if (schema_->schema.has_provider_meta) {
    provider_meta_ = schema_->schema.provider_meta.implied_type();
  }
}

const PluginType* PluginTypes::find(TypeOf of, const std::string& type) const {
  const std::lock_guard lock(mutex_);
  const auto known = types_.find({of, type});
  if (known != types_.end()) return &known->second;
  const schema::TypeSchemas& all = schemas_of(schema_->schema, of);
  const auto found = all.find(type);
  if (found == all.end()) return nullptr;
  PluginType made{.object = found->second.block.implied_type()};
  made.version = found->second.version;
  made.write_only = schema::write_only_attributes(found->second.block);
  if (found->second.identity) made.identity = found->second.identity->type();
  return &types_.emplace(std::pair(of, type), std::move(made)).first->second;
}

}  // namespace tofu::providers
