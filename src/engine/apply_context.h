// What an apply works with: the plan, its changes by resource, where the run keeps what it does,
// and which rows of the program it visits. The parts of applying share it.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "addrs/instance_key.h"
#include "base/once.h"
#include "engine/dependency_info.h"
#include "engine/instance_task.h"
#include "engine/lifecycle.h"
#include "engine/live_object.h"
#include "engine/provider_rows.h"
#include "engine/run.h"
#include "engine/run_context.h"
#include "engine/state_writer.h"
#include "eval/program.h"
#include "plans/change.h"

namespace tofu::engine {

// The changes of one resource in one instance of its module.
struct ResourceChanges {
  std::map<addrs::InstanceKey, const plans::ResourceChange*> current;
  // The change of the current object of an instance. Null if it has none.
  const plans::ResourceChange* find(const addrs::InstanceKey& key) const;
};

// The instances of modules that a plan names, among those that this run finds.
//
// Threads: any, about modules whose instances are known.
class PlannedModules {
 public:
  // Both outlive it.
  PlannedModules(const RunContext& run, const plans::Plan& plan);

  // Nothing if the plan does not name the instance.
  std::optional<plans::ModuleId> id_of(config::ModuleId module,
                                       eval::ModuleInstanceId instance) const;
  // Nothing if there is no such instance.
  std::optional<eval::ModuleInstanceId> instance_of(plans::ModuleId id) const;

 private:
  // The instances of a module of the tree, looked up at first use.
  struct Known {
    base::Once once;
    std::vector<plans::ModuleId> named;
    std::vector<std::optional<plans::ModuleId>> ids;  // by instance
  };
  const Known& known(config::ModuleId module) const;

  const RunContext& run_;
  const plans::Plan& plan_;
  mutable std::deque<Known> modules_;                                     // by config::ModuleId
  mutable std::vector<std::optional<eval::ModuleInstanceId>> instances_;  // by plans::ModuleId
};

// The changes of a plan by resource, and their values until they were read for the last time.
class PlannedChanges {
 public:
  // Values are released in `consumed`, which are the changes of `plan`. Null: they are kept. `run`
  // and `plan` outlive it.
  PlannedChanges(const RunContext& run, const plans::Plan& plan,
                 std::vector<plans::ResourceChange>* consumed);

  // The changes of a row of the program in one instance of its module; null if there are none.
  const ResourceChanges* of(eval::ObjectId row, eval::ModuleInstanceId module) const;
  const ResourceChanges& of(plans::ResourceId resource) const {
    return groups_[group_of_[resource.index]];
  }
  const PlannedModules& modules() const { return modules_; }
  // Release the value of an object after its change, or before it, which is read no more.
  void release_after(const plans::ResourceChange& change) const;
  void release_before(const plans::ResourceChange& change) const;
  bool are_consumed() const { return consumed_ != nullptr; }

 private:
  plans::ResourceChange& consumed(const plans::ResourceChange& change) const;

  const eval::Program& program_;
  const plans::Plan& plan_;
  std::vector<plans::ResourceChange>* const consumed_;
  const PlannedModules modules_;
  std::vector<ResourceChanges> groups_;
  std::vector<std::uint32_t> group_of_;  // by ResourceId
  // By row and module. Resources of one name that have other providers share a group.
  std::unordered_map<std::uint64_t, std::uint32_t> by_row_;
};

// What all parts of applying take.
struct ApplyContext {
  RunContext& run;
  const Planned& planned;
  StateWriter& writer;
  const PlannedChanges& changes;
  const RemovedBlocks removed{*run.program.tree};

  const plans::Plan& plan() const { return planned.plan; }
  const state::State& prior() const { return planned.prior; }
};

// The object as the state has it; its value is the one that the plan began with. Nothing if there
// is none.
std::optional<LiveObject> stored_object(const ApplyContext& apply, const InstanceTask& task);

// Which rows of the program are visited, and what is done about them.
class ApplyRows {
 public:
  ApplyRows(const RunContext& run, const Planned& planned);

  // Whether a resource has something to be done: made, changed, read, or rules to be judged once
  // more. Also whether a provider destroys something, which nothing declared may need.
  bool works(eval::ObjectId row) const { return works_[row.index]; }
  std::vector<bool> without_work() const;
  // Whether anything looks at the values of a row's instances once they are there.
  bool is_read(eval::ObjectId row) const { return inspects_ || referred_[row.index]; }
  // Whether OpenTofu finds out the instances of a resource: see AppliedRows.
  bool is_expanded(eval::ObjectId row) const { return !expanded_.empty() && expanded_[row.index]; }
  // What the plan left out is not evaluated now, and neither is what nothing needs.
  const std::vector<bool>& left_out() const { return left_out_; }

 private:
  const bool inspects_;
  const std::vector<bool> works_;
  const std::vector<bool> referred_;
  std::vector<bool> expanded_;
  std::vector<bool> left_out_;
};

// The resources whose replacements the plan creates first. Those for whose sake it does may stay
// as they are, and have no work.
std::vector<std::uint32_t> replaced_first(const plans::Plan& plan);

// The ephemeral resources that are opened, by row: those that something needs that has to be done,
// as what is changed or read, or the configuration of a provider.
std::vector<bool> ephemerals_to_open(const RunContext& run, const Planned& planned,
                                     const ProviderRows& providers,
                                     const DependencyInfo& dependencies);

}  // namespace tofu::engine
