// Evaluating expressions and blocks where they stand: first the references, then
// the values.
//
// Every reference in an expression is checked before any of it is evaluated. So
// all names that do not exist are reported in one run, and `try` and `can` do not
// hide them.
#pragma once

#include <span>

#include "config/values.h"
#include "diag/diagnostic.h"
#include "eval/module_scope.h"
#include "schema/prepared_body.h"
#include "syntax/ast.h"
#include "syntax/body.h"
#include "value/value.h"

namespace tofu::eval {

schema::Uses uses_of(const syntax::Expr& expr);
// Of the condition and the message, which are both there.
schema::Uses uses_of(const syntax::Condition& rule);

// How far the names in an expression can be relied on.
enum class ReferenceStatus : std::uint8_t {
  Good,
  SomeUnknown,  // some have no value: they are taken for unknown
  Undefined,    // something is not declared: no name has a value
};
// Also warns of deprecated values among the results.
ReferenceStatus check_references(const schema::Uses& uses, const ModuleScope& names,
                                 diag::Diagnostics& diags);

diag::Checked<value::Value> evaluate(const syntax::Expr& expr, const ModuleScope& names,
                                     diag::Diagnostics& diags);
// The same for a local, which passes deprecated values on to where they are used.
diag::Checked<value::Value> evaluate_to_pass_on(const syntax::Expr& expr, const ModuleScope& names,
                                                diag::Diagnostics& diags);
// As evaluate(), converted.
diag::Checked<value::Value> evaluate_as(value::Type type, const syntax::Expr& expr,
                                        const ModuleScope& names, diag::Diagnostics& diags);

// Checks and evaluates even if references are wrong, to report as many errors as possible.
diag::Checked<value::Value> evaluate_for_diagnostics(const syntax::Expr& expr,
                                                     const ModuleScope& names,
                                                     diag::Diagnostics& diags);
// The second half of that, for expressions whose references were checked together.
diag::Checked<value::Value> evaluate_checked(const syntax::Expr& expr, const ModuleScope& names,
                                             ReferenceStatus checked, diag::Diagnostics& diags);

// A whole block.
diag::Checked<value::Value> evaluate_block(const schema::PreparedBody& body,
                                           const ModuleScope& names, diag::Diagnostics& diags);
// The same with all parts that could be evaluated; the rest is unknown.
value::Value evaluate_block_anyway(const schema::PreparedBody& body, const ModuleScope& names,
                                   diag::Diagnostics& diags);

// Whether what a depends_on lists is there.
void check_depends_on(std::span<const syntax::Traversal> depends_on, const ModuleScope& names,
                      diag::Diagnostics& diags);

}  // namespace tofu::eval
