// Rules that authors write: a condition and the message for when it does not hold.
//
// Used for preconditions, postconditions and assertions. Validations of variables are
// reported in another way: see variables.h.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "addrs/check_rule.h"
#include "config/values.h"
#include "diag/diagnostic.h"
#include "diag/source.h"
#include "eval/module_scope.h"
#include "plans/checks.h"

namespace tofu::eval {

// The result of one rule.
struct RuleResult {
  plans::CheckStatus status = plans::CheckStatus::Unknown;
  std::string message;      // of one that fails: the author's words; empty if they are hidden
  diag::SourceRange place;  // of the condition
  // The diagnostic that says that it does not hold, or that this is not known yet. Absent: none.
  std::optional<std::size_t> reported = {};
};

// Whether both parts are there. If not, that was reported.
bool is_whole(const syntax::Condition& rule);

// Checks the references of a rule and that its message can be shown; the condition
// is not evaluated.
void check_rule(const syntax::Condition& rule, const ModuleScope& names, diag::Diagnostics& diags);

// The text of a message that `expr` evaluates to in `scope`. Empty if it is unknown or
// confidential, which is warned of, or not a text, which is an error.
std::string message_text(const syntax::Expr& expr, const value::Value& given,
                         const syntax::Scope& scope, diag::Diagnostics& diags);

// Evaluates the rules of an object. `kind` is the kind of rule. One that does not hold is reported
// as `failure`, one that can never hold as an error. A rule with an unknown result is reported only
// if it is an assertion, as a warning.
//
// `self` in postconditions, and the data source of a check, are what the scope says.
std::vector<RuleResult> evaluate_rules(const std::vector<syntax::Condition>& rules,
                                       addrs::CheckRuleKind kind, const ModuleScope& names,
                                       diag::Severity failure, diag::Diagnostics& diags);

}  // namespace tofu::eval
