// Warnings about what is deprecated in expressions that are not part of a configuration, but
// see its root module: those that are typed in the console, and assertions of tests.
//
// The configuration is validated once, without telling anyone, to know what its locals
// hold; a place where the root module names an output was not reported then.
//
// Threads: any.
#pragma once

#include <memory>
#include <mutex>

#include "diag/diagnostic.h"
#include "eval/names.h"
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
  DeprecationWarnings(const Program& program, const functions::Table& functions, const Facts& facts,
                      DeprecationLevel level = DeprecationLevel::All);
  DeprecationWarnings(const DeprecationWarnings&) = delete;
  DeprecationWarnings& operator=(const DeprecationWarnings&) = delete;
  ~DeprecationWarnings();

  void warn_of_uses(const syntax::Expr& expr, diag::Diagnostics& diags) const;

 private:
  mutable std::mutex mutex_;      // for what was warned about so far
  diag::Diagnostics unreported_;  // what is wrong with the configuration
  std::unique_ptr<Validation> validation_;
};

}  // namespace tofu::eval
