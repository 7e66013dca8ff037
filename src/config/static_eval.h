// Evaluating what has to be known before anything is planned: module sources and
// versions, library sources, backends, encryption, provider for_each.
//
// Such an expression may use variables, locals, paths, the workspace, functions
// and symbol libraries, and through them only the same again. Anything else is an
// error that tells the chain of references that led to it. A child's variable is
// the argument of its call, evaluated in the parent.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "addrs/module.h"
#include "addrs/reference.h"
#include "config/module.h"
#include "config/module_names.h"
#include "config/module_values.h"
#include "config/symbol_source.h"
#include "config/values.h"
#include "diag/diagnostic.h"
#include "diag/source.h"
#include "syntax/ast.h"
#include "value/value.h"

namespace tofu::config {

class StaticEvaluator final : private ModuleValues::Source {
 public:
  // The value given to a variable, unconverted; the default if none was given.
  // Nothing if and only if an error was added.
  using Given = std::function<std::optional<value::Value>(const Variable& variable,
                                                          diag::Diagnostics& diags)>;

  // Everything outlives it; `place` is where the module is.
  StaticEvaluator(const Module& module, const ModuleNames::Place& place, Given given, Facts facts,
                  const functions::Table& functions, const SymbolSource* symbols = nullptr)
      : module_(module),
        path_(place.path),
        directory_(place.directory),
        root_directory_(place.root_directory),
        given_(std::move(given)),
        facts_(early(std::move(facts))),
        values_(
            ModuleNames(module, {path_, directory_, root_directory_}, symbols, facts_, functions),
            *this, ModuleValues::OnFailure::Fail) {}
  // What it keeps points to it.
  StaticEvaluator(const StaticEvaluator&) = delete;
  StaticEvaluator& operator=(const StaticEvaluator&) = delete;

  // `asking` says who needs the value, such as module.net.source, and `place`
  // where that is. Nothing if and only if an error was added.
  std::optional<value::Value> evaluate(const syntax::Expr& expr, std::string asking,
                                       diag::SourceRange place, diag::Diagnostics& diags) const;
  // The same, for places that cannot take a secret: sensitive, ephemeral and
  // unknown values are errors.
  std::optional<value::Value> evaluate_plain(const syntax::Expr& expr, const std::string& asking,
                                             diag::SourceRange place,
                                             diag::Diagnostics& diags) const;

  // The same as evaluate() for places whose own checks go on after an error: what
  // failed is unknown. Nothing if something that it refers to has no value.
  std::optional<value::Value> evaluate_despite_errors(const syntax::Expr& expr, std::string asking,
                                                      diag::SourceRange place,
                                                      diag::Diagnostics& diags) const;

  // The value of a variable of this module. `place` is where it is asked for, such as
  // the call of the module; the root is called nowhere. Nothing if and only if an
  // error was added.
  std::optional<value::Value> value_of(const Variable& variable,
                                       std::optional<diag::SourceRange> place,
                                       diag::Diagnostics& diags) const;

  const Module& module() const { return module_; }

 private:
  // Whether this is an apply is not known yet.
  static Facts early(Facts facts) {
    facts.applying = std::nullopt;
    return facts;
  }
  bool allows(const Variable& variable, diag::SourceRange place,
              diag::Diagnostics& diags) const override;
  ModuleValues::VariableValue variable(const Variable& variable,
                                       diag::Diagnostics& diags) const override;
  std::optional<value::Value> planned(const addrs::Reference& reference, const std::string& chain,
                                      diag::Diagnostics& diags) const override;
  void report_need(const ModuleValues::Asking& asking, const std::string& what,
                   diag::Diagnostics& diags) const override;
  std::string full_name(std::string_view name) const override;

  const Module& module_;
  addrs::ModulePath path_;
  std::string directory_;
  std::string root_directory_;
  Given given_;
  Facts facts_;
  // Keeps what it found, since one local may be named by many calls. Evaluation
  // happens on one thread: linking is a loop, not a pool.
  mutable ModuleValues values_;
};

// The value a variable has when given `v`: defaults of optional attributes
// applied, converted, null replaced where it is not allowed, marked as declared.
// `module` is the one that declares it, and `place` where problems are reported.
// Nothing if and only if an error was added.
std::optional<value::Value> settle_variable(const Variable& variable, value::Value v,
                                            const addrs::ModulePath& module,
                                            std::optional<diag::SourceRange> place,
                                            diag::Diagnostics& diags);

}  // namespace tofu::config
