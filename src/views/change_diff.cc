#include "views/change_diff.h"

#include <span>
#include <utility>

namespace tofu::views {

namespace {

PlainValue plain(base::Arena& arena, const value::Value& v, const schema::ResourceSchema* schema) {
  return schema != nullptr ? plain_value(arena, v, schema->block) : plain_value(arena, v);
}

const schema::ResourceSchema* find_schema(const schema::ProviderSchema& offered,
                                          const addrs::Resource& resource) {
  const auto& types = resource.mode == addrs::ResourceMode::Managed ? offered.resources
                      : resource.mode == addrs::ResourceMode::Data  ? offered.data_sources
                                                                    : offered.ephemeral_resources;
  const auto at = types.find(resource.type);
  return at == types.end() ? nullptr : &at->second;
}

}  // namespace

const schema::ResourceSchema* find_schema(const schema::ProviderSchemas& schemas,
                                          const addrs::Provider& provider,
                                          const addrs::Resource& resource) {
  const schema::ProviderSchema* offered = schemas.find(provider.to_string());
  return offered == nullptr ? nullptr : find_schema(*offered, resource);
}

SchemaLookup::SchemaLookup(const plans::Addresses& addresses,
                           const schema::ProviderSchemas& schemas) {
  found_.reserve(addresses.resource_count());
  // One resource mostly has the same provider as the one before.
  const addrs::Provider* provider = nullptr;
  const schema::ProviderSchema* offered = nullptr;
  for (std::uint32_t i = 0; i < addresses.resource_count(); ++i) {
    const plans::ResourceRow& row = addresses[plans::ResourceId{i}];
    if (provider == nullptr || *provider != row.provider) {
      provider = &row.provider;
      offered = schemas.find(row.provider.to_string());
    }
    found_.push_back(offered == nullptr ? nullptr : find_schema(*offered, row.resource));
  }
}

ChangeDiff::ChangeDiff(base::Arena& arena, const plans::ResourceChange& change,
                       const schema::ResourceSchema* schema, PathFilter relevant,
                       const SecretCopies* copies) {
  before_ = plain(arena, change.before, schema);
  after_ = plain(arena, change.after, schema);
  cover(arena, copies);
  DiffInput input{&before_, &after_};
  if (change.details) input.replace = PathFilter::of(change.details->replace_paths, false);
  input.relevant = std::move(relevant);
  diff_ = schema != nullptr ? diff_block(input, schema->block) : diff_dynamic(input);
}

void ChangeDiff::cover(base::Arena& arena, const SecretCopies* copies) {
  if (copies == nullptr) return;
  copies->cover(before_, arena);
  copies->cover(after_, arena);
}

ChangeDiff::ChangeDiff(base::Arena& arena, const plans::OutputChange& change,
                       const SecretCopies* copies) {
  before_ = plain_value(arena, change.before);
  after_ = plain_value(arena, change.after);
  // An output is sensitive as a whole or not at all.
  before_.sensitive = after_.sensitive = change.sensitive;
  cover(arena, copies);
  diff_ = diff_dynamic(DiffInput{&before_, &after_});
}

}  // namespace tofu::views
