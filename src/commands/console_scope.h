// What names mean in the console when no configuration is loaded.
//
// There are the paths, the workspace and the functions; anything that a
// configuration would declare is reported as not declared.
#pragma once

#include <string>

#include "functions/table.h"
#include "syntax/eval.h"

namespace tofu::commands {

class ConsoleScope final : public syntax::Scope {
 public:
  struct Facts {
    std::string original_directory;  // path.cwd
    std::string workspace;
  };
  ConsoleScope(Facts facts, const functions::Table& functions)
      : facts_(std::move(facts)), functions_(functions) {}

  std::optional<Resolved> resolve(const syntax::Traversal& traversal,
                                  diag::Diagnostics& diags) const override;
  const syntax::Function* function(std::string_view name) const override {
    return functions_.find(name);
  }
  std::vector<std::string_view> function_names() const override { return functions_.names(); }

 private:
  Facts facts_;
  const functions::Table& functions_;
};

// Whether every name that `expr` uses means something. OpenTofu settles that
// before it evaluates, so not even try() gets past a name that does not exist.
bool check_references(const syntax::Expr& expr, const syntax::Scope& scope,
                      diag::Diagnostics& diags);

}  // namespace tofu::commands
