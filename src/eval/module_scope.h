// The scope of an expression in a module.
//
// The caller decides where values come from: it passes a Values interface. A Names answers one
// expression after the other of one object; what `self`, `count` and `each` are there is its
// Standing.
//
// References are checked before anything is evaluated (see expressions.h), so
// that not even try() gets past a name that does not exist.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "addrs/function_name.h"
#include "config/module_names.h"
#include "diag/checked.h"
#include "eval/bindings.h"
#include "eval/deprecation.h"
#include "eval/program.h"
#include "functions/table.h"
#include "syntax/eval.h"
#include "value/value.h"

namespace tofu::eval {

// The values of a program's objects. An interface.
class Values {
 public:
  virtual ~Values() = default;
  // Of a variable, a local, a resource (all its instances) in one instance of their module.
  virtual value::Value of(ModuleInstanceId module, ObjectId object) const = 0;
  // One instance of a repeated resource. Nothing if it has to be taken out of all of
  // them, or if there is none with that key, which is reported so.
  virtual std::optional<value::Value> of_instance(ModuleInstanceId /*module*/,
                                                  ObjectId /*resource*/,
                                                  const value::Value& /*key*/) const {
    return std::nullopt;
  }
  // The value of `module.NAME` in the calling module.
  virtual value::Value of_call(ModuleInstanceId caller, config::ModuleId called) const = 0;
  // One output of a called module; `key` says of which instance, and is null for a call
  // that is not repeated. Nothing as for an instance.
  virtual std::optional<value::Value> of_output(ModuleInstanceId caller, ObjectId output,
                                                const value::Value* key) const = 0;
  // A function of a provider. `config` is the row of the provider's configuration, absent
  // for an expression that is not part of the program; `listed` is what the schema says of
  // the function, null if it does not list it. Null: there is no such function.
  virtual const syntax::Function* provider_function(std::optional<ObjectId> /*config*/,
                                                    const addrs::ProviderFunction& /*function*/,
                                                    const syntax::Function* listed) const {
    return listed;
  }
};

using config::RunInfo;
class DeprecatedValues;

struct InstanceScope {
  explicit InstanceScope(config::ModuleId where) : InstanceScope(where, {where.index}) {}
  InstanceScope(config::ModuleId where, ModuleInstanceId which) : module(where), instance(which) {}

  config::ModuleId module;
  ModuleInstanceId instance;
  std::optional<value::Value> count_index = {};
  std::optional<value::Value> each_key = {};
  std::optional<value::Value> each_value = {};
  // The value of `self`: of this resource, one instance.
  const config::Resource* self = nullptr;
  std::optional<value::Value> self_value = {};
  const config::Check* check = nullptr;  // may read its own data source
  // A variable that has this value in this scope only: the one that is being validated.
  const config::Variable* given = nullptr;
  std::optional<value::Value> given_value = {};
};

// count.index and each.key where it is not known which instance is meant. Neither is
// ever null.
value::Value some_count_index();
value::Value some_each_key();

// The context of all evaluation in one program.
struct Evaluation {
  const Program& program;
  const Values& values;
  const functions::Table& functions;
  const RunInfo& facts;
  Deprecations& deprecations;
  // The same values with marks of what is deprecated on them. Null: never needed.
  const DeprecatedValues* marked = nullptr;
};

class ModuleScope final : public syntax::Scope {
 public:
  ModuleScope(const Evaluation& evaluation, InstanceScope instance_scope);

  // Reports why the traversal is no reference at all, if it is none.
  void report_unparsed(const syntax::Traversal& traversal, diag::Diagnostics& diags) const;
  // Reports errors in a reference that follow from declarations and schemas alone: the object or
  // its attribute does not exist.
  void check_static(const syntax::Traversal& traversal, diag::Diagnostics& diags) const;

  // Reports a reference that goes on into its object, where only whole objects
  // may be named.
  void check_whole(const syntax::Traversal& traversal, diag::Diagnostics& diags) const;

  // Reports a call of a provider's function that names no provider of the module, or that the
  // provider does not have.
  void check_function(const syntax::CallExpr& call, diag::Diagnostics& diags) const;

  std::optional<Resolved> resolve(const syntax::Traversal& traversal,
                                  diag::Diagnostics& diags) const override;
  const syntax::Function* function(std::string_view name) const override;
  const syntax::ImportedSymbols* symbols() const override { return names_.symbols(); }
  std::vector<std::string_view> function_names() const override;
  bool is_interrupted() const override { return names_.is_interrupted(); }
  std::optional<Resolved> resolve_element(
      const syntax::Traversal& traversal, const value::Value& key,
      std::span<const syntax::TraversalStep> after) const override;

  const config::Module& module() const { return module_; }
  const InstanceScope& instance_scope() const { return instance_scope_; }
  const Evaluation& evaluation() const { return evaluation_; }

 private:
  using Answer = std::optional<value::Value>;

  // The binding of the traversal, or a new one that is kept in `made`.
  const Binding& binding(const syntax::Traversal& traversal, std::optional<Binding>& made) const;
  void check_self(const addrs::Reference& reference, diag::Diagnostics& diags) const;
  void check_key(const config::Resource& resource, bool has_key, const addrs::Reference& reference,
                 diag::Diagnostics& diags) const;
  void check_resource(const addrs::Resource& address, bool has_key,
                      const addrs::Reference& reference, diag::Diagnostics& diags) const;

  diag::Checked<Resolved> resource(const addrs::Resource& address, const Binding& bound,
                                   const syntax::Traversal& traversal,
                                   diag::Diagnostics& diags) const;
  Answer variable(const addrs::InputVariable& address, const Binding& bound,
                  diag::Diagnostics& diags) const;
  Answer local(const addrs::LocalValue& address, const Binding& bound,
               diag::Diagnostics& diags) const;
  Answer call(const std::string& name, diag::SourceRange place, diag::Diagnostics& diags) const;

  value::Value row_value(std::uint32_t row) const;
  ObjectId object(std::uint32_t row) const { return {rows_.first.index + row}; }
  // Nothing without an error: the whole is needed.
  std::optional<Resolved> one_instance(const addrs::ResourceInstance& address, const Binding& bound,
                                       const syntax::Traversal& traversal) const;
  std::optional<Resolved> one_output(const addrs::ModuleCallOutput& address, const Binding& bound,
                                     const syntax::Traversal& traversal) const;
  const syntax::Function* provider_function(std::string_view name) const;

  const Evaluation& evaluation_;
  InstanceScope instance_scope_;
  const config::TreeNode& node_;
  const config::Module& module_;
  const ModuleRows& rows_;
  const config::ModuleNames names_;
};

}  // namespace tofu::eval
