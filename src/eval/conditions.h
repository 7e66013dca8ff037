// Rules that authors write: a condition and the message for when it does not hold.
//
// Used for preconditions, postconditions and assertions. Validations of variables
// have ways of their own; see validate_variable.cc.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/values.h"
#include "diag/diagnostic.h"
#include "eval/names.h"

namespace tofu::eval {

// Checks the references of a rule and that its message can be shown; the condition
// is not evaluated.
void check_rule(const config::Condition& rule, const Names& names, diag::Diagnostics& diags);

// Evaluates the rules. One that does not hold, or can never hold, is an error;
// one that cannot be told yet is not. `what` names the rule in the summary:
// "Resource precondition".
void evaluate_rules(const std::vector<config::Condition>& rules, std::string_view what,
                    const Names& names, diag::Diagnostics& diags);

}  // namespace tofu::eval
