#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "engine/find_module.h"
#include "engine/lifecycle.h"
#include "engine/planning.h"
#include "engine/program_rows.h"
#include "value/operations.h"

namespace tofu::engine {

namespace {

using plans::Action;
using plans::ActionReason;
using value::Value;

}  // namespace

// The instances of a declared resource that are stored and not declared, and what was left
// over of its replacements.
Async<void> Planning::undeclared_instances(ResourcePart& part, diag::Diagnostics& diags) {
  std::vector<Undeclared> left;
  part.stored->for_each([&](const state::Instance& instance) {
    const bool declared = part.cell->expansion.find(instance.key()).has_value();
    Undeclared one{part.stored, &instance, &resource_at(part.row)};
    one.current = !declared && part.filter.includes(instance.key());
    one.deposed = !instance.deposed().empty() &&
                  targeting_.has_deposed(addrs::instance_of(part.address, instance.key()));
    if (one.current || one.deposed) left.push_back(one);
  });
  co_await for_each(
      left.size(),
      [&](std::size_t i, diag::Diagnostics& own) { return undeclared_instance(left[i], own); },
      diags);
}

Async<void> Planning::undeclared_instance(Undeclared it, diag::Diagnostics& diags) {
  const state::Resource& resource = *it.resource;
  const state::Instance& instance = *it.instance;
  InstanceTask task;
  task.address = addrs::instance_of(resource.address(), instance.key());
  if (options_.mode == plans::Mode::Destroy && !destroy_targeting_.has(task.address) &&
      !destroy_targeting_.has_deposed(task.address)) {
    co_return;  // its provider may not be configured
  }
  task.config = it.config;
  task.schema = find_schema(resource.provider().provider, resource.address().object);
  if (resource.address().object.mode != addrs::ResourceMode::Managed) {
    if (!it.current || options_.mode == plans::Mode::Destroy) co_return;
    // What was read is forgotten; it was never ours.
    const std::lock_guard lock(mutex_);
    findings_.prior.push_back({task.address, {}, resource.provider_of(instance), state::Object()});
    co_return;
  }
  ConfiguredProvider* found =
      co_await provider_for_state(resource.provider_of(instance), task.address, diags);
  if (!set_provider(task, found, diags)) co_return;
  if (task.schema == nullptr) {
    diags.error("Unknown resource type")
        .detail(fmt::format("The provider {} has no resource type {:?} any more, so it cannot be "
                            "said what {} is.",
                            resource.provider().provider.for_display(),
                            resource.address().object.type, task.address.to_string()));
    co_return;
  }
  if (it.current && instance.current() != nullptr) {
    task.stored = instance.current();
    co_await destroy_object(task, reason_to_delete(task.address, it.config), diags);
  }
  if (!it.deposed) co_return;
  for (const auto& [key, object] : instance.deposed()) {
    task.deposed_key = key;
    task.stored = &object;
    co_await destroy_object(task, ActionReason::None, diags);
  }
}

plans::ActionReason Planning::reason_to_delete(const addrs::AbsResourceInstance& address,
                                               const config::Resource* config) const {
  if (options_.mode == plans::Mode::Destroy) return ActionReason::None;
  if (config == nullptr) {
    return moves_.moved_from(address) != nullptr ? ActionReason::DeleteBecauseNoMoveTarget
                                                 : ActionReason::DeleteBecauseNoResourceConfig;
  }
  if (!cells_.find(address.module)) return ActionReason::DeleteBecauseNoModule;
  const config::Repetition& repetition = config->repetition;
  const addrs::InstanceKey& key = address.object.key;
  if (key.is_none()) {
    if (repetition.enabled != nullptr) return ActionReason::DeleteBecauseEnabledFalse;
    return ActionReason::DeleteBecauseWrongRepetition;
  }
  if (key.number() != nullptr) {
    return repetition.count != nullptr ? ActionReason::DeleteBecauseCountIndex
                                       : ActionReason::DeleteBecauseWrongRepetition;
  }
  return repetition.for_each != nullptr ? ActionReason::DeleteBecauseEachKey
                                        : ActionReason::DeleteBecauseWrongRepetition;
}

// What is stored and has no place in the configuration: resources that are not declared,
// and those of modules that are not there. Also what was left over of replacements where the
// resource itself does not take part.
Async<void> Planning::undeclared(diag::Diagnostics& diags) {
  std::vector<Undeclared> left;
  for (const state::Resource* resource : previous().resources()) {
    const addrs::AbsResource& address = resource->address();
    const config::TreeNode* node = find_module(*program().tree, address.module);
    const config::Resource* config =
        node == nullptr ? nullptr : node->module->resource(address.object);
    bool is_declared = false;
    if (config != nullptr && options_.mode != plans::Mode::Destroy) {
      // Where expanding failed, nothing can be said of what is not there.
      if (!is_expanded(address.module)) continue;
      is_declared = cells_.find(address.module).has_value();
      if (is_declared && targeting_.is_everything()) continue;  // its row saw to it
      const auto row = resource_row(program(), {address.module.path(), address.object});
      if (is_declared && row && !is_left_out(*row)) continue;
    }
    resource->for_each([&](const state::Instance& instance) {
      const auto whole = addrs::instance_of(address, instance.key());
      Undeclared one{resource, &instance, config};
      one.current = !is_declared && targeting_.has_orphan(whole);
      one.deposed = !instance.deposed().empty() && targeting_.has_deposed(whole);
      if (one.current || one.deposed) left.push_back(one);
    });
  }
  co_await for_each(
      left.size(),
      [&](std::size_t i, diag::Diagnostics& own) { return undeclared_instance(left[i], own); },
      diags);
}

void Planning::root_output(const config::Output& output, const Value& v) {
  const std::lock_guard lock(mutex_);
  outputs_.insert_or_assign(output.name, v);
}

// Outputs that are known by now are so in the state that the plan begins with.
void Planning::refresh_outputs(state::State& prior) const {
  if (options_.mode == plans::Mode::Destroy) return;
  for (const auto& [name, v] : outputs_) {
    const value::Plain plain = v.deep_unmarked();
    if (!plain.wholly_known()) continue;
    if (plain.is_null()) {
      prior.outputs.erase(name);
      continue;
    }
    const config::Output* output = program().tree->root().module->outputs.find(name);
    prior.outputs.insert_or_assign(
        name, state::Output{plain, output->is_sensitive(), output->deprecated.value_or("")});
  }
}

void Planning::plan_outputs(plans::Plan& plan) {
  const auto& before = previous().outputs;
  const config::Module& root = *program().tree->root().module;
  const bool destroys = options_.mode == plans::Mode::Destroy;
  if (destroys && !destroy_targeting_.is_everything()) return;
  std::map<std::string, plans::OutputChange> made;
  for (const config::Output& output : root.outputs) {
    const auto now = outputs_.find(output.name);
    if (now == outputs_.end() || destroys) continue;
    plans::OutputChange change;
    change.name = output.name;
    const auto old = before.find(output.name);
    const bool was_there = old != before.end();
    change.before = was_there ? old->second.value : Value();
    change.after = now->second.deep_unmarked();
    const bool was_sensitive = was_there && old->second.sensitive;
    const bool same_words =
        output.deprecated.value_or("") == (was_there ? old->second.deprecated : "");
    change.sensitive = output.is_sensitive() || was_sensitive;
    const Value same = value::equals(change.before, change.after);
    const bool is_same = was_there && same.is_known() && same.unmarked().as_bool() &&
                         was_sensitive == output.is_sensitive() && same_words;
    // An output that is null is not stored.
    const bool stays_away = change.before.is_null() && change.after.is_null() && same_words;
    change.action = is_same || stays_away ? Action::NoOp
                    : was_there           ? Action::Update
                                          : Action::Create;
    if (change.action == Action::NoOp) change.after = change.before;  // a null has no type
    made.emplace(output.name, std::move(change));
  }
  for (const auto& [name, old] : before) {
    if (!destroys && !targeting_.is_everything()) break;  // who knows what else is missing
    if (made.contains(name) || (root.outputs.find(name) != nullptr && !destroys)) continue;
    made.emplace(name,
                 plans::OutputChange{name, Action::Delete, old.sensitive, old.value, Value()});
  }
  for (auto& [name, change] : made) plan.outputs.push_back(std::move(change));
}

}  // namespace tofu::engine
