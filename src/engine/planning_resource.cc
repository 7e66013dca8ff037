#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "base/check.h"
#include "engine/changing.h"
#include "engine/lifecycle.h"
#include "engine/planning.h"
#include "eval/validation.h"
#include "schema/consistency.h"
#include "schema/marks.h"
#include "schema/proposed.h"
#include "syntax/eval.h"
#include "value/operations.h"

namespace tofu::engine {

namespace {

using addrs::CheckRuleKind;
using eval::ObjectId;
using plans::Action;
using plans::ActionReason;
using value::Value;

void merge(std::vector<addrs::ConfigResource>& into,
           const std::vector<addrs::ConfigResource>& more) {
  for (const addrs::ConfigResource& one : more) {
    if (std::ranges::find(into, one) == into.end()) into.push_back(one);
  }
}

}  // namespace

ResourcePart& Planning::open_part(ObjectId row, eval::ModuleInstanceId module,
                                  Expansion expansion) {
  auto part = std::make_unique<ResourcePart>();
  part->row = row;
  part->module = module;
  part->address = address_of(row, module);
  part->stored = previous().resource(part->address);
  part->cell = &cells_.open_resource(row, module, std::move(expansion));
  part->filter = targeting_.instances_of(row, part->address);
  part->instances.resize(part->cell->expansion.size());
  part->schema = schema_of(row);
  auto& place = parts_[row.index][module.index];
  place = std::move(part);
  return *place;
}

Async<bool> Planning::resource(ObjectId row, diag::Diagnostics& diags) {
  const eval::Object& object = program().object(row);
  const config::Resource& config = resource_at(row);
  const std::size_t modules = cells_.instances(object.module).size();
  parts_[row.index].resize(modules);
  const bool is_ephemeral = config.mode == addrs::ResourceMode::Ephemeral;
  if (options_.mode == plans::Mode::Destroy && !is_ephemeral) {
    for (std::uint32_t module = 0; module < modules; ++module) show_stored(row, {module});
    co_return true;
  }
  const bool is_managed = config.mode == addrs::ResourceMode::Managed;
  std::optional<std::vector<addrs::ConfigResource>> dependencies;
  const auto waits_for = is_managed ? std::vector<ObjectId>() : facts_.pending_before(row);
  for (std::uint32_t module = 0; module < modules; ++module) {
    const eval::Names scope = names(object.module, {module});
    auto expansion = expand(config.repetition, scope, diags);
    if (!expansion) continue;
    ResourcePart& part = open_part(row, {module}, std::move(*expansion));
    if (is_managed && (part.stored != nullptr || may_import_)) {
      if (!dependencies) dependencies = facts_.dependencies(row);
      part.dependencies = &*dependencies;
    }
    part.waits_for = &waits_for;
    part.has_pending = has_pending_changes(part);  // once for all instances
    check_imports(part);
    check_replace(part, diags);
    co_await for_each(
        part.instances.size(),
        [&](std::size_t i, diag::Diagnostics& own) { return declared_instance(part, i, own); },
        diags);
    part.dependencies = nullptr;
    part.waits_for = nullptr;
    part.is_changing =
        std::ranges::any_of(part.instances, [](const ResourcePart::Instance& instance) {
          return instance.change.action != Action::NoOp;
        });
    show_what_exists(part);
    if (part.stored != nullptr) co_await undeclared_instances(part, diags);
  }
  if (has_conditions(config)) {
    checks_.expanded(addrs::ConfigResource{program().node(object.module).path, config.address()});
  }
  co_return !diags.has_errors();
}

// Warns of a -replace without a key for a resource whose instances have keys.
void Planning::check_replace(const ResourcePart& part, diag::Diagnostics& diags) const {
  if (replace_.empty() || !replace_.contains(addrs::instance_of(part.address, {}))) return;
  const Expansion& expansion = part.cell->expansion;
  if (expansion.find(addrs::InstanceKey())) return;
  constexpr std::size_t kShown = 10;
  std::string options;
  for (std::size_t i = 0; i < std::min(expansion.size(), kShown); ++i) {
    const auto instance = addrs::instance_of(part.address, expansion.key(i)).to_string();
    options += fmt::format("\n  -replace={:?}", instance);
  }
  if (expansion.size() > kShown) options += "\n  ...";
  const std::string detail =
      options.empty() ? std::string("The resource has no instances.")
                      : "Its instances have keys. To replace some of them, name these:" + options;
  diags.warning("Nothing to replace")
      .detail(fmt::format("The option -replace={} matches no instance. {}",
                          part.address.to_string(), detail));
}

// What the configuration says about the end of an object that is imported and stays as it is.
// OpenTofu stores that with what the object depends on; without any, its next plan does.
void Planning::keep_lifecycle(const ResourcePart& part, LiveObject& object) const {
  if (options_.refresh && part.dependencies->empty()) return;
  object.create_before_destroy = facts_.creates_first(part.row);
  object.skip_destroy = keeps_objects(resource_at(part.row));
}

InstanceTask Planning::task_of(const ResourcePart& part, const addrs::InstanceKey& key) const {
  InstanceTask task;
  task.address = addrs::instance_of(part.address, key);
  task.schema = part.schema;
  task.config = &resource_at(part.row);
  if (part.stored != nullptr) {
    const state::Instance* instance = part.stored->find(key);
    task.stored = instance == nullptr ? nullptr : instance->current();
  }
  return task;
}

Async<void> Planning::declared_instance(ResourcePart& part, std::size_t position,
                                        diag::Diagnostics& diags) {
  switch (part.address.object.mode) {
    case addrs::ResourceMode::Managed: return managed_instance(part, position, diags);
    case addrs::ResourceMode::Data: return data_instance(part, position, diags);
    case addrs::ResourceMode::Ephemeral: return ephemeral_instance(part, position, diags);
  }
  base::broken_promise("a resource without a mode");
}

// The object that a declared instance has: stored, or imported now. Nothing if and only if
// an error was added.
Async<std::optional<Planning::ExistingObject>> Planning::find_object(const ResourcePart& part,
                                                                     const InstanceTask& task,
                                                                     const Import* importing,
                                                                     diag::Diagnostics& diags) {
  ExistingObject found;
  if (importing != nullptr) {
    found.now = co_await import_object(task, *importing, diags);
    if (!found.now) co_return std::nullopt;
  }
  if (task.stored == nullptr) co_return found;
  found.stored = co_await read_stored(task, diags);
  if (!found.stored) co_return std::nullopt;
  found.now = found.stored;
  found.now->create_before_destroy = facts_.creates_first(part.row);
  found.now->skip_destroy = keeps_objects(*task.config);
  if (!options_.refresh) co_return found;
  const bool went_well = co_await refresh(task, *found.now, diags);
  if (!went_well) co_return std::nullopt;
  std::vector<addrs::ConfigResource> merged = *part.dependencies;
  merge(merged, found.now->dependencies);
  std::ranges::sort(merged, {}, [](const auto& one) { return one.to_string(); });
  found.now->dependencies = std::move(merged);
  co_return found;
}

// Whether nothing ephemeral is in what is kept of an object. Mistakes that depend on no value
// were found when the configuration was validated. False if and only if an error was added.
bool Planning::are_kept_well(const Value& arguments, const InstanceTask& task,
                             diag::Diagnostics& diags) const {
  if (!arguments.deep_marks().is_ephemeral()) return true;
  const std::size_t before = diags.error_count();
  eval::check_ephemeral(arguments, task.schema->block, task.config->config,
                        task.address.to_string(), diags);
  return diags.error_count() == before;
}

bool Planning::judge_before(const InstanceTask& task, const eval::Names& scope,
                            diag::Diagnostics& diags) {
  return judge({task.config->preconditions, CheckRuleKind::ResourcePrecondition,
                addrs::Checkable(task.address), rule_severity()},
               scope, diags);
}

void Planning::judge_after(const InstanceTask& task, const eval::Standing& standing, const Value& v,
                           diag::Diagnostics& diags) {
  if (task.config->postconditions.empty()) return;
  eval::Standing after = standing;
  after.self = task.config;
  after.self_value = v;
  judge({task.config->postconditions, CheckRuleKind::ResourcePostcondition,
         addrs::Checkable(task.address), rule_severity()},
        names_at(std::move(after)), diags);
}

// The evaluated block, in which the provider finds nothing wrong. Nothing if and only if an
// error was added.
Async<std::optional<Value>> Planning::valid_arguments(const ResourcePart& part,
                                                      const InstanceTask& task,
                                                      const eval::Names& scope,
                                                      diag::Diagnostics& diags) {
  Value arguments = program().row(part.row).body->evaluate(scope, diags);
  if (diags.has_errors() || !are_kept_well(arguments, task, diags)) co_return std::nullopt;
  auto valid = co_await ask<providers::Answer>(*task.provider, [&](auto done) {
    task.provider->provider->validate_resource(task.config->type, arguments.deep_unmarked(),
                                               std::move(done));
  });
  if (valid.problems.empty()) co_return arguments;
  report(valid.problems, &task.config->config, task.address.to_string(), diags);
  if (valid.has_errors()) co_return std::nullopt;
  co_return arguments;
}

Async<void> Planning::managed_instance(ResourcePart& part, std::size_t position,
                                       diag::Diagnostics& diags) {
  const config::Resource& config = resource_at(part.row);
  const eval::Standing standing = standing_at(part, position);
  const eval::Names scope = names_at(standing);
  InstanceTask task = task_of(part, part.cell->expansion.key(position));
  if (!part.filter.includes(task.address.object.key)) {
    co_return leave_as_it_is(part, position, task);
  }
  if (!set_provider(task, provider_of(part.row, scope, diags), diags)) co_return;

  const Import* importing = task.stored == nullptr ? import_of(task.address) : nullptr;
  auto found = co_await find_object(part, task, importing, diags);
  if (!found) co_return;
  std::optional<LiveObject>& prior = found->now;
  std::optional<LiveObject>& stored = found->stored;
  const bool exists = prior && prior->is_there();

  // Whoever asks for an import wants to have the object, and nothing to be planned for it.
  if (importing != nullptr && importing->block == nullptr) {
    note_object(task, *prior, diags);
    co_return set_value(part, position, prior->value);
  }
  if (options_.mode == plans::Mode::RefreshOnly) {
    if (stored) note_found(task, *stored, *prior, diags);
    judge_before(task, scope, diags);
    if (exists) set_value(part, position, prior->value);
    co_return judge_after(task, standing, part.cell->values[position], diags);
  }

  const bool is_triggered = triggers(part, scope, diags);
  if (diags.has_errors()) co_return;
  if (has_conditions(config) && !judge_before(task, scope, diags)) co_return;
  auto arguments = co_await valid_arguments(part, task, scope, diags);
  if (!arguments) co_return;
  // An object that is new to us is as sensitive as what its block says.
  if (importing != nullptr) {
    prior->value = schema::mark(prior->value, schema::unmark(*arguments).marks);
  }
  const BlockFacts& facts = facts_of(part.schema->block);
  const Wanted wanted{task.address,
                      config,
                      *part.schema,
                      facts.marks,
                      facts.write_only,
                      *task.provider,
                      exists ? &*prior : nullptr,
                      std::move(*arguments),
                      facts_.creates_first(part.row),
                      replace_.contains(task.address),
                      is_triggered};
  AskPlan ask_plan = ask_plan_of(task);
  auto planned = co_await plan_change(wanted, std::move(ask_plan), diags);
  if (!planned) co_return;
  if (planned->action == Action::NoOp && prior) {
    prior->dependencies = *part.dependencies;
    if (importing != nullptr) keep_lifecycle(part, *prior);
  }
  if (stored) note_found(task, *stored, *prior, diags);
  if (importing != nullptr) note_object(task, *prior, diags);

  plans::ResourceChange change = change_as(task, *planned);
  add_details(change, *planned, task, exists ? prior->identity : Value(),
              importing == nullptr ? nullptr : &importing->from);
  note_change(part, position, task, std::move(change));
  set_value(part, position, planned->after);
  const eval::Names around = names(program().object(part.row).module, part.module);
  check_prevent_destroy(config, wanted.address, planned->action, around, diags);
  if (!diags.has_errors()) judge_after(task, standing, planned->after, diags);
}

void Planning::set_value(ResourcePart& part, std::size_t position, Value v) {
  part.cell->values[position] = std::move(v);
  part.instances[position].exists = true;
}

// Where only a part is planned, or nothing, expressions see the objects there are, also
// those that are not declared any more.
void Planning::show_what_exists(ResourcePart& part) {
  if (options_.mode == plans::Mode::Normal && part.filter.is_all()) return;
  std::vector<ExistingInstance> instances;
  const Expansion& declared = part.cell->expansion;
  for (std::size_t i = 0; i < declared.size(); ++i) {
    if (part.instances[i].exists) instances.push_back({declared.key(i), part.cell->values[i]});
  }
  if (part.stored != nullptr) {
    part.stored->for_each([&](const state::Instance& instance) {
      if (instance.current() == nullptr || declared.find(instance.key())) return;
      if (options_.mode == plans::Mode::Normal && part.filter.includes(instance.key())) return;
      instances.push_back({instance.key(), stored_value(*instance.current(), *part.schema)});
    });
  }
  part.cell->seen = see_existing(resource_at(part.row).repetition, std::move(instances),
                                 type_of(part.stored == nullptr ? nullptr : part.schema));
}

// For whoever needs a resource that is going to be destroyed: it is as the state has it.
void Planning::show_stored(ObjectId row, eval::ModuleInstanceId module) {
  const addrs::AbsResource address = address_of(row, module);
  const schema::ResourceSchema* schema = schema_of(row);
  std::vector<ExistingInstance> instances;
  const state::Resource* stored = previous().resource(address);
  if (stored != nullptr && schema != nullptr) {
    stored->for_each([&](const state::Instance& instance) {
      if (instance.current() == nullptr) return;
      instances.push_back({instance.key(), stored_value(*instance.current(), *schema)});
    });
  }
  cells_.open_resource(row, module, Expansion()).seen =
      see_existing(resource_at(row).repetition, std::move(instances),
                   type_of(stored == nullptr ? nullptr : schema));
}

// What is going to be read anew is not known from before.
void Planning::forget_stored(const InstanceTask& task) {
  if (task.stored == nullptr) return;
  const std::lock_guard lock(mutex_);
  findings_.prior.push_back({task.address, {}, task.provider->address, state::Object()});
}

bool Planning::has_pending_changes(const ResourcePart& part) const {
  const auto is_changing = [](const std::unique_ptr<ResourcePart>& needed) {
    return needed && needed->is_changing;
  };
  for (const ObjectId other : *part.waits_for) {
    const auto& needed = parts_[other.index];
    if (program().object(other).module != program().object(part.row).module) {
      if (std::ranges::any_of(needed, is_changing)) return true;
    } else if (part.module.index < needed.size() && is_changing(needed[part.module.index])) {
      return true;
    }
  }
  return false;
}

}  // namespace tofu::engine
