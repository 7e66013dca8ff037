#include "views/change_diff.h"

#include <span>
#include <utility>

namespace tofu::views {

namespace {

PlainValue plain(base::Arena& arena, const value::Value& v, const schema::ResourceSchema* schema) {
  return schema != nullptr ? plain_value(arena, v, schema->block) : plain_value(arena, v);
}

}  // namespace

const schema::ResourceSchema* find_schema(const schema::ProviderSchemas& schemas,
                                          const addrs::Provider& provider,
                                          const addrs::Resource& resource) {
  const schema::ProviderSchema* all = schemas.find(provider.to_string());
  if (all == nullptr) return nullptr;
  const auto& types = resource.mode == addrs::ResourceMode::Managed ? all->resources
                      : resource.mode == addrs::ResourceMode::Data  ? all->data_sources
                                                                    : all->ephemeral_resources;
  const auto at = types.find(resource.type);
  return at == types.end() ? nullptr : &at->second;
}

const schema::ResourceSchema* SchemaLookup::find(plans::ResourceId resource) {
  if (resource.index >= found_.size()) found_.resize(addresses_.resource_count());
  auto& found = found_[resource.index];
  if (!found) {
    const plans::ResourceRow& row = addresses_[resource];
    found = find_schema(schemas_, row.provider, row.resource);
  }
  return *found;
}

ChangeDiff::ChangeDiff(const plans::ResourceChange& change, const schema::ResourceSchema* schema,
                       PathFilter relevant) {
  before_ = plain(arena_, change.before, schema);
  after_ = plain(arena_, change.after, schema);
  DiffInput input{&before_, &after_};
  if (change.details) input.replace = PathFilter::of(change.details->replace_paths, false);
  input.relevant = std::move(relevant);
  diff_ = schema != nullptr ? diff_block(input, schema->block) : diff_dynamic(input);
}

ChangeDiff::ChangeDiff(const plans::OutputChange& change) {
  before_ = plain_value(arena_, change.before);
  after_ = plain_value(arena_, change.after);
  // An output is sensitive as a whole or not at all.
  before_.sensitive = after_.sensitive = change.sensitive;
  diff_ = diff_dynamic(DiffInput{&before_, &after_});
}

}  // namespace tofu::views
