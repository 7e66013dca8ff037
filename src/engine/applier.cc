// Applying as a whole: visits the rows, which make and read, and the further steps of the order,
// which destroy. See order.h for what waits for what.
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/memory.h"
#include "engine/apply.h"
#include "engine/apply_context.h"
#include "engine/apply_journal.h"
#include "engine/dependency_info.h"
#include "engine/instance_applier.h"
#include "engine/lifecycle.h"
#include "engine/order.h"
#include "engine/program_rows.h"
#include "engine/provider_rows.h"
#include "engine/reading.h"
#include "engine/row_walk.h"
#include "schema/consistency.h"
#include "schema/marks.h"

namespace tofu::engine {

namespace {

using addrs::CheckRuleKind;
using eval::ObjectId;
using plans::Action;
using plans::StepKind;
using value::Value;

tasks::Async<void> nothing() { co_return; }

ExecutionGraph graph_of(const eval::Program& program, const plans::Plan& plan) {
  TOFU_CHECK(plan.order && plan.order->rows == program.objects.size(),
             "a plan that is applied has its order");
  return execution_graph(program, *plan.order);
}

class Applier final : private RowVisitor, private StepVisitor {
 public:
  // Values are released in `consumed`, which are the changes of `planned`. Null: they are kept.
  Applier(const RunInputs& inputs, const Planned& planned,
          std::vector<plans::ResourceChange>* consumed, StateWriter& writer);

  void apply(diag::Diagnostics& diags);

 private:
  // The instances of a row: all, or those that have no step of their own.
  enum class Which : std::uint8_t { All, Rest };

  // A row that has work, from the time on when its instances are known.
  struct OpenRow {
    std::vector<addrs::ConfigResource> needs;
    std::vector<ResourceCell*> cells;  // by instance of the module; null after an error
  };

  // An instance of a declared resource.
  struct Place {
    ObjectId row;
    eval::ModuleInstanceId module;
    ResourceCell* cell = nullptr;
    std::size_t position = 0;
    const plans::ResourceChange* change = nullptr;  // null: nothing is planned
  };

  tasks::Async<bool> resource(ObjectId row, diag::Diagnostics& diags) override;
  void import(ObjectId, diag::Diagnostics&) override {}  // the plan has what is imported
  tasks::Async<bool> step(std::uint32_t node, diag::Diagnostics& diags) override;
  tasks::Walk::Turn turn_of(std::uint32_t node) const override;
  bool is_visited_when_stopped(ObjectId row) const override;

  void open_row(ObjectId row, diag::Diagnostics& diags);
  tasks::Async<void> apply_instances(ObjectId row, Which which, diag::Diagnostics& diags);
  tasks::Async<void> apply_step(const plans::ResourceChange& change, diag::Diagnostics& diags);
  tasks::Async<void> apply_instance(Place place, diag::Diagnostics& diags);
  tasks::Async<void> open_ephemeral(Place place, InstanceTask task, eval::InstanceScope scope,
                                    diag::Diagnostics& diags);
  tasks::Async<ApplyOutcome> outcome_of(const Place& place, InstanceTask task,
                                        eval::InstanceScope scope, diag::Diagnostics& diags);
  tasks::Async<void> destroy_object(const plans::ResourceChange& change, diag::Diagnostics& diags);
  bool check_preconditions(const InstanceTask& task, const eval::InstanceScope& scope,
                           diag::Diagnostics& diags);
  void check_postconditions(const InstanceTask& task, eval::InstanceScope scope, Value self,
                            diag::Diagnostics& diags);
  void release(const Place& place);
  void show_stored(ObjectId row, eval::ModuleInstanceId module);
  void expose_existing(ObjectId row, eval::ModuleInstanceId module, ResourceCell& cell);
  Value value_in_state(const InstanceTask& task);

  RunContext run_;
  const PlannedChanges changes_;
  const ApplyContext apply_;
  const ApplyRows rows_;
  const ActiveRows active_;
  DependencyInfo dependencies_;
  const ExecutionGraph graph_;
  ProviderRows providers_;
  EphemeralResources ephemerals_{run_};
  const std::vector<bool> opened_;  // by row: the ephemeral resources that are opened
  ApplyJournal journal_{apply_};
  InstanceApplier instances_{apply_, dependencies_, journal_};
  ReadApplier reads_{apply_, providers_, ephemerals_};
  AppliedState result_{apply_, journal_};
  std::vector<std::optional<OpenRow>> open_rows_;  // by row
};

Applier::Applier(const RunInputs& inputs, const Planned& planned,
                 std::vector<plans::ResourceChange>* consumed, StateWriter& writer)
    : run_(inputs),
      changes_(run_, planned.plan, consumed),
      apply_{run_, planned, writer, changes_},
      rows_(run_, planned),
      active_(inputs.program, inputs.substitutes, rows_.left_out()),
      dependencies_(inputs.program, rows_.without_work(), replaced_first(planned.plan)),
      graph_(graph_of(inputs.program, planned.plan)),
      providers_(run_, active_, planned.prior),
      opened_(ephemerals_.any() ? ephemerals_to_open(run_, planned, providers_, dependencies_)
                                : std::vector<bool>()),
      open_rows_(inputs.program.objects.size()) {
  const plans::Plan& plan = planned.plan;
  for (const plans::ResourceChange& change : plan.changes) {
    if (change.action != Action::Forget) continue;
    if (row_at(plan.rows.resources[change.resource.index])) continue;
    const plans::ResourceRow& resource = plan.addresses[change.resource];
    dependencies_.note_undeclared(
        addrs::ConfigResource{plan.addresses[resource.module].path(), resource.resource});
  }
  run_.checks.plan(plan.checks, plan.rows.checks);
}

tasks::Async<bool> Applier::resource(ObjectId row, diag::Diagnostics& diags) {
  const std::size_t modules = run_.cells.instances(run_.program.object(row).module).size();
  if (!rows_.works(row)) {
    for (std::uint32_t module = 0; module < modules; ++module) {
      show_stored(row, {module});
      if (rows_.is_expanded(row)) result_.note_begun(row, {module});
    }
    co_return true;
  }
  if (!graph_.is_made_in_steps(row)) {
    open_row(row, diags);
    co_await apply_instances(row, Which::All, diags);
    if (run_.cancellation.is_cut_short()) co_return false;
  }
  const plans::Plan& plan = apply_.plan();
  // Nothing ephemeral is in the state, so it is seen as it was opened.
  const bool is_ephemeral = run_.resource(row).mode == addrs::ResourceMode::Ephemeral;
  if (!is_ephemeral && (!plan.complete || plan.mode != plans::Mode::Normal)) {
    for (std::uint32_t module = 0; module < modules; ++module) {
      ResourceCell* cell = open_rows_[row.index]->cells[module];
      if (cell != nullptr) expose_existing(row, {module}, *cell);
    }
  }
  co_return !diags.has_errors();
}

// Finds the instances of a row, whose values are unknown so far.
void Applier::open_row(ObjectId row, diag::Diagnostics& diags) {
  const config::ModuleId module = run_.program.object(row).module;
  const config::Resource& config = run_.resource(row);
  const std::size_t modules = run_.cells.instances(module).size();
  run_.cells.open(row);
  OpenRow& open = open_rows_[row.index].emplace();
  open.needs = dependencies_.dependencies(row);
  open.cells.resize(modules);
  bool is_expanded = true;
  for (std::uint32_t i = 0; i < modules; ++i) {
    auto expansion = expand(config.repetition, run_.scope(module, {i}), run_.cells.budget(),
                            {run_.program.node(module).path, &config}, diags);
    if (run_.cells.budget().is_spent()) return;
    if (!expansion) is_expanded = false;
    if (!expansion) continue;
    open.cells[i] = &run_.cells.open_resource(row, {i}, std::move(*expansion));
    if (rows_.is_expanded(row)) result_.note_begun(row, {i});
  }
  if (has_conditions(config) && is_expanded) {
    run_.checks.expanded(row);
  }
}

tasks::Async<void> Applier::apply_instances(ObjectId row, Which which, diag::Diagnostics& diags) {
  const OpenRow& open = *open_rows_[row.index];
  for (std::uint32_t module = 0; module < open.cells.size(); ++module) {
    ResourceCell* cell = open.cells[module];
    if (cell == nullptr) continue;
    const ResourceChanges* changes = changes_.of(row, {module});
    const auto work = [&](std::size_t i, diag::Diagnostics& own) {
      const plans::ResourceChange* change =
          changes == nullptr ? nullptr : changes->find(cell->expansion.key(i));
      const bool has_step = which == Which::Rest && change != nullptr && makes(change->action);
      if (has_step) return nothing();
      return apply_instance({row, {module}, cell, i, change}, own);
    };
    co_await run_.instances.for_each(cell->values.size(), work, diags);
  }
}

tasks::Async<void> Applier::apply_step(const plans::ResourceChange& change,
                                       diag::Diagnostics& diags) {
  const plans::Plan& plan = apply_.plan();
  const ObjectId row{plan.rows.resources[change.resource.index]};
  const auto module = changes_.modules().instance_of(plan.addresses[change.resource].module);
  if (!module) co_return;
  ResourceCell* cell = open_rows_[row.index]->cells[module->index];
  const auto position = cell == nullptr ? std::nullopt : cell->expansion.find(change.key);
  if (!position) co_return;
  co_await apply_instance({row, *module, cell, *position, &change}, diags);
  name_blocks(run_.program, row, diags);
}

bool Applier::check_preconditions(const InstanceTask& task, const eval::InstanceScope& scope,
                                  diag::Diagnostics& diags) {
  if (!has_conditions(*task.config)) return true;
  return check_rules(
      {task.config->preconditions, CheckRuleKind::ResourcePrecondition, *task.row, task.address},
      run_.scope(scope), run_.checks, diags);
}

void Applier::check_postconditions(const InstanceTask& task, eval::InstanceScope scope, Value self,
                                   diag::Diagnostics& diags) {
  if (task.config->postconditions.empty()) return;
  scope.self = task.config;
  scope.self_value = std::move(self);
  // An error in `diags` is enough to fail the row.
  (void)check_rules(
      {task.config->postconditions, CheckRuleKind::ResourcePostcondition, *task.row, task.address},
      run_.scope(std::move(scope)), run_.checks, diags);
}

tasks::Async<void> Applier::apply_instance(Place place, diag::Diagnostics& diags) {
  eval::InstanceScope scope(run_.program.object(place.row).module, place.module);
  place.cell->expansion.place(scope, place.position);
  InstanceTask task;
  task.address = addrs::instance_of(run_.address(place.row, place.module),
                                    place.cell->expansion.key(place.position));
  task.row = place.row;
  task.config = &run_.resource(place.row);
  task.change = place.change;
  task.schema = run_.program.row(place.row).schema;
  if (task.config->mode == addrs::ResourceMode::Ephemeral) {
    co_return co_await open_ephemeral(place, std::move(task), std::move(scope), diags);
  }
  Value& result = place.cell->values[place.position];
  if (task.change == nullptr) {  // nothing was planned, so no rule holds it back
    result = value_in_state(task);
    co_return;
  }
  // What goes is the business of the steps that destroy, and no condition holds that up.
  const Action action = task.change->action;
  if (action == Action::Delete || action == Action::Forget) co_return;
  if (!check_preconditions(task, scope, diags)) co_return;
  ApplyOutcome outcome = co_await outcome_of(place, task, scope, diags);
  // The result of a failed change is checked as well.
  if (!outcome.value) co_return;
  if (outcome.ok) result = *outcome.value;
  check_postconditions(task, std::move(scope), std::move(*outcome.value), diags);
  if (outcome.ok) release(place);
}

// Does what is planned for an instance that stays or comes.
tasks::Async<ApplyOutcome> Applier::outcome_of(const Place& place, InstanceTask task,
                                               eval::InstanceScope scope,
                                               diag::Diagnostics& diags) {
  if (task.change->action == Action::NoOp) co_return ApplyOutcome{value_in_state(task), true};
  const eval::ModuleScope outside = run_.scope(scope);
  ConfiguredProvider* provider = providers_.of_resource(place.row, task.address, outside, diags);
  if (!set_provider(task, provider, providers_, diags)) co_return ApplyOutcome{};
  if (task.change->action == Action::Read) {
    auto read = co_await reads_.read(place.row, task, outside, diags);
    const bool ok = read.has_value();
    co_return ApplyOutcome{std::move(read), ok};
  }
  const AppliedInstance instance{place.row, std::move(task), std::move(scope),
                                 open_rows_[place.row.index]->needs};
  co_return co_await instances_.make(instance, diags);
}

tasks::Async<void> Applier::open_ephemeral(Place place, InstanceTask task,
                                           eval::InstanceScope scope, diag::Diagnostics& diags) {
  Value& result = place.cell->values[place.position];
  result = schema::unknown_value(task.schema->block);
  if (!opened_[place.row.index]) co_return;
  auto opened = co_await reads_.open(place.row, std::move(task), std::move(scope), diags);
  if (opened) result = std::move(*opened);
}

// What was made is in the state, as text. Its value is needed only by what refers to it.
void Applier::release(const Place& place) {
  if (!changes_.are_consumed()) return;
  changes_.release_after(*place.change);
  // The old object of a replacement is destroyed by a step of its own.
  if (!plans::is_replace(place.change->action)) changes_.release_before(*place.change);
  if (!rows_.is_read(place.row)) {
    place.cell->values[place.position] =
        Value::unknown(type_of(run_.program.row(place.row).schema));
  }
  // The plan was mostly made by another thread than the texts that come in its place.
  if (journal_.take_trim_due()) base::trim_heap();
}

// A resource that nothing is done about is as the state has it. Values that no
// expression reads are not made.
void Applier::show_stored(ObjectId row, eval::ModuleInstanceId module) {
  ResourceCell& cell = run_.cells.open_resource(row, module, Expansion::counted(0));
  if (rows_.is_read(row)) expose_existing(row, module, cell);
}

// Where only a part was planned, or nothing, expressions see the objects there are.
void Applier::expose_existing(ObjectId row, eval::ModuleInstanceId module, ResourceCell& cell) {
  const addrs::AbsResource address = run_.address(row, module);
  const ResourceChanges* changes = changes_.of(row, module);
  const auto change_of = [&](const addrs::InstanceKey& key) {
    return changes == nullptr ? nullptr : changes->find(key);
  };
  const state::Resource* stored = apply_.prior().resource(address);
  const schema::ResourceSchema* schema =
      stored == nullptr ? nullptr : run_.schemas.find(stored->provider().provider, address.object);
  std::vector<ExistingInstance> instances;
  for (std::size_t i = 0; i < cell.expansion.size(); ++i) {
    const addrs::InstanceKey key = cell.expansion.key(i);
    if (change_of(key) != nullptr ||
        apply_.prior().object(addrs::instance_of(address, key)) != nullptr) {
      instances.push_back({key, cell.values[i]});
    }
  }
  if (stored != nullptr && schema != nullptr) {
    stored->for_each([&](const state::Instance& instance) {
      if (instance.current() == nullptr || cell.expansion.find(instance.key())) return;
      const plans::ResourceChange* change = change_of(instance.key());
      // Where everything goes, what needs an object, as the configuration of a provider may, goes
      // before it.
      const bool goes = change != nullptr && change->action != Action::NoOp;
      if (goes && apply_.plan().mode != plans::Mode::Destroy) return;
      instances.push_back(
          {instance.key(), run_.schemas.stored_value(*instance.current(), *schema)});
    });
  }
  cell.seen = see_existing(run_.resource(row).repetition, std::move(instances), type_of(schema));
}

// What the plan found, which is what it is still.
Value Applier::value_in_state(const InstanceTask& task) {
  if (task.change != nullptr) return task.change->after;
  const state::Object* object = apply_.prior().object(task.address);
  if (object == nullptr || task.schema == nullptr) return Value::unknown();
  return run_.schemas.stored_value(*object, *task.schema);
}

tasks::Async<bool> Applier::step(std::uint32_t node, diag::Diagnostics& diags) {
  const plans::Step& step = graph_.step(node);
  const std::vector<plans::ResourceChange>& changes = apply_.plan().changes;
  const ObjectId row{step.subject};
  switch (step.kind) {
    case StepKind::Barrier: break;
    case StepKind::Expand: open_row(row, diags); break;
    case StepKind::Make: co_await apply_step(changes[step.subject], diags); break;
    case StepKind::Rest: co_await apply_instances(row, Which::Rest, diags); break;
    case StepKind::Destroy: co_await destroy_object(changes[step.subject], diags); break;
    case StepKind::Forget: {
      for (const std::uint32_t position : graph_.order.forgets) {
        co_await destroy_object(changes[position], diags);
      }
      break;
    }
  }
  if (step.kind == StepKind::Expand || step.kind == StepKind::Rest) {
    name_blocks(run_.program, row, diags);
  }
  co_return !diags.has_errors() && !run_.cancellation.is_cut_short();
}

tasks::Walk::Turn Applier::turn_of(std::uint32_t node) const {
  if (!graph_.is_step(node)) return tasks::Walk::Turn::AtOnce;
  switch (graph_.step(node).kind) {
    case StepKind::Barrier: return tasks::Walk::Turn::Never;
    case StepKind::Make:
    case StepKind::Destroy: return tasks::Walk::Turn::InTurn;
    case StepKind::Expand:
    case StepKind::Rest:
    case StepKind::Forget: return tasks::Walk::Turn::AtOnce;
  }
  return tasks::Walk::Turn::AtOnce;
}

bool Applier::is_visited_when_stopped(ObjectId row) const {
  const eval::ObjectKind kind = run_.program.object(row).kind;
  if (kind == eval::ObjectKind::Provider || kind == eval::ObjectKind::Import) return false;
  if (kind != eval::ObjectKind::Resource) return true;
  return !rows_.works(row) || graph_.is_made_in_steps(row);
}

tasks::Async<void> Applier::destroy_object(const plans::ResourceChange& change,
                                           diag::Diagnostics& diags) {
  const plans::Plan& plan = apply_.plan();
  InstanceTask task;
  task.address = plan.addresses.instance(change.resource, change.key);
  task.change = &change;
  task.deposed_key = change.deposed();
  task.row = row_at(plan.rows.resources[change.resource.index]);
  if (task.row) task.config = &run_.resource(*task.row);
  task.schema =
      run_.schemas.find(plan.addresses[change.resource].provider, task.address.object.resource);
  const std::optional<LiveObject> object = stored_object(apply_, task);
  if (change.action == Action::CreateThenDelete) {
    auto key = journal_.deposed_key(task.address);
    // Without one, the new object was never begun, and the old one stays.
    if (!key) co_return;
    task.deposed_key = std::move(*key);
  }
  if (!object) co_return;
  const addrs::AbsProviderInstance& provider = plan.addresses[change.provider];
  if (change.action == Action::Forget) {
    apply_.writer.note({task.address, task.deposed_key, provider}, {});
    co_return;
  }
  ConfiguredProvider* found = co_await providers_.of_stored(
      provider, row_at(plan.rows.providers[change.provider.index]), task.address, diags);
  TOFU_CHECK(found != nullptr || diags.has_errors(),
             "the provider of an object is configured before the object is destroyed");
  if (!set_provider(task, found, providers_, diags)) co_return;
  co_await instances_.destroy(task, *object, diags);
}

void Applier::apply(diag::Diagnostics& diags) {
  RowEvaluator evaluator(run_, {.root_outputs = &result_});
  RowWalk walk({run_, active_, evaluator, providers_, ephemerals_},
               {.graph = graph_.waits, .visitor = *this, .steps = this});
  walk.run(diags);
  result_.end(diags.has_errors());
  if (run_.inputs.inspect) run_.inputs.inspect(run_.scope({}, {}), diags);
}

}  // namespace

state::State apply_plan(const RunInputs& inputs, const Planned& planned, StateWriter& writer,
                        diag::Diagnostics& diags) {
  Applier(inputs, planned, nullptr, writer).apply(diags);
  return writer.snapshot();
}

state::State apply_consuming(const RunInputs& inputs, Planned& planned, StateWriter& writer,
                             diag::Diagnostics& diags) {
  Applier(inputs, planned, &planned.plan.changes, writer).apply(diags);
  return writer.snapshot();
}

}  // namespace tofu::engine
