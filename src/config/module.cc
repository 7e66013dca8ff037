#include "config/module.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "syntax/block_around.h"

namespace tofu::config {

std::string_view Resource::provider_name() const {
  if (provider) return provider->name;
  // As addrs::Resource::implied_provider(), without making an address.
  return std::string_view(type).substr(0, type.find('_'));
}

bool is_empty(const ProviderConfig& config) {
  diag::Diagnostics problems;
  config.config.content({}, problems);
  return !problems.has_errors() && !config.version;
}

addrs::Provider Module::provider_for(std::string_view local_name) const {
  if (const RequiredProvider* required = required_providers.find(local_name)) {
    return required->provider;
  }
  return addrs::implied_provider(std::string(local_name));
}

std::string Module::local_name_of(const addrs::Provider& provider) const {
  for (const RequiredProvider& required : required_providers) {
    if (required.provider == provider) return required.name;
  }
  return provider.type;
}

base::Named<Resource>& Module::resources(addrs::ResourceMode mode) {
  switch (mode) {
    case addrs::ResourceMode::Managed: return managed_resources;
    case addrs::ResourceMode::Data: return data_resources;
    case addrs::ResourceMode::Ephemeral: return ephemeral_resources;
  }
  base::broken_promise("resource mode out of range");
}

const base::Named<Resource>& Module::resources(addrs::ResourceMode mode) const {
  switch (mode) {
    case addrs::ResourceMode::Managed: return managed_resources;
    case addrs::ResourceMode::Data: return data_resources;
    case addrs::ResourceMode::Ephemeral: return ephemeral_resources;
  }
  base::broken_promise("resource mode out of range");
}

std::string Module::resource_key(std::string_view type, std::string_view name) {
  std::string key;
  key.reserve(type.size() + 1 + name.size());
  key.append(type).append(".").append(name);
  return key;
}

const Resource* Module::resource(const addrs::Resource& address) const {
  return resources(address.mode).find(resource_key(address.type, address.name));
}

std::string Module::block_around(diag::SourceRange place) const {
  if (const auto piece = pieces_.find(place.file.index); piece != pieces_.end()) {
    place = piece->second;
  }
  const auto file = files_by_id_.find(place.file.index);
  return file == files_by_id_.end() ? std::string() : syntax::block_around(*file->second, place);
}

void Module::name_blocks(std::span<diag::Diagnostic> diagnostics) const {
  for (diag::Diagnostic& diagnostic : diagnostics) {
    if (diagnostic.in.empty() && diagnostic.subject) {
      diagnostic.in = block_around(*diagnostic.subject);
    }
  }
}

bool Module::feature_enabled(features::Feature feature) const {
  return active_features.has(feature);
}

bool Module::has_any_managed_resource_of_type(std::string_view type) const {
  return managed_types_.contains(type);
}

bool Module::has_managed_resource(std::string_view type, std::string_view name) const {
  std::string key(type);
  key += '.';
  key += name;
  return managed_resources.find(key) != nullptr;
}

const syntax::File& Module::keep(std::unique_ptr<syntax::File> file,
                                 std::optional<diag::SourceRange> part_of) {
  files_.push_back(std::move(file));
  const syntax::File& kept = *files_.back();
  if (part_of) {
    pieces_.emplace(kept.id.index, *part_of);
  } else {
    files_by_id_.emplace(kept.id.index, &kept);
  }
  return kept;
}

void Module::keep_literals_forever() const {
  for (const auto& file : files_) file->constants.make_immortal();
  scratch_->constants.make_immortal();
}

}  // namespace tofu::config
