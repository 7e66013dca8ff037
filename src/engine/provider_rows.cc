#include "engine/provider_rows.h"

#include <fmt/format.h>
#include <utility>

#include "base/check.h"
#include "engine/program_rows.h"
#include "schema/layout.h"
#include "schema/prepared_body.h"
#include "syntax/eval.h"

namespace tofu::engine {

using eval::ObjectId;
using value::Value;

ProviderRows::ProviderRows(RunContext& run, const ActiveRows& rows, const state::State& state)
    : run_(run),
      rows_(rows),
      used_(rows.used_providers(state)),
      single_(run.program.objects.size()),
      ready_(run.program.objects.size()) {
  run.cells.set_functions(
      [this](ObjectId row, const std::string& name, const syntax::Function* listed) {
        return function(row, name, listed);
      });
}

tasks::Async<diag::Checked<ConfiguredProvider*>> ProviderRows::configure_one(
    ObjectId row, addrs::InstanceKey key, eval::InstanceScope scope, diag::Diagnostics& diags) {
  const addrs::AbsProviderInstance instance{run_.program.provider_address(row), std::move(key)};
  if (ConfiguredProvider* substitute = run_.providers.open_substitute(instance)) {
    co_return substitute;
  }
  const auto& block =
      *std::get<const config::ProviderConfig*>(run_.program.object(row).declaration);
  const Substitutes* substitutes = run_.inputs.substitutes;
  const std::size_t errors = diags.error_count();
  std::optional<Value> provided;
  if (substitutes != nullptr) provided = substitutes->configuration(instance, diags);
  Value config = provided
                     ? std::move(*provided)
                     : run_.program.row(row).body->evaluate(run_.scope(std::move(scope)), diags);
  if (diags.error_count() != errors) {
    run_.providers.fail(instance);
    co_return nullptr;
  }
  if (run_.deferrals != nullptr && !config.wholly_known() && defer_users(row)) {
    run_.providers.fail(instance);
    diags.error("Provider configuration is not known yet")
        .detail(fmt::format("The resources of {} are deferred.", instance.to_string()));
    co_return nullptr;
  }
  co_return co_await run_.providers.configure(instance, std::move(config), &block.config, diags);
}

// Whether something that takes part uses the configuration: it is left for a later run.
bool ProviderRows::defer_users(ObjectId row) const {
  bool has_users = false;
  for (std::uint32_t i = 0; i < run_.program.objects.size(); ++i) {
    const eval::Object& object = run_.program.objects[i];
    if (object.kind != eval::ObjectKind::Resource || !rows_.has({i})) continue;
    if (run_.program.provider_configs[i] != row) continue;
    const addrs::ConfigResource resource{run_.program.node(object.module).path,
                                         run_.resource({i}).address()};
    run_.deferrals->add(resource.to_string(), plans::DeferralReason::ProviderConfigUnknown);
    has_users = true;
  }
  return has_users;
}

tasks::Async<void> ProviderRows::configure(ObjectId row, diag::Diagnostics& diags) {
  if (!used_[row.index] || !run_.program.row(row).body) co_return;
  const eval::Object& object = run_.program.object(row);
  const auto& block = *std::get<const config::ProviderConfig*>(object.declaration);
  const std::size_t errors = diags.error_count();
  // A module with provider configurations is called once, so it has one instance.
  if (block.for_each == nullptr) {
    single_[row.index] =
        co_await configure_one(row, {}, eval::InstanceScope(object.module, {0}), diags);
    ready_[row.index] = diags.error_count() == errors;
    co_return;
  }
  const config::TreeNode& node = run_.program.node(object.module);
  const auto instances = node.provider_instances.find(block.key());
  if (instances == node.provider_instances.end()) co_return;
  for (const auto& [key, each_value] : instances->second) {
    eval::InstanceScope scope(object.module, {0});
    scope.each_key = Value::string(key);
    scope.each_value = each_value;
    (void)co_await configure_one(row, addrs::InstanceKey(key), std::move(scope), diags);
  }
  ready_[row.index] = diags.error_count() == errors;
}

// A function of the provider with this configuration; null if there is none. Where there is no
// configuration, as in the console, what the schema lists can be called: that is pure.
const syntax::Function* ProviderRows::function(ObjectId row, const std::string& name,
                                               const syntax::Function* listed) {
  ConfiguredProvider* provider = run_.providers.find({run_.program.provider_address(row)});
  return provider == nullptr ? listed : functions_.find(*provider, name, listed);
}

// The instance of `module`, or of one that calls it, in which `scope` stands.
eval::ModuleScope ProviderRows::scope_around(const eval::ModuleScope& scope,
                                             config::ModuleId module) const {
  config::ModuleId at = scope.instance_scope().module;
  eval::ModuleInstanceId instance = scope.instance_scope().instance;
  eval::InstanceScope around = scope.instance_scope();
  while (at != module) {
    const ModuleInstanceRow& row = run_.cells.instance(at, instance);
    at = *run_.program.node(at).parent;
    instance = row.parent;
    around = eval::InstanceScope(at, instance);
    row.call->place(around, row.position);
  }
  return run_.scope(std::move(around));
}

void ProviderRows::report_missing(ObjectId resource, const addrs::AbsProviderInstance& address,
                                  diag::Diagnostics& diags) const {
  const std::string name = run_.resource(resource).address().to_string();
  if (run_.providers.has_failed(address)) {
    diags.error("Provider configuration failed")
        .detail(fmt::format("{} requires provider configuration {}, which could not be configured. "
                            "See the error reported for it.",
                            name, address.to_string()));
    return;
  }
  diags.error("Provider instance not present")
      .detail(fmt::format("{} requires provider configuration {}, which does not exist.", name,
                          address.to_string()));
}

diag::Checked<ConfiguredProvider*> ProviderRows::find_keyed(ObjectId resource,
                                                            const eval::ProviderKey& key,
                                                            const eval::ModuleScope& scope,
                                                            diag::Diagnostics& diags) {
  const eval::ModuleScope around = scope_around(scope, key.module);
  const auto given = syntax::evaluate(*key.expr, &around, diags);
  if (!given) return nullptr;
  const auto parsed = addrs::parse_instance_key(given->unmarked());
  if (!parsed) {
    diags.error("Invalid provider instance key")
        .detail(fmt::format("The key must be known during planning: {}.", parsed.error().what))
        .at(key.expr->range);
    return nullptr;
  }
  const addrs::AbsProviderInstance address{run_.provider_address(resource), *parsed};
  if (ConfiguredProvider* found = run_.providers.find(address)) return found;
  report_missing(resource, address, diags);
  return nullptr;
}

diag::Checked<ConfiguredProvider*> ProviderRows::find(ObjectId resource,
                                                      const eval::ModuleScope& scope,
                                                      diag::Diagnostics& diags) {
  const auto key = run_.program.provider_keys.find(resource);
  if (key != run_.program.provider_keys.end()) {
    return find_keyed(resource, key->second, scope, diags);
  }
  const ObjectId config = *run_.program.provider_configs[resource.index];
  if (ConfiguredProvider* found = single_[config.index]) return found;
  const addrs::AbsProviderInstance address{run_.provider_address(resource)};
  report_missing(resource, address, diags);
  return nullptr;
}

diag::Checked<ConfiguredProvider*> ProviderRows::of_resource(
    ObjectId resource, const addrs::AbsResourceInstance& instance, const eval::ModuleScope& scope,
    diag::Diagnostics& diags) {
  ConfiguredProvider* found = find(resource, scope, diags);
  if (found == nullptr || run_.inputs.substitutes == nullptr) return found;
  return &run_.providers.substitute(instance, *found);
}

tasks::Async<ConfiguredProvider*> ProviderRows::of_stored(addrs::AbsProviderInstance address,
                                                          std::optional<ObjectId> row,
                                                          addrs::AbsResourceInstance object,
                                                          diag::Diagnostics& diags) {
  const addrs::AbsProviderConfig& config = address.config;
  ConfiguredProvider* found = nullptr;
  if (row) {
    TOFU_CHECK(used_[row->index] && rows_.has(*row),
               "the provider of an object that takes part does so, too");
    if (ready_[row->index] == 0) co_return nullptr;  // the error was reported with its block
    found = run_.providers.find({run_.program.provider_address(*row), address.key});
    if (found == nullptr) {
      diags.error("Provider instance not present")
          .detail(fmt::format(
              "{} was created with the provider configuration {}, which no longer has that "
              "instance. Restore the instance, destroy the object, and then remove the instance. "
              "If a resource and its provider have the same for_each, the provider must keep each "
              "key until the objects with that key are destroyed.",
              object.to_string(), address.to_string()));
    }
  } else if (config.module.is_root() && config.alias.empty() && address.key.is_none()) {
    found = co_await run_.providers.open_default(config.provider, diags);
  } else {
    diags.error("Provider configuration not present")
        .detail(fmt::format("{} was created with the provider configuration {}, which is no longer "
                            "in the configuration. Restore the provider block, destroy the object, "
                            "and then remove the block.",
                            object.to_string(), address.to_string()));
  }
  if (found == nullptr) co_return nullptr;
  co_return &run_.providers.substitute(object, *found);
}

// Worked out once for each module and provider, whatever the number of resources. All
// arguments of such a block are constants.
diag::Checked<Value> ProviderRows::meta(const addrs::AbsResourceInstance& object,
                                        const ConfiguredProvider& provider,
                                        diag::Diagnostics& diags) {
  const config::TreeNode* node = find_module(*run_.program.tree, object.module);
  if (node == nullptr || node->module->provider_metas.empty()) return Value::null();
  const addrs::Provider& to = provider.address().config.provider;
  const config::ProviderMeta* written = node->module->provider_metas.find(to.to_string());
  if (written == nullptr) return Value::null();
  const schema::ProviderSchema& schema = provider.provider().schema();
  if (!schema.has_provider_meta) {
    diags.error("Provider doesn't support provider_meta")
        .detail(fmt::format(
            "The provider {1} of {0} does not support provider_meta blocks. Remove the block.",
            object.to_string(), to.for_display()))
        .at(written->name_range);
    return std::nullopt;
  }
  const std::lock_guard lock(metas_mutex_);
  const auto known = metas_.find(written);
  if (known != metas_.end()) return known->second;
  schema::Layouts layouts;
  const schema::PreparedBody body(written->config, layouts.of(schema.provider_meta));
  const std::size_t before = diags.error_count();
  Value made = body.evaluate(run_.scope(node->id, {0}), diags);
  if (diags.error_count() != before) return std::nullopt;
  return metas_.emplace(written, made.deep_unmarked()).first->second;
}

}  // namespace tofu::engine
