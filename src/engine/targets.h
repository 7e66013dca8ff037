// What -target and -exclude leave in.
//
// As in OpenTofu, what depends on what is known for whole resources before anything is
// expanded: a target takes along everything that its resource depends on, in all
// instances, and what is excluded takes out everything that depends on its resource.
// Only the resource that was named is limited to the instances that were named. A
// target that matches nothing is no error.
//
// At most one of the two lists has members. With neither, everything takes part and no
// question costs more than looking at a flag.
#pragma once

#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "addrs/instance_key.h"
#include "addrs/parse.h"
#include "addrs/resource.h"
#include "diag/diagnostic.h"
#include "engine/moves.h"
#include "eval/program.h"
#include "state/state.h"

namespace tofu::engine {

// A list of targets, made to be asked about many addresses.
//
// Says the same as addrs::target_contains() with each target, in a time that does not
// grow with their number.

// Some of a resource's instances.
class InstanceFilter {
 public:
  static InstanceFilter all() { return InstanceFilter(true, {}); }
  static InstanceFilter only(std::set<addrs::InstanceKey> keys) {
    return InstanceFilter(false, std::move(keys));
  }
  static InstanceFilter all_but(std::set<addrs::InstanceKey> keys) {
    return InstanceFilter(true, std::move(keys));
  }

  bool includes(const addrs::InstanceKey& key) const { return keys_.contains(key) != rest_; }
  bool is_all() const { return rest_ && keys_.empty(); }
  bool is_none() const { return !rest_ && keys_.empty(); }
  InstanceFilter inverted() const { return InstanceFilter(!rest_, keys_); }

 private:
  InstanceFilter(bool rest, std::set<addrs::InstanceKey> keys)
      : rest_(rest), keys_(std::move(keys)) {}

  bool rest_;  // whether keys that are not in `keys_` are included, or else those that are
  std::set<addrs::InstanceKey> keys_;
};

class TargetIndex {
 public:
  explicit TargetIndex(const std::vector<addrs::Target>& targets);

  bool empty() const { return empty_; }

  // The instances of the resource that some target contains.
  InstanceFilter instances_of(const addrs::AbsResource& resource) const;
  bool contains(const addrs::AbsResourceInstance& instance) const;
  // Whether a target contains all instances, in all instances of the module.
  bool contains_all(const addrs::ConfigResource& resource) const;
  // Whether a target is about any of its instances, or may be.
  bool touches(const addrs::ConfigResource& resource) const;

 private:
  bool has_module_of(const addrs::ModuleInstance& module) const;

  bool empty_;
  std::unordered_set<std::string> modules_;  // instances; without a key at its end: the call
  std::unordered_set<std::string> resources_;
  std::unordered_map<std::string, std::set<addrs::InstanceKey>> instances_;  // by resource
  std::unordered_set<std::string> touched_modules_;                          // without keys
  std::unordered_set<std::string> touched_resources_;
};

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
