// Evaluating expressions and blocks where they stand: first the references, then
// the values.
//
// Every reference in an expression is checked before any of it is evaluated. So
// all names that do not exist are reported in one run, and `try` and `can` do not
// hide them.
#pragma once

#include <optional>
#include <span>

#include "config/values.h"
#include "diag/diagnostic.h"
#include "eval/names.h"
#include "schema/prepared_body.h"
#include "syntax/ast.h"
#include "syntax/body.h"
#include "value/value.h"

namespace tofu::eval {

schema::Uses uses_of(const syntax::Expr& expr);
// Of the condition and the message, which are both there.
schema::Uses uses_of(const config::Condition& rule);

// How far the names in an expression can be relied on.
enum class Checked : std::uint8_t {
  Good,
  SomeUnknown,  // some have no value: they are taken for unknown
  Undefined,    // something is not declared: no name has a value
};
// Warns of what is deprecated among what the expressions come to, too.
Checked check_references(const schema::Uses& uses, const Names& names, diag::Diagnostics& diags);

// Nothing if and only if an error was added.
std::optional<value::Value> evaluate(const syntax::Expr& expr, const Names& names,
                                     diag::Diagnostics& diags);
// The same for a local, which passes deprecated values on to where they are used.
std::optional<value::Value> evaluate_to_pass_on(const syntax::Expr& expr, const Names& names,
                                                diag::Diagnostics& diags);
// As evaluate(), converted.
std::optional<value::Value> evaluate_as(value::Type type, const syntax::Expr& expr,
                                        const Names& names, diag::Diagnostics& diags);

// Checks and evaluates whatever is wrong with the references, to report as much as
// can be. Nothing if and only if an error was added.
std::optional<value::Value> evaluate_anyway(const syntax::Expr& expr, const Names& names,
                                            diag::Diagnostics& diags);
// The second half of that, for expressions whose references were checked together.
std::optional<value::Value> evaluate_checked(const syntax::Expr& expr, const Names& names,
                                             Checked checked, diag::Diagnostics& diags);

// A whole block. Nothing if and only if an error was added.
std::optional<value::Value> evaluate_block(const schema::PreparedBody& body, const Names& names,
                                           diag::Diagnostics& diags);
// The same with whatever could be evaluated; the rest is unknown.
value::Value evaluate_block_anyway(const schema::PreparedBody& body, const Names& names,
                                   diag::Diagnostics& diags);

// Whether what a depends_on lists is there.
void check_depends_on(std::span<const syntax::Traversal> depends_on, const Names& names,
                      diag::Diagnostics& diags);

}  // namespace tofu::eval
