#include "engine/plan_findings.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <iterator>
#include <optional>
#include <tuple>
#include <utility>

#include "engine/lifecycle.h"
#include "engine/program_rows.h"
#include "eval/keyed_traversal.h"
#include "schema/changes.h"
#include "schema/marks.h"
#include "syntax/eval.h"
#include "value/path.h"

namespace tofu::engine {

namespace {

using plans::Action;
using value::Value;

// Whether something that depends on the object may be replaced because of the action.
bool can_trigger(Action action) {
  switch (action) {
    case Action::Create:
    case Action::Update:
    case Action::DeleteThenCreate:
    case Action::CreateThenDelete:
    case Action::ForgetThenCreate: return true;
    case Action::NoOp:
    case Action::Read:
    case Action::Delete:
    case Action::Forget: return false;
  }
  return false;
}

std::optional<Value> part_of(const Value& object, std::span<const syntax::TraversalStep> steps) {
  value::Path path;
  for (const syntax::TraversalStep& step : steps) {
    path = step.key == nullptr ? path.with_attribute(std::string(step.name))
                               : path.with_index(*step.key);
  }
  auto found = value::follow(object, path);
  return found ? std::optional<Value>(std::move(*found)) : std::nullopt;
}

// Whether the part of an object that the steps lead to is going to change.
bool changes_at(const plans::ResourceChange& change, std::span<const syntax::TraversalStep> steps) {
  if (steps.empty()) return true;
  const auto before = part_of(change.before.deep_unmarked(), steps);
  const auto after = part_of(change.after.deep_unmarked(), steps);
  if (before.has_value() != after.has_value()) return true;
  return before && !raw_equal(*before, *after);
}

}  // namespace

PlannedResources::PlannedResources(const PlanContext& plan)
    : plan_(plan),
      run_(plan.run),
      parts_(plan.run.program.objects.size()),
      gone_is_changing_(plan.run.program.objects.size()) {}

void PlannedResources::open_row(eval::ObjectId row, std::size_t modules) {
  parts_[row.index].resize(modules);
}

ResourcePart& PlannedResources::open(eval::ObjectId row, eval::ModuleInstanceId module,
                                     Expansion expansion) {
  auto part = std::make_unique<ResourcePart>();
  part->row = row;
  part->module = module;
  part->address = run_.address(row, module);
  part->stored = plan_.previous().resource(part->address);
  part->cell = &run_.cells.open_resource(row, module, std::move(expansion));
  part->filter = plan_.targeting.instances_of(row, part->address);
  part->instances.resize(part->cell->expansion.size());
  part->schema = run_.program.row(row).schema;
  auto& place = parts_[row.index][module.index];
  place = std::move(part);
  return *place;
}

bool PlannedResources::is_declared(const addrs::AbsResourceInstance& address) const {
  const auto row = resource_row(run_.program, addrs::config_of(address));
  const auto instance = run_.cells.find(address.module);
  if (!row || !instance) return false;
  const Parts& parts = parts_[row->index];
  if (instance->index >= parts.size() || !parts[instance->index]) return false;
  return parts[instance->index]->cell->expansion.find(address.object.key).has_value();
}

bool PlannedResources::is_any_changing(const std::vector<eval::ObjectId>& rows, eval::ObjectId from,
                                       eval::ModuleInstanceId module) const {
  const auto is_changing = [](const std::unique_ptr<ResourcePart>& part) {
    return part && part->is_changing;
  };
  for (const eval::ObjectId other : rows) {
    const Parts& parts = parts_[other.index];
    if (run_.program.object(other).module != run_.program.object(from).module) {
      if (gone_is_changing_[other.index] != 0) return true;
      if (std::ranges::any_of(parts, is_changing)) return true;
    } else if (module.index < parts.size() && is_changing(parts[module.index])) {
      return true;
    }
  }
  return false;
}

bool PlannedResources::is_triggering(const ResourcePart& other, const addrs::Reference& reference,
                                     const syntax::Expr& expr, diag::Diagnostics& diags) const {
  const auto* instance = std::get_if<addrs::ResourceInstance>(&reference.subject);
  const auto position =
      instance == nullptr ? std::nullopt : other.cell->expansion.find(instance->key);
  if (instance != nullptr && !position) {
    // One that is going to be destroyed triggers nothing, and is missing only after that.
    const auto address = addrs::instance_of(other.address, instance->key);
    if (plan_.previous().object(address) != nullptr) return false;
    diags.error("Reference to missing resource instance")
        .detail(fmt::format("No instance {} exists that could trigger a replacement.",
                            addrs::to_string(reference.subject)))
        .at(expr.range);
    return false;
  }
  const auto& steps = reference.remaining;
  for (std::size_t i = position.value_or(0); i < other.instances.size(); ++i) {
    const plans::ResourceChange& change = other.instances[i].change;
    if (can_trigger(change.action) && changes_at(change, steps)) return true;
    if (position || !steps.empty()) break;
  }
  return false;
}

bool PlannedResources::triggers(eval::ObjectId resource, const eval::ModuleScope& scope,
                                diag::Diagnostics& diags) const {
  const eval::ModuleRows& rows = run_.program.modules[run_.program.object(resource).module.index];
  const eval::ModuleInstanceId module = scope.instance_scope().instance;
  for (const syntax::Expr* expr : run_.resource(resource).replace_triggered_by) {
    const auto keyed = eval::KeyedTraversal::make(
        *expr, [&](const syntax::Expr& key) { return syntax::evaluate(key, &scope, diags); });
    if (!keyed) continue;
    std::optional<eval::Binding> bound;
    rows.shape->bindings().make(keyed->traversal(), bound);
    if (!bound->reference || bound->target.of != eval::Target::Of::Row) continue;
    const Parts& others = parts_[rows.first.index + bound->target.row];
    if (module.index >= others.size() || !others[module.index]) continue;
    if (is_triggering(*others[module.index], *bound->reference, *expr, diags)) return true;
  }
  return false;
}

void PlannedResources::name_providers(state::State& prior) const {
  for (const auto& parts : parts_) {
    for (const auto& part : parts) {
      if (!part || part->stored == nullptr || !part->filter.is_all()) continue;
      if (part->address.object.mode != addrs::ResourceMode::Managed) continue;
      const addrs::AbsProviderConfig provider = run_.provider_address(part->row);
      const bool has_keys = run_.program.provider_keys.contains(part->row);
      if (provider == part->stored->provider() && !has_keys) continue;
      const state::Resource* found = prior.resource(part->address);
      if (found == nullptr) continue;
      bool stays_behind = false;
      std::vector<std::pair<addrs::InstanceKey, addrs::InstanceKey>> keys;
      found->for_each([&](const state::Instance& instance) {
        const auto position = part->cell->expansion.find(instance.key());
        const auto* by = position ? part->instances[*position].planned_by : nullptr;
        if (position && by == nullptr) by = part->instances[*position].refreshed_by;
        stays_behind =
            stays_behind || !position || !instance.deposed().empty() || (has_keys && by == nullptr);
        // The new configuration may have no keys.
        const addrs::InstanceKey now = by == nullptr ? addrs::InstanceKey() : by->address().key;
        if (now != instance.provider_key()) keys.emplace_back(instance.key(), now);
      });
      if (stays_behind || (provider == found->provider() && keys.empty())) continue;
      state::Resource* resource = prior.change(part->address);
      resource->set_provider(prior.share(provider));
      for (auto& [key, provider_key] : keys) resource->set_provider_key(key, provider_key);
    }
  }
}

void PlannedResources::expect_checks() const {
  for (std::uint32_t row = 0; row < parts_.size(); ++row) {
    if (run_.program.objects[row].kind != eval::ObjectKind::Resource) continue;
    if (!plan_.rows.has({row}) || !has_conditions(run_.resource({row}))) continue;
    const Parts& parts = parts_[row];
    if (std::ranges::any_of(parts, [](const auto& part) { return part == nullptr; })) continue;
    for (const auto& part : parts) {
      for (std::size_t i = 0; i < part->instances.size(); ++i) {
        const addrs::InstanceKey& key = part->cell->expansion.key(i);
        if (part->filter.includes(key)) {
          run_.checks.miss({row}, addrs::instance_of(part->address, key));
        }
      }
    }
  }
}

namespace {

using plans::Action;
using value::Value;

// An entry of a resource that has nothing tells of a run that failed; the next one begins without.
state::State without_empty_entries(state::State state) {
  std::vector<addrs::AbsResource> empty;
  for (const state::Resource* resource : state.resources()) {
    if (resource->empty()) empty.push_back(resource->address());
  }
  for (const addrs::AbsResource& address : empty) state.remove_resource(address);
  return state;
}

// The object as the state keeps it.
diag::Checked<state::Object> storable(const InstanceTask& task, const LiveObject& object,
                                      diag::Diagnostics& diags) {
  auto made = to_state(object, *task.schema);
  if (made) return std::move(*made);
  diags.error("Provider produced invalid object")
      .detail(fmt::format("The state cannot store {}: {}.", task.address.to_string(),
                          made.error().what));
  return std::nullopt;
}

void add_details(plans::ResourceChange& change, const InstanceTask& task, const Change& planned,
                 const Value& identity, const plans::Importing* importing) {
  const bool has_identity = !identity.is_null() || !planned.identity.is_null();
  if (planned.replace_paths.empty() && planned.private_data.empty() && !has_identity &&
      importing == nullptr) {
    return;
  }
  auto details = details_with_identity(change, task, identity, planned.identity);
  details->replace_paths = planned.replace_paths;
  details->private_data = planned.private_data;
  if (importing != nullptr) details->importing = *importing;
  change.details = std::move(details);
}

}  // namespace

plans::ResourceChange change_of(const PlanContext& plan, const InstanceTask& task) {
  plans::ResourceChange change;
  change.key = task.address.object.key;
  const MovedFrom* from = plan.moves.moved_from(task.address);
  if (task.deposed_key.empty() && from == nullptr) return change;
  auto details = std::make_unique<plans::ChangeDetails>();
  details->deposed = task.deposed_key;
  if (from != nullptr) details->previous = from->address;
  change.details = std::move(details);
  return change;
}

plans::ResourceChange change_of(const PlanContext& plan, const InstanceTask& task,
                                const Change& planned, const Value& identity,
                                const plans::Importing* importing) {
  plans::ResourceChange change = change_of(plan, task);
  change.action = planned.action;
  change.reason = planned.reason;
  change.before = planned.before;
  change.after = planned.after;
  add_details(change, task, planned, identity, importing);
  return change;
}

std::unique_ptr<plans::ChangeDetails> details_with_identity(const plans::ResourceChange& change,
                                                            const InstanceTask& task,
                                                            const Value& before,
                                                            const Value& after) {
  auto details = change.details ? std::make_unique<plans::ChangeDetails>(*change.details)
                                : std::make_unique<plans::ChangeDetails>();
  details->identity_before = before;
  details->identity_after = after;
  if (task.schema->identity) details->identity_version = task.schema->identity->version;
  return details;
}

plans::ProviderId PlanFindings::id_of(const ConfiguredProvider& provider) {
  const auto [found, is_new] = provider_ids_.try_emplace(&provider);
  if (is_new) found->second = addresses_.provider(provider.address());
  return found->second;
}

void PlanFindings::set_ids(plans::ResourceChange& change, const InstanceTask& task) {
  change.resource =
      addresses_.resource(addresses_.module(task.address.module), task.address.object.resource,
                          task.provider->address().config.provider);
  change.provider = id_of(*task.provider);
}

void PlanFindings::add_change(const InstanceTask& task, plans::ResourceChange change) {
  const std::lock_guard lock(mutex_);
  set_ids(change, task);
  changes_.push_back(std::move(change));
}

// Whether the state has just this object, with the provider that it has now.
bool PlanFindings::is_stored_so(const InstanceTask& task, const state::Object& object) const {
  if (task.stored == nullptr || object != *task.stored) return false;
  const state::Resource* resource = plan_.previous().resource(addrs::resource_of(task.address));
  const state::Instance* instance =
      resource == nullptr ? nullptr : resource->find(task.address.object.key);
  return instance != nullptr && resource->provider_of(*instance) == task.provider->address();
}

void PlanFindings::record_object(const InstanceTask& task, const LiveObject& object,
                                 diag::Diagnostics& diags) {
  auto made = storable(task, object, diags);
  if (!made || is_stored_so(task, *made)) return;
  const std::lock_guard lock(mutex_);
  prior_.push_back({task.address, {}, task.provider->address(), std::move(*made)});
}

// What the schema makes sensitive is not kept in the state as such.
void PlanFindings::record_data(const InstanceTask& task, const Value& result,
                               const std::vector<schema::PathMarks>& marks,
                               diag::Diagnostics& diags) {
  LiveObject object;
  object.value = schema::mark(result.deep_unmarked(), marks);
  if (task.stored != nullptr) object.unknown = task.stored->unknown();
  record_object(task, object, diags);
}

void PlanFindings::forget(const addrs::AbsResourceInstance& address,
                          addrs::AbsProviderInstance provider) {
  const std::lock_guard lock(mutex_);
  prior_.push_back({address, {}, std::move(provider), state::Object()});
}

// What is left over of a replacement goes anyway, whatever became of it. An object of another type
// is not the same object, changed.
bool PlanFindings::is_drift_shown(const InstanceTask& task) const {
  if (!task.deposed_key.empty()) return false;
  const MovedFrom* from = plan_.moves.moved_from(task.address);
  return from == nullptr || from->address.object.resource.type == task.address.object.resource.type;
}

void PlanFindings::record_drift(const InstanceTask& task, const LiveObject& before,
                                const LiveObject& now, diag::Diagnostics& diags) {
  const auto stored_as = [&](const LiveObject& object) -> std::optional<state::Object> {
    return object.is_there() ? storable(task, object, diags) : state::Object();
  };
  const auto old_object = stored_as(before);
  const auto new_object = before == now ? old_object : stored_as(now);
  if (!old_object || !new_object) return;
  const bool is_moved = task.deposed_key.empty() && plan_.moves.moved_from(task.address) != nullptr;
  const bool changed = !raw_equal(before.value.deep_unmarked(), now.value.deep_unmarked()) ||
                       (now.is_there() && !schema::same_sensitive_parts(before.value, now.value));
  const bool was_as_stored = *old_object == *task.stored;
  const bool is_as_stored = *new_object == *task.stored;
  if (was_as_stored && is_as_stored && !changed && !is_moved) return;
  const std::lock_guard lock(mutex_);
  const addrs::AbsProviderInstance& provider = task.provider->address();
  if (!was_as_stored) previous_.push_back({task.address, task.deposed_key, provider, *old_object});
  if (!is_as_stored) prior_.push_back({task.address, task.deposed_key, provider, *new_object});
  if ((!changed && !is_moved) || !is_drift_shown(task)) return;
  plans::ResourceChange drift = change_of(plan_, task);
  set_ids(drift, task);
  drift.action = !now.is_there() ? Action::Delete : changed ? Action::Update : Action::NoOp;
  drift.before = before.value;
  drift.after = now.value;
  if (!before.identity.is_null() || !now.identity.is_null()) {
    const Value identity = now.is_there() ? now.identity : Value();
    drift.details = details_with_identity(drift, task, before.identity, identity);
  }
  drift_.push_back(std::move(drift));
}

// In the order in which they were planned if there was one thread.
void PlanFindings::take_declared_changes(const PlannedResources& resources, plans::Plan& plan) {
  const eval::Program& program = plan_.run.program;
  std::size_t count = changes_.size();
  for (std::uint32_t row = 0; row < program.objects.size(); ++row) {
    for (const auto& part : resources.of({row})) count += part ? part->instances.size() : 0;
  }
  plan.changes.reserve(count);
  addresses_.expect_resources(program.objects.size());
  for (const std::uint32_t row : program.order) {
    for (const auto& part : resources.of({row})) {
      if (!part || part->instances.empty()) continue;
      const plans::ResourceId resource =
          addresses_.resource(addresses_.module(part->address.module), part->address.object,
                              plan_.run.provider_address({row}).provider);
      rows_.resize(addresses_.resource_count(), plans::BoundRows::kNone);
      rows_[resource.index] = row;
      for (PlannedInstance& instance : part->instances) {
        if (instance.planned_by == nullptr) continue;
        plans::ResourceChange& change = plan.changes.emplace_back(std::move(instance.change));
        change.resource = resource;
        change.provider = id_of(*instance.planned_by);
      }
    }
  }
}

// What depends on others comes before them, as it is going to be destroyed.
void PlanFindings::sort_for_destroying(const plans::Plan& plan) {
  std::vector<std::uint32_t> places(plan_.run.program.order.size());
  for (std::uint32_t i = 0; i < places.size(); ++i) places[plan_.run.program.order[i]] = i;
  const auto place_of = [&](const plans::ResourceChange& change) {
    const auto row = row_at(plan.rows.resources[change.resource.index]);
    return row ? places[row->index] : static_cast<std::uint32_t>(places.size());
  };
  std::ranges::stable_sort(changes_, std::greater{}, place_of);
}

state::State PlanFindings::with(state::State state, std::vector<FoundObject> found) {
  state = without_empty_entries(std::move(state));
  std::ranges::stable_sort(found, [](const FoundObject& a, const FoundObject& b) {
    return std::tie(a.address, a.deposed_key) < std::tie(b.address, b.deposed_key);
  });
  for (FoundObject& one : found) {
    state.set_object(one.address, one.deposed_key, std::move(one.object), one.provider);
  }
  return state;
}

void PlanFindings::finish(const PlannedResources& resources, Planned& planned) {
  plans::Plan& plan = planned.plan;
  take_declared_changes(resources, plan);
  plan.addresses = std::move(addresses_);
  plan.rows = bound_rows(plan_.run.program, plan.addresses, std::move(rows_));
  const auto by_address = [&](const plans::ResourceChange& a, const plans::ResourceChange& b) {
    const auto of = [&](const plans::ResourceChange& change) {
      return std::pair(plan.addresses.instance(change.resource, change.key), change.deposed());
    };
    return of(a) < of(b);
  };
  std::ranges::sort(changes_, by_address);
  if (plan_.destroys()) sort_for_destroying(plan);
  std::ranges::sort(drift_, by_address);
  std::ranges::move(changes_, std::back_inserter(plan.changes));
  plan.drift = std::move(drift_);
  planned.previous = with(plan_.previous(), std::move(previous_));
  planned.prior = with(plan_.previous(), std::move(prior_));
  resources.name_providers(planned.prior);
}

}  // namespace tofu::engine
