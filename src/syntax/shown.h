// Descriptions of reference values for a diagnostic about an expression: `var.region is "eu"`.
//
// Values are put into words when the problem is reported, because they may be
// gone when it is printed. A sensitive or ephemeral value never gets into the
// words, and neither does anything inside a collection or object.
#pragma once

#include <string>
#include <vector>

#include "diag/diagnostic.h"
#include "syntax/ast.h"
#include "syntax/eval.h"
#include "value/value.h"

namespace tofu::syntax {

// Unknown and confidential values are skipped unless they are what the problem is about: readers
// take every listed value for the cause.
struct ShowAlso {
  bool unknown = false;
  bool confidential = false;
};

// "is null", `is "eu-west-1"`, "is object with 3 attributes". Empty when there
// is nothing to be said.
std::string statement_about(const value::Value& v, ShowAlso also);

// One entry for each reference to a name from outside `expr`, sorted, each once.
// A reference that cannot be followed to its end is shown as far as it can.
std::vector<diag::ShownValue> shown_values(const Expr& expr, const Scope* scope,
                                           ShowAlso also = {});

class Evaluator;
// The same in the middle of an evaluation, with names bound by `for`.
std::vector<diag::ShownValue> shown_values(const Expr& expr, const Evaluator& evaluator,
                                           ShowAlso also = {});

}  // namespace tofu::syntax
