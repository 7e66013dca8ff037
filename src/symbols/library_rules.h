// Expressions and validation rules of a library, evaluated for one call of a function or one value
// of a type.
//
// A failure names its place inside the library on a line below those of the calls that it came
// from; the caller shows the other place.
#pragma once

#include <optional>
#include <string>

#include "diag/source.h"
#include "symbols/library.h"
#include "syntax/condition.h"
#include "syntax/eval.h"
#include "syntax/function.h"
#include "value/value.h"

namespace tofu::symbols {

class LibraryEvaluation {
 public:
  // `owner` is what the expressions belong to, such as `function "f"`. Everything outlives it.
  LibraryEvaluation(const syntax::Scope& scope, const diag::SourceMap& sources, std::string owner)
      : scope_(scope), sources_(sources), owner_(std::move(owner)) {}

  syntax::CallResult<value::Value> evaluate(const syntax::Expr& expr) const;
  syntax::CallError failure(std::string what, diag::SourceRange place) const;

  // What keeps the rule from being met. An unknown result keeps nothing. `is_broken` of the problem
  // is set if the rule says no; otherwise it could not be evaluated.
  struct RuleProblem {
    syntax::CallError error;
    bool is_broken = false;
  };
  std::optional<RuleProblem> check(const syntax::Condition& rule) const;

 private:
  std::string message_of(const syntax::Condition& rule) const;

  const syntax::Scope& scope_;
  const diag::SourceMap& sources_;
  std::string owner_;
};

}  // namespace tofu::symbols
