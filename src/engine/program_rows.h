// The rows of a program by the addresses that states and plans have for them.
//
// Rows are for all instances of a module, so keys of modules do not matter. Where the
// configuration does not have what a state still has, there is no row.
#pragma once

#include <optional>
#include <vector>

#include "addrs/module.h"
#include "addrs/provider_config.h"
#include "addrs/resource.h"
#include "engine/targets.h"
#include "eval/program.h"

namespace tofu::engine {

// Nothing if the configuration has no such resource.
std::optional<eval::ObjectId> resource_row(const eval::Program& program,
                                           const addrs::ConfigResource& resource);
// The configuration of a provider, or the one that it is inherited from, or the empty one
// that it has if nobody wrote one. Nothing if the program does not need the provider.
std::optional<eval::ObjectId> provider_row(const eval::Program& program,
                                           const addrs::AbsProviderConfig& provider);
// The start of a module, or of the innermost around it that there is.
eval::ObjectId module_start(const eval::Program& program, const addrs::ModulePath& module);

// The rows that take no part in destroying: what is destroyed is in the state. Of the
// configuration only the providers of that are needed, what prevent_destroy refers to, and all
// that these need.
std::vector<bool> unneeded_to_destroy(const eval::Program& program, const state::State& state,
                                      const DestroyTargeting& targeting);
// The rows whose values something refers to, by row. Being inside of a module is not referring.
std::vector<bool> referred_rows(const eval::Program& program);
// Which rows a plan is applied with.
struct AppliedRows {
  // The rows that nobody asks for: values that nothing uses. What has rules of its own is
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
// work need, and the outputs of the root that took part in the plan.
AppliedRows rows_to_apply_part(const eval::Program& program, const std::vector<bool>& works,
                               const Targeting& targeting);

}  // namespace tofu::engine
