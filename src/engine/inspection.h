// Evaluating single expressions of the root module over what the last run left: what the
// console does.
//
// Variables, locals, outputs and calls of modules are evaluated once, in every instance
// of their module. Resources are what the state has of them, and unknown where it has
// nothing. No provider is asked and nothing is changed. What fails is reported once; from
// then on it is unknown to whatever names it.
#pragma once

#include <memory>
#include <optional>

#include "diag/diagnostic.h"
#include "engine/run.h"
#include "eval/module_scope.h"
#include "state/state.h"
#include "syntax/ast.h"
#include "value/value.h"

namespace tofu::engine {

class Inspection {
 public:
  // The program need not have been validated. A variable of the root module without a
  // value is unknown. Everything outlives this; what is wrong with the configuration is
  // added to `diags`.
  Inspection(RunInputs inputs, const state::State& state, diag::Diagnostics& diags);
  Inspection(const Inspection&) = delete;
  Inspection& operator=(const Inspection&) = delete;
  ~Inspection();

  diag::Checked<value::Value> evaluate(const syntax::Expr& expr, diag::Diagnostics& diags) const;
  // What an expression of the root module can name.
  eval::ModuleScope names() const;

 private:
  struct Impl;

  std::unique_ptr<Impl> impl_;
};

}  // namespace tofu::engine
