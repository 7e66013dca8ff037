// The symbol libraries of one module, under the names that its symbols blocks give
// them.
//
// The same library may be in the tables of many modules, under other names in each.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/module.h"
#include "symbols/library.h"
#include "symbols/symbol_source.h"

namespace tofu::config {

class SymbolTable final : public symbols::SymbolSource {
 public:
  // Module and libraries outlive the table.
  SymbolTable(const Module& module, symbols::LibraryImports imports);
  SymbolTable(const SymbolTable&) = delete;
  SymbolTable& operator=(const SymbolTable&) = delete;

  std::optional<syntax::Scope::Resolved> resolve(const addrs::Reference& reference,
                                                 const syntax::Traversal& traversal,
                                                 diag::Diagnostics& diags) const override;
  const syntax::Function* function(std::string_view name) const override;
  bool named_type(const syntax::CallExpr& call, syntax::TypeConstraint& out,
                  diag::Diagnostics& diags) const override;
  std::vector<std::string_view> value_names() const override;
  std::vector<std::string_view> function_names() const override;
  std::vector<std::string_view> type_names() const override;

  const symbols::LibraryImports& imports() const { return imports_; }

 private:
  std::optional<syntax::Scope::Resolved> member(const symbols::Library& library,
                                                const syntax::Traversal& traversal,
                                                diag::Diagnostics& diags) const;
  void report_missing_value(const symbols::Library& library, const syntax::Traversal& traversal,
                            diag::Diagnostics& diags) const;
  syntax::Function make_elsewhere() const;

  const Module& module_;
  symbols::LibraryImports imports_;
  std::vector<std::string> value_names_;
  std::vector<std::string> function_names_;
  std::vector<std::string> type_names_;
  // Stands for every function that is not there: reports why when it is called.
  syntax::Function elsewhere_;
};

}  // namespace tofu::config
