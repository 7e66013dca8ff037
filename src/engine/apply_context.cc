#include "engine/apply_context.h"

#include <optional>
#include <utility>

#include "engine/lifecycle.h"
#include "engine/order.h"
#include "engine/program_rows.h"
#include "engine/targets.h"

namespace tofu::engine {

const plans::ResourceChange* ResourceChanges::find(const addrs::InstanceKey& key) const {
  const auto found = current.find(key);
  return found == current.end() ? nullptr : found->second;
}

namespace {

// A resource in one instance of its module, as one number.
std::uint64_t place_of(eval::ObjectId row, plans::ModuleId module) {
  return std::uint64_t{row.index} << 32 | module.index;
}

}  // namespace

PlannedChanges::PlannedChanges(const RunContext& run, const plans::Plan& plan,
                               std::vector<plans::ResourceChange>* consumed)
    : program_(run.program), plan_(plan), consumed_(consumed), modules_(run, plan) {
  by_row_.reserve(plan.addresses.resource_count());
  for (std::uint32_t i = 0; i < plan.addresses.resource_count(); ++i) {
    const auto next = static_cast<std::uint32_t>(groups_.size());
    std::uint32_t group = next;
    if (const auto row = row_at(plan.rows.resources[i])) {
      const plans::ModuleId module = plan.addresses[plans::ResourceId{i}].module;
      group = by_row_.try_emplace(place_of(*row, module), next).first->second;
    }
    if (group == next) groups_.emplace_back();
    group_of_.push_back(group);
  }
  for (const plans::ResourceChange& change : plan.changes) {
    ResourceChanges& changes = groups_[group_of_[change.resource.index]];
    if (change.deposed().empty()) changes.current.emplace(change.key, &change);
  }
}

const ResourceChanges* PlannedChanges::of(eval::ObjectId row, eval::ModuleInstanceId module) const {
  const auto id = modules_.id_of(program_.object(row).module, module);
  if (!id) return nullptr;
  const auto found = by_row_.find(place_of(row, *id));
  return found == by_row_.end() ? nullptr : &groups_[found->second];
}

// The change as it can be written to.
plans::ResourceChange& PlannedChanges::consumed(const plans::ResourceChange& change) const {
  return (*consumed_)[static_cast<std::size_t>(&change - plan_.changes.data())];
}

void PlannedChanges::release_after(const plans::ResourceChange& change) const {
  if (are_consumed()) consumed(change).after = {};
}

void PlannedChanges::release_before(const plans::ResourceChange& change) const {
  if (are_consumed()) consumed(change).before = {};
}

PlannedModules::PlannedModules(const RunContext& run, const plans::Plan& plan)
    : run_(run),
      plan_(plan),
      modules_(run.program.modules.size()),
      instances_(plan.addresses.module_count()) {
  for (std::uint32_t i = 0; i < plan.rows.modules.size(); ++i) {
    const std::uint32_t module = plan.rows.modules[i];
    if (module != plans::BoundRows::kNone) modules_[module].named.push_back({i});
  }
}

const PlannedModules::Known& PlannedModules::known(config::ModuleId module) const {
  Known& known = modules_[module.index];
  known.once.call([&] {
    known.ids.resize(run_.cells.instances(module).size());
    for (const plans::ModuleId id : known.named) {
      const auto instance = run_.cells.find(plan_.addresses[id]);
      if (!instance) continue;
      instances_[id.index] = instance;
      known.ids[instance->index] = id;
    }
  });
  return known;
}

std::optional<plans::ModuleId> PlannedModules::id_of(config::ModuleId module,
                                                     eval::ModuleInstanceId instance) const {
  return known(module).ids[instance.index];
}

std::optional<eval::ModuleInstanceId> PlannedModules::instance_of(plans::ModuleId id) const {
  const std::uint32_t module = plan_.rows.modules[id.index];
  if (module == plans::BoundRows::kNone) return std::nullopt;
  (void)known({module});
  return instances_[id.index];
}

std::optional<LiveObject> stored_object(const ApplyContext& apply, const InstanceTask& task) {
  const state::Object* object = apply.prior().object(task.address, task.deposed_key);
  if (object == nullptr) return std::nullopt;
  LiveObject stored = without_value(object->fields_but_attributes());
  stored.value = task.change->before;
  if (task.change->details) stored.identity = task.change->details->identity_before;
  return stored;
}

namespace {

using eval::ObjectId;
using eval::ObjectKind;
using plans::Action;

// The rows of the resources that have a change which `matches`, each once.
template <class Matches>
std::vector<std::uint32_t> rows_with(const plans::Plan& plan, Matches matches) {
  std::vector<std::uint32_t> rows;
  std::vector<bool> seen(plan.addresses.resource_count());  // instances share their row
  for (const plans::ResourceChange& change : plan.changes) {
    if (!matches(change.action) || seen[change.resource.index]) continue;
    seen[change.resource.index] = true;
    if (const auto row = row_at(plan.rows.resources[change.resource.index])) {
      rows.push_back(row->index);
    }
  }
  return rows;
}

std::vector<bool> find_work(const RunContext& run, const plans::Plan& plan) {
  std::vector<bool> works(run.program.objects.size());
  for (const plans::ResourceChange& change : plan.changes) {
    const auto provider = row_at(plan.rows.providers[change.provider.index]);
    if (provider && destroys(change.action)) works[provider->index] = true;
    if (!change.deposed().empty()) continue;
    if (change.action == Action::Delete || change.action == Action::Forget) continue;
    const auto row = row_at(plan.rows.resources[change.resource.index]);
    if (!row) continue;
    if (change.action != Action::NoOp || has_conditions(run.resource(*row))) {
      works[row->index] = true;
    }
  }
  for (std::uint32_t row = 0; row < works.size(); ++row) {
    if (run.program.objects[row].kind != ObjectKind::Resource) continue;
    if (run.resource({row}).mode == addrs::ResourceMode::Ephemeral) works[row] = true;
  }
  return works;
}

// Whether an object is a value that expressions have of it, and evaluating it is all that
// there is to do. Outputs of the root are kept in the state, so they are more than that.
bool is_value(const eval::Program& program, const eval::Object& object) {
  switch (object.kind) {
    case ObjectKind::ModuleStart:
    case ObjectKind::Argument:
    case ObjectKind::Variable:
    case ObjectKind::Local:
    case ObjectKind::Resource: return true;
    case ObjectKind::Output: return !program.node(object.module).path.is_root();
    case ObjectKind::Provider:
    case ObjectKind::Check:
    case ObjectKind::Import:
    case ObjectKind::ModuleEnd: return false;
  }
  return false;
}

bool is_ephemeral(const RunContext& run, ObjectId row) {
  return run.program.object(row).kind == ObjectKind::Resource &&
         run.resource(row).mode == addrs::ResourceMode::Ephemeral;
}

// Whether something is evaluated in a row that others do not only pass on.
bool has_rules(const RunContext& run, ObjectId row) {
  const eval::Object& object = run.program.object(row);
  if (object.kind == ObjectKind::Check) return true;
  if (object.kind != ObjectKind::Resource || is_ephemeral(run, row)) return false;
  return has_conditions(run.resource(row));
}

}  // namespace

ApplyRows::ApplyRows(const RunContext& run, const Planned& planned)
    : inspects_(run.inputs.inspect != nullptr),
      works_(find_work(run, planned.plan)),
      referred_(referred_rows(run.program)) {
  const plans::Plan& plan = planned.plan;
  const TargetOptions options{plan.targets, plan.excludes};
  if (plan.mode == plans::Mode::Destroy) {
    const DestroyTargeting destroyed(planned.prior, options);
    left_out_ = unneeded_to_destroy(run.program, planned.prior, destroyed);
    return;
  }
  const Targeting targeting(run.program, planned.prior, options);
  const bool is_whole = targeting.is_everything();
  AppliedRows rows = is_whole ? rows_to_apply(run.program, works_)
                              : rows_to_apply_part(run.program, works_, targeting);
  expanded_ = std::move(rows.expanded);
  left_out_ = std::move(rows.unneeded);
  // A part that is only refreshed has nothing that outputs could be made of anew.
  if (!is_whole && plan.mode == plans::Mode::RefreshOnly) left_out_.assign(left_out_.size(), true);
  // An inspection may read any of the values.
  for (std::uint32_t row = 0; inspects_ && row < left_out_.size(); ++row) {
    if (is_value(run.program, run.program.objects[row])) left_out_[row] = false;
  }
}

std::vector<bool> ApplyRows::without_work() const {
  std::vector<bool> without = works_;
  without.flip();
  return without;
}

std::vector<std::uint32_t> replaced_first(const plans::Plan& plan) {
  return rows_with(plan, [](Action action) { return action == Action::CreateThenDelete; });
}

std::vector<bool> ephemerals_to_open(const RunContext& run, const Planned& planned,
                                     const ProviderRows& providers,
                                     const DependencyInfo& dependencies) {
  const eval::Program& program = run.program;
  const plans::Plan& plan = planned.plan;
  const bool destroys_all = plan.mode == plans::Mode::Destroy;
  std::vector<std::uint32_t> users = rows_with(plan, makes);
  for (std::uint32_t row = 0; row < program.objects.size(); ++row) {
    if (providers.is_used({row}) || (!destroys_all && has_rules(run, {row}))) users.push_back(row);
    const eval::Object& object = program.objects[row];
    // What an output of the root refers to is needed, but an ephemeral resource that it refers to
    // itself is not opened for it, as in OpenTofu.
    const bool is_root_output =
        object.kind == ObjectKind::Output && program.node(object.module).path.is_root();
    if (!is_root_output || destroys_all) continue;
    for (const std::uint32_t needed : program.waits.of(row)) {
      if (!is_ephemeral(run, {needed})) users.push_back(needed);
    }
  }
  std::vector<bool> needed(program.objects.size());
  for (const std::uint32_t row : dependencies.reached(std::move(users))) needed[row] = true;
  if (destroys_all) return needed;
  const Targeting targeting(program, planned.prior, {plan.targets, plan.excludes});
  for (std::uint32_t row = 0; row < needed.size(); ++row) {
    if (!targeting.has({row})) needed[row] = false;
  }
  return needed;
}

}  // namespace tofu::engine
