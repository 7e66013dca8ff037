// Resolves names in the expressions of one module: what it declares, paths, the workspace, symbol
// libraries and functions.
//
// Early evaluation, the console and program evaluation take their values from different places, but
// all look names up here. So the same error is reported in the same words.
//
// Threads: only reads; safe to use from several threads.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "addrs/module.h"
#include "addrs/reference.h"
#include "config/module.h"
#include "diag/diagnostic.h"
#include "diag/source.h"
#include "functions/table.h"
#include "symbols/symbol_source.h"
#include "syntax/eval.h"
#include "value/value.h"

namespace tofu::config {

// Information shared by every evaluation of a run.
struct RunInfo {
  std::string workspace = "default";
  std::string working_directory = {};    // path.cwd
  std::optional<bool> applying = false;  // absent: not known yet
};

class ModuleNames {
 public:
  // The position of a module: in the tree and on the disk.
  struct Place {
    const addrs::ModulePath& path;
    const std::string& directory;       // path.module
    const std::string& root_directory;  // path.root
  };

  // Everything outlives it. Without `symbols` there are none.
  ModuleNames(const Module& module, Place place, const symbols::SymbolSource* symbols,
              const RunInfo& facts, const functions::Table& functions)
      : module_(&module),
        path_(&place.path),
        directory_(&place.directory),
        root_directory_(&place.root_directory),
        symbols_(symbols),
        facts_(&facts),
        functions_(&functions) {}

  const Module& module() const { return *module_; }

  // The declaration of a name in the module.
  diag::Checked<const Variable*> variable(const std::string& name, diag::SourceRange place,
                                          diag::Diagnostics& diags) const;
  diag::Checked<const Local*> local(const std::string& name, diag::SourceRange place,
                                    diag::Diagnostics& diags) const;
  diag::Checked<const Resource*> resource(const addrs::Resource& address, diag::SourceRange place,
                                          diag::Diagnostics& diags) const;
  diag::Checked<const ModuleCall*> call(const std::string& name, diag::SourceRange place,
                                        diag::Diagnostics& diags) const;

  // Values that are independent of the source of other values.
  diag::Checked<value::Value> path(const addrs::PathAttr& address, diag::SourceRange place,
                                   diag::Diagnostics& diags) const;
  diag::Checked<value::Value> terraform(const addrs::TerraformAttr& address,
                                        diag::SourceRange place, diag::Diagnostics& diags) const;
  diag::Checked<syntax::Scope::Resolved> symbol(const addrs::Reference& reference,
                                                const syntax::Traversal& traversal,
                                                diag::Diagnostics& diags) const {
    return symbols_->resolve(reference, traversal, diags);
  }

  // The values of count.index, each.key and each.value for the expression. Absent: they have no
  // meaning there, which is reported, as is any other attribute.
  static std::optional<value::Value> count(const addrs::CountAttr& address,
                                           const std::optional<value::Value>& index,
                                           diag::SourceRange place, diag::Diagnostics& diags);
  static std::optional<value::Value> each(const addrs::EachAttr& address,
                                          const std::optional<value::Value>& key,
                                          const std::optional<value::Value>& v,
                                          diag::SourceRange place, diag::Diagnostics& diags);
  // Reports `self` where there is none.
  static void refuse_self(diag::SourceRange place, diag::Diagnostics& diags);
  // Reports what has a meaning in test files only.
  static void refuse(const addrs::Reference& reference, diag::Diagnostics& diags);

  // A built-in function, or one of a symbol library. Null if there is none.
  const syntax::Function* function(std::string_view name) const;
  std::vector<std::string_view> function_names() const;
  bool is_interrupted() const { return functions_->is_interrupted(); }
  const symbols::SymbolSource* symbols() const { return symbols_; }

 private:
  std::string where() const;

  const Module* module_;
  const addrs::ModulePath* path_;
  const std::string* directory_;
  const std::string* root_directory_;
  const symbols::SymbolSource* symbols_;
  const RunInfo* facts_;
  const functions::Table* functions_;
};

}  // namespace tofu::config
