// What -target and -exclude leave in.
//
// As in OpenTofu, what depends on what is known for whole resources before anything is
// expanded: a target takes along everything that its resource depends on, in all
// instances, and what is excluded takes out everything that depends on its resource.
// Only the resource that was named is limited to the instances that were named. A
// target that matches nothing is no mistake.
//
// At most one of the two lists has members. With neither, everything takes part and no
// question costs more than looking at a flag.
#pragma once

#include <set>
#include <unordered_set>
#include <vector>

#include "addrs/parse.h"
#include "addrs/resource.h"
#include "diag/diagnostic.h"
#include "engine/moves.h"
#include "engine/target_index.h"
#include "eval/program.h"
#include "state/state.h"

namespace tofu::engine {

struct TargetOptions {
  std::vector<addrs::Target> targets = {};
  std::vector<addrs::Target> excludes = {};

  bool any() const { return !targets.empty() || !excludes.empty(); }
};

// For a plan that follows the configuration, and for one that only refreshes.
class Targeting {
 public:
  // `program` and `state` are only read now.
  Targeting(const eval::Program& program, const state::State& state, const TargetOptions& options);

  bool is_everything() const { return everything_; }
  // Whether an object of the configuration takes part: it was chosen, is needed for
  // what was chosen, or is an output of the root of which everything takes part.
  bool has(eval::ObjectId row) const { return everything_ || rows_[row.index]; }

  // Which rows do not take part, by number; empty if everything does.
  std::vector<bool> left_out() const;

  // Of a resource that takes part: the instances to plan in one instance of its module,
  // and those that the state has beyond them. What is left of module instances that the
  // configuration does not have any more is planned whatever keys were asked for.
  InstanceFilter instances_of(eval::ObjectId row, const addrs::AbsResource& resource) const;

  // Of an instance whose resource has no configuration.
  bool has_orphan(const addrs::AbsResourceInstance& instance) const;
  // Of an instance that has deposed objects. Those of a resource that is only needed for
  // another one stay. What the configuration of the resource depends on does not matter to
  // them: like what has no configuration, they only need their module.
  bool has_deposed(const addrs::AbsResourceInstance& instance) const;

 private:
  class Choice;

  bool everything_;
  TargetIndex targets_;
  TargetIndex excludes_;
  std::vector<bool> rows_;
  std::vector<bool> chosen_;  // rows that a target is about, not only needed
  // What depends on something excluded. Also what is left of an excluded resource in instances
  // of its module that are gone.
  std::set<addrs::AbsResource> left_out_;
  // Resources whose module depends on something excluded.
  std::set<addrs::AbsResource> deposed_left_out_;
};

// For a plan that destroys. Follows what the objects of the state say they depend on: a
// target takes along what depends on it, and what is excluded keeps what it depends on.
// Objects in different instances of one module do not depend on each other.
class DestroyTargeting {
 public:
  DestroyTargeting(const state::State& state, const TargetOptions& options);

  bool is_everything() const { return everything_; }
  bool has(const addrs::AbsResourceInstance& instance) const;
  bool has_deposed(const addrs::AbsResourceInstance& instance) const;

 private:
  bool everything_;
  TargetIndex targets_;
  TargetIndex excludes_;
  // Instances beside those that the lists contain: taken along, or kept.
  std::unordered_set<addrs::AbsResourceInstance, InstanceHash> more_;
};

// Reports what moved and does not take part with both its addresses: a plan without it
// would be wrong.
void check_targeted_moves(const MoveOutcome& outcome, const TargetOptions& options,
                          diag::Diagnostics& diags);

}  // namespace tofu::engine
