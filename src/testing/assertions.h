// Evaluates the assertions of a run while its values are available.
//
// An assertion sees what an expression of the root module sees, and besides it outputs
// (output.NAME), variables that only the test gives, and outputs of earlier runs.
#pragma once

#include <vector>

#include "config/values.h"
#include "diag/diagnostic.h"
#include "eval/deprecation_warnings.h"
#include "eval/module_scope.h"
#include "plans/test_events.h"
#include "state/state.h"
#include "testing/run_variables.h"

namespace tofu::testing {

// The run that assertions are about. All of it outlives the judging.
struct Judged {
  const eval::ModuleScope& root;
  const RunVariables& variables;
  const state::State& before;    // what the runs before have left
  bool is_all_evaluated = true;  // false if something failed, as was expected
  const eval::DeprecationWarnings* warnings = nullptr;  // null: nothing is deprecated
};

// The worst of them: a condition that is false is a failure, one that is neither true nor false an
// error. Each is reported with the values of its references.
plans::TestStatus judge_assertions(const std::vector<syntax::Condition>& asserts,
                                   const Judged& judged, diag::Diagnostics& diags);

}  // namespace tofu::testing
