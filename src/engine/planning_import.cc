#include <fmt/format.h>
#include <utility>

#include "engine/answers.h"
#include "engine/changing.h"
#include "engine/planning.h"
#include "eval/imports.h"
#include "schema/generate_config.h"

namespace tofu::engine {

namespace {

using value::Value;

}  // namespace

void check_import_targets(const eval::Program& program, const PlanOptions& options,
                          diag::Diagnostics& diags) {
  if (options.mode != plans::Mode::Normal || options.generate_config || !options.imports.empty()) {
    return;
  }
  for (std::uint32_t row = 0; row < program.objects.size(); ++row) {
    const eval::Object& object = program.objects[row];
    if (object.kind != eval::ObjectKind::Import || program.import_targets.contains({row})) continue;
    diags.error("Import block target does not exist")
        .detail(
            "There is no resource block for what is imported. Write one, or have it written: "
            "tofu plan -generate-config-out=FILE")
        .at(std::get<const config::Import*>(object.declaration)->range);
  }
  program.tree->root().module->name_blocks(diags.items_from(0));
}

void Planning::import(eval::ObjectId row, diag::Diagnostics& diags) {
  // Whoever asks for an import gets that one alone.
  if (!does_import() || !options_.imports.empty()) return;
  const eval::Object& object = program().object(row);
  const auto& block = *std::get<const config::Import*>(object.declaration);
  const eval::ImportElements elements =
      eval::evaluate_import_elements(block, names(object.module, {0}), diags);
  if (!elements.known) {
    diags.error("Invalid import for_each argument")
        .detail("What is imported has to be known before anything is applied.")
        .at(block.for_each->range);
    return;
  }
  const bool is_declared = program().import_targets.contains(row);
  for (const eval::Standing& standing : elements.standings) {
    const eval::Names scope = names_at(standing);
    const auto target = eval::evaluate_import_target(block, scope, diags);
    if (!target) continue;
    auto from = imported_from(block, row, target->object.resource, scope, diags);
    if (!from) continue;
    Import made{&block, std::move(*from)};
    made.row = row;
    made.is_declared = is_declared;
    const std::lock_guard lock(mutex_);
    const auto [place, is_new] = imports_.emplace(*target, std::move(made));
    if (is_new) continue;
    diags.error("Duplicate import configuration")
        .detail(fmt::format("{} is imported by another import block already.", target->to_string()))
        .at(block.range);
  }
}

// What says which object is meant. Nothing if and only if an error was added.
std::optional<plans::Importing> Planning::imported_from(const config::Import& block,
                                                        eval::ObjectId row,
                                                        const addrs::Resource& resource,
                                                        const eval::Names& scope,
                                                        diag::Diagnostics& diags) const {
  const auto is_known = [&](const Value& v, std::string_view what, const syntax::Expr& expr) {
    if (v.wholly_known()) return true;
    diags.error(fmt::format("Invalid import {} argument", what))
        .detail(fmt::format("The {} is known only after something else was applied.", what))
        .at(expr.range);
    return false;
  };
  if (block.identity == nullptr) {
    const auto id = eval::evaluate_import_id(block, scope, diags);
    if (!id || !is_known(*id, "id", *block.id)) return std::nullopt;
    return plans::Importing{std::string(id->unmarked().as_string()), {}};
  }
  const auto declared = program().import_targets.find(row);
  const eval::ObjectId user = declared == program().import_targets.end() ? row : declared->second;
  const addrs::Provider provider = address_of_provider(user).provider;
  const auto type = eval::import_identity_type(find_schema(provider, resource), provider,
                                               resource.type, *block.identity, diags);
  if (!type) return std::nullopt;
  const auto identity = eval::evaluate_import_identity(block, *type, scope, diags);
  if (!identity || !is_known(*identity, "identity", *block.identity)) return std::nullopt;
  return plans::Importing{{}, *identity};
}

const Planning::Import* Planning::import_of(const addrs::AbsResourceInstance& address) const {
  if (!may_import_) return nullptr;
  const std::lock_guard lock(mutex_);  // import blocks of others may be evaluated now
  const auto found = imports_.find(address);
  return found == imports_.end() ? nullptr : &found->second;
}

// Reports imports of instances that are not declared.
void Planning::check_imports(const ResourcePart& part) {
  if (!may_import_) return;
  const addrs::AbsResourceInstance first = addrs::instance_of(part.address, {});
  const std::lock_guard lock(mutex_);
  for (auto at = imports_.lower_bound(first); at != imports_.end(); ++at) {
    if (addrs::resource_of(at->first) != part.address) break;
    if (part.cell->expansion.find(at->first.object.key)) continue;
    import_problems_.error("Configuration for import target does not exist")
        .detail(fmt::format("There is no instance {} in the configuration that an object could "
                            "be imported into.",
                            at->first.to_string()))
        .at(at->second.place());
  }
}

// Imports that no resource block describes: one is written for each.
Async<void> Planning::import_undeclared(diag::Diagnostics& diags) {
  for (const auto& [address, import] : imports_) {
    if (import.is_declared || previous().object(address) != nullptr) continue;
    co_await import_undeclared_one(address, import, diags);
  }
}

Async<void> Planning::import_undeclared_one(const addrs::AbsResourceInstance& address,
                                            const Import& import, diag::Diagnostics& diags) {
  InstanceTask task;
  task.address = address;
  const addrs::AbsProviderConfig provider = address_of_provider(import.row);
  const addrs::AbsProviderInstance instance{provider};
  ConfiguredProvider* found = co_await provider_for_state(instance, address, diags);
  if (!set_provider(task, found, diags)) co_return;
  task.schema = find_schema(provider.provider, address.object.resource);
  if (task.schema == nullptr) {
    diags.error("Invalid resource type")
        .detail(fmt::format("The provider {} has no resource type {:?}.",
                            provider.provider.for_display(), address.object.resource.type))
        .at(import.block->range);
    co_return;
  }
  auto object = co_await import_object(task, import, diags);
  if (!object) co_return;
  const value::Value plain = object->value.deep_unmarked();
  std::string provider_name;
  if (import.block->provider) provider_name = import.block->provider->to_string();
  // The arguments are what the block that is written says.
  config::Resource written;
  written.type = address.object.resource.type;
  written.name = address.object.resource.name;
  const Wanted wanted{address,
                      written,
                      *task.schema,
                      schema_marks(task.schema->block),
                      write_only(task.schema->block),
                      *task.provider,
                      &*object,
                      schema::configurable_part(task.schema->block, plain)};
  AskPlan ask_plan = ask_plan_of(task);
  auto planned = co_await plan_change(wanted, std::move(ask_plan), diags);
  if (!planned) co_return;
  note_object(task, *object, diags);
  plans::ResourceChange change = change_as(task, *planned);
  set_ids(change, task);
  add_details(change, *planned, task, object->identity, &import.from);
  auto details = std::make_unique<plans::ChangeDetails>(*change.details);
  details->generated_config = schema::generated_config({written.type, written.name, provider_name},
                                                       task.schema->block, plain);
  change.details = std::move(details);
  findings_.changes.push_back(std::move(change));
}

// Nothing if and only if an error was added.
Async<std::optional<LiveObject>> Planning::import_object(const InstanceTask& task,
                                                         const Import& import,
                                                         diag::Diagnostics& diags) {
  const std::string address = task.address.to_string();
  const plans::Subject subject{task.address};
  inputs_.events.on(plans::ImportProgress{subject, plans::ImportStep::Preparing, import.from});
  providers::ImportRequest request{task.address.object.resource.type, import.from.id,
                                   import.from.identity};
  auto answer = co_await ask<providers::ImportAnswer>(
      [&](auto done) { task.provider->provider->import(std::move(request), std::move(done)); });
  report(answer.problems, nullptr, address, diags);
  if (answer.has_errors()) co_return std::nullopt;
  if (answer.objects.size() != 1) {
    diags.error("Unexpected number of imported objects")
        .detail(fmt::format("The provider {} answered the import of {} with {} objects; one was "
                            "expected.",
                            task.provider->address.config.provider.for_display(), address,
                            answer.objects.size()));
    co_return std::nullopt;
  }
  const providers::ImportedObject& imported = answer.objects.front();
  if (imported.type != task.address.object.resource.type) {
    diags.error("Import of another resource type")
        .detail(fmt::format("The provider {} answered the import of {} with an object of the type "
                            "{:?}. This is a bug in the provider.",
                            task.provider->address.config.provider.for_display(), address,
                            imported.type));
    co_return std::nullopt;
  }
  const AnswerAbout about{task.address, *task.provider, *task.schema};
  if (!has_its_type(about, imported.object, diags)) co_return std::nullopt;
  LiveObject object;
  object.value = std::move(answer.objects.front().object);
  object.private_data = std::move(answer.objects.front().private_data);
  object.identity = std::move(answer.objects.front().identity);
  if (object.is_there()) {
    // What is wrong with an object that was never in the configuration stands nowhere in it.
    InstanceTask unplaced = task;
    unplaced.config = nullptr;
    const bool went_well = co_await refresh(unplaced, object, diags);
    if (!went_well) co_return std::nullopt;
  }
  if (!object.is_there()) {
    diags.error("Cannot import non-existent remote object")
        .detail(fmt::format("The provider {} found no object that could become {}. Only objects "
                            "that exist can be imported; check the id or identity, and the "
                            "provider's settings.",
                            task.provider->address.config.provider.for_display(), address));
    co_return std::nullopt;
  }
  co_return object;
}

}  // namespace tofu::engine
