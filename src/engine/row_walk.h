// Visits the rows of a program, each after all that it waits for.
//
// Values are evaluated and providers configured in every walk alike. What becomes of resources and
// of import blocks is for the visitor to say; further steps, which are numbered after the rows,
// have a visitor of their own.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "config/values.h"
#include "diag/diagnostic.h"
#include "engine/program_rows.h"
#include "engine/provider_rows.h"
#include "engine/reading.h"
#include "engine/run_context.h"
#include "eval/graph.h"
#include "tasks/async.h"
#include "tasks/walk.h"

namespace tofu::engine {

// Takes the outputs of the root module as they get their values.
class RootOutputs {
 public:
  // False if the value cannot be kept, which is an error then.
  [[nodiscard]] virtual bool keep(const config::Output& output, const value::Value& v,
                                  diag::Diagnostics& diags) = 0;

 protected:
  ~RootOutputs() = default;
};

// The values of a program: module instances, variables, locals, outputs and checks, each evaluated
// in every instance of its module when its row is visited.
//
// References were checked when the program was validated; here they are only evaluated, unless the
// program was not.
class RowEvaluator {
 public:
  struct Options {
    RootOutputs* root_outputs = nullptr;  // null: they are not kept
    // Whether validating checked all names. Otherwise those of an expression are checked before
    // it is evaluated.
    bool is_validated = true;
    // What a precondition of an output is that does not hold.
    diag::Severity rule_severity = diag::Severity::Error;
  };
  RowEvaluator(RunContext& run, Options options) : run_(run), options_(options) {}

  // Each evaluates a row of its kind.
  void module_start(eval::ObjectId row, diag::Diagnostics& diags);
  void argument(eval::ObjectId row, diag::Diagnostics& diags);
  void variable(eval::ObjectId row, diag::Diagnostics& diags);
  void local(eval::ObjectId row, diag::Diagnostics& diags);
  void output(eval::ObjectId row, diag::Diagnostics& diags);
  void check(eval::ObjectId row, diag::Diagnostics& diags);

 private:
  std::optional<value::Value> evaluate(const syntax::Expr& expr, const eval::ModuleScope& scope,
                                       diag::Diagnostics& diags) const;
  value::Value root_argument(const config::Variable& variable, diag::Diagnostics& diags) const;
  void warn_of_deprecated(const config::Variable& variable, config::ModuleId user,
                          diag::SourceRange place, diag::Diagnostics& diags);

  RunContext& run_;
  const Options options_;
  std::mutex deprecations_mutex_;  // for those of the inputs
};

// Says what becomes of resources and import blocks.
class RowVisitor {
 public:
  // Whether all is well with a resource row. False without an error only if the run is cut short.
  virtual tasks::Async<bool> resource(eval::ObjectId row, diag::Diagnostics& diags) = 0;
  virtual void import(eval::ObjectId row, diag::Diagnostics& diags) = 0;

 protected:
  ~RowVisitor() = default;
};

// Says what becomes of steps.
class StepVisitor {
 public:
  // Whether what waits for the step may go on.
  virtual tasks::Async<bool> step(std::uint32_t node, diag::Diagnostics& diags) = 0;
  virtual tasks::Walk::Turn turn_of(std::uint32_t node) const = 0;
  // Whether the row is visited after an interrupt, too: it only evaluates what was done.
  virtual bool is_visited_when_stopped(eval::ObjectId row) const = 0;

 protected:
  ~StepVisitor() = default;
};

// One visit of all rows and steps.
class RowWalk {
 public:
  struct Parts {
    RunContext& run;
    const ActiveRows& rows;
    RowEvaluator& evaluator;
    ProviderRows& providers;
    EphemeralResources& ephemerals;
  };
  struct Options {
    const eval::Waits& graph;
    RowVisitor& visitor;
    StepVisitor* steps = nullptr;  // null: nothing is visited but rows
    // Whether providers are used after the walk, too. What they were configured with stays open
    // then until EphemeralResources::close_all().
    bool uses_providers_later = false;
  };
  // All of it outlives the walk.
  RowWalk(Parts parts, Options options);

  // Visits every row that takes part. What was reported, in the order of the program, is added to
  // `diags`.
  void run(diag::Diagnostics& diags);

 private:
  tasks::Async<bool> visit(std::uint32_t node);
  tasks::Async<bool> visit_row(eval::ObjectId row, diag::Diagnostics& diags);
  void report(eval::ObjectId row, diag::Diagnostics diags);
  bool release(std::uint32_t node, tasks::Walk& walk);
  tasks::Async<void> close_and_pass_on(eval::ObjectId row, tasks::Walk& walk);

  const Parts parts_;
  const Options options_;
  std::vector<diag::Diagnostics> reported_;  // by row, then by step
};

}  // namespace tofu::engine
