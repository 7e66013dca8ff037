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

class DependencyInfo {
 public:
  // `program` outlives it. Rows that are left out, if any, have no influence on others.
  // `created_first` are resources whose replacements are created first, whatever they say.
  explicit DependencyInfo(const eval::Program& program, const std::vector<bool>& left_out = {},
                          std::vector<std::uint32_t> created_first = {});

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
  // for, as in OpenTofu: the resources that it refers to or names in depends_on, without what
  // those need; all behind an output or a module that depends_on names, or behind anything that
  // depends_on of a module around it names; with conditions, all that it needs.
  std::vector<eval::ObjectId> pending_before(eval::ObjectId resource) const;
  // The same of resources that are not declared any more, in modules that depends_on of the
  // resource, or of a module around it, names.
  std::vector<addrs::ConfigResource> undeclared_before(eval::ObjectId resource) const;
  // These rows and all that they need, directly or not.
  std::vector<std::uint32_t> reached(std::vector<std::uint32_t> from) const;

 private:
  // The rows that depends_on of the resource names, and those of the modules around it.
  struct Named {
    std::vector<std::uint32_t> by_itself;
    std::vector<std::uint32_t> by_modules;
  };
  Named named_by(eval::ObjectId resource) const;
  void add_undeclared(std::uint32_t row, std::vector<addrs::ConfigResource>& to) const;

  const eval::Program& program_;
  std::vector<bool> creates_first_;
  std::map<config::ModuleId, std::set<addrs::ConfigResource>> undeclared_;  // by module
};

}  // namespace tofu::engine
