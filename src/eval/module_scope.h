// Evaluating single expressions inside one module, for the console.
//
// Variables have the values they were given, their defaults, or are unknown. What only
// a plan knows (resources, outputs of modules) is unknown too. So is a variable or a
// local that fails: it is reported once, and evaluation goes on without it.
//
// Threads: one scope belongs to one task, because of what it keeps.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "addrs/reference.h"
#include "config/module.h"
#include "config/module_names.h"
#include "config/module_values.h"
#include "config/symbol_source.h"
#include "config/tree.h"
#include "diag/diagnostic.h"
#include "eval/names.h"
#include "syntax/ast.h"
#include "value/value.h"

namespace tofu::eval {

class ModuleScope final : private config::ModuleValues::Source {
 public:
  // Values given to variables, settled by their declarations; one that does not fit is
  // there without a value.
  using Inputs = std::map<std::string, std::optional<value::Value>, std::less<>>;

  // Everything outlives the scope. `root` is a module that nobody calls.
  ModuleScope(const config::TreeNode& root, Inputs inputs, Facts facts,
              const functions::Table& functions)
      : module_(*root.module),
        symbols_(*root.symbols),
        inputs_(std::move(inputs)),
        facts_(std::move(facts)),
        names_(module_, {root.path, root.directory, root.directory}, &symbols_, facts_, functions),
        values_(names_, *this, config::ModuleValues::OnFailure::GoOnWithUnknown) {}
  // What it keeps points to it.
  ModuleScope(const ModuleScope&) = delete;
  ModuleScope& operator=(const ModuleScope&) = delete;

  // Settles all locals and reports those that fail. False if they depend on each other
  // in a circle: then nothing can be evaluated.
  bool settle(diag::Diagnostics& diags);
  // Nothing if and only if an error was added.
  std::optional<value::Value> evaluate(const syntax::Expr& expr, diag::Diagnostics& diags);

  // What an expression here can name, for completion: "var.region", "local.names",
  // "symbols.lib.x".
  std::vector<std::string> value_names() const;
  std::vector<std::string_view> function_names() const { return names_.function_names(); }

 private:
  bool allows(const config::Variable&, diag::SourceRange, diag::Diagnostics&) const override {
    return true;
  }
  config::ModuleValues::VariableValue variable(const config::Variable& variable,
                                               diag::Diagnostics& diags) const override;
  std::optional<value::Value> planned(const addrs::Reference& reference, const std::string& chain,
                                      diag::Diagnostics& diags) const override;
  void report_need(const config::ModuleValues::Asking&, const std::string&,
                   diag::Diagnostics&) const override {}
  std::string full_name(std::string_view name) const override { return std::string(name); }

  const config::Module& module_;
  const config::SymbolSource& symbols_;
  Inputs inputs_;
  Facts facts_;
  config::ModuleNames names_;
  config::ModuleValues values_;
};

}  // namespace tofu::eval
