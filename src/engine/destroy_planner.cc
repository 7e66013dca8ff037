#include "engine/destroy_planner.h"

#include <algorithm>
#include <atomic>
#include <fmt/format.h>
#include <utility>

#include "engine/answers.h"
#include "engine/lifecycle.h"
#include "engine/program_rows.h"

namespace tofu::engine {

namespace {

using plans::Action;
using value::Value;

}  // namespace

tasks::Async<bool> DestroyPlanner::plan(const InstanceTask& task, plans::ActionReason reason,
                                        diag::Diagnostics& diags) {
  auto object = co_await reader_.read(task, diags);
  if (!object) co_return false;
  const LiveObject before = *object;
  if (!plan_.reads_to_destroy()) {
    if (plan_.minimal != nullptr) plan_.minimal->note_unread();
  } else {
    const bool ok = co_await reader_.refresh(task, *object, diags);
    if (!ok) co_return false;
  }
  findings_.record_drift(task, before, *object, diags);
  if (plan_.only_refreshes() || !object->is_there()) co_return false;
  if (plan_.destroys()) {
    const DestroyTargeting& targeting = plan_.destroy_targeting;
    const bool is_chosen = task.deposed_key.empty() ? targeting.has(task.address)
                                                    : targeting.has_deposed(task.address);
    if (!is_chosen) co_return false;
  }
  co_return co_await plan_removal(task, *object, reason, diags);
}

// Whether the object goes by being destroyed; otherwise it is forgotten.
bool DestroyPlanner::is_destroyed(const InstanceTask& task, const LiveObject& object) const {
  if (task.config == nullptr && !plan_.destroys()) {
    const auto removal = plan_.removed.find(addrs::config_of(task.address));
    if (removal) return removal->destroy;
  }
  const bool kept_by_config = task.config != nullptr && keeps_objects(*task.config);
  return !kept_by_config && !object.skip_destroy;
}

tasks::Async<bool> DestroyPlanner::plan_removal(const InstanceTask& task, const LiveObject& object,
                                                plans::ActionReason reason,
                                                diag::Diagnostics& diags) {
  plans::ResourceChange change = change_of(plan_, task);
  change.reason = reason;
  change.before = object.value;
  change.after = Value::null(object.value.type());
  change.details = details_with_identity(change, task, object.identity, {});
  if (is_destroyed(task, object)) {
    const bool ok = co_await ask_destruction(task, object, change, diags);
    if (!ok) co_return false;
  } else {
    forget(task, object, change, diags);
  }
  const Action action = change.action;
  findings_.add_change(task, std::move(change));
  check_prevented(task, action, diags);
  co_return true;
}

// Asks the provider how it destroys the object.
tasks::Async<diag::Checked<void>> DestroyPlanner::ask_destruction(const InstanceTask& task,
                                                                  const LiveObject& object,
                                                                  plans::ResourceChange& change,
                                                                  diag::Diagnostics& diags) {
  const Value prior = object.value.deep_unmarked();
  const Value nothing = Value::null(prior.type());
  providers::PlanRequest request{task.address.object.resource.type,
                                 prior,
                                 nothing,
                                 nothing,
                                 object.private_data,
                                 object.identity};
  const AskPlan ask_plan = ask_plan_of(task, run_.calls);
  auto answer = co_await ask_plan(std::move(request));
  report(answer.problems, task.body(), task.address.to_string(), diags);
  if (answer.has_errors()) co_return false;
  if (!answer.planned.is_null()) {
    diags.error("Provider produced invalid plan")
        .detail(fmt::format("The provider {} returned a non-null plan for {}, which will be "
                            "destroyed. This is a bug in the provider.",
                            task.provider->address().config.provider.to_string(),
                            task.address.to_string()));
    co_return false;
  }
  change.action = Action::Delete;
  auto details = details_with_identity(change, task, object.identity, answer.planned_identity);
  details->private_data = std::move(answer.planned_private);
  change.details = std::move(details);
  co_return true;
}

void DestroyPlanner::forget(const InstanceTask& task, const LiveObject& object,
                            plans::ResourceChange& change, diag::Diagnostics& diags) const {
  // A plan that destroys everything says at the end what was left.
  if (plan_.options.mode == plans::Mode::Normal || !task.deposed_key.empty()) {
    diags.warning("Resource will be removed from the state")
        .detail(fmt::format("After this plan is applied, {} still exists but OpenTofu no longer "
                            "manages it. To manage it again, import it.",
                            task.address.to_string()));
  }
  change.action = Action::Forget;
  if (task.config != nullptr && keeps_objects(*task.config)) {
    change.reason = plans::ActionReason::ForgotBecauseLifecycleDestroyInConfig;
  } else if (object.skip_destroy) {
    change.reason = plans::ActionReason::ForgotBecauseLifecycleDestroyInState;
  }
}

// What is left over of a replacement is never kept.
void DestroyPlanner::check_prevented(const InstanceTask& task, Action action,
                                     diag::Diagnostics& diags) const {
  if (task.config == nullptr || !task.deposed_key.empty()) return;
  // Of a module instance that is gone, only constants can be evaluated.
  const config::TreeNode* node = find_module(*run_.program.tree, task.address.module);
  const auto instance = run_.cells.find(task.address.module);
  const eval::ModuleInstanceId none{
      static_cast<std::uint32_t>(run_.cells.instances(node->id).size())};
  check_prevent_destroy(*task.config, task.address, action,
                        run_.scope(node->id, instance.value_or(none)), diags);
}

using eval::ObjectId;
using plans::ActionReason;

StoredRows::StoredRows(const PlanContext& plan) : plan_(plan) {
  if (plan.destroys()) return;
  const eval::Program& program = plan.run.program;
  std::vector<Edge> edges;
  StoredProviders providers(program);
  for (const state::Resource* resource : plan.previous().resources()) {
    const addrs::AbsResource& address = resource->address();
    if (address.object.mode != addrs::ResourceMode::Managed) continue;
    const auto row = resource_row(program, {address.module.path(), address.object});
    if (!row) note_undeclared(*resource);
    if (!row) continue;
    if (!address.module.steps.empty()) in_modules_[row->index].push_back(resource);
    const auto provider = providers.row_of(*resource);
    if (provider && provider != program.provider_configs[row->index]) {
      edges.push_back({row->index, provider->index});
    }
  }
  if (!edges.empty()) wait_for_providers(std::move(edges));
}

void StoredRows::note_undeclared(const state::Resource& resource) {
  if (plan_.only_refreshes() || plan_.only_imports()) return;
  const addrs::AbsResource& address = resource.address();
  resource.for_each([&](const state::Instance& instance) {
    if (instance.current() == nullptr) return;
    if (!plan_.targeting.has_orphan(addrs::instance_of(address, instance.key()))) return;
    undeclared_.insert({address.module.path(), address.object});
  });
}

const eval::Waits& StoredRows::graph() const {
  return waits_.size() == 0 ? plan_.run.program.waits : waits_;
}

std::span<const state::Resource* const> StoredRows::in_modules(ObjectId row) const {
  const auto found = in_modules_.find(row.index);
  if (found == in_modules_.end()) return {};
  return found->second;
}

// Where a provider needs, in turn, what would wait for it, nothing waits for it.
void StoredRows::wait_for_providers(std::vector<Edge> edges) {
  std::ranges::stable_sort(edges, {}, &Edge::row);
  while (!edges.empty()) {
    waits_ = {};
    auto edge = edges.begin();
    for (std::uint32_t row = 0; row < plan_.run.program.waits.size(); ++row) {
      const auto own = plan_.run.program.waits.of(row);
      waits_.edges.insert(waits_.edges.end(), own.begin(), own.end());
      for (; edge != edges.end() && edge->row == row; ++edge) {
        waits_.edges.push_back(edge->provider);
      }
      waits_.close();
    }
    eval::Ordered ordered = eval::order(waits_);
    if (ordered.tangles.empty()) return;
    for (auto& tangle : ordered.tangles) {
      std::ranges::sort(tangle);
      std::erase_if(edges, [&](const Edge& each) {
        return std::ranges::binary_search(tangle, each.row) &&
               std::ranges::binary_search(tangle, each.provider);
      });
    }
  }
  waits_ = {};
}

tasks::Async<bool> UndeclaredPlanner::plan_instances(const ResourcePart& part,
                                                     diag::Diagnostics& diags) {
  std::vector<Undeclared> left;
  part.stored->for_each([&](const state::Instance& instance) {
    const bool declared = part.cell->expansion.find(instance.key()).has_value();
    Undeclared one{part.stored, &instance, &run_.resource(part.row), part.row};
    one.current = !declared && part.filter.includes(instance.key());
    one.deposed = !instance.deposed().empty() &&
                  plan_.targeting.has_deposed(addrs::instance_of(part.address, instance.key()));
    if (one.current || one.deposed) left.push_back(one);
  });
  return plan_all(std::move(left), diags);
}

tasks::Async<bool> UndeclaredPlanner::plan_gone_modules(ObjectId row, diag::Diagnostics& diags) {
  std::vector<Undeclared> left;
  for (const state::Resource* resource : stored_.in_modules(row)) {
    if (run_.cells.find(resource->address().module)) continue;
    add(*resource, &run_.resource(row), row, false, left);
  }
  return plan_all(std::move(left), diags);
}

void UndeclaredPlanner::add(const state::Resource& resource, const config::Resource* config,
                            std::optional<ObjectId> row, bool is_declared,
                            std::vector<Undeclared>& to) const {
  resource.for_each([&](const state::Instance& instance) {
    const auto whole = addrs::instance_of(resource.address(), instance.key());
    Undeclared one{&resource, &instance, config, row};
    one.current = !is_declared && plan_.targeting.has_orphan(whole);
    one.deposed = !instance.deposed().empty() && plan_.targeting.has_deposed(whole);
    if (one.current || one.deposed) to.push_back(one);
  });
}

bool UndeclaredPlanner::is_expanded(const addrs::ModuleInstance& module) const {
  config::ModuleId at;
  for (const addrs::ModuleStep& step : module.steps) {
    const config::TreeNode& node = run_.program.node(at);
    const auto child = node.children.find(step.name);
    if (child == node.children.end()) return true;
    at = child->second;
    if (!run_.cells.is_expanded(at)) return false;
  }
  return true;
}

tasks::Async<bool> UndeclaredPlanner::plan_rest(diag::Diagnostics& diags) {
  std::vector<Undeclared> left;
  for (const state::Resource* resource : plan_.previous().resources()) {
    const addrs::AbsResource& address = resource->address();
    const config::TreeNode* node = find_module(*run_.program.tree, address.module);
    const config::Resource* config =
        node == nullptr ? nullptr : node->module->resource(address.object);
    bool is_declared = false;
    std::optional<ObjectId> row;
    if (config != nullptr)
      row = resource_row(run_.program, {address.module.path(), address.object});
    if (config != nullptr && plan_.options.mode != plans::Mode::Destroy) {
      // Where expanding failed, nothing can be said of what is not there.
      if (!is_expanded(address.module)) continue;
      is_declared = run_.cells.find(address.module).has_value();
      const bool is_managed = address.object.mode == addrs::ResourceMode::Managed;
      if ((is_declared || is_managed) && plan_.rows.has(*row)) continue;  // its row saw to it
    }
    add(*resource, config, row, is_declared, left);
  }
  co_return co_await plan_all(std::move(left), diags);
}

tasks::Async<bool> UndeclaredPlanner::plan_all(std::vector<Undeclared> all,
                                               diag::Diagnostics& diags) {
  if (all.empty() || plan_.only_imports()) co_return false;
  std::atomic<bool> goes = false;
  const auto plan_one_of = [&](std::size_t i, diag::Diagnostics& own) -> tasks::Async<void> {
    const bool this_one_goes = co_await plan_one(all[i], own);
    if (this_one_goes) goes = true;
  };
  co_await run_.instances.for_each(all.size(), plan_one_of, diags);
  co_return goes;
}

tasks::Async<bool> UndeclaredPlanner::plan_one(Undeclared it, diag::Diagnostics& diags) {
  const state::Resource& resource = *it.resource;
  InstanceTask task;
  task.address = addrs::instance_of(resource.address(), it.instance->key());
  if (plan_.destroys() && !plan_.destroy_targeting.has(task.address) &&
      !plan_.destroy_targeting.has_deposed(task.address)) {
    co_return false;  // its provider may not be configured
  }
  task.row = it.row;
  task.config = it.config;
  task.schema = run_.schemas.find(resource.provider().provider, resource.address().object);
  if (resource.address().object.mode != addrs::ResourceMode::Managed) {
    // What was read is forgotten; it was never ours.
    if (it.current && !plan_.destroys()) {
      findings_.forget(task.address, resource.provider_of(*it.instance));
    }
    co_return false;
  }
  const auto provider = provider_of(it);
  if (!provider) co_return false;
  ConfiguredProvider* found = co_await providers_.of_stored(
      *provider, provider_row(run_.program, provider->config), task.address, diags);
  if (!set_provider(task, found, providers_, diags)) co_return false;
  if (task.schema == nullptr) {
    diags.error("Invalid resource type")
        .detail(fmt::format(
            "The provider {} no longer supports the resource type {:?}, so {} cannot be decoded.",
            resource.provider().provider.for_display(), resource.address().object.type,
            task.address.to_string()));
    co_return false;
  }
  co_return co_await plan_objects(std::move(task), it, diags);
}

// Whether the current object goes.
tasks::Async<bool> UndeclaredPlanner::plan_objects(InstanceTask task, const Undeclared& it,
                                                   diag::Diagnostics& diags) {
  bool goes = false;
  if (it.current && it.instance->current() != nullptr) {
    task.stored = it.instance->current();
    goes = co_await destroyer_.plan(task, reason_to_delete(task.address, it.config), diags);
  }
  if (!it.deposed) co_return goes;
  // As in OpenTofu, no data source waits for what was left over.
  for (const auto& [key, object] : it.instance->deposed()) {
    task.deposed_key = key;
    task.stored = &object;
    (void)co_await destroyer_.plan(task, ActionReason::None, diags);
  }
  co_return goes;
}

// The configuration that looks after what is not declared. Nothing if it takes no part in the
// plan, and neither do the objects then.
std::optional<addrs::AbsProviderInstance> UndeclaredPlanner::provider_of(
    const Undeclared& it) const {
  addrs::AbsProviderInstance named = it.resource->provider_of(*it.instance);
  if (!it.row) return named;
  if (const auto provider = provider_row(run_.program, named.config)) {
    if (plan_.destroys()) return named;  // all rows have ended
    if (!plan_.rows.has(*provider)) return std::nullopt;
    const auto waits = stored_.graph().of(it.row->index);
    if (std::ranges::find(waits, provider->index) != waits.end()) return named;
  }
  // As in OpenTofu, where the one that the state names does not exist any more.
  const ObjectId own = *run_.program.provider_configs[it.row->index];
  return addrs::AbsProviderInstance{run_.program.provider_address(own), named.key};
}

plans::ActionReason UndeclaredPlanner::reason_to_delete(const addrs::AbsResourceInstance& address,
                                                        const config::Resource* config) const {
  if (plan_.destroys()) return ActionReason::None;
  if (config == nullptr) {
    return plan_.moves.moved_from(address) != nullptr ? ActionReason::DeleteBecauseNoMoveTarget
                                                      : ActionReason::DeleteBecauseNoResourceConfig;
  }
  if (!run_.cells.find(address.module)) return ActionReason::DeleteBecauseNoModule;
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

}  // namespace tofu::engine
