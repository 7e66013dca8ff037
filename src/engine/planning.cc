#include "engine/planning.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "addrs/parse.h"
#include "engine/find_module.h"
#include "engine/program_rows.h"
#include "eval/keyed_traversal.h"
#include "syntax/eval.h"
#include "value/path.h"

namespace tofu::engine {

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

template <class Item>
void sort_by_address(std::vector<Item>& items) {
  std::ranges::stable_sort(items, [](const Item& a, const Item& b) {
    return std::tie(a.address, a.deposed_key) < std::tie(b.address, b.deposed_key);
  });
}

}  // namespace

Planning::Planning(const RunInputs& inputs, const PlanOptions& options, MoveOutcome moves)
    : Pass(inputs),
      options_(options),
      moves_(std::move(moves)),
      removed_(*inputs.program.tree),
      targeting_(inputs.program, moves_.state,
                 options.mode == plans::Mode::Destroy
                     ? TargetOptions()
                     : TargetOptions{options.targets, options.excludes}),
      destroy_targeting_(moves_.state, {options.targets, options.excludes}),
      facts_(inputs.program, targeting_.left_out()),
      replace_(options.replace.begin(), options.replace.end()),
      may_import_(does_import() && (!options.imports.empty() ||
                                    !inputs.program.tree->root().module->imports.empty())),
      parts_(inputs.program.objects.size()) {
  facts_.note_undeclared(moves_.state);
  for (const ImportTarget& target : options.imports) {
    Import made;
    made.from.id = target.id;
    imports_.emplace(target.address, std::move(made));
  }
  leave_out(options.mode == plans::Mode::Destroy
                ? unneeded_to_destroy(program(), moves_.state, destroy_targeting_)
                : targeting_.left_out());
}

// An instance that is not part of this plan keeps the value that is stored.
void Planning::leave_as_it_is(ResourcePart& part, std::size_t position, const InstanceTask& task) {
  if (task.stored == nullptr) return;
  set_value(part, position, stored_value(*task.stored, *part.schema));
}

// What is going to be destroyed need not agree with what is declared. Where objects are
// read before, that was checked then.
void Planning::check_moves_and_targets(diag::Diagnostics& diags) const {
  const bool destroys = options_.mode == plans::Mode::Destroy;
  const DeclaredInstances declared{
      [&](const addrs::ModulePath& path) {
        std::vector<addrs::ModuleInstance> all;
        const config::TreeNode* node = find_module(*program().tree, path);
        if (node == nullptr) return all;
        const auto module = static_cast<std::uint32_t>(node - program().tree->nodes.data());
        for (const ModuleInstanceRow& row : cells_.instances({module})) all.push_back(row.address);
        return all;
      },
      [&](const addrs::ModuleInstance& module) {
        return !destroys && cells_.find(module).has_value();
      },
      [&](const addrs::AbsResourceInstance& address) {
        if (destroys) return false;
        const auto instance = cells_.find(address.module);
        const config::TreeNode* node = find_module(*program().tree, address.module);
        if (!instance || node == nullptr) return false;
        const config::Resource* resource = node->module->resource(address.object.resource);
        if (resource == nullptr) return false;
        const auto module = static_cast<std::uint32_t>(node - program().tree->nodes.data());
        const eval::ModuleRows& rows = program().modules[module];
        const auto& parts = parts_[rows.first.index + rows.shape->row_of(resource)];
        if (instance->index >= parts.size() || !parts[instance->index]) return false;
        return parts[instance->index]->cell->expansion.find(address.object.key).has_value();
      }};
  check_moves(moves_.statements, *program().tree, declared, diags);
}

bool Planning::is_expanded(const addrs::ModuleInstance& module) const {
  config::ModuleId at;
  for (const addrs::ModuleStep& step : module.steps) {
    const config::TreeNode& node = program().node(at);
    const auto child = node.children.find(step.name);
    if (child == node.children.end()) return true;
    at = child->second;
    if (!cells_.is_expanded(at)) return false;
  }
  return true;
}

// Whether one of the things that replace_triggered_by names is going to change.
bool Planning::triggers(const ResourcePart& part, const eval::Names& names,
                        diag::Diagnostics& diags) {
  const eval::ModuleRows& rows = program().modules[program().object(part.row).module.index];
  for (const syntax::Expr* expr : resource_at(part.row).replace_triggered_by) {
    const auto keyed = eval::KeyedTraversal::make(
        *expr, [&](const syntax::Expr& key) { return syntax::evaluate(key, &names, diags); });
    if (!keyed) continue;
    std::optional<eval::Binding> bound;
    rows.shape->bindings().make(keyed->traversal(), bound);
    if (!bound->reference || bound->target.of != eval::Target::Of::Row) continue;
    const auto& others = parts_[rows.first.index + bound->target.row];
    if (part.module.index >= others.size() || !others[part.module.index]) continue;
    const ResourcePart& other = *others[part.module.index];
    const auto* instance = std::get_if<addrs::ResourceInstance>(&bound->reference->subject);
    const auto position =
        instance == nullptr ? std::nullopt : other.cell->expansion.find(instance->key);
    if (instance != nullptr && !position) {
      // One that is going to be destroyed triggers nothing, and is missing only after that.
      if (previous().object(addrs::instance_of(other.address, instance->key)) != nullptr) continue;
      diags.error("Reference to missing resource instance")
          .detail(fmt::format("There is no {} that could trigger a replacement.",
                              addrs::to_string(bound->reference->subject)))
          .at(expr->range);
      continue;
    }
    const auto& steps = bound->reference->remaining;
    for (std::size_t i = position.value_or(0); i < other.instances.size(); ++i) {
      const plans::ResourceChange& change = other.instances[i].change;
      if (can_trigger(change.action)) {
        if (steps.empty()) return true;
        const auto before = part_of(change.before.deep_unmarked(), steps);
        const auto after = part_of(change.after.deep_unmarked(), steps);
        if (before.has_value() != after.has_value()) return true;
        if (before && !raw_equal(*before, *after)) return true;
      }
      if (position || !steps.empty()) break;
    }
  }
  return false;
}

void Planning::note_change(ResourcePart& part, std::size_t position, const InstanceTask& task,
                           plans::ResourceChange change) {
  part.instances[position].change = std::move(change);
  part.instances[position].planned_by = task.provider;
}

// What the schema makes sensitive is not kept in the state as such.
void Planning::note_data(const InstanceTask& task, const Value& result,
                         const std::vector<schema::PathMarks>& marks, diag::Diagnostics& diags) {
  LiveObject object;
  object.value = schema::mark(result.deep_unmarked(), marks);
  note_object(task, object, diags);
}

// An object that the state does not have, or not so.
void Planning::note_object(const InstanceTask& task, const LiveObject& object,
                           diag::Diagnostics& diags) {
  auto made = to_state(object, *task.schema);
  if (!made) {
    diags.error("Provider produced invalid object")
        .detail(
            fmt::format("{} cannot be stored: {}.", task.address.to_string(), made.error().what));
    return;
  }
  if (task.stored != nullptr && *made == *task.stored) return;
  const std::lock_guard lock(mutex_);
  findings_.prior.push_back({task.address, {}, task.provider->address, std::move(*made)});
}

// Those of the change, with how the provider tells the object from others.
std::unique_ptr<plans::ChangeDetails> Planning::details_with_identity(
    const plans::ResourceChange& change, const InstanceTask& task, const Value& before,
    const Value& after) {
  auto details = change.details ? std::make_unique<plans::ChangeDetails>(*change.details)
                                : std::make_unique<plans::ChangeDetails>();
  details->identity_before = before;
  details->identity_after = after;
  if (task.schema->identity) details->identity_version = task.schema->identity->version;
  return details;
}

void Planning::add_details(plans::ResourceChange& change, const Change& planned,
                           const InstanceTask& task, const Value& identity,
                           const plans::Importing* importing) const {
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

// What depends on others comes before them, as it is going to be destroyed.
void Planning::sort_for_destroying(const plans::Plan& plan) {
  std::vector<std::uint32_t> places(program().order.size());
  for (std::uint32_t i = 0; i < places.size(); ++i) places[program().order[i]] = i;
  const auto place_of = [&](const plans::ResourceChange& change) {
    const plans::ResourceRow& resource = plan.addresses[change.resource];
    const auto row =
        resource_row(program(), {plan.addresses[resource.module].path(), resource.resource});
    return row ? places[row->index] : static_cast<std::uint32_t>(places.size());
  };
  std::ranges::stable_sort(findings_.changes, std::greater{}, place_of);
}

// The outputs of modules that have a value. They are new to every plan, since no state has
// them, so they count as changed.
std::vector<ModuleOutput> Planning::module_outputs() const {
  std::vector<ModuleOutput> found;
  for (std::uint32_t module = 1; module < program().modules.size(); ++module) {
    const eval::ModuleRows& rows = program().modules[module];
    for (const config::Output& output : rows.shape->module().outputs) {
      const eval::ObjectId row{rows.first.index + rows.shape->row_of(&output)};
      if (is_left_out(row)) continue;
      for (std::uint32_t i = 0; i < cells_.instances({module}).size(); ++i) {
        const bool has_value = !cells_.of({i}, row).unmarked().is_null() || output.deprecated;
        if (has_value) found.push_back({cells_.instance({module}, {i}).address, &output});
      }
    }
  }
  return found;
}

// Rules of outputs are not judged where everything is destroyed, but there they are.
void Planning::expect_outputs() {
  if (options_.mode != plans::Mode::Destroy || !destroy_targeting_.is_everything()) return;
  std::vector<plans::CheckedObject> expected;
  for (const config::Output& output : program().tree->root().module->outputs) {
    plans::CheckedObject checked{
        addrs::ConfigOutputValue{{}, {output.name}}, plans::CheckStatus::Unknown, {}};
    const addrs::AbsOutputValue address{{}, {output.name}};
    checked.instances.push_back({address, plans::CheckStatus::Unknown, {}});
    expected.push_back(std::move(checked));
  }
  checks_.plan(expected);
}

// In the order in which they were planned if there was one thread.
void Planning::take_declared_changes(plans::Plan& plan) {
  std::size_t count = findings_.changes.size();
  for (const auto& parts : parts_) {
    for (const auto& part : parts) count += part ? part->instances.size() : 0;
  }
  plan.changes.reserve(count);
  addresses_.expect_resources(parts_.size());
  for (const std::uint32_t row : program().order) {
    for (const auto& part : parts_[row]) {
      if (!part || part->instances.empty()) continue;
      const plans::ResourceId resource =
          addresses_.resource(addresses_.module(part->address.module), part->address.object,
                              address_of_provider({row}).provider);
      for (ResourcePart::Instance& instance : part->instances) {
        if (instance.planned_by == nullptr) continue;
        plans::ResourceChange& change = plan.changes.emplace_back(std::move(instance.change));
        change.resource = resource;
        change.provider = id_of(*instance.planned_by);
      }
    }
  }
}

void Planning::finish(Planned& planned, diag::Diagnostics& diags) {
  plans::Plan& plan = planned.plan;
  take_declared_changes(plan);
  plan.addresses = std::move(addresses_);
  const auto by_address = [&](const plans::ResourceChange& a, const plans::ResourceChange& b) {
    const auto of = [&](const plans::ResourceChange& change) {
      return std::pair(plan.addresses.instance(change.resource, change.key), change.deposed());
    };
    return of(a) < of(b);
  };
  std::ranges::sort(findings_.changes, by_address);
  if (options_.mode == plans::Mode::Destroy) sort_for_destroying(plan);
  std::ranges::sort(findings_.drift, by_address);
  std::ranges::move(findings_.changes, std::back_inserter(plan.changes));
  plan.drift = std::move(findings_.drift);

  planned.previous = without_empty_entries(previous());
  sort_by_address(findings_.previous);
  sort_by_address(findings_.prior);
  for (FoundObject& found : findings_.previous) {
    planned.previous.set_object(found.address, found.deposed_key, std::move(found.object),
                                found.provider);
  }
  planned.prior = without_empty_entries(previous());
  for (FoundObject& found : findings_.prior) {
    planned.prior.set_object(found.address, found.deposed_key, std::move(found.object),
                             found.provider);
  }
  refresh_outputs(planned.prior);
  plan_outputs(plan);
  if (!options_.before_destroy)
    plan.relevant = relevant_attributes(program(), plan, module_outputs());
  expect_outputs();
  plan.checks = checks_.results();
  plan.errored = diags.has_errors();
  const bool changes_something =
      std::ranges::any_of(plan.changes, [](const auto& one) { return one.action != Action::NoOp; });
  const bool changes_outputs =
      std::ranges::any_of(plan.outputs, [](const auto& one) { return one.action != Action::NoOp; });
  // What is moved or imported changes the state alone.
  const bool moves_something = std::ranges::any_of(plan.changes, [](const auto& one) {
    return one.previous() != nullptr || one.importing() != nullptr;
  });
  // A plan that only refreshes is applied for what it found.
  const bool refreshes = options_.mode == plans::Mode::RefreshOnly &&
                         !state::same_content(planned.prior, planned.previous);
  plan.applyable =
      !plan.errored && (changes_something || changes_outputs || moves_something || refreshes);
  planned.prior.checks.clear();  // this run makes its own
}

// What no row of the program is about.
Async<void> Planning::plan_rest(diag::Diagnostics& diags) {
  co_await undeclared(diags);
  co_await import_undeclared(diags);
  co_await close_all(diags);
}

// What is not part of the plan is as the state has it.
void Planning::show_left_out() {
  for (std::uint32_t row = 0; row < program().objects.size(); ++row) {
    const eval::Object& object = program().objects[row];
    if (object.kind != eval::ObjectKind::Resource || !is_left_out({row})) continue;
    cells_.open({row});
    const std::size_t modules = cells_.instances(object.module).size();
    for (std::uint32_t module = 0; module < modules; ++module) show_stored({row}, {module});
  }
}

Planned Planning::run_to_end(diag::Diagnostics& diags) {
  Planned planned;
  planned.plan.mode = options_.mode;
  planned.plan.targets = options_.targets;
  planned.plan.excludes = options_.excludes;
  planned.plan.replace = options_.replace;
  planned.plan.complete = options_.targets.empty() && options_.excludes.empty();
  run(diags);
  executor_.start(plan_rest(diags));
  executor_.run();
  // What imports and moves get wrong is likely the cause of everything else.
  diag::Diagnostics causes = std::move(import_problems_);
  if (!causes.has_errors() && !moves_.statements.empty()) check_moves_and_targets(causes);
  if (causes.has_errors()) {
    program().tree->root().module->name_blocks(causes.items_from(0));
    diags = std::move(causes);
  } else {
    if (!diags.has_errors()) warn_of_blocked_moves(moves_, causes);
    diags.take(std::move(causes));
  }
  for (const config::Variable& variable : program().tree->root().module->variables) {
    const auto given = inputs_.variables.find(variable.name);
    // What an ephemeral one was given is never kept.
    if (given != inputs_.variables.end() && !variable.is_ephemeral()) {
      planned.plan.variables.push_back({variable.name, given->second});
    } else if (variable.default_value) {
      planned.plan.variables.push_back({variable.name, *variable.default_value});
    }
  }
  finish(planned, diags);
  if (inputs_.inspect && !planned.plan.complete) show_left_out();
  let_inspect(diags);
  return planned;
}

namespace {

Planned nothing_planned(const PlanOptions& options, const state::State& state) {
  Planned nothing;
  nothing.previous = nothing.prior = state;
  nothing.plan.mode = options.mode;
  nothing.plan.errored = true;
  nothing.is_begun = false;
  return nothing;
}

Planned make_one_plan(const RunInputs& inputs, const PlanOptions& options, state::State state,
                      diag::Diagnostics& diags) {
  MoveOutcome moves = apply_moves(*inputs.program.tree, std::move(state));
  check_targeted_moves(moves, {options.targets, options.excludes}, diags);
  if (options.mode == plans::Mode::Normal) check_removed(*inputs.program.tree, diags);
  check_import_targets(inputs.program, options, diags);
  if (diags.has_errors()) return nothing_planned(options, moves.state);
  diag::Diagnostics own;
  Planned planned = Planning(inputs, options, std::move(moves)).run_to_end(own);
  diags.take(std::move(own));
  return planned;
}

}  // namespace

// What is there is found out by a plan that follows the configuration; the plan that
// destroys begins with what that found, outputs included.
Planned make_plan(const RunInputs& inputs, const PlanOptions& options, state::State state,
                  diag::Diagnostics& diags) {
  const bool has_objects = state.resource_count() != 0 || !state.outputs.empty();
  if (options.mode != plans::Mode::Destroy || !options.refresh || !has_objects) {
    return make_one_plan(inputs, options, std::move(state), diags);
  }
  PlanOptions refreshing = options;
  refreshing.mode = plans::Mode::Normal;
  refreshing.before_destroy = true;
  diag::Diagnostics found;  // warnings are about a plan that nobody asked for
  Planned now = make_one_plan(inputs, refreshing, std::move(state), found);
  if (found.has_errors()) {
    diags.take(std::move(found));
    return nothing_planned(options, now.previous);
  }
  now.plan = {};  // its values would be in memory beside those of the other
  PlanOptions destroying = options;
  destroying.refresh = false;
  Planned planned = make_one_plan(inputs, destroying, std::move(now.prior), diags);
  planned.previous = std::move(now.previous);
  return planned;
}

}  // namespace tofu::engine
