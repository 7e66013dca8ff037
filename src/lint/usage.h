// The names that the expressions of a module use: variables, locals, resources, module outputs,
// provider configurations, symbol libraries.
//
// Collected while the files are walked. A name counts as used wherever it stands, also where only
// early values are read, as in a backend block; the validations of a variable do not use it.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <unordered_set>

#include "config/module.h"
#include "lint/walk.h"

namespace tofu::lint {

class Usage final : public Visitor {
 public:
  explicit Usage(const config::Module& module);

  void expression(const syntax::Expr& expr, const Site& site) override;

  bool variable(std::string_view name) const { return variables_.contains(name); }
  bool local(std::string_view name) const { return locals_.contains(name); }
  // The name that references give: `data.TYPE.NAME`.
  bool object(const std::string& name) const { return objects_.contains(name); }
  // A module is used whole if not one of its outputs is named.
  bool output(std::string_view call, std::string_view output) const;
  bool provider_config(const std::string& key) const { return objects_.contains(key); }
  bool symbols(std::string_view name) const {
    return renders_templates_ || symbols_.contains(name);
  }
  // The local name of a provider whose functions are called.
  bool provider_function(std::string_view provider) const {
    return provider_functions_.contains(provider);
  }

 private:
  void traversal(const syntax::Traversal& traversal, const syntax::NativeBlock* top);
  void call(std::string_view name);
  void add(const std::vector<syntax::Traversal>& traversals);

  std::unordered_set<std::string_view> variables_;
  std::unordered_set<std::string_view> locals_;
  std::unordered_set<std::string> objects_;
  std::set<std::string, std::less<>> outputs_;        // "call.output"
  std::set<std::string, std::less<>> whole_modules_;  // calls
  std::unordered_set<std::string_view> symbols_;
  bool renders_templates_ = false;
  std::unordered_set<std::string_view> provider_functions_;
};

// The name that a reference begins with, in one form for all places that compare references:
// `var.x`, `local.x`, `module.m`, `data.t.n`, `ephemeral.t.n`, `t.n`. Empty for names that no
// declaration has, such as `each.key`.
std::string referenced_name(const syntax::Traversal& traversal);

}  // namespace tofu::lint
