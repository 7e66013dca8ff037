#include "engine/instance_planner.h"

#include <algorithm>
#include <utility>

#include "engine/answers.h"
#include "engine/changing.h"
#include "engine/lifecycle.h"
#include "eval/validation.h"
#include "schema/marks.h"
#include "schema/proposed.h"

namespace tofu::engine {

namespace {

using addrs::CheckRuleKind;
using plans::Action;
using value::Value;

// Sorted, without those that are in both twice.
std::vector<addrs::ConfigResource> merged(std::vector<addrs::ConfigResource> all,
                                          const std::vector<addrs::ConfigResource>& more) {
  for (const addrs::ConfigResource& one : more) {
    if (std::ranges::find(all, one) == all.end()) all.push_back(one);
  }
  std::ranges::sort(all, {}, [](const auto& one) { return one.to_string(); });
  return all;
}

}  // namespace

diag::Checked<void> check_no_ephemeral(const Value& arguments, const InstanceTask& task,
                                       diag::Diagnostics& diags) {
  const std::size_t before = diags.error_count();
  eval::check_storable(arguments, task.schema->block, task.config->config, task.address.to_string(),
                       diags);
  if (arguments.deep_marks().is_ephemeral()) {
    eval::check_ephemeral(arguments, task.schema->block, task.config->config,
                          task.address.to_string(), diags);
  }
  return diags.error_count() == before;
}

void check_postconditions(const PlanContext& plan, const InstanceTask& task,
                          const eval::InstanceScope& instance, const Value& v,
                          diag::Diagnostics& diags) {
  if (task.config->postconditions.empty()) return;
  eval::InstanceScope scope = instance;
  scope.self = task.config;
  scope.self_value = v;
  (void)check_rules({task.config->postconditions, CheckRuleKind::ResourcePostcondition, *task.row,
                     task.address, plan.rule_severity()},
                    plan.run.scope(std::move(scope)), plan.run.checks, diags);
}

InstancePlanner::InstancePlanner(const PlanContext& plan, const PlannedResources& resources,
                                 ProviderRows& providers, ObjectReader& reader,
                                 ImportPlanner& imports, PlanFindings& findings)
    : plan_(plan),
      run_(plan.run),
      resources_(resources),
      providers_(providers),
      reader_(reader),
      imports_(imports),
      findings_(findings) {}

// What the configuration says about the end of an object that is imported and stays as it is.
// OpenTofu stores that with what the object depends on; without any, its next plan does.
void InstancePlanner::keep_lifecycle(const DeclaredInstance& instance, LiveObject& object) const {
  if (plan_.options.refresh && instance.dependencies->empty()) return;
  object.create_before_destroy = plan_.dependencies.creates_first(instance.row);
  object.skip_destroy = keeps_objects(*instance.task.config);
}

// The object that a declared instance has: stored, or imported now.
tasks::Async<diag::Checked<InstancePlanner::ExistingObject>> InstancePlanner::find_object(
    const DeclaredInstance& instance, const ImportRequest* importing, diag::Diagnostics& diags) {
  const InstanceTask& task = instance.task;
  ExistingObject found;
  if (importing != nullptr) {
    found.now = co_await imports_.read(task, *importing, diags);
    if (!found.now) co_return std::nullopt;
  }
  if (task.stored == nullptr) co_return found;
  if (plan_.minimal != nullptr) found.stored = plan_.minimal->stored(task.address);
  if (!found.stored) {
    found.stored = co_await reader_.read(task, diags);
    if (!found.stored) co_return std::nullopt;
    if (plan_.minimal != nullptr && diags.empty()) {
      plan_.minimal->keep_stored(task.address, *found.stored);
    }
  }
  found.now = found.stored;
  found.now->create_before_destroy = plan_.dependencies.creates_first(instance.row);
  found.now->skip_destroy = keeps_objects(*task.config);
  if (!plan_.options.refresh) co_return found;
  if (plan_.minimal != nullptr && !plan_.minimal->reads(task.address) &&
      !reader_.is_converted(task)) {
    plan_.minimal->note_unread();
    co_return found;
  }
  const bool ok = co_await reader_.refresh(task, *found.now, diags);
  if (!ok) co_return std::nullopt;
  found.now->dependencies = merged(*instance.dependencies, found.now->dependencies);
  co_return found;
}

bool InstancePlanner::check_preconditions(const InstanceTask& task, const eval::ModuleScope& scope,
                                          diag::Diagnostics& diags) {
  return check_rules({task.config->preconditions, CheckRuleKind::ResourcePrecondition, *task.row,
                      task.address, plan_.rule_severity()},
                     scope, run_.checks, diags);
}

// Whether the provider finds nothing wrong in the evaluated block.
tasks::Async<diag::Checked<void>> InstancePlanner::validate(const InstanceTask& task,
                                                            const Value& arguments,
                                                            diag::Diagnostics& diags) {
  auto valid = co_await run_.calls.ask<providers::Answer>([&](auto done) {
    task.provider->provider().validate_resource(task.config->type, arguments.deep_unmarked(),
                                                std::move(done));
  });
  if (valid.problems.empty()) co_return true;
  report(valid.problems, &task.config->config, task.address.to_string(), diags);
  co_return !valid.has_errors();
}

// Whether a minimal refresh takes the object of the task as the state has it, so that planning it
// again with the same arguments gives the same.
bool InstancePlanner::is_taken_as_stored(const InstanceTask& task, bool is_triggered) const {
  return plan_.minimal != nullptr && task.stored != nullptr && !is_triggered &&
         !plan_.replace.contains(task.address) && !plan_.minimal->reads(task.address) &&
         !reader_.is_converted(task);
}

// The outcome of a plan that only refreshes.
InstanceOutcome InstancePlanner::refreshed(const DeclaredInstance& instance,
                                           const ExistingObject& object, diag::Diagnostics& diags) {
  const InstanceTask& task = instance.task;
  InstanceOutcome outcome;
  outcome.planned.refreshed_by = task.provider;
  if (object.stored) findings_.record_drift(task, *object.stored, *object.now, diags);
  // Rules that do not hold are reported, and nothing else depends on them here.
  (void)check_preconditions(task, run_.scope(instance.scope), diags);
  if (object.now && object.now->is_there()) outcome.set_value(object.now->value);
  check_postconditions(plan_, task, instance.scope, outcome.value.value_or(Value::unknown()),
                       diags);
  return outcome;
}

tasks::Async<InstanceOutcome> InstancePlanner::plan(DeclaredInstance& instance,
                                                    diag::Diagnostics& diags) {
  InstanceTask& task = instance.task;
  const eval::ModuleScope scope = run_.scope(instance.scope);
  ConfiguredProvider* provider = providers_.of_resource(instance.row, task.address, scope, diags);
  if (!set_provider(task, provider, providers_, diags)) co_return InstanceOutcome();
  const ImportRequest* importing = task.stored == nullptr ? imports_.find(task.address) : nullptr;
  std::optional<ExistingObject> found = ExistingObject();
  if (importing != nullptr || task.stored != nullptr) {
    found = co_await find_object(instance, importing, diags);
  }
  if (!found) co_return InstanceOutcome();
  // A requested import is to have the object, and nothing is planned for it.
  if (importing != nullptr && importing->block == nullptr) {
    findings_.record_object(task, *found->now, diags);
    InstanceOutcome imported;
    imported.set_value(found->now->value);
    co_return imported;
  }
  if (plan_.only_refreshes()) co_return refreshed(instance, *found, diags);
  const auto planned = co_await change(instance, scope, *found, importing, diags);
  if (plan_.minimal != nullptr && (!planned || planned->action != Action::NoOp)) {
    plan_.minimal->note_changing(task.address);
  }
  if (planned) co_return changed(instance, *found, importing, *planned, diags);
  // What was imported or refreshed is known, whatever failed after it.
  if (importing != nullptr) findings_.record_object(task, *found->now, diags);
  if (found->stored) findings_.record_drift(task, *found->stored, *found->now, diags);
  co_return InstanceOutcome();
}

// The change that the provider plans for the object.
tasks::Async<diag::Checked<Change>> InstancePlanner::change(const DeclaredInstance& instance,
                                                            const eval::ModuleScope& scope,
                                                            ExistingObject& object,
                                                            const ImportRequest* importing,
                                                            diag::Diagnostics& diags) {
  const InstanceTask& task = instance.task;
  const config::Resource& config = *task.config;
  const bool is_triggered = resources_.triggers(instance.row, scope, diags);
  if (diags.has_errors()) co_return std::nullopt;
  if (has_conditions(config) && !check_preconditions(task, scope, diags)) co_return std::nullopt;
  const Value arguments = run_.program.row(instance.row).body->evaluate(scope, diags);
  if (diags.has_errors() || !check_no_ephemeral(arguments, task, diags)) co_return std::nullopt;
  const bool is_repeatable = is_taken_as_stored(task, is_triggered);
  if (is_repeatable) {
    if (auto known = plan_.minimal->unchanged(task.address, arguments)) co_return known;
  }
  const bool is_valid = co_await validate(task, arguments, diags);
  if (!is_valid) co_return std::nullopt;
  std::optional<LiveObject>& prior = object.now;
  // An object that is new to us is as sensitive as what its block says.
  if (importing != nullptr) {
    prior->value = schema::mark(prior->value, schema::unmark(arguments).marks);
  }
  const BlockInfo& info = run_.schemas.info(task.schema->block);
  const ChangeRequest wanted{task.address,
                             config,
                             *task.schema,
                             info.marks,
                             info.write_only,
                             *task.provider,
                             prior && prior->is_there() ? &*prior : nullptr,
                             arguments,
                             plan_.dependencies.creates_first(instance.row),
                             plan_.replace.contains(task.address),
                             is_triggered};
  AskPlan ask_plan = ask_plan_of(task, run_.calls);
  auto planned = co_await plan_change(wanted, std::move(ask_plan), diags);
  if (is_repeatable && planned && planned->action == Action::NoOp && diags.empty()) {
    plan_.minimal->keep_unchanged(task.address, arguments, *planned);
  }
  co_return planned;
}

// The outcome of a change that was planned.
InstanceOutcome InstancePlanner::changed(const DeclaredInstance& instance, ExistingObject& object,
                                         const ImportRequest* importing, const Change& planned,
                                         diag::Diagnostics& diags) {
  const InstanceTask& task = instance.task;
  std::optional<LiveObject>& prior = object.now;
  if (planned.action == Action::NoOp && prior) {
    prior->dependencies = *instance.dependencies;
    if (importing != nullptr) keep_lifecycle(instance, *prior);
  }
  if (object.stored) findings_.record_drift(task, *object.stored, *prior, diags);
  if (importing != nullptr) findings_.record_object(task, *prior, diags);

  const bool exists = prior && prior->is_there();
  InstanceOutcome outcome;
  outcome.set_change(change_of(plan_, task, planned, exists ? prior->identity : Value(),
                               importing == nullptr ? nullptr : &importing->from),
                     task.provider);
  outcome.set_value(planned.after);
  if (task.config->prevent_destroy != nullptr) {
    const eval::ModuleScope around = run_.scope(instance.scope.module, instance.scope.instance);
    check_prevent_destroy(*task.config, task.address, planned.action, around, diags);
  }
  if (!diags.has_errors()) {
    check_postconditions(plan_, task, instance.scope, planned.after, diags);
  }
  return outcome;
}

namespace {

using addrs::CheckRuleKind;
using plans::ActionReason;
using value::Value;

// What is known of something that is read later.
Value deferred(const InstanceTask& task, const schema::Unmarked& arguments) {
  return schema::mark(schema::planned_data(task.schema->block, arguments.value), arguments.marks);
}

}  // namespace

diag::Checked<ReadPlanner::Arguments> ReadPlanner::evaluate(const DeclaredInstance& instance,
                                                            const eval::ModuleScope& scope,
                                                            diag::Diagnostics& diags) {
  const InstanceTask& task = instance.task;
  const bool holds = !has_conditions(*task.config) ||
                     check_rules({task.config->preconditions, CheckRuleKind::ResourcePrecondition,
                                  *task.row, task.address, plan_.rule_severity()},
                                 scope, run_.checks, diags);
  if (!holds) return std::nullopt;
  const Value given = run_.program.row(instance.row).body->evaluate(scope, diags);
  if (diags.has_errors() || !check_no_ephemeral(given, task, diags)) return std::nullopt;
  Arguments arguments{schema::unmark(given)};
  arguments.are_known = arguments.plain.value.wholly_known();
  return arguments;
}

// Reads a data source while planning. One that belongs to a check and cannot be read is read
// again when the plan is applied.
tasks::Async<ReadPlanner::Read> ReadPlanner::read_now(const DeclaredInstance& instance,
                                                      const Arguments& arguments,
                                                      diag::Diagnostics& diags) {
  const InstanceTask& task = instance.task;
  const config::Resource& config = *task.config;
  const std::vector<schema::PathMarks>& marks = arguments.plain.marks;
  ReadSource source{task.address, config, *task.schema, *task.provider, task.provider_meta};
  diag::Diagnostics own;
  Read read;  // GCC 12 destroys twice what is awaited inside of braces
  MinimalRefresh* const minimal = plan_.minimal;
  const Value key = minimal == nullptr ? Value() : schema::mark(arguments.plain.value, marks);
  if (minimal != nullptr) read.result = minimal->data(task.address, key, own);
  if (!read.result) {
    read.result = co_await data_.read(std::move(source), arguments.plain, own);
    if (minimal != nullptr && read.result) minimal->keep_data(task.address, key, *read.result, own);
  }
  if (config.check.empty()) {
    diags.take(std::move(own));
  } else {
    const addrs::AbsCheck check{task.address.module, {config.check}};
    read.reason = ActionReason::ReadBecauseCheckNested;
    if (own.has_errors()) {
      run_.checks.report(check_row(run_.program, instance.row), check, plans::CheckStatus::Fail,
                         failure_message(own));
      findings_.record_data(task, without_result(*task.schema, arguments.plain), marks, diags);
      read.result = deferred(task, arguments.plain);
    }
    add_as_warnings(own, check, diags);
  }
  if (read.result && read.result->wholly_known()) {
    findings_.record_data(task, *read.result, marks, diags);
  }
  co_return read;
}

tasks::Async<InstanceOutcome> ReadPlanner::plan_data(DeclaredInstance& instance,
                                                     diag::Diagnostics& diags) {
  InstanceTask& task = instance.task;
  const eval::ModuleScope scope = run_.scope(instance.scope);
  InstanceOutcome outcome;
  ConfiguredProvider* provider = providers_.of_resource(instance.row, task.address, scope, diags);
  if (!set_provider(task, provider, providers_, diags)) co_return outcome;
  const auto arguments = evaluate(instance, scope, diags);
  if (!arguments) co_return outcome;
  const auto forget_stored = [&] {
    if (task.stored != nullptr) findings_.forget(task.address, task.provider->address());
  };
  Read read;
  if (arguments->are_known && !instance.has_pending) {
    read = co_await read_now(instance, *arguments, diags);
    if (!read.result) co_return outcome;
  } else if (plan_.only_refreshes()) {
    // It is read later, and a plan that only refreshes has no later: there is no such object.
    forget_stored();
    check_postconditions(plan_, task, instance.scope, Value::unknown(), diags);
    co_return outcome;
  } else {
    read.reason = arguments->are_known ? ActionReason::ReadBecauseDependencyPending
                                       : ActionReason::ReadBecauseConfigUnknown;
    read.result = deferred(task, arguments->plain);
  }
  const schema::Block& block = task.schema->block;
  if (read.reason != ActionReason::None && !plan_.only_refreshes()) {
    plans::ResourceChange change = change_of(plan_, task);
    change.action = plans::Action::Read;
    change.reason = read.reason;
    change.before = Value::null(block.implied_type());
    change.after = *read.result;
    outcome.set_change(std::move(change), task.provider);
    // What is going to be read anew is not known from before.
    if (read.reason != ActionReason::ReadBecauseCheckNested) forget_stored();
  }
  // Who refers to it sees what is sensitive of it, also where it is not read yet. The plan of
  // reading it says only what is sensitive of its arguments.
  outcome.set_value(run_.schemas.marks(block).apply(*read.result));
  check_postconditions(plan_, task, instance.scope, *outcome.value, diags);
  co_return outcome;
}

tasks::Async<InstanceOutcome> ReadPlanner::plan_ephemeral(DeclaredInstance& instance,
                                                          diag::Diagnostics& diags) {
  InstanceTask& task = instance.task;
  const eval::ModuleScope scope = run_.scope(instance.scope);
  InstanceOutcome outcome;
  outcome.set_value(schema::unknown_value(task.schema->block));
  task.provider = providers_.of_resource(instance.row, task.address, scope, diags);
  if (task.provider == nullptr) co_return outcome;
  const auto arguments = evaluate(instance, scope, diags);
  if (!arguments) co_return outcome;
  if (arguments->are_known && !instance.has_pending) {
    ReadSource source{task.address, *task.config, *task.schema, *task.provider};
    auto opened =
        co_await ephemerals_.open(instance.row, std::move(source), arguments->plain, diags);
    if (!opened) co_return outcome;
    outcome.set_value(std::move(*opened));
  } else if (plan_.only_refreshes()) {
    outcome.planned.exists = false;  // there is no later, as with what is read
  } else {
    outcome.set_value(
        run_.schemas.marks(task.schema->block).apply(deferred(task, arguments->plain)));
    run_.events.on(plans::EphemeralDeferred{{task.address},
                                            arguments->are_known
                                                ? plans::DeferReason::PendingDependencies
                                                : plans::DeferReason::UnknownConfig});
  }
  check_postconditions(plan_, task, instance.scope, *outcome.value, diags);
  co_return outcome;
}

}  // namespace tofu::engine
