// The values of variables in one run: the run, then its file, then values from outside, then
// defaults.
//
// Expressions in test files know variables only as they come from outside or by default,
// so that their order does not matter, and the outputs of runs before.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "config/module.h"
#include "config/test_file.h"
#include "config/tree.h"
#include "diag/diagnostic.h"
#include "functions/table.h"
#include "syntax/eval.h"
#include "testing/given_variables.h"
#include "value/value.h"

namespace tofu::testing {

// Where the symbol libraries of a test file come from. Both outlive it.
struct TestSymbols {
  const config::TestFile& file;    // its own blocks
  const config::TreeNode& tested;  // those of the tested module
};

// The values of `var` and `run` outside assertions, and symbol libraries.
class TestScope final : public syntax::Scope {
 public:
  // `variables` and `runs` are objects. The functions outlive it.
  TestScope(value::Value variables, value::Value runs, const functions::Table& functions,
            const TestSymbols& symbols)
      : variables_(std::move(variables)),
        runs_(std::move(runs)),
        functions_(functions),
        symbols_(symbols) {}

  std::optional<Resolved> resolve(const syntax::Traversal& traversal,
                                  diag::Diagnostics& diags) const override;
  const syntax::Function* function(std::string_view name) const override;
  std::vector<std::string_view> function_names() const override { return functions_.names(); }
  bool is_interrupted() const override { return functions_.is_interrupted(); }
  const syntax::ImportedSymbols* symbols() const override;

  // The same with other values for variables.
  TestScope with(const std::map<std::string, value::Value>& variables) const;

 private:
  value::Value variables_;
  value::Value runs_;
  const functions::Table& functions_;
  TestSymbols symbols_;
};

class RunVariables {
 public:
  // All outlive it. `runs` has the outputs of runs that can be named. Errors in values from outside
  // are added to `diags`.
  RunVariables(const config::Module& module, const config::TestFile& file,
               const config::TestRun& run, const GivenVariables& given, value::Value runs,
               const functions::Table& functions, const config::TreeNode& tested,
               diag::Diagnostics& diags);

  // The values of all variables of the module. Those that need a value and have none are reported.
  diag::Checked<void> settle(std::map<std::string, value::Value>& out,
                             diag::Diagnostics& diags) const;
  // One that the module does not declare. Nothing, without an error, if no source provides it.
  std::optional<value::Value> undeclared(const std::string& name, diag::Diagnostics& diags) const;

  // Warns of values that test files give to variables whose author has deprecated them. `values`
  // are those that settle() made.
  void warn_of_deprecated(const std::map<std::string, value::Value>& values,
                          diag::Diagnostics& diags) const;

  const TestScope& scope() const { return scope_; }

 private:
  const config::TestVariable* in_test(const std::string& name) const;

  const config::Module& module_;
  const config::TestFile& file_;
  const config::TestRun& run_;
  const GivenVariables& given_;
  TestScope scope_;
};

}  // namespace tofu::testing
