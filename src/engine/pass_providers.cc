#include <fmt/format.h>
#include <utility>

#include "engine/pass.h"
#include "schema/layout.h"
#include "syntax/eval.h"

namespace tofu::engine {

using eval::ObjectId;
using value::Value;

addrs::AbsProviderConfig Pass::address_of_provider(ObjectId resource) const {
  return program().provider_address(*program().provider_configs[resource.index]);
}

namespace {

// Also when something is thrown: whoever waits would wait for ever.
struct LetIn {
  Gate& gate;
  ~LetIn() { gate.add_place(); }
};

}  // namespace

Async<bool> Pass::configure(ConfiguredProvider& configured, Value config, const syntax::Body* body,
                            diag::Diagnostics& diags) {
  const LetIn at_the_end{configured.configured};
  const std::string address = configured.address.to_string();
  providers::Provider& provider = *configured.provider;
  const Value plain = config.deep_unmarked();
  auto checked = co_await ask<providers::ConfigAnswer>(
      [&](auto done) { provider.validate_config(plain, std::move(done)); });
  report(checked.problems, body, address, diags);
  if (checked.has_errors()) co_return false;
  auto answer = co_await ask<providers::Answer>(
      [&](auto done) { provider.configure(plain, std::move(done)); });
  report(answer.problems, body, address, diags);
  configured.is_usable = !answer.has_errors();
  co_return configured.is_usable;
}

// An object of the state may need it before its row has ended, because it does not wait for it.
Async<ConfiguredProvider*> Pass::when_configured(ConfiguredProvider& provider) {
  const Gate::Place place = co_await provider.configured.enter();
  co_return provider.is_usable ? &provider : nullptr;
}

Async<void> Pass::provider(ObjectId row, diag::Diagnostics& diags) {
  if (!used_providers_[row.index]) co_return;
  const eval::Object& object = program().object(row);
  const auto& config = *std::get<const config::ProviderConfig*>(object.declaration);
  const config::TreeNode& node = program().node(object.module);
  const auto& body = program().row(row).body;
  if (!body) co_return;
  const addrs::AbsProviderConfig address = program().provider_address(row);
  // A module with provider configurations is called once, so it has one instance.
  const auto open = [&](addrs::InstanceKey key,
                        eval::Standing standing) -> Async<ConfiguredProvider*> {
    const addrs::AbsProviderInstance instance{address, std::move(key)};
    if (ConfiguredProvider* substitute = providers_.open_substitute(instance)) {
      co_return substitute;
    }
    const std::size_t before = diags.error_count();
    const eval::Names scope(evaluation_, std::move(standing));
    std::optional<Value> given;
    if (inputs_.substitutes != nullptr) given = inputs_.substitutes->configuration(instance, diags);
    Value evaluated = given ? std::move(*given) : body->evaluate(scope, diags);
    if (diags.error_count() != before) co_return nullptr;
    ConfiguredProvider* opened = providers_.open(instance, diags);
    if (opened != nullptr) {
      co_await configure(*opened, std::move(evaluated), &config.config, diags);
    }
    co_return opened;
  };
  if (config.for_each == nullptr) {
    configured_[row.index] = co_await open({}, eval::Standing(object.module, {0}));
    co_return;
  }
  const auto instances = node.provider_instances.find(config.key());
  if (instances == node.provider_instances.end()) co_return;
  for (const auto& [key, each_value] : instances->second) {
    eval::Standing standing(object.module, {0});
    standing.each_key = Value::string(key);
    standing.each_value = each_value;
    co_await open(addrs::InstanceKey(key), std::move(standing));
  }
}

// Where there is no configuration, as in the console, what the schema lists can be called: that
// is pure.
const syntax::Function* Pass::provider_function(ObjectId config, const std::string& name,
                                                const syntax::Function* listed) {
  ConfiguredProvider* provider = providers_.find({program().provider_address(config)});
  if (provider == nullptr || !provider->is_usable) return listed;
  return functions_.find(*provider, name, listed);
}

// The instance of `module`, or of one that calls it, in which `names` stands.
eval::Names Pass::names_around(const eval::Names& names, config::ModuleId module) const {
  config::ModuleId at = names.standing().module;
  eval::ModuleInstanceId instance = names.standing().instance;
  eval::Standing standing = names.standing();
  while (at != module) {
    const ModuleInstanceRow& row = cells_.instance(at, instance);
    at = *program().node(at).parent;
    instance = row.parent;
    standing = eval::Standing(at, instance);
    row.call->place(standing, row.position);
  }
  return names_at(std::move(standing));
}

// Null if and only if an error was added.
ConfiguredProvider* Pass::find_provider(ObjectId resource, const eval::Names& names,
                                        diag::Diagnostics& diags) {
  const auto key = program().provider_keys.find(resource);
  const bool has_key = key != program().provider_keys.end();
  if (!has_key) {
    const ObjectId config = *program().provider_configs[resource.index];
    if (ConfiguredProvider* found = configured_[config.index]) return found;
  }
  addrs::AbsProviderInstance address{address_of_provider(resource)};
  if (has_key) {
    const syntax::Expr& expr = *key->second.expr;
    const eval::Names scope = names_around(names, key->second.module);
    const auto given = syntax::evaluate(expr, &scope, diags);
    if (!given) return nullptr;
    const auto parsed = addrs::parse_instance_key(given->unmarked());
    if (!parsed) {
      diags.error("Invalid provider instance key")
          .detail(fmt::format("The key has to be known by now: {}.", parsed.error().what))
          .at(expr.range);
      return nullptr;
    }
    address.key = *parsed;
  }
  if (ConfiguredProvider* found = providers_.find(address)) return found;
  diags.error("Provider instance not present")
      .detail(fmt::format("{} needs the provider configuration {}, which there is not.",
                          resource_at(resource).address().to_string(), address.to_string()));
  return nullptr;
}

ConfiguredProvider* Pass::provider_of(ObjectId resource, const eval::Names& names,
                                      diag::Diagnostics& diags) {
  ConfiguredProvider* found = find_provider(resource, names, diags);
  if (found == nullptr || inputs_.substitutes == nullptr) return found;
  const addrs::ModulePath& module = program().node(program().object(resource).module).path;
  return substitute({module, resource_at(resource).address()}, *found);
}

ConfiguredProvider* Pass::substitute(const addrs::ConfigResource& resource,
                                     ConfiguredProvider& real) {
  if (inputs_.substitutes == nullptr) return &real;
  const std::lock_guard lock(substitutes_mutex_);
  const auto [place, is_new] = substitutes_.try_emplace({resource, &real});
  if (is_new) {
    if (auto made = inputs_.substitutes->for_resource(resource, real.address, *real.provider)) {
      place->second =
          std::make_unique<ConfiguredProvider>(real.address, std::move(made), executor_, true);
    }
  }
  return place->second == nullptr ? &real : place->second.get();
}

Async<ConfiguredProvider*> Pass::provider_for_state(const addrs::AbsProviderInstance& address,
                                                    addrs::AbsResourceInstance of,
                                                    diag::Diagnostics& diags) {
  const addrs::ConfigResource resource{of.module.path(), of.object.resource};
  if (ConfiguredProvider* found = providers_.find_for_state(address)) {
    ConfiguredProvider* ready = co_await when_configured(*found);
    co_return ready == nullptr ? nullptr : substitute(resource, *ready);
  }
  // The default configuration of a provider is there for everybody, as if written empty.
  if (address.config.alias.empty() && address.key.is_none()) {
    const Gate::Place alone = co_await opening_.enter();
    if (ConfiguredProvider* found = providers_.find_for_state(address)) {
      ConfiguredProvider* ready = co_await when_configured(*found);
      co_return ready == nullptr ? nullptr : substitute(resource, *ready);
    }
    const addrs::AbsProviderInstance in_root{{{}, address.config.provider}};
    if (ConfiguredProvider* made = providers_.open_substitute(in_root)) {
      co_return substitute(resource, *made);
    }
    ConfiguredProvider* opened = providers_.open(in_root, diags);
    if (opened == nullptr) co_return nullptr;
    schema::Layouts layouts;
    const schema::Layout& layout = layouts.of(opened->provider->schema().provider);
    std::vector<Value> parts;
    for (const schema::Part& part : layout.parts()) parts.push_back(part.absent);
    const bool went_well =
        co_await configure(*opened, layout.make(std::move(parts)), nullptr, diags);
    co_return went_well ? substitute(resource, *opened) : nullptr;
  }
  diags.error("Provider configuration not present")
      .detail(fmt::format(
          "{} was made with the provider configuration {}, which is not in the configuration any "
          "more. It is needed to work with the object: add it again, destroy the object, and "
          "then remove it.",
          of.to_string(), address.to_string()));
  co_return nullptr;
}

}  // namespace tofu::engine
