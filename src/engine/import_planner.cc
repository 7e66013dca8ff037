#include "engine/import_planner.h"

#include <fmt/format.h>
#include <memory>
#include <string>
#include <utility>

#include "base/counted.h"
#include "engine/answers.h"
#include "engine/changing.h"
#include "eval/imports.h"
#include "schema/generate_config.h"

namespace tofu::engine {

using value::Value;

void check_import_targets(const eval::Program& program, const PlanOptions& options,
                          diag::Diagnostics& diags) {
  if (options.mode != plans::Mode::Normal || options.generate_config || !options.imports.empty()) {
    return;
  }
  for (std::uint32_t row = 0; row < program.objects.size(); ++row) {
    const eval::Object& object = program.objects[row];
    if (object.kind != eval::ObjectKind::Import || program.import_targets.contains({row})) continue;
    diags.error("Configuration for import target does not exist")
        .detail(
            "The import target has no resource block. Add one, or generate it: tofu plan "
            "-generate-config-out=FILE")
        .at(std::get<const config::Import*>(object.declaration)->range);
  }
  program.tree->root().module->name_blocks(diags.items_from(0));
}

ImportPlanner::ImportPlanner(const PlanContext& plan, ObjectReader& reader, ProviderRows& providers,
                             PlanFindings& findings)
    : plan_(plan),
      run_(plan.run),
      reader_(reader),
      providers_(providers),
      findings_(findings),
      may_import_(plan.does_import() &&
                  (plan.only_imports() || !run_.program.tree->root().module->imports.empty())) {
  for (const ImportTarget& target : plan.options.imports) {
    ImportRequest requested;
    requested.from.id = target.id;
    imports_.emplace(target.address, std::move(requested));
  }
}

void ImportPlanner::evaluate(eval::ObjectId row, diag::Diagnostics& diags) {
  // A requested import is done alone.
  if (!plan_.does_import() || plan_.only_imports()) return;
  const eval::Object& object = run_.program.object(row);
  const auto& block = *std::get<const config::Import*>(object.declaration);
  const eval::ImportElements elements =
      eval::evaluate_import_elements(block, run_.scope(object.module, {0}), diags);
  if (!elements.known) {
    diags.error("Invalid import for_each argument")
        .detail("The objects to import must be known during planning.")
        .at(block.for_each->range);
    return;
  }
  for (const eval::InstanceScope& element : elements.standings) {
    const eval::ModuleScope scope = run_.scope(element);
    const auto target = eval::evaluate_import_target(block, scope, diags);
    if (!target) continue;
    auto from = source_of(block, row, target->object.resource, scope, diags);
    if (!from) continue;
    const bool is_declared = run_.program.import_targets.contains(row);
    add(*target, {&block, std::move(*from), row, is_declared}, diags);
  }
}

void ImportPlanner::add(const addrs::AbsResourceInstance& target, ImportRequest import,
                        diag::Diagnostics& diags) {
  const std::lock_guard lock(mutex_);
  const auto [place, is_new] = imports_.emplace(target, import);
  if (is_new) return;
  // Blocks may be read in any order. As in OpenTofu, the place is the first one.
  if (import.row < place->second.row) place->second = std::move(import);
  diags.error("Duplicate import configuration")
      .detail(fmt::format("{} is imported more than once: another import block, or another element "
                          "of this one, has the same target.",
                          target.to_string()))
      .at(place->second.block->range);
}

// What says which object is meant.
diag::Checked<plans::Importing> ImportPlanner::source_of(const config::Import& block,
                                                         eval::ObjectId row,
                                                         const addrs::Resource& resource,
                                                         const eval::ModuleScope& scope,
                                                         diag::Diagnostics& diags) const {
  const auto is_known = [&](const Value& v, std::string_view what, const syntax::Expr& expr) {
    if (v.wholly_known()) return true;
    diags.error(fmt::format("Invalid import {} argument", what))
        .detail(fmt::format("The {} is known only after apply.", what))
        .at(expr.range);
    return false;
  };
  if (block.identity == nullptr) {
    const auto id = eval::evaluate_import_id(block, scope, diags);
    if (!id || !is_known(*id, "id", *block.id)) return std::nullopt;
    return plans::Importing{std::string(id->unmarked().as_string()), {}};
  }
  const auto declared = run_.program.import_targets.find(row);
  const eval::ObjectId user =
      declared == run_.program.import_targets.end() ? row : declared->second;
  const addrs::Provider provider = run_.provider_address(user).provider;
  const auto type = eval::import_identity_type(run_.schemas.find(provider, resource), provider,
                                               resource.type, *block.identity, diags);
  if (!type) return std::nullopt;
  const auto identity = eval::evaluate_import_identity(block, *type, scope, diags);
  if (!identity || !is_known(*identity, "identity", *block.identity)) return std::nullopt;
  return plans::Importing{{}, *identity};
}

const ImportRequest* ImportPlanner::find(const addrs::AbsResourceInstance& address) const {
  if (!may_import_) return nullptr;
  const std::lock_guard lock(mutex_);  // import blocks of others may be evaluated now
  const auto found = imports_.find(address);
  return found == imports_.end() ? nullptr : &found->second;
}

void ImportPlanner::check_declared(const addrs::AbsResource& resource, const Expansion& declared) {
  if (!may_import_) return;
  const addrs::AbsResourceInstance first = addrs::instance_of(resource, {});
  const std::lock_guard lock(mutex_);
  for (auto at = imports_.lower_bound(first); at != imports_.end(); ++at) {
    if (addrs::resource_of(at->first) != resource) break;
    if (declared.find(at->first.object.key)) continue;
    problems_.error("Configuration for import target does not exist")
        .detail(fmt::format("The configuration has no instance {} to import an object into.",
                            at->first.to_string()))
        .at(at->second.place());
  }
}

tasks::Async<void> ImportPlanner::plan_undeclared(diag::Diagnostics& diags) {
  for (const auto& [address, import] : imports_) {
    if (import.is_declared || plan_.previous().object(address) != nullptr) continue;
    co_await plan_one(address, import, diags);
  }
}

tasks::Async<void> ImportPlanner::plan_one(const addrs::AbsResourceInstance& address,
                                           const ImportRequest& import, diag::Diagnostics& diags) {
  InstanceTask task;
  task.address = address;
  const addrs::AbsProviderConfig provider = run_.provider_address(import.row);
  const addrs::AbsProviderInstance instance{provider};
  ConfiguredProvider* found = co_await providers_.of_stored(
      instance, run_.program.provider_configs[import.row.index], address, diags);
  if (!set_provider(task, found, providers_, diags)) co_return;
  task.schema = run_.schemas.find(provider.provider, address.object.resource);
  if (task.schema == nullptr) {
    diags.error("Invalid resource type")
        .detail(fmt::format("The provider {} has no resource type {:?}.",
                            provider.provider.for_display(), address.object.resource.type))
        .at(import.block->range);
    co_return;
  }
  const schema::Block& block = task.schema->block;
  auto object = co_await read(task, import, diags);
  if (!object) co_return;
  auto config = co_await generate(task, object->value.deep_unmarked(), diags);
  if (!config) co_return;
  std::string provider_name;
  if (import.block->provider) provider_name = import.block->provider->to_string();
  // The arguments are what the block that is written says.
  config::Resource written;
  written.type = address.object.resource.type;
  written.name = address.object.resource.name;
  const schema::GeneratedResource generated{
      written.type, written.name, provider_name,
      task.provider->provider().capabilities().generates_config};
  const ChangeRequest wanted{
      address,
      written,
      *task.schema,
      run_.schemas.marks(block),
      run_.schemas.write_only(block),
      *task.provider,
      &*object,
      schema::generated_arguments(generated, block, *config, run_.scope({0}, {0}))};
  AskPlan ask_plan = ask_plan_of(task, run_.calls);
  auto planned = co_await plan_change(wanted, std::move(ask_plan), diags);
  if (!planned) co_return;
  findings_.record_object(task, *object, diags);
  plans::ResourceChange change = change_of(plan_, task, *planned, object->identity, &import.from);
  auto details = std::make_unique<plans::ChangeDetails>(*change.details);
  details->generated_config = schema::generated_config(generated, block, *config);
  change.details = std::move(details);
  findings_.add_change(task, std::move(change));
}

// The configuration of an object, as its provider generates it, or else the object.
tasks::Async<diag::Checked<Value>> ImportPlanner::generate(const InstanceTask& task, Value object,
                                                           diag::Diagnostics& diags) {
  providers::Provider& provider = task.provider->provider();
  if (!provider.capabilities().generates_config) co_return object;
  auto answer = co_await run_.calls.ask<providers::GenerateAnswer>([&](auto done) {
    provider.generate_config(task.address.object.resource.type, object, std::move(done));
  });
  report(answer.problems, nullptr, task.address.to_string(), diags);
  if (answer.has_errors()) co_return std::nullopt;
  if (!has_its_type({task.address, *task.provider, *task.schema}, answer.config, diags)) {
    co_return std::nullopt;
  }
  if (!answer.config.is_null()) co_return answer.config;
  diags.error("Provider produced invalid configuration")
      .detail(fmt::format("The provider {} generated no configuration for {}. This is a bug in the "
                          "provider.",
                          task.provider->address().config.provider.for_display(),
                          task.address.to_string()));
  co_return std::nullopt;
}

// Whether the answer is one object of the right type.
diag::Checked<void> ImportPlanner::check_imported(const InstanceTask& task,
                                                  const providers::ImportAnswer& answer,
                                                  diag::Diagnostics& diags) const {
  const std::string address = task.address.to_string();
  const std::string provider = task.provider->address().config.provider.for_display();
  if (answer.objects.size() != 1) {
    diags.error("Unexpected number of imported objects")
        .detail(
            fmt::format("The provider {0} returned {2} for the import of {1}; expected one object.",
                        provider, address, base::counted(answer.objects.size(), "object")));
    return false;
  }
  const providers::ImportedObject& imported = answer.objects.front();
  if (imported.type != task.address.object.resource.type) {
    diags.error("Invalid import response")
        .detail(fmt::format("The provider {0} returned an object of type {2:?} for the import of "
                            "{1}. This is a bug in the provider.",
                            provider, address, imported.type));
    return false;
  }
  return has_its_type({task.address, *task.provider, *task.schema}, imported.object, diags);
}

tasks::Async<diag::Checked<LiveObject>> ImportPlanner::read(const InstanceTask& task,
                                                            const ImportRequest& import,
                                                            diag::Diagnostics& diags) {
  if (plan_.minimal == nullptr) co_return co_await read_now(task, import, diags);
  diag::Checked<LiveObject> object = plan_.minimal->object(task.address, diags);
  if (object) co_return object;
  diag::Diagnostics own;
  object = co_await read_now(task, import, own);
  if (object) plan_.minimal->keep_object(task.address, *object, own);
  diags.take(std::move(own));
  co_return object;
}

tasks::Async<diag::Checked<LiveObject>> ImportPlanner::read_now(const InstanceTask& task,
                                                                const ImportRequest& import,
                                                                diag::Diagnostics& diags) {
  const plans::Subject subject{task.address};
  providers::ImportRequest request{task.address.object.resource.type, import.from.id,
                                   import.from.identity};
  auto answer = co_await run_.calls.ask<providers::ImportAnswer>([&](auto done) {
    run_.events.on(plans::ImportProgress{subject, plans::ImportStep::Preparing, import.from});
    task.provider->provider().import(std::move(request), std::move(done));
  });
  report(answer.problems, nullptr, task.address.to_string(), diags);
  if (answer.has_errors() || !check_imported(task, answer, diags)) co_return std::nullopt;
  LiveObject object;
  object.value = std::move(answer.objects.front().object);
  object.private_data = std::move(answer.objects.front().private_data);
  object.identity = std::move(answer.objects.front().identity);
  if (object.is_there()) {
    // What is wrong with an object that was never in the configuration stands nowhere in it.
    InstanceTask unplaced = task;
    unplaced.config = nullptr;
    const bool ok = co_await reader_.refresh(unplaced, object, diags);
    if (!ok) co_return std::nullopt;
  }
  if (!object.is_there()) {
    diags.error("Cannot import non-existent remote object")
        .detail(fmt::format(
            "The provider {} found no existing object to import as {}. Only existing objects can "
            "be imported; check the id or identity, and the provider's settings.",
            task.provider->address().config.provider.for_display(), task.address.to_string()));
    co_return std::nullopt;
  }
  co_return object;
}

}  // namespace tofu::engine
