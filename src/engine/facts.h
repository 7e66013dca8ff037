// What a configuration says about the order and the lifecycle of its resources, worked
// out once from the rows of a program. What has to be evaluated for that is not here: see
// lifecycle.h.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <vector>

#include "addrs/resource.h"
#include "eval/program.h"
#include "state/state.h"

namespace tofu::engine {

class ResourceFacts {
 public:
  // `program` outlives it. Rows that are left out, if any, have no influence on others.
  explicit ResourceFacts(const eval::Program& program, const std::vector<bool>& left_out = {});

  // Resources of a state that are not declared any more. Who needs all that is in a module
  // needs those, too, until they are gone.
  void note_undeclared(const state::State& state);
  void note_undeclared(const addrs::ConfigResource& resource);

  // Whether replacements of this resource are made before the old object is destroyed:
  // because it says so, or because something that depends on it does.
  bool creates_first(eval::ObjectId resource) const { return creates_first_[resource.index]; }
  // Every resource that this one needs, directly or not, in order: what the state keeps
  // for the time when the configuration is gone.
  std::vector<addrs::ConfigResource> dependencies(eval::ObjectId resource) const;
  // The managed resources, and those of the other mode, whose changes a read has to wait
  // for: those that depends_on names, directly or not, here or at a module around it; with
  // conditions, all that it needs.
  std::vector<eval::ObjectId> pending_before(eval::ObjectId resource) const;
  // These rows and all that they need, directly or not.
  std::vector<std::uint32_t> reached(std::vector<std::uint32_t> from) const;

 private:
  const eval::Program& program_;
  std::vector<bool> creates_first_;
  std::map<config::ModuleId, std::set<addrs::ConfigResource>> undeclared_;  // by module
};

}  // namespace tofu::engine
