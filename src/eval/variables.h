// The value that a variable has, and the rules that its author wrote for it.
//
// The caller supplies the value of a variable; what becomes of that is the same for validate, plan,
// apply and test.
#pragma once

#include <cstdint>
#include <vector>

#include "addrs/module.h"
#include "config/values.h"
#include "diag/diagnostic.h"
#include "diag/source.h"
#include "eval/conditions.h"
#include "eval/module_scope.h"
#include "syntax/ast.h"
#include "value/value.h"

namespace tofu::eval {

// The value of a variable with the marks that its declaration says.
value::Value marked_as_declared(value::Value v, const config::Variable& variable);

// Refinements of a variable whose value is not known: its type, and that it is secret.
value::Value unknown_value(const config::Variable& variable);

// The value of a variable that a call gives `v`, or that has `v` as its default: the defaults of
// optional attributes added, converted, the default taken in the place of a null that is not
// allowed, marked as declared. `module` is the one that declares the variable, and `place` where
// the value is given.
diag::Checked<value::Value> settle_argument(const config::Variable& variable, value::Value v,
                                            const addrs::ModulePath& module,
                                            diag::SourceRange place, diag::Diagnostics& diags);

// The scope of a variable's validations, where the variable has the value `v`.
InstanceScope scope_to_validate(const config::Variable& variable, value::Value v,
                                const InstanceScope& module);

// How to treat a failed rule whose message is not known yet.
enum class UnknownMessage : std::uint8_t {
  Waits,    // there will be another look at it
  Refused,  // it is an error
};

// Evaluates the validations in a scope made with standing_to_validate(). `argument` is what
// the call of the module gives to the variable; null for the root module and for defaults.
std::vector<RuleResult> evaluate_validations(const config::Variable& variable,
                                             const syntax::Expr* argument, const ModuleScope& names,
                                             UnknownMessage unknown_message,
                                             diag::Diagnostics& diags);

}  // namespace tofu::eval
