#include <fmt/format.h>
#include <utility>

#include "engine/applying.h"
#include "engine/find_module.h"
#include "plans/object_label.h"

namespace tofu::engine {

namespace {

using plans::Action;
using value::Value;

}  // namespace

// The object as it is stored; its value is the one that the plan began with. Nothing if
// there is none.
std::optional<LiveObject> Applying::stored(const Task& task) const {
  const state::Object* object = planned_.prior.object(task.address, task.deposed_key);
  if (object == nullptr) return std::nullopt;
  LiveObject made = without_value(object->fields_but_attributes());
  made.value = task.change->before;
  if (task.change->details) made.identity = task.change->details->identity_before;
  return made;
}

Async<bool> Applying::other_node(std::uint32_t node, diag::Diagnostics& diags) {
  const Step& step = order_.step(node);
  const std::vector<plans::ResourceChange>& changes = planned_.plan.changes;
  const eval::ObjectId row{step.subject};
  switch (step.kind) {
    case StepKind::Barrier: break;
    case StepKind::Expand: open_row(row, diags); break;
    case StepKind::Make: co_await make_step(changes[step.subject], diags); break;
    case StepKind::Rest: co_await instances(row, Which::Rest, diags); break;
    case StepKind::Destroy: co_await destroy_object(changes[step.subject], diags); break;
    case StepKind::Forget: {
      for (const std::uint32_t position : order_.forgets) {
        co_await destroy_object(changes[position], diags);
      }
      break;
    }
  }
  if (step.kind == StepKind::Expand || step.kind == StepKind::Rest) name_blocks(row, diags);
  co_return !diags.has_errors();
}

Walk::Turn Applying::turn_of(std::uint32_t node) const {
  if (node < order_.rows) return Walk::Turn::AtOnce;
  switch (order_.step(node).kind) {
    case StepKind::Barrier: return Walk::Turn::Never;
    case StepKind::Make:
    case StepKind::Destroy: return Walk::Turn::InTurn;
    case StepKind::Expand:
    case StepKind::Rest:
    case StepKind::Forget: return Walk::Turn::AtOnce;
  }
  return Walk::Turn::AtOnce;
}

Async<void> Applying::destroy_object(const plans::ResourceChange& change,
                                     diag::Diagnostics& diags) {
  const plans::Plan& plan = planned_.plan;
  Task task;
  task.address = plan.addresses.instance(change.resource, change.key);
  task.change = &change;
  task.deposed_key = change.deposed();
  const config::TreeNode* node = find_module(*program().tree, task.address.module);
  if (node != nullptr) task.config = node->module->resource(task.address.object.resource);
  task.schema = find_schema(plan.addresses[change.resource].provider, task.address.object.resource);
  const bool replaces = plans::is_replace(change.action);
  std::optional<LiveObject> object = stored(task);
  if (change.action == Action::CreateThenDelete) {
    const std::lock_guard lock(mutex_);
    const auto key = deposed_.find(task.address);
    // Without one, the new object was never begun, and the old one stays.
    if (key == deposed_.end()) co_return;
    task.deposed_key = key->second;
  }
  if (!object) co_return;
  const addrs::AbsProviderInstance& provider = plan.addresses[change.provider];
  if (change.action == Action::Forget) {
    writer_.note({task.address, task.deposed_key, provider}, {});
    co_return;
  }
  ConfiguredProvider* found = co_await provider_for_state(provider, task.address, diags);
  if (!set_provider(task, found, diags)) co_return;
  const plans::Subject subject{task.address, task.deposed_key};
  const Value before = object->value.deep_unmarked();
  const plans::ObjectLabel label = plans::label_or_name_of(before);
  const std::string planned_private =
      change.details && !replaces ? change.details->private_data : object->private_data;
  inputs_.events.on(plans::ApplyStart{subject, Action::Delete, label});
  const Ticker::Id ticking = tick(subject, Action::Delete, label);
  bool may_go_on = co_await provision_destroy(task, *object, diags);
  if (may_go_on) may_go_on = co_await begin(task, Action::Delete, planned_private, diags);
  if (!may_go_on) {
    inputs_.events.on(plans::ApplyErrored{subject, Action::Delete, ticker_.ended(ticking)});
    co_return;
  }
  const Value nothing = Value::null(before.type());
  providers::ApplyRequest request;
  request.type = task.address.object.resource.type;
  request.prior = before;
  request.planned = nothing;
  request.config = nothing;
  request.planned_private = planned_private;
  request.provider_meta = task.provider_meta;
  if (change.details && !replaces) request.planned_identity = change.details->identity_after;
  auto answer = co_await ask<providers::ApplyAnswer>(
      [&](auto done) { task.provider->provider->apply(std::move(request), std::move(done)); });
  Change deletion;
  deletion.action = Action::Delete;
  deletion.before = object->value;
  deletion.after = nothing;
  const auto left = accept(task, &*object, deletion, std::move(answer), diags);
  co_await finish(task, left, diags);
  if (plans::ResourceChange* gone = spent(change)) gone->before = {};
  const auto elapsed = ticker_.ended(ticking);
  if (diags.has_errors()) {
    inputs_.events.on(plans::ApplyErrored{subject, Action::Delete, elapsed});
  } else {
    inputs_.events.on(plans::ApplyComplete{subject, Action::Delete, {}, elapsed});
  }
}

}  // namespace tofu::engine
