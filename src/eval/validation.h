// One run of validate(): what it keeps between objects. For the validate_*.cc
// files only.
//
// Values are as little known as they can be: variables are unknown, resources and
// modules are unknown values of the types that are known, locals are evaluated.
// A variable that is being validated has the value that its call gives it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "eval/deprecated_values.h"
#include "eval/module_scope.h"
#include "eval/program.h"
#include "eval/shape.h"
#include "eval/validate.h"

namespace tofu::eval {

// Large: a function for each kind of row, which share the values found so far.
class Validation final : public Values {
 public:
  Validation(const Program& program, const functions::Table& functions, const RunInfo& facts,
             DeprecationLevel deprecation, diag::Diagnostics& diags);
  Validation(const Validation&) = delete;
  Validation& operator=(const Validation&) = delete;

  // Blocks that make sense go to `on_block`.
  void run(const OnBlock& on_block = {});
  // Finds out what locals pass on, for warn_of_uses(). Names used by the root module do not count
  // as reported, because it has no caller to warn.
  void run_without_warnings_of_root();
  // The reported warnings.
  const Deprecations& deprecations() const { return deprecations_; }
  // Warns of deprecated outputs in an expression that stands in the root module, but is
  // not part of the configuration.
  void warn_of_uses(const syntax::Expr& expr, diag::Diagnostics& diags) const;

  value::Value of(ModuleInstanceId module, ObjectId object) const override;
  value::Value of_call(ModuleInstanceId caller, config::ModuleId called) const override;
  std::optional<value::Value> of_output(ModuleInstanceId caller, ObjectId output,
                                        const value::Value* key) const override;
  const syntax::Function* provider_function(std::optional<ObjectId> config,
                                            const addrs::ProviderFunction& function,
                                            const syntax::Function* listed) const override;

 private:
  void find_used_providers();
  bool has_failed_waits(std::uint32_t object) const;
  void visit(std::uint32_t object);

  void module_start(const Object& object);
  void argument(const Object& object, std::uint32_t at);
  void variable(const Object& object);
  void local(const Object& object, std::uint32_t at);
  void output(const Object& object, std::uint32_t at);
  void provider(const Object& object, std::uint32_t at);
  void check(const Object& object);

  // validate_resource.cc
  void resource(const Object& object, std::uint32_t at);
  void resource_block(ObjectId id, const config::Resource& resource, const Row& row);
  void resource_conditions(const Object& object, const config::Resource& resource, const Row& row);
  InstanceScope instance_scope_with_self(const Object& object, const config::Resource& resource,
                                         const Row& row) const;
  void resource_repetition(const config::Resource& resource, const ModuleScope& names);
  bool provisioners(const Object& object, const config::Resource& resource, const Row& row,
                    std::size_t errors_before);
  void provisioner(const config::Provisioner& provisioner, const PreparedProvisioner& prepared,
                   const ModuleScope& names);
  void import(const config::Import& import, const Object& object, const config::Resource& resource);

  value::Value resource_value(const config::Resource& resource, const schema::Block* schema) const;

  void tell(ConfiguredBlock block) const;  // its value may have marks

  ModuleScope names_in(config::ModuleId module) const {
    return ModuleScope(evaluation_, InstanceScope(module));
  }

  const Program& program_;
  diag::Diagnostics& diags_;
  Deprecations deprecations_;
  DeprecatedValues marked_;
  Evaluation evaluation_;
  OnBlock on_block_;
  std::vector<bool> failed_;                       // by object
  std::vector<bool> used_;                         // providers that something waits for
  std::vector<std::optional<value::Value>> kept_;  // of locals and arguments
  // Created at first use, because many references share them.
  mutable std::vector<std::optional<value::Value>> calls_;  // by module
  mutable std::unordered_map<const schema::Block*, value::Value> unknowns_;
};

// validate_schema.cc: what only makes sense with the provider's schema at hand.
// `config` is what `body` was decoded to.

// A value that a state cannot hold, such as an infinite number, is allowed only in write-only
// arguments.
void check_storable(const value::Value& config, const schema::Block& schema,
                    const syntax::Body& body, const std::string& address, diag::Diagnostics& diags);

// Ephemeral values may stand only where nothing is kept.
void check_ephemeral(const value::Value& config, const schema::Block& schema,
                     const syntax::Body& body, const std::string& address,
                     diag::Diagnostics& diags);
// Warns of what has no effect only if there were no errors after the first
// `errors_before`, which are those of other resources.
void check_ignore_changes(const config::Resource& resource, const schema::Block& schema,
                          std::size_t errors_before, diag::Diagnostics& diags);
void check_replace_triggered_by(const config::Resource& resource, const ModuleScope& names,
                                const Shape& shape, diag::Diagnostics& diags);

}  // namespace tofu::eval
