// The modules and rows of a program by the addresses that states and plans have for them, and which
// rows take part in a run.
//
// Modules and rows are for all instances, so keys of modules do not matter. Where the configuration
// does not have what a state still has, there is none.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "addrs/module.h"
#include "addrs/provider_config.h"
#include "addrs/resource.h"
#include "config/tree.h"
#include "diag/diagnostic.h"
#include "engine/run.h"
#include "engine/targets.h"
#include "eval/program.h"
#include "plans/addresses.h"
#include "plans/checks.h"
#include "plans/execution_order.h"
#include "state/state.h"

namespace tofu::engine {

// The module of a configuration that an address leads to.
//
// Keys do not matter: the tree of modules is by call, so that all instances of a call
// lead to the same module.

// Null if no such module is called.
const config::TreeNode* find_module(const config::Tree& tree, const addrs::ModulePath& path);
const config::TreeNode* find_module(const config::Tree& tree, const addrs::ModuleInstance& module);

// Nothing if the configuration has no such resource.
std::optional<eval::ObjectId> resource_row(const eval::Program& program,
                                           const addrs::ConfigResource& resource);
// The configuration of a provider at exactly this address, or the one that a call passes there,
// or the empty one that the root module has of a provider that it does not configure. Nothing if
// there is none, or the program does not need the provider.
std::optional<eval::ObjectId> provider_row(const eval::Program& program,
                                           const addrs::AbsProviderConfig& provider);

// The rows that the addresses of a plan stand for. `resources` are those that are known already, by
// ResourceId, and none for the others.
plans::BoundRows bound_rows(const eval::Program& program, const plans::Addresses& addresses,
                            std::vector<std::uint32_t> resources = {});
// The rows of objects with rules, which a plan names by address.
std::vector<std::uint32_t> bound_checks(const eval::Program& program,
                                        const std::vector<plans::CheckedObject>& checks);
// The row of the check block that a data source stands in.
eval::ObjectId check_row(const eval::Program& program, eval::ObjectId data_source);
// The row with such a number; nothing for BoundRows::kNone.
inline std::optional<eval::ObjectId> row_at(std::uint32_t number) {
  if (number == plans::BoundRows::kNone) return std::nullopt;
  return eval::ObjectId{number};
}
// Programs with equal fingerprints have rows of the same kinds, which wait for the same, so that
// the numbers of rows mean the same in both.
std::uint64_t fingerprint(const eval::Program& program);

// The configuration for what a state has of a resource: the one that the state names. If that
// does not exist any more, the one of the resource block, if there is one, as in OpenTofu.
class StoredProviders {
 public:
  // `program` outlives it, and so do all states that are asked about.
  explicit StoredProviders(const eval::Program& program) : program_(program) {}

  std::optional<eval::ObjectId> row_of(const state::Resource& resource);

 private:
  const eval::Program& program_;
  // Most resources have the provider of the one before.
  const addrs::AbsProviderConfig* last_ = nullptr;
  std::optional<eval::ObjectId> last_row_;
};

// Which rows of a program take part in a run.
class ActiveRows {
 public:
  // `left_out` says by row what takes no part; it may be empty. Of a module that is substituted,
  // and of those it calls, no resources and no checks exist. Values in them are evaluated as
  // usual, as far as they can be. `substitutes` may be null.
  ActiveRows(const eval::Program& program, const Substitutes* substitutes,
             std::vector<bool> left_out);

  // What does not take part counts as ended, with unknown values.
  bool has(eval::ObjectId row) const { return left_out_.empty() || !left_out_[row.index]; }
  // The provider blocks that something in the program or in `state` needs, by row.
  std::vector<bool> used_providers(const state::State& state) const;

 private:
  const eval::Program& program_;
  std::vector<bool> substituted_;  // by row, or empty
  std::vector<bool> left_out_;     // by row, or empty
};

// Gives what was reported about a row the names of the blocks that it is about.
void name_blocks(const eval::Program& program, eval::ObjectId row, diag::Diagnostics& diags);

// The start of a module, or of the innermost around it that there is.
eval::ObjectId module_start(const eval::Program& program, const addrs::ModulePath& module);

// The rows that take no part in destroying: what is destroyed is in the state. Of the
// configuration only the providers of that are needed, what prevent_destroy refers to, and all
// that these need.
std::vector<bool> unneeded_to_destroy(const eval::Program& program, const state::State& state,
                                      const DestroyTargeting& targeting);
// The rows whose values something refers to, by row. Being inside of a module is not referring.
std::vector<bool> referred_rows(const eval::Program& program);
bool is_validated_variable(const eval::Object& object);
// Which rows a plan is applied with.
struct AppliedRows {
  // Unused rows: values that nothing refers to. What has rules of its own is
  // used, and so are the outputs of the root module; rules of an output that is not used were
  // looked at by the plan. A resource that has no work, as `works` says by row, is as the state
  // has it. As in OpenTofu, it uses what it refers to only if something other than an output
  // of the root refers to it.
  std::vector<bool> unneeded;
  // The resources whose instances OpenTofu finds out: with work, or referred to in that way.
  std::vector<bool> expanded;
};
AppliedRows rows_to_apply(const eval::Program& program, const std::vector<bool>& works);
// The same for a plan that is about a part of everything: only what the resources with
// work need, and the outputs of the root and variables with validations that took part in the plan.
AppliedRows rows_to_apply_part(const eval::Program& program, const std::vector<bool>& works,
                               const Targeting& targeting);

}  // namespace tofu::engine
