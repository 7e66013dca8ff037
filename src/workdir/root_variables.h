// Values given to the variables of the root module, from every place they can
// come from.
//
// In the order in which later ones win: TF_VAR_name in the environment,
// terraform.tfvars, terraform.tfvars.json, *.auto.tfvars[.json] by name, and then
// -var and -var-file as they stand on the command line. What a text means depends
// on the variable's type, so values are read only when a declaration asks.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/environment.h"
#include "config/module.h"
#include "config/static_eval.h"
#include "config/variable_files.h"
#include "diag/diagnostic.h"
#include "testing/given_variables.h"
#include "value/value.h"
#include "workdir/load_context.h"
#include "workdir/options.h"

namespace tofu::workdir {

class RootVariables final : public testing::GivenVariables {
 public:
  explicit RootVariables(const LoadContext& context) : context_(context) {}

  // Finds all values, reading the files that have them.
  diag::Checked<void> collect(const VariableOptions& options, diag::Diagnostics& diags);

  // What files in a directory say besides, such as those of tests: they win over what was collected
  // so far.
  diag::Checked<void> collect_in(const std::string& directory, diag::Diagnostics& diags);

  // For tests, which may give values to variables that are not declared.
  std::vector<std::string> names() const override;
  bool has(const std::string& name) const override { return values_.contains(name); }
  std::optional<value::Value> read(const std::string& name, const config::Variable* declared,
                                   diag::Diagnostics& diags) const override;

  // The value given to `variable`, unconverted; its default if none was given.
  diag::Checked<value::Value> value_of(const config::Variable& variable,
                                       diag::Diagnostics& diags) const;
  // For static evaluation. The variables outlive what is returned.
  config::StaticEvaluator::Given as_given() const;

  // All given values, settled by the declarations in `module`. A value that does not fit
  // its declaration is reported, and absent. False if one cannot be read or belongs to no
  // variable, which is reported too.
  using Settled = std::map<std::string, std::optional<value::Value>, std::less<>>;
  bool settle(const config::Module& module, Settled& out, diag::Diagnostics& diags) const;

  // The value of every variable of `module` that was given one, unconverted, for a run.
  // Input is requested for those that need one and have none, if `ask` can;
  // otherwise they are errors, as are unreadable values and values of no variable.
  using Ask = std::function<std::optional<std::string>(const config::Variable& variable)>;
  diag::Checked<void> collect_for_run(const config::Module& module, const Ask& ask,
                                      std::map<std::string, value::Value>& out,
                                      diag::Diagnostics& diags) const;
  // The same where a variable may go without a value.
  diag::Checked<void> collect_given(const config::Module& module,
                                    std::map<std::string, value::Value>& out,
                                    diag::Diagnostics& diags) const;

  // Adds what a workspace of a service has for a variable, unless it is given here.
  void add_stored(const std::string& name, value::Value stored);

  // Whether -var or -var-file gives it a value.
  bool is_option(const std::string& name) const;

  // The values for this very run, from the environment and options, as names and
  // expressions. Values in files of the directory are left out: the files go along.
  diag::Checked<void> collect_explicit(const config::Module& module,
                                       std::vector<std::pair<std::string, std::string>>& out,
                                       diag::Diagnostics& diags) const;

  // Warns of each value that is given to a variable its author has deprecated.
  void warn_of_deprecation(const config::Module& module, diag::Diagnostics& diags) const;

 private:
  enum class Origin : std::uint8_t { Service, Environment, DirectoryFile, File, CommandLine };
  struct Given {
    Origin origin;
    std::string text;                         // of the environment and the command line
    const syntax::Expr* expr = nullptr;       // of a file
    std::optional<value::Value> stored = {};  // of a service
  };

  void collect_environment();
  void collect_directory(const std::string& directory, diag::Diagnostics& diags);
  void collect_file(const std::string& path, Origin origin, diag::Diagnostics& diags);
  void collect_option(const std::string& option, diag::Diagnostics& diags);
  std::optional<value::Value> read(const config::Variable& variable, const Given& given,
                                   diag::Diagnostics& diags) const;
  void report_undeclared(const config::Module& module, diag::Diagnostics& diags) const;

  LoadContext context_;
  std::map<std::string, Given, std::less<>> values_;
  std::vector<config::VariableFile> files_;  // keep the expressions
};

}  // namespace tofu::workdir
