#include "engine/row_walk.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

#include "eval/expressions.h"
#include "eval/outputs.h"
#include "eval/shape.h"
#include "eval/validate.h"
#include "eval/variables.h"
#include "syntax/eval.h"

namespace tofu::engine {

using eval::ObjectId;
using value::Value;

void RowEvaluator::module_start(ObjectId row, diag::Diagnostics& diags) {
  const eval::Object& object = run_.program.object(row);
  const config::TreeNode& node = run_.program.node(object.module);
  std::vector<Expansion> expansions;
  if (node.parent) {
    const std::size_t callers = run_.cells.instances(*node.parent).size();
    for (std::uint32_t i = 0; i < callers; ++i) {
      auto expansion =
          expand(node.call->repetition, run_.scope(*node.parent, {i}), run_.cells.budget(),
                 {run_.program.node(*node.parent).path, nullptr, node.call, run_.deferrals}, diags);
      if (!expansion) return;
      expansions.push_back(std::move(*expansion));
    }
  }
  run_.cells.expand(object.module, std::move(expansions));
}

std::optional<Value> RowEvaluator::evaluate(const syntax::Expr& expr,
                                            const eval::ModuleScope& scope,
                                            diag::Diagnostics& diags) const {
  if (options_.is_validated) return syntax::evaluate(expr, &scope, diags);
  return eval::evaluate_to_pass_on(expr, scope, diags);
}

Value RowEvaluator::root_argument(const config::Variable& variable,
                                  diag::Diagnostics& diags) const {
  const auto given = run_.inputs.variables.find(variable.name);
  if (given != run_.inputs.variables.end()) return given->second;
  if (variable.default_value) return *variable.default_value;
  diags.error("No value for required variable")
      .detail(fmt::format("The root module requires a value for the variable {:?}.", variable.name))
      .at(variable.range);
  return Value::unknown();
}

void RowEvaluator::argument(ObjectId row, diag::Diagnostics& diags) {
  const eval::Object& object = run_.program.object(row);
  const config::Variable& variable = *std::get<const config::Variable*>(object.declaration);
  const config::TreeNode& node = run_.program.node(object.module);
  run_.cells.open(row);
  const std::size_t instances = run_.cells.instances(object.module).size();
  for (std::uint32_t i = 0; i < instances; ++i) {
    std::optional<Value> given;
    if (!node.parent) {
      given = root_argument(variable, diags);
      if (diags.has_errors()) return;
    } else if (object.argument != nullptr) {
      const ModuleInstanceRow& instance = run_.cells.instance(object.module, {i});
      eval::InstanceScope caller(*node.parent, instance.parent);
      instance.call->place(caller, instance.position);
      given = evaluate(*object.argument, run_.scope(std::move(caller)), diags);
    } else {
      given = variable.default_value;
    }
    if (!given) continue;  // each instance has errors of its own
    const auto place = object.argument != nullptr ? object.argument->range : variable.range;
    if (variable.deprecated && object.argument != nullptr && eval::is_definitely_set(*given)) {
      warn_of_deprecated(variable, *node.parent, place, diags);
    }
    auto settled = eval::settle_argument(variable, std::move(*given), node.path, place, diags);
    if (settled) run_.cells.set(row, {i}, std::move(*settled));
  }
}

void RowEvaluator::warn_of_deprecated(const config::Variable& variable, config::ModuleId user,
                                      diag::SourceRange place, diag::Diagnostics& diags) {
  if (run_.inputs.deprecations == nullptr) return;
  const std::lock_guard lock(deprecations_mutex_);
  run_.inputs.deprecations->warn_of(variable, user, place, diags);
}

void RowEvaluator::variable(ObjectId row, diag::Diagnostics& diags) {
  const eval::Object& object = run_.program.object(row);
  const config::Variable& variable = *std::get<const config::Variable*>(object.declaration);
  const eval::ModuleRows& rows = run_.program.modules[object.module.index];
  const ObjectId argument{rows.first.index + rows.shape->argument_row_of(&variable)};
  run_.cells.open(row);
  const std::size_t instances = run_.cells.instances(object.module).size();
  for (std::uint32_t i = 0; i < instances; ++i) {
    Value given = run_.cells.of({i}, argument);
    if (!variable.validations.empty()) {
      const eval::ModuleScope scope = run_.scope(
          eval::scope_to_validate(variable, given, eval::InstanceScope(object.module, {i})));
      const addrs::AbsInputVariable address{run_.cells.instance(object.module, {i}).address,
                                            {variable.name}};
      const auto results = eval::evaluate_validations(variable, object.argument, scope,
                                                      eval::UnknownMessage::Refused, diags);
      record_rules(row, address, results, run_.checks, diags);
    }
    run_.cells.set(row, {i}, std::move(given));
  }
  run_.checks.expanded(row);
}

void RowEvaluator::local(ObjectId row, diag::Diagnostics& diags) {
  const eval::Object& object = run_.program.object(row);
  const config::Local& local = *std::get<const config::Local*>(object.declaration);
  run_.cells.open(row);
  const std::size_t instances = run_.cells.instances(object.module).size();
  for (std::uint32_t i = 0; i < instances; ++i) {
    auto v = evaluate(*local.expr, run_.scope(object.module, {i}), diags);
    if (v) run_.cells.set(row, {i}, std::move(*v));
  }
}

void RowEvaluator::output(ObjectId row, diag::Diagnostics& diags) {
  const eval::Object& object = run_.program.object(row);
  const config::Output& output = *std::get<const config::Output*>(object.declaration);
  const addrs::ModulePath& path = run_.program.node(object.module).path;
  const bool is_kept = path.is_root() && options_.root_outputs != nullptr;
  const Substitutes* substitutes = run_.inputs.substitutes;
  const auto* substituted = substitutes == nullptr ? nullptr : substitutes->outputs_of(path);
  run_.cells.open(row);
  const std::size_t instances = run_.cells.instances(object.module).size();
  for (std::uint32_t i = 0; i < instances; ++i) {
    if (substituted != nullptr) {
      const auto found = substituted->find(output.name);
      Value v = found == substituted->end() ? Value::null() : found->second;
      if (output.is_sensitive()) v = v.with_marks(value::Marks::sensitive());
      run_.cells.set(row, {i}, std::move(v));
      continue;
    }
    const addrs::AbsOutputValue address{run_.cells.instance(object.module, {i}).address,
                                        {output.name}};
    eval::OutputResult result = eval::evaluate_output(output, run_.scope(object.module, {i}),
                                                      options_.rule_severity, diags);
    if (!output.preconditions.empty()) {
      record_rules(row, address, result.preconditions, run_.checks, diags);
    }
    if (!result.value) continue;
    if (is_kept && !options_.root_outputs->keep(output, *result.value, diags)) continue;
    run_.cells.set(row, {i}, std::move(*result.value));
  }
  run_.checks.expanded(row);
}

void RowEvaluator::check(ObjectId row, diag::Diagnostics& diags) {
  const eval::Object& object = run_.program.object(row);
  const config::Check& check = *std::get<const config::Check*>(object.declaration);
  const std::size_t instances = run_.cells.instances(object.module).size();
  for (std::uint32_t i = 0; i < instances; ++i) {
    eval::InstanceScope instance(object.module, {i});
    instance.check = &check;
    const addrs::AbsCheck address{run_.cells.instance(object.module, {i}).address, {check.name}};
    // Where its data source cannot be read, nothing more can be said.
    if (run_.checks.is_failing(row, address)) continue;
    // A check only warns, so nothing depends on whether it holds.
    (void)check_rules({check.asserts, addrs::CheckRuleKind::CheckAssertion, row, address,
                       diag::Severity::Warning},
                      run_.scope(std::move(instance)), run_.checks, diags);
  }
  run_.checks.expanded(row);
}

using eval::ObjectId;
using eval::ObjectKind;

RowWalk::RowWalk(Parts parts, Options options)
    : parts_(parts), options_(options), reported_(options.graph.size()) {}

void RowWalk::run(diag::Diagnostics& diags) {
  RunContext& run = parts_.run;
  const std::stop_callback on_stop(run.inputs.stop, [&] { run.providers.stop(); });
  std::optional<tasks::Walk> walk;
  tasks::Walk::Release when_released;
  if (parts_.ephemerals.any()) {
    when_released = [&](std::uint32_t node) { return release(node, *walk); };
  }
  tasks::Walk::TurnOf turn_of;
  if (options_.steps != nullptr) {
    turn_of = [this](std::uint32_t node) { return options_.steps->turn_of(node); };
  }
  walk.emplace(
      options_.graph, run.executor, [this](std::uint32_t node) { return visit(node); },
      std::move(when_released), std::move(turn_of),
      std::max(1U, run.inputs.parallelism) + run.executor.threads());
  walk->start();
  run.executor.run();
  for (diag::Diagnostics& reported : reported_) diags.take(std::move(reported));
  if (!run.cancellation.is_halted()) return;
  diags.error("execution halted")
      .detail(
          "The run was interrupted, so some operations were not started. Operations in progress "
          "have finished. Run the command again to complete the rest.");
}

tasks::Async<bool> RowWalk::visit(std::uint32_t node) {
  RunContext& run = parts_.run;
  if (node >= run.program.objects.size()) {
    if (run.cancellation.leave_undone()) co_return false;
    co_return co_await options_.steps->step(node, reported_[node]);
  }
  const ObjectId row{node};
  if (!parts_.rows.has(row)) {
    // Which instances a module has is good to know, but not worth a word here.
    diag::Diagnostics unreported;
    const bool is_start = run.program.object(row).kind == ObjectKind::ModuleStart;
    if (is_start) parts_.evaluator.module_start(row, unreported);
    co_return true;
  }
  const bool is_visited_when_stopped =
      options_.steps != nullptr && options_.steps->is_visited_when_stopped(row);
  if (!is_visited_when_stopped && run.cancellation.leave_undone()) co_return false;
  diag::Diagnostics diags;
  const bool ok = co_await visit_row(row, diags);
  report(row, std::move(diags));
  co_return ok;
}

void RowWalk::report(ObjectId row, diag::Diagnostics diags) {
  if (diags.empty()) return;
  name_blocks(parts_.run.program, row, diags);
  reported_[row.index].take(std::move(diags));
}

// False if it failed, with an error in `diags` unless the run is cut short.
tasks::Async<bool> RowWalk::visit_row(ObjectId row, diag::Diagnostics& diags) {
  RunContext& run = parts_.run;
  RowEvaluator& evaluator = parts_.evaluator;
  switch (run.program.object(row).kind) {
    case ObjectKind::ModuleStart: evaluator.module_start(row, diags); break;
    case ObjectKind::Argument: evaluator.argument(row, diags); break;
    case ObjectKind::Variable: evaluator.variable(row, diags); break;
    case ObjectKind::Local: evaluator.local(row, diags); break;
    case ObjectKind::Output: evaluator.output(row, diags); break;
    case ObjectKind::Check: evaluator.check(row, diags); break;
    case ObjectKind::Provider: co_await parts_.providers.configure(row, diags); break;
    case ObjectKind::Resource: {
      run.cells.open(row);
      const bool ok = co_await options_.visitor.resource(row, diags);
      if (ok || diags.has_errors()) break;
      if (run.cancellation.is_cut_short()) co_return false;
      diags.error("Internal error: a resource failed without a diagnostic");
      break;
    }
    case ObjectKind::Import: options_.visitor.import(row, diags); break;
    case ObjectKind::ModuleEnd: break;
  }
  co_return !diags.has_errors();
}

tasks::Async<void> RowWalk::close_and_pass_on(ObjectId row, tasks::Walk& walk) {
  diag::Diagnostics diags;
  co_await parts_.ephemerals.close(row, diags);
  report(row, std::move(diags));
  // Only now: its provider may have been configured with another one, which it needs to close.
  walk.pass_on(row.index);
}

// Whether nothing has to be closed before what the node waits for is released.
bool RowWalk::release(std::uint32_t node, tasks::Walk& walk) {
  RunContext& run = parts_.run;
  if (node >= run.program.objects.size()) return true;
  const ObjectId row{node};
  const eval::Object& object = run.program.object(row);
  if (object.kind == ObjectKind::Provider) return !options_.uses_providers_later;
  if (object.kind != ObjectKind::Resource) return true;
  if (run.resource(row).mode != addrs::ResourceMode::Ephemeral) return true;
  run.executor.start(close_and_pass_on(row, walk));
  return false;
}

}  // namespace tofu::engine
