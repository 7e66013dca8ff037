#include "documents/provider_keys.h"

#include "addrs/constraints_text.h"
#include "config/provider_requirements.h"

namespace tofu::documents {

namespace {

class Collector {
 public:
  Collector(const config::Tree& tree, bool whole) : tree_(tree), whole_(whole) {}

  void collect(config::ModuleId id);
  std::map<std::string, ProviderEntry> take() { return std::move(entries_); }

 private:
  void add_configured(const config::TreeNode& node);
  void add_required(const config::TreeNode& node);
  void add_implied(const config::TreeNode& node);
  void add_passed(const config::TreeNode& parent, const config::TreeNode& child);
  // The constraints of the module itself on a provider.
  std::string constraints_on(const addrs::Provider& provider) const;
  // The entry that `local` in the parent of `node` comes from in the end.
  std::string origin(std::string_view local, const addrs::ModulePath& parent,
                     const addrs::Provider& provider) const;
  std::string inherited(std::string_view local, const config::TreeNode& node,
                        const addrs::Provider& provider) const;

  const config::Tree& tree_;
  bool whole_;
  config::ProviderRequirements needed_;  // of the module that is being looked at
  std::map<std::string, ProviderEntry> entries_;
};

std::string Collector::constraints_on(const addrs::Provider& provider) const {
  const auto found = needed_.find(provider);
  return found == needed_.end() ? "" : addrs::constraints_text(found->second);
}

std::string Collector::origin(std::string_view local, const addrs::ModulePath& parent,
                              const addrs::Provider& provider) const {
  std::string last;
  std::string key = provider_key(local, parent);
  while (!key.empty()) {
    const auto found = entries_.find(key);
    if (found == entries_.end() || found->second.provider != provider) break;
    last = key;
    key = found->second.from;
  }
  return last;
}

std::string Collector::inherited(std::string_view local, const config::TreeNode& node,
                                 const addrs::Provider& provider) const {
  return node.parent ? origin(local, tree_.node(*node.parent).path, provider) : "";
}

void Collector::add_configured(const config::TreeNode& node) {
  for (const config::ProviderConfig& config : node.module->provider_configs) {
    const addrs::Provider provider = node.module->provider_for(config.name);
    entries_[provider_key(config.key(), node.path)] = {
        config.name, provider, config.alias, constraints_on(provider), node.path, &config};
  }
}

void Collector::add_required(const config::TreeNode& node) {
  for (const config::RequiredProvider& required : node.module->required_providers) {
    ProviderEntry entry{.name = required.name,
                        .provider = required.provider,
                        .constraints = constraints_on(required.provider),
                        .module = node.path};
    for (const config::ProviderAlias& alias : required.aliases) {
      entries_.try_emplace(provider_key(alias.name + "." + alias.alias, node.path), entry);
    }
    entry.from = inherited(required.name, node, required.provider);
    entries_.try_emplace(provider_key(required.name, node.path), std::move(entry));
  }
}

// Without a block and a requirement, only the type can be the local name.
void Collector::add_implied(const config::TreeNode& node) {
  for (const auto& [provider, constraints] : needed_) {
    entries_.try_emplace(provider_key(provider.type, node.path),
                         ProviderEntry{.name = provider.type,
                                       .provider = provider,
                                       .module = node.path,
                                       .from = inherited(provider.type, node, provider)});
  }
}

void Collector::add_passed(const config::TreeNode& parent, const config::TreeNode& child) {
  for (const config::PassedProvider& passed : child.call->providers) {
    const addrs::Provider provider = child.module->provider_for(passed.in_child.name);
    const std::string name = passed.in_child.to_string();
    entries_[provider_key(name, child.path)] = {
        .name = name,
        .provider = provider,
        .module = child.path,
        .from = origin(passed.in_parent.to_string(), parent.path, provider)};
  }
}

void Collector::collect(config::ModuleId id) {
  const config::TreeNode& node = tree_.node(id);
  needed_.clear();
  config::add_requirements(*node.module, needed_);
  add_configured(node);
  add_required(node);
  add_implied(node);
  if (!whole_) return;
  for (const auto& [name, child] : node.children) {
    add_passed(node, tree_.node(child));
    collect(child);
  }
}

}  // namespace

std::string provider_key(std::string_view local, const addrs::ModulePath& module) {
  if (module.is_root()) return std::string(local);
  std::string key = module.to_string();
  key.push_back(':');
  key += local;
  return key;
}

std::map<std::string, ProviderEntry> provider_entries(const config::Tree& tree, bool whole) {
  Collector collector(tree, whole);
  collector.collect({});
  return collector.take();
}

}  // namespace tofu::documents
