// Planning as a whole: visits the rows, hands every instance to the part that plans it, and makes
// a plan of what they found.
#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/shell_text.h"
#include "engine/deferrals.h"
#include "engine/destroy_planner.h"
#include "engine/import_planner.h"
#include "engine/instance_planner.h"
#include "engine/lifecycle.h"
#include "engine/minimal_refresh.h"
#include "engine/object_reader.h"
#include "engine/order.h"
#include "engine/output_planner.h"
#include "engine/plan.h"
#include "engine/plan_context.h"
#include "engine/plan_findings.h"
#include "engine/program_rows.h"
#include "engine/provider_rows.h"
#include "engine/reading.h"
#include "engine/relevance.h"
#include "engine/row_walk.h"
#include "schema/marks.h"

namespace tofu::engine {

namespace {

using eval::ObjectId;
using plans::Action;
using value::Value;

class Planner final : private RowVisitor {
 public:
  Planner(const RunInputs& inputs, const PlanOptions& options, MoveOutcome moves,
          MinimalRefresh* minimal, Deferrals* deferrals)
      : run_(inputs), plan_(run_, options, std::move(moves), minimal) {
    run_.deferrals = deferrals;
  }

  Planned plan(diag::Diagnostics& diags);

 private:
  // What the instances of a resource share while they are planned.
  struct Needs {
    const std::vector<addrs::ConfigResource>* dependencies;  // see DeclaredInstance
    bool has_pending;
  };

  tasks::Async<bool> resource(ObjectId row, diag::Diagnostics& diags) override;
  void import(ObjectId row, diag::Diagnostics& diags) override { imports_.evaluate(row, diags); }

  tasks::Async<void> plan_instance(ResourcePart& part, std::size_t position, Needs needs,
                                   diag::Diagnostics& diags);
  tasks::Async<InstanceOutcome> plan_declared(DeclaredInstance& instance, diag::Diagnostics& diags);
  InstanceTask task_of(const ResourcePart& part, const addrs::InstanceKey& key) const;
  bool takes_part(const ResourcePart& part, const InstanceTask& task) const;
  InstanceOutcome left_alone(const InstanceTask& task);
  void check_replace(const ResourcePart& part, diag::Diagnostics& diags) const;
  void expose_existing(ResourcePart& part);
  void show_stored(ObjectId row, eval::ModuleInstanceId module);
  void show_left_out();
  tasks::Async<void> plan_rest(diag::Diagnostics& diags);
  void report_causes(bool& is_begun, diag::Diagnostics& diags);
  void check_moves_and_targets(diag::Diagnostics& diags) const;
  void expect_checks();
  std::vector<plans::VariableValue> variables() const;
  void finish(Planned& planned, diag::Diagnostics& diags);

  RunContext run_;
  const PlanContext plan_;
  const StoredRows stored_{plan_};
  ProviderRows providers_{run_, plan_.rows, plan_.previous()};
  EphemeralResources ephemerals_{run_};
  PlannedResources resources_{plan_};
  PlanFindings findings_{plan_};
  OutputPlanner outputs_{plan_};
  ObjectReader reader_{plan_};
  ImportPlanner imports_{plan_, reader_, providers_, findings_};
  InstancePlanner instances_{plan_, resources_, providers_, reader_, imports_, findings_};
  ReadPlanner reads_{plan_, providers_, ephemerals_, findings_};
  DestroyPlanner destroyer_{plan_, reader_, findings_};
  UndeclaredPlanner undeclared_{plan_, stored_, providers_, destroyer_, findings_};
};

tasks::Async<bool> Planner::resource(ObjectId row, diag::Diagnostics& diags) {
  const eval::Object& object = run_.program.object(row);
  const config::Resource& config = run_.resource(row);
  const std::size_t modules = run_.cells.instances(object.module).size();
  resources_.open_row(row, modules);
  if (plan_.destroys() && config.mode != addrs::ResourceMode::Ephemeral) {
    for (std::uint32_t module = 0; module < modules; ++module) show_stored(row, {module});
    co_return true;
  }
  const bool is_managed = config.mode == addrs::ResourceMode::Managed;
  const auto waits_for =
      is_managed ? std::vector<ObjectId>() : plan_.dependencies.pending_before(row);
  const bool waits_for_undeclared =
      !is_managed &&
      std::ranges::any_of(plan_.dependencies.undeclared_before(row),
                          [&](const auto& one) { return stored_.is_undeclared_changing(one); });
  std::optional<std::vector<addrs::ConfigResource>> dependencies;
  bool is_expanded = true;
  for (std::uint32_t module = 0; module < modules; ++module) {
    const eval::ModuleScope scope = run_.scope(object.module, {module});
    auto expansion =
        expand(config.repetition, scope, run_.cells.budget(),
               {run_.program.node(object.module).path, &config, nullptr, run_.deferrals}, diags);
    if (run_.cells.budget().is_spent()) co_return false;
    if (!expansion) is_expanded = false;
    if (!expansion) continue;
    ResourcePart& part = resources_.open(row, {module}, std::move(*expansion));
    const bool has_objects = part.stored != nullptr || imports_.may_import();
    if (is_managed && has_objects && !dependencies) {
      dependencies = plan_.dependencies.dependencies(row);
    }
    const Needs needs{dependencies ? &*dependencies : nullptr,
                      waits_for_undeclared || resources_.is_any_changing(waits_for, row, {module})};
    imports_.check_declared(part.address, part.cell->expansion);
    check_replace(part, diags);
    co_await run_.instances.for_each(
        part.instances.size(),
        [&](std::size_t i, diag::Diagnostics& own) { return plan_instance(part, i, needs, own); },
        diags);
    expose_existing(part);
    part.is_changing = std::ranges::any_of(part.instances, [](const PlannedInstance& one) {
      return one.change.action != Action::NoOp;
    });
    if (part.stored == nullptr) continue;
    const bool goes = co_await undeclared_.plan_instances(part, diags);
    part.is_changing = part.is_changing || goes;
  }
  if (!stored_.in_modules(row).empty()) {
    const bool is_changing = co_await undeclared_.plan_gone_modules(row, diags);
    resources_.set_gone_is_changing(row, is_changing);
  }
  if (has_conditions(config) && is_expanded) {
    run_.checks.expanded(row);
  }
  co_return !diags.has_errors();
}

tasks::Async<void> Planner::plan_instance(ResourcePart& part, std::size_t position, Needs needs,
                                          diag::Diagnostics& diags) {
  eval::InstanceScope scope(run_.program.object(part.row).module, part.module);
  part.cell->expansion.place(scope, position);
  DeclaredInstance instance{part.row, task_of(part, part.cell->expansion.key(position)),
                            std::move(scope), needs.dependencies, needs.has_pending};
  InstanceOutcome outcome;
  if (takes_part(part, instance.task)) {
    outcome = co_await plan_declared(instance, diags);
  } else {
    outcome = left_alone(instance.task);
  }
  part.instances[position] = std::move(outcome.planned);
  if (outcome.value) part.cell->values[position] = std::move(*outcome.value);
}

tasks::Async<InstanceOutcome> Planner::plan_declared(DeclaredInstance& instance,
                                                     diag::Diagnostics& diags) {
  switch (instance.task.config->mode) {
    case addrs::ResourceMode::Managed: return instances_.plan(instance, diags);
    case addrs::ResourceMode::Data: return reads_.plan_data(instance, diags);
    case addrs::ResourceMode::Ephemeral: return reads_.plan_ephemeral(instance, diags);
  }
  base::broken_promise("a resource without a mode");
}

InstanceTask Planner::task_of(const ResourcePart& part, const addrs::InstanceKey& key) const {
  InstanceTask task;
  task.address = addrs::instance_of(part.address, key);
  task.schema = part.schema;
  task.row = part.row;
  task.config = &run_.resource(part.row);
  if (part.stored != nullptr) {
    const state::Instance* instance = part.stored->find(key);
    task.stored = instance == nullptr ? nullptr : instance->current();
  }
  return task;
}

bool Planner::takes_part(const ResourcePart& part, const InstanceTask& task) const {
  const bool is_managed = part.address.object.mode == addrs::ResourceMode::Managed;
  if (is_managed && plan_.only_imports() && imports_.find(task.address) == nullptr) return false;
  return part.filter.includes(task.address.object.key);
}

// An instance that is not part of this plan keeps the value that is stored.
InstanceOutcome Planner::left_alone(const InstanceTask& task) {
  InstanceOutcome outcome;
  if (task.config->mode == addrs::ResourceMode::Ephemeral) {
    outcome.set_value(schema::unknown_value(task.schema->block));
  } else if (task.stored != nullptr) {
    outcome.set_value(run_.schemas.stored_value(*task.stored, *task.schema));
  } else if (plan_.only_imports()) {
    outcome.value = Value::unknown(type_of(task.schema));
  }
  return outcome;
}

// Warns of a -replace without a key for a resource whose instances have keys.
void Planner::check_replace(const ResourcePart& part, diag::Diagnostics& diags) const {
  const bool is_named =
      !plan_.replace.empty() && plan_.replace.contains(addrs::instance_of(part.address, {}));
  if (!is_named) return;
  const Expansion& expansion = part.cell->expansion;
  if (expansion.find(addrs::InstanceKey())) return;
  constexpr std::size_t kMaxShown = 10;
  std::string options;
  for (std::size_t i = 0; i < std::min(expansion.size(), kMaxShown); ++i) {
    const auto instance = addrs::instance_of(part.address, expansion.key(i)).to_string();
    options += fmt::format("\n  -replace={}", base::shell_quoted(instance));
  }
  if (expansion.size() > kMaxShown) options += "\n  ...";
  const std::string detail =
      options.empty() ? std::string("The resource has no instances.")
                      : "Its instances have keys. To replace some of them, use:" + options;
  diags.warning("No matching instance to replace")
      .detail(fmt::format("The address given by -replace={} matches no instance. {}",
                          part.address.to_string(), detail));
}

// Where only a part is planned, or nothing, expressions see the objects there are, also
// those that are not declared any more.
void Planner::expose_existing(ResourcePart& part) {
  const bool is_normal = plan_.options.mode == plans::Mode::Normal;
  if (is_normal && part.filter.is_all()) return;
  std::vector<ExistingInstance> instances;
  const Expansion& declared = part.cell->expansion;
  for (std::size_t i = 0; i < declared.size(); ++i) {
    if (part.instances[i].exists) instances.push_back({declared.key(i), part.cell->values[i]});
  }
  if (part.stored != nullptr) {
    part.stored->for_each([&](const state::Instance& instance) {
      if (instance.current() == nullptr || declared.find(instance.key())) return;
      if (is_normal && part.filter.includes(instance.key())) return;
      instances.push_back(
          {instance.key(), run_.schemas.stored_value(*instance.current(), *part.schema)});
    });
  }
  part.cell->seen = see_existing(run_.resource(part.row).repetition, std::move(instances),
                                 type_of(part.stored == nullptr ? nullptr : part.schema));
}

// What needs a resource that is going to be destroyed sees it as the state has it.
void Planner::show_stored(ObjectId row, eval::ModuleInstanceId module) {
  const schema::ResourceSchema* schema = run_.program.row(row).schema;
  std::vector<ExistingInstance> instances;
  const state::Resource* stored = plan_.previous().resource(run_.address(row, module));
  if (stored != nullptr && schema != nullptr) {
    stored->for_each([&](const state::Instance& instance) {
      if (instance.current() == nullptr) return;
      instances.push_back(
          {instance.key(), run_.schemas.stored_value(*instance.current(), *schema)});
    });
  }
  run_.cells.open_resource(row, module, Expansion()).seen =
      see_existing(run_.resource(row).repetition, std::move(instances),
                   type_of(stored == nullptr ? nullptr : schema));
}

// What is not part of the plan is as the state has it.
void Planner::show_left_out() {
  for (std::uint32_t row = 0; row < run_.program.objects.size(); ++row) {
    const eval::Object& object = run_.program.objects[row];
    if (object.kind != eval::ObjectKind::Resource || plan_.rows.has({row})) continue;
    run_.cells.open({row});
    const std::size_t modules = run_.cells.instances(object.module).size();
    for (std::uint32_t module = 0; module < modules; ++module) show_stored({row}, {module});
  }
}

// What no row of the program is about.
tasks::Async<void> Planner::plan_rest(diag::Diagnostics& diags) {
  (void)co_await undeclared_.plan_rest(diags);
  co_await imports_.plan_undeclared(diags);
  co_await ephemerals_.close_all(diags);
}

// What is going to be destroyed need not agree with what is declared. Where objects are
// read before, that was checked then.
void Planner::check_moves_and_targets(diag::Diagnostics& diags) const {
  const DeclaredInstances declared{
      [&](const addrs::ModulePath& path) {
        std::vector<addrs::ModuleInstance> all;
        const config::TreeNode* node = find_module(*run_.program.tree, path);
        if (node == nullptr) return all;
        for (const ModuleInstanceRow& row : run_.cells.instances(node->id)) {
          all.push_back(row.address);
        }
        return all;
      },
      [&](const addrs::ModuleInstance& module) {
        return !plan_.destroys() && run_.cells.find(module).has_value();
      },
      [&](const addrs::AbsResourceInstance& address) {
        return !plan_.destroys() && resources_.is_declared(address);
      }};
  check_moves(plan_.moves.statements, *run_.program.tree, declared, diags);
}

// What imports and moves get wrong is likely the cause of everything else. A plan with objects at
// wrong addresses is neither shown nor saved.
void Planner::report_causes(bool& is_begun, diag::Diagnostics& diags) {
  diag::Diagnostics causes = imports_.take_problems();
  if (!causes.has_errors() && !plan_.moves.statements.empty()) {
    check_moves_and_targets(causes);
    is_begun = !causes.has_errors();
  }
  if (causes.has_errors()) {
    run_.program.tree->root().module->name_blocks(causes.items_from(0));
    diags = std::move(causes);
    return;
  }
  if (!diags.has_errors()) warn_of_blocked_moves(plan_.moves, causes);
  diags.take(std::move(causes));
}

// Checks and resources whose rules were not reached because of errors have their instances.
void Planner::expect_checks() {
  resources_.expect_checks();
  for (std::uint32_t row = 0; row < run_.program.objects.size(); ++row) {
    const eval::Object& object = run_.program.objects[row];
    if (object.kind != eval::ObjectKind::Check || !plan_.rows.has({row})) continue;
    const auto& check = *std::get<const config::Check*>(object.declaration);
    for (const auto& module : run_.cells.instances(object.module)) {
      run_.checks.miss({row}, addrs::AbsCheck{module.address, {check.name}});
    }
  }
}

// The variables of the root module. What an ephemeral one was given is never kept.
std::vector<plans::VariableValue> Planner::variables() const {
  std::vector<plans::VariableValue> all;
  for (const config::Variable& variable : run_.program.tree->root().module->variables) {
    const auto given = run_.inputs.variables.find(variable.name);
    if (given != run_.inputs.variables.end() && !variable.is_ephemeral()) {
      all.push_back({variable.name, given->second});
    } else if (variable.default_value) {
      all.push_back({variable.name, *variable.default_value});
    }
  }
  return all;
}

void Planner::finish(Planned& planned, diag::Diagnostics& diags) {
  plans::Plan& plan = planned.plan;
  findings_.finish(resources_, planned);
  outputs_.refresh(planned.prior);
  outputs_.plan_changes(plan);
  if (!plan_.options.before_destroy) {
    plan.relevant = relevant_attributes(run_.program, plan, outputs_.module_outputs());
  }
  outputs_.expect_checks();
  plan.errored = diags.has_errors();
  if (plan.errored) expect_checks();
  CheckResults::Results checks = run_.checks.results();
  plan.checks = std::move(checks.objects);
  plan.rows.checks = std::move(checks.rows);
  const auto changes = [](const auto& one) { return one.action != Action::NoOp; };
  // What is moved or imported changes the state alone.
  const auto moves = [](const plans::ResourceChange& one) {
    return one.previous() != nullptr || one.importing() != nullptr;
  };
  // A plan that only refreshes is applied for what it found. Data sources are read in any case.
  const bool refreshes =
      plan_.only_refreshes() && !state::same_managed_resources(planned.prior, planned.previous);
  plan.applyable = !plan.errored && (std::ranges::any_of(plan.changes, changes) ||
                                     std::ranges::any_of(plan.outputs, changes) ||
                                     std::ranges::any_of(plan.changes, moves) || refreshes);
  planned.prior.checks.clear();  // this run makes its own
}

Planned Planner::plan(diag::Diagnostics& diags) {
  Planned planned;
  const PlanOptions& options = plan_.options;
  planned.plan.mode = options.mode;
  planned.plan.targets = options.targets;
  planned.plan.excludes = options.excludes;
  planned.plan.replace = options.replace;
  planned.plan.complete = options.targets.empty() && options.excludes.empty();
  RowEvaluator evaluator(run_, {.root_outputs = &outputs_,
                                .is_validated = !plan_.only_imports(),
                                .rule_severity = plan_.rule_severity()});
  RowWalk walk({run_, plan_.rows, evaluator, providers_, ephemerals_},
               {.graph = stored_.graph(), .visitor = *this, .uses_providers_later = true});
  walk.run(diags);
  run_.executor.start(plan_rest(diags));
  run_.executor.run();
  report_causes(planned.is_begun, diags);
  planned.plan.variables = variables();
  finish(planned, diags);
  if (run_.inputs.inspect && !planned.plan.complete) show_left_out();
  if (run_.inputs.inspect) run_.inputs.inspect(run_.scope({}, {}), diags);
  return planned;
}

Planned nothing_planned(const PlanOptions& options, const state::State& state) {
  Planned nothing;
  nothing.previous = nothing.prior = state;
  nothing.plan.mode = options.mode;
  nothing.plan.errored = true;
  nothing.is_begun = false;
  return nothing;
}

Planned make_one_plan(const RunInputs& inputs, const PlanOptions& options, state::State state,
                      diag::Diagnostics& diags, Deferrals* deferrals,
                      MinimalRefresh* minimal = nullptr) {
  MoveOutcome moves;
  if (options.imports.empty()) {
    moves = apply_moves(*inputs.program.tree, std::move(state));
  } else {
    moves.state = std::move(state);
  }
  check_targeted_moves(moves, {options.targets, options.excludes}, diags);
  if (options.mode == plans::Mode::Normal) check_removed(*inputs.program.tree, diags);
  check_import_targets(inputs.program, options, diags);
  if (diags.has_errors()) return nothing_planned(options, moves.state);
  diag::Diagnostics own;
  Planned planned = Planner(inputs, options, std::move(moves), minimal, deferrals).plan(own);
  diags.take(std::move(own));
  return planned;
}

// Only the last round counts: what others report is about values that may be out of date.
Planned make_minimal_plan(const RunInputs& inputs, const PlanOptions& options,
                          const state::State& state, diag::Diagnostics& diags,
                          Deferrals* deferrals) {
  MinimalRefresh minimal;
  while (true) {
    diag::Diagnostics found;
    RunInputs round = inputs;
    std::optional<eval::Deprecations> deprecations;
    if (inputs.deprecations != nullptr) {
      round.deprecations = &deprecations.emplace(*inputs.deprecations);
    }
    minimal.begin_round();
    Planned planned = make_one_plan(round, options, state, found, deferrals, &minimal);
    const bool goes_on = planned.is_begun && !inputs.stop.stop_requested() &&
                         minimal.extend(inputs.program, planned.previous);
    if (goes_on) continue;
    if (deprecations) *inputs.deprecations = std::move(*deprecations);
    planned.plan.reads = minimal.counts();
    diags.take(std::move(found));
    return planned;
  }
}

// What is there is found out by a plan that follows the configuration; the plan that
// destroys begins with what that found, outputs included.
Planned make_refreshed_plan(const RunInputs& inputs, const PlanOptions& options, state::State state,
                            diag::Diagnostics& diags, Deferrals* deferrals) {
  if (options.refresh && options.minimal_refresh) {
    return make_minimal_plan(inputs, options, state, diags, deferrals);
  }
  const bool has_objects = state.resource_count() != 0 || !state.outputs.empty();
  if (options.mode != plans::Mode::Destroy || !options.refresh || !has_objects) {
    return make_one_plan(inputs, options, std::move(state), diags, deferrals);
  }
  PlanOptions refreshing = options;
  refreshing.mode = plans::Mode::Normal;
  refreshing.before_destroy = true;
  diag::Diagnostics found;  // warnings are about a plan that was not requested
  Planned now = make_one_plan(inputs, refreshing, std::move(state), found, nullptr);
  if (found.has_errors()) {
    diags.take(std::move(found));
    return nothing_planned(options, now.previous);
  }
  now.plan = {};  // its values would be in memory beside those of the other
  PlanOptions destroying = options;
  destroying.refresh = false;
  Planned planned = make_one_plan(inputs, destroying, std::move(now.prior), diags, nullptr);
  planned.previous = std::move(now.previous);
  return planned;
}

class NoEvents final : public plans::EventSink {
 public:
  void on(const plans::Event& /*event*/) override {}
};

// Most of what has to be deferred is found from the state already, so that objects are read once.
Planned make_deferring_plan(const RunInputs& inputs, const PlanOptions& options,
                            const state::State& state, diag::Diagnostics& diags) {
  Deferrals deferrals;
  const auto plan_rest = [&](const RunInputs& round, bool refresh, diag::Diagnostics& found) {
    PlanOptions rest = options;
    rest.refresh = rest.refresh && refresh;
    for (addrs::Target& target : deferrals.targets()) rest.excludes.push_back(std::move(target));
    return make_refreshed_plan(round, rest, state, found, &deferrals);
  };
  NoEvents no_events;
  const RunInputs silent{.program = inputs.program,
                         .functions = inputs.functions,
                         .facts = inputs.facts,
                         .providers = inputs.providers,
                         .events = no_events,
                         .variables = inputs.variables,
                         .stop = inputs.stop,
                         .parallelism = inputs.parallelism,
                         .substitutes = inputs.substitutes,
                         .threads = inputs.threads,
                         .shuffle = inputs.shuffle,
                         .runtime = inputs.runtime};
  while (true) {
    do {
      diag::Diagnostics unreported;
      (void)plan_rest(silent, false, unreported);
    } while (deferrals.has_more());
    diag::Diagnostics found;
    Planned planned = plan_rest(inputs, true, found);
    if (deferrals.has_more()) continue;
    planned.plan.deferrals =
        deferrals.resources(inputs.program, planned.previous, options.excludes);
    diags.take(std::move(found));
    return planned;
  }
}

Planned make_plan_unordered(const RunInputs& inputs, const PlanOptions& options, state::State state,
                            diag::Diagnostics& diags) {
  if (options.allow_deferral && options.mode == plans::Mode::Normal) {
    return make_deferring_plan(inputs, options, state, diags);
  }
  return make_refreshed_plan(inputs, options, std::move(state), diags, nullptr);
}

}  // namespace

Planned make_plan(const RunInputs& inputs, const PlanOptions& options, state::State state,
                  diag::Diagnostics& diags) {
  Planned planned = make_plan_unordered(inputs, options, std::move(state), diags);
  plans::Plan& plan = planned.plan;
  if (!plan.errored && !set_order(inputs.program, plan, planned.prior, diags)) {
    plan.errored = true;
    plan.applyable = false;
  }
  return planned;
}

}  // namespace tofu::engine
