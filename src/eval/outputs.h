// The value of an output, with what its author says about it.
//
// The same for validate, plan, apply and test, which differ in where values come from and in
// whether a precondition that does not hold ends the run.
#pragma once

#include <optional>
#include <vector>

#include "config/values.h"
#include "diag/diagnostic.h"
#include "eval/conditions.h"
#include "eval/module_scope.h"
#include "value/value.h"

namespace tofu::eval {

struct OutputResult {
  // As the calling module sees it: marked as declared. Absent if an error was added.
  std::optional<value::Value> value;
  std::vector<RuleResult> preconditions;
};

// `names` is a scope of the output's module. A precondition that does not hold is reported as
// `failure`; only an error keeps the value from being evaluated.
OutputResult evaluate_output(const config::Output& output, const ModuleScope& names,
                             diag::Severity failure, diag::Diagnostics& diags);

// Whether a state can hold the value of a root output. If not, that is an error.
bool check_storable(const config::Output& output, const value::Value& v, diag::Diagnostics& diags);

}  // namespace tofu::eval
