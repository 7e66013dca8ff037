// What names mean in the expressions of one module: what it declares, paths, the workspace,
// symbol libraries and functions.
//
// Early values, the console and whoever evaluates a program have their values from different
// places, but all look names up here. So the same mistake is told in the same words.
//
// Threads: only reads; may be asked from several at once.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "addrs/module.h"
#include "addrs/reference.h"
#include "config/module.h"
#include "config/symbol_source.h"
#include "diag/diagnostic.h"
#include "diag/source.h"
#include "functions/table.h"
#include "syntax/eval.h"
#include "value/value.h"

namespace tofu::config {

// What every evaluation of a run shares.
struct Facts {
  std::string workspace = "default";
  std::string working_directory = {};    // path.cwd
  std::optional<bool> applying = false;  // absent: nobody can tell yet
};

class ModuleNames {
 public:
  // Where a module is: in the tree and on the disk.
  struct Place {
    const addrs::ModulePath& path;
    const std::string& directory;       // path.module
    const std::string& root_directory;  // path.root
  };

  // Everything outlives it. Without `symbols` there are none.
  ModuleNames(const Module& module, Place place, const SymbolSource* symbols, const Facts& facts,
              const functions::Table& functions)
      : module_(&module),
        path_(&place.path),
        directory_(&place.directory),
        root_directory_(&place.root_directory),
        symbols_(symbols),
        facts_(&facts),
        functions_(&functions) {}

  const Module& module() const { return *module_; }

  // What the module declares under a name. Null if and only if an error was added.
  const Variable* variable(const std::string& name, diag::SourceRange place,
                           diag::Diagnostics& diags) const;
  const Local* local(const std::string& name, diag::SourceRange place,
                     diag::Diagnostics& diags) const;
  const Resource* resource(const addrs::Resource& address, diag::SourceRange place,
                           diag::Diagnostics& diags) const;
  const ModuleCall* call(const std::string& name, diag::SourceRange place,
                         diag::Diagnostics& diags) const;

  // What does not depend on where values come from. Nothing if and only if an error was added.
  std::optional<value::Value> path(const addrs::PathAttr& address, diag::SourceRange place,
                                   diag::Diagnostics& diags) const;
  std::optional<value::Value> terraform(const addrs::TerraformAttr& address,
                                        diag::SourceRange place, diag::Diagnostics& diags) const;
  std::optional<syntax::Scope::Resolved> symbol(const addrs::Reference& reference,
                                                const syntax::Traversal& traversal,
                                                diag::Diagnostics& diags) const {
    return symbols_->resolve(reference, traversal, diags);
  }

  // Of count.index, each.key and each.value, what they are where the expression stands.
  // Absent: they have no meaning there, which is reported, as is any other attribute.
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

 private:
  std::string where() const;

  const Module* module_;
  const addrs::ModulePath* path_;
  const std::string* directory_;
  const std::string* root_directory_;
  const SymbolSource* symbols_;
  const Facts* facts_;
  const functions::Table* functions_;
};

}  // namespace tofu::config
