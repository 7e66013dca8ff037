#include "testing/test_run.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "addrs/parse.h"
#include "config/early_settings.h"
#include "engine/apply.h"
#include "engine/plan.h"
#include "engine/state_writer.h"
#include "eval/deprecation.h"
#include "syntax/analysis.h"
#include "testing/assertions.h"
#include "testing/expected_failures.h"

namespace tofu::testing {

namespace {

using config::TestCommand;
using plans::TestStatus;
using value::Value;

// A program of so few objects is evaluated before a second thread has begun.
constexpr std::size_t kFewObjects = 1'000;

// Tests tell what became of runs, not of single objects.
class Unheard final : public plans::EventSink {
 public:
  void on(const plans::Event&) override {}
};

bool add_targets(const config::TestRun& run, engine::PlanOptions& options,
                 diag::Diagnostics& diags) {
  const std::size_t errors = diags.error_count();
  for (const syntax::Traversal& each : run.options.target) {
    if (auto target = addrs::parse_target(each, diags)) options.targets.push_back(*target);
  }
  for (const syntax::Traversal& each : run.options.replace) {
    auto address = addrs::parse_abs_resource_instance(each, diags);
    if (!address) continue;
    if (address->object.resource.mode == addrs::ResourceMode::Managed) {
      options.replace.push_back(std::move(*address));
      continue;
    }
    diags.error("Only managed resources can be replaced")
        .detail(fmt::format("{} is not one.", address->to_string()))
        .at(each.range);
  }
  return diags.error_count() == errors;
}

void warn_of_targets(const engine::PlanOptions& options, std::string_view what,
                     diag::Diagnostics& diags) {
  if (options.targets.empty()) return;
  diags.warning(fmt::format("Only a part is {}", what))
      .detail(
          "Because of `target`, this run may not include all changes that the configuration "
          "requires. The option is for exceptional cases, such as testing how to recover from "
          "errors.");
}

std::vector<addrs::AbsResourceInstance> created_by(const plans::Plan& plan) {
  std::vector<addrs::AbsResourceInstance> created;
  for (const plans::ResourceChange& change : plan.changes) {
    if (change.action != plans::Action::Create) continue;
    created.push_back(plan.addresses.instance(change.resource, change.key));
  }
  return created;
}

class Execution {
 public:
  Execution(const RunSubject& subject, const TestEnvironment& environment, RunPrograms& programs)
      : subject_(subject),
        environment_(environment),
        programs_(programs),
        substitutes_(environment.schemas, environment.providers) {}

  RunOutcome execute(const state::State& state);
  state::State clean_up(const state::State& state, diag::Diagnostics& diags);

 private:
  // Everything before the plan. Warnings about the configuration are reported with the run, but not
  // again during cleanup.
  enum class Again : std::uint8_t { No, Yes };
  diag::Checked<void> prepare(Again again, diag::Diagnostics& diags);
  void warn_of_runs(diag::Diagnostics& diags) const;
  engine::RunInputs inputs(const functions::Table& functions, const eval::RunInfo& facts);
  void plan(const engine::PlanOptions& options, const state::State& state, RunOutcome& outcome);
  void apply(const engine::PlanOptions& options, const state::State& state, RunOutcome& outcome);
  void judge(const eval::ModuleScope& root, const state::State& before,
             const diag::Diagnostics& found, RunOutcome& outcome);
  void show(engine::Planned planned, RunOutcome& outcome) const;
  const config::Module& tested() const { return *environment_.tree.root().module; }

  const RunSubject& subject_;
  const TestEnvironment& environment_;
  RunPrograms& programs_;
  RunSubstitutes substitutes_;
  std::optional<RunVariables> variables_;
  std::map<std::string, Value> values_;
  const CompiledTree* compiled_ = nullptr;
  std::optional<eval::Deprecations> deprecations_;
  Unheard events_;
};

// Uses of outputs of earlier runs that are deprecated: run.NAME.OUTPUT is used outside of the
// module that declares it.
void Execution::warn_of_runs(diag::Diagnostics& diags) const {
  const auto warn = [&](const syntax::Expr& expr) {
    for (const syntax::Traversal* each : syntax::variables(expr)) {
      if (each->root != "run" || each->steps.empty()) continue;
      const std::string_view name = each->steps.front().name;
      const auto found = subject_.modules.find(name);
      if (found == subject_.modules.end()) continue;
      for (const config::Output& output : found->second->outputs) {
        const bool is_used = each->steps.size() == 1 || each->steps[1].key != nullptr ||
                             each->steps[1].name == output.name;
        if (!output.deprecated || !is_used) continue;
        eval::warn_of_deprecated(output, fmt::format("run.{}.{}", name, output.name), each->range,
                                 diags);
      }
    }
  };
  for (const config::TestVariable& each : subject_.file.variables) warn(*each.expr);
  for (const config::TestVariable& each : subject_.run.variables) warn(*each.expr);
  for (const config::ProviderConfig& each : subject_.file.providers) {
    config::each_argument(each.config,
                          [&](const syntax::Attribute& argument) { warn(*argument.expr); });
  }
  for (const syntax::Condition& each : subject_.run.asserts) {
    if (each.condition != nullptr) warn(*each.condition);
    if (each.error_message != nullptr) warn(*each.error_message);
  }
}

diag::Checked<void> Execution::prepare(Again again, diag::Diagnostics& diags) {
  const std::size_t before = diags.size();
  const std::size_t errors = diags.error_count();
  const config::Module& module = *subject_.tree.root().module;
  variables_.emplace(module, subject_.file, subject_.run, environment_.variables, subject_.runs,
                     environment_.applying_functions, environment_.tree.root(), diags);
  if (diags.error_count() == errors) variables_->settle(values_, diags);
  if (diags.error_count() == errors) {
    // Runs share programs, so all errors here come first.
    const TestScope scope = variables_->scope().with(values_);
    diag::Diagnostics of_overrides;
    const bool fits =
        substitutes_.override(subject_.file, subject_.run, subject_.tree, of_overrides);
    diag::Diagnostics of_program;
    if (fits) {
      compiled_ = programs_.find(subject_.file, subject_.run, subject_.tree, scope, substitutes_,
                                 of_program);
    }
    diags.take(std::move(of_overrides));
    if (again == Again::No || of_program.has_errors()) diags.take(std::move(of_program));
  }
  if (again == Again::No && environment_.deprecation != eval::DeprecationLevel::None) {
    variables_->warn_of_deprecated(values_, diags);
    warn_of_runs(diags);
  }
  tested().name_blocks(diags.items_from(before));
  if (compiled_ != nullptr) deprecations_.emplace(compiled_->deprecations);
  return diags.error_count() == errors;
}

engine::RunInputs Execution::inputs(const functions::Table& functions, const eval::RunInfo& facts) {
  return {.program = *compiled_->program,
          .functions = functions,
          .facts = facts,
          .providers = environment_.providers,
          .events = events_,
          .variables = values_,
          .parallelism = environment_.parallelism,
          .deprecations = &*deprecations_,
          .substitutes = &substitutes_,
          .threads = compiled_->program->objects.size() <= kFewObjects ? 1U : 0U};
}

void Execution::judge(const eval::ModuleScope& root, const state::State& before,
                      const diag::Diagnostics& found, RunOutcome& outcome) {
  diag::Diagnostics left = ExpectedFailures(subject_.run, tested()).judge(found);
  const bool failed = left.has_errors();
  outcome.problems.take(std::move(left));
  const Judged judged{root, *variables_, before, !found.has_errors(), compiled_->warnings.get()};
  outcome.status =
      failed ? TestStatus::Error : judge_assertions(subject_.run.asserts, judged, outcome.problems);
  tested().name_blocks(outcome.problems.items_from(0));
}

void Execution::show(engine::Planned planned, RunOutcome& outcome) const {
  if (!environment_.verbose) return;
  planned.plan.timestamp = environment_.plan_time;
  outcome.plan = std::make_shared<const plans::Plan>(std::move(planned.plan));
}

void Execution::plan(const engine::PlanOptions& options, const state::State& state,
                     RunOutcome& outcome) {
  engine::RunInputs asked = inputs(environment_.planning_functions, environment_.planning);
  bool is_judged = false;
  asked.inspect = [&](const eval::ModuleScope& root, const diag::Diagnostics& found) {
    is_judged = true;
    judge(root, state, found, outcome);
  };
  warn_of_targets(options, "planned", outcome.problems);
  diag::Diagnostics found;
  engine::Planned planned = engine::make_plan(asked, options, state, found);
  if (!is_judged) {  // it never came to evaluating anything
    outcome.status = TestStatus::Error;
    outcome.problems.take(std::move(found));
  }
  if (outcome.status != TestStatus::Error) show(std::move(planned), outcome);
}

void Execution::apply(const engine::PlanOptions& options, const state::State& state,
                      RunOutcome& outcome) {
  diag::Diagnostics of_plan;
  const engine::RunInputs to_plan = inputs(environment_.planning_functions, environment_.planning);
  engine::Planned planned = engine::make_plan(to_plan, options, state, of_plan);
  const ExpectedFailures expected(subject_.run, tested());
  if (of_plan.has_errors()) {
    expected.warn_of_early(of_plan);
    outcome.status = TestStatus::Error;
    outcome.problems.take(std::move(of_plan));
    return;
  }
  warn_of_targets(options, "planned", outcome.problems);
  warn_of_targets(options, "applied", outcome.problems);
  // Checks are evaluated again when everything is there.
  for (const diag::Diagnostic& each : of_plan.items()) {
    if (!each.of_check && !each.softened) outcome.problems.add(each);
  }
  engine::RunInputs to_apply = inputs(environment_.applying_functions, environment_.applying);
  bool is_judged = false;
  to_apply.inspect = [&](const eval::ModuleScope& root, const diag::Diagnostics& found) {
    is_judged = true;
    judge(root, state, found, outcome);
  };
  diag::Diagnostics of_apply;
  engine::StateWriter writer(planned.prior, nullptr, nullptr);
  environment_.test_progress.begin_apply(subject_.run.name, created_by(planned.plan));
  outcome.state = engine::apply_plan(to_apply, planned, writer, of_apply);
  environment_.test_progress.end_apply(subject_.run.name);
  if (!is_judged) {
    outcome.status = TestStatus::Error;
    outcome.problems.take(std::move(of_apply));
  }
  if (outcome.status != TestStatus::Error) show(std::move(planned), outcome);
}

RunOutcome Execution::execute(const state::State& state) {
  RunOutcome outcome;
  engine::PlanOptions options;
  const config::TestOptions& asked = subject_.run.options;
  options.mode =
      asked.mode == config::TestMode::RefreshOnly ? plans::Mode::RefreshOnly : plans::Mode::Normal;
  options.refresh = asked.refresh;
  config::check_test_run(subject_.file, subject_.run, tested(), outcome.problems);
  if (outcome.problems.has_errors() || !prepare(Again::No, outcome.problems) ||
      !add_targets(subject_.run, options, outcome.problems)) {
    outcome.status = TestStatus::Error;
    return outcome;
  }
  switch (subject_.run.command) {
    case TestCommand::Plan: plan(options, state, outcome); break;
    case TestCommand::Apply: apply(options, state, outcome); break;
  }
  return outcome;
}

void report_left_behind(const plans::Plan& plan, diag::Diagnostics& diags) {
  const bool forgets = std::ranges::any_of(plan.changes, [](const plans::ResourceChange& change) {
    return change.action == plans::Action::Forget;
  });
  if (!forgets) return;
  diags.error("Some objects were not destroyed")
      .detail(
          "Some objects were forgotten, as the configuration requests. They are no longer in the "
          "state, but still exist and may cost money.");
}

state::State Execution::clean_up(const state::State& state, diag::Diagnostics& diags) {
  if (!prepare(Again::Yes, diags)) return state;
  engine::PlanOptions options;
  options.mode = plans::Mode::Destroy;
  const engine::RunInputs to_plan = inputs(environment_.planning_functions, environment_.planning);
  diag::Diagnostics found;
  const engine::Planned planned = engine::make_plan(to_plan, options, state, found);
  if (found.has_errors()) {
    diags.take(std::move(found));
    return state;
  }
  engine::StateWriter writer(planned.prior, nullptr, nullptr);
  const engine::RunInputs to_apply = inputs(environment_.applying_functions, environment_.applying);
  state::State after = engine::apply_plan(to_apply, planned, writer, found);
  if (!found.has_errors()) report_left_behind(planned.plan, found);
  diags.take(std::move(found));
  return after;
}

}  // namespace

RunOutcome execute(const RunSubject& subject, const state::State& state,
                   const TestEnvironment& environment, RunPrograms& programs) {
  return Execution(subject, environment, programs).execute(state);
}

state::State clean_up(const RunSubject& subject, const state::State& state,
                      const TestEnvironment& environment, RunPrograms& programs,
                      diag::Diagnostics& diags) {
  return Execution(subject, environment, programs).clean_up(state, diags);
}

}  // namespace tofu::testing
