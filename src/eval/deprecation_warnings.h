// Deprecation warnings for expressions outside of a configuration that use its root module: those
// that are typed in the console, and assertions of tests.
//
// The configuration is validated once, without reporting, to get the values of its locals; a place
// where the root module names an output was not reported then.
//
// Threads: any.
#pragma once

#include <memory>
#include <mutex>

#include "diag/diagnostic.h"
#include "eval/module_scope.h"
#include "eval/program.h"
#include "functions/table.h"
#include "syntax/ast.h"

namespace tofu::eval {

class Validation;

// Whether there is anything to warn about: an output of a module that is called, or something
// of a resource.
bool has_deprecated(const Program& program);

class DeprecationWarnings {
 public:
  // `program` was compiled without errors. Everything outlives this.
  DeprecationWarnings(const Program& program, const functions::Table& functions,
                      const RunInfo& facts, DeprecationLevel level = DeprecationLevel::All);
  DeprecationWarnings(const DeprecationWarnings&) = delete;
  DeprecationWarnings& operator=(const DeprecationWarnings&) = delete;
  ~DeprecationWarnings();

  void warn_of_uses(const syntax::Expr& expr, diag::Diagnostics& diags) const;

 private:
  mutable std::mutex mutex_;      // for the warnings so far
  diag::Diagnostics unreported_;  // errors in the configuration
  std::unique_ptr<Validation> validation_;
};

}  // namespace tofu::eval
