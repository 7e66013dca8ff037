// What names mean inside one module, for evaluating single expressions in it.
//
// Variables have the values they were given, their defaults, or are unknown;
// locals are evaluated when first asked for and kept. What a provider would have
// to tell (resources, outputs of other modules) is not known here and reported.
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
#include "config/symbol_source.h"
#include "diag/diagnostic.h"
#include "functions/table.h"
#include "syntax/eval.h"
#include "value/value.h"

namespace tofu::eval {

struct ModuleFacts {
  std::string workspace = "default";
  std::string root_directory = ".";  // path.root
  std::string working_directory;     // path.cwd
};

class ModuleScope final : public syntax::Scope {
 public:
  // Values given to variables, already settled by their declarations.
  using Inputs = std::map<std::string, value::Value, std::less<>>;

  // Everything outlives the scope.
  ModuleScope(const config::Module& module, const config::SymbolSource& symbols,
              const functions::Table& functions, Inputs inputs, ModuleFacts facts)
      : module_(module),
        symbols_(symbols),
        functions_(functions),
        inputs_(std::move(inputs)),
        facts_(std::move(facts)) {}

  std::optional<Resolved> resolve(const syntax::Traversal& traversal,
                                  diag::Diagnostics& diags) const override;
  const syntax::Function* function(std::string_view name) const override {
    const syntax::Function* found = symbols_.function(name);
    return found != nullptr ? found : functions_.find(name);
  }
  std::vector<std::string_view> function_names() const override;

  // What an expression here can name, for completion: "var.region", "local.names",
  // "symbols.lib.x".
  std::vector<std::string> value_names() const;

 private:
  using Answer = std::optional<value::Value>;
  Answer variable(const std::string& name, diag::SourceRange place, diag::Diagnostics& diags) const;
  Answer local(const std::string& name, diag::SourceRange place, diag::Diagnostics& diags) const;
  Answer path(const std::string& name, diag::SourceRange place, diag::Diagnostics& diags) const;
  Answer terraform(const addrs::TerraformAttr& address, diag::SourceRange place,
                   diag::Diagnostics& diags) const;
  Answer refuse(const addrs::Reference& reference, diag::Diagnostics& diags) const;

  const config::Module& module_;
  const config::SymbolSource& symbols_;
  const functions::Table& functions_;
  Inputs inputs_;
  ModuleFacts facts_;
  // Kept because one expression may name a local many times; an entry without a
  // value is being evaluated right now.
  mutable std::map<std::string, Answer, std::less<>> locals_;
};

// Whether every name that `expr` uses means something in `scope`. OpenTofu settles
// that before it evaluates, so not even try() gets past a name that does not exist.
bool check_references(const syntax::Expr& expr, const syntax::Scope& scope,
                      diag::Diagnostics& diags);

}  // namespace tofu::eval
