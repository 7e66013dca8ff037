// Warnings about deprecated outputs in expressions that are not part of a configuration,
// but see its root module: those that are typed in the console.
//
// The configuration is validated once, without telling anyone, to know what its locals
// hold; a place where the root module names an output was not reported then.
#pragma once

#include <memory>

#include "diag/diagnostic.h"
#include "eval/names.h"
#include "eval/program.h"
#include "functions/table.h"
#include "syntax/ast.h"

namespace tofu::eval {

class Validation;

// Whether a module that is called has any.
bool has_deprecated_outputs(const config::Tree& tree);

class DeprecationWarnings {
 public:
  // `program` was compiled without errors. Everything outlives this.
  DeprecationWarnings(const Program& program, const functions::Table& functions,
                      const Facts& facts);
  DeprecationWarnings(const DeprecationWarnings&) = delete;
  DeprecationWarnings& operator=(const DeprecationWarnings&) = delete;
  ~DeprecationWarnings();

  void warn_of_uses(const syntax::Expr& expr, diag::Diagnostics& diags) const;

 private:
  diag::Diagnostics unreported_;  // what is wrong with the configuration
  std::unique_ptr<Validation> validation_;
};

}  // namespace tofu::eval
