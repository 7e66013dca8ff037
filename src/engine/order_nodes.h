// The changes of a plan sorted by resource and by what they depend on.
//
// For order.cc only: what each resource makes and destroys in each instance of its module,
// and which other resources that depends on.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "addrs/resource.h"
#include "eval/program.h"
#include "plans/plan.h"
#include "state/state.h"

namespace tofu::engine {

// Resources, by their numbers in OrderNodes.
using ResourceNumbers = std::set<std::uint32_t>;

// Changes of one resource in one instance of its module whose objects depend on the same.
// Most objects of a resource do, so a group is large where there are many.
struct ChangeGroup {
  // Null for instances that there is no object of yet: they depend on what their configuration
  // says.
  const ResourceNumbers* needs = nullptr;
  // Positions in the plan.
  std::vector<std::uint32_t> makes = {};
  std::vector<std::uint32_t> first = {};  // destroyed before a new object is made
  std::vector<std::uint32_t> last = {};   // destroyed after that
};

// Nodes of the graph that stand for many; 0: not requested yet.
struct Barriers {
  std::uint32_t before_destroy = 0;      // all that is destroyed waits for it
  std::uint32_t first_gone = 0;          // waits for all that is destroyed first
  std::uint32_t gone = 0;                // waits for all that is destroyed
  std::uint32_t dependents_applied = 0;  // all that is destroyed last waits for it
  std::uint32_t may_be_made = 0;         // all that is made waits for it
  std::uint32_t made = 0;                // waits for all that is made
};

// A resource in one instance of its module.
struct PartNodes {
  plans::ModuleId module;
  std::vector<ChangeGroup> groups = {};
  std::map<const ResourceNumbers*, std::size_t> by_needs = {};  // positions in `groups`
  std::string provider = {};                                    // of what is destroyed
  std::set<eval::ObjectId> provider_rows = {};                  // likewise
  bool makes = false;
  bool destroys_first = false;
  bool destroys_last = false;
  Barriers barriers = {};

  bool destroys() const { return destroys_first || destroys_last; }
};

// A resource in all instances of its module, in the configuration or not.
struct ResourceNodes {
  addrs::ConfigResource address;
  std::optional<eval::ObjectId> row;
  std::vector<PartNodes> parts = {};
  std::unordered_map<std::uint32_t, std::size_t> by_module = {};  // positions in `parts`
  bool makes = false;                                             // some of the parts do
  bool makes_anew = false;  // instances that there is no object of yet
  bool destroys_first = false;
  bool destroys_last = false;
  std::set<std::string> destroying_providers = {};
  std::string making_provider = {};
  Barriers barriers = {};

  bool destroys() const { return destroys_first || destroys_last; }
  PartNodes* in(plans::ModuleId module) {
    const auto found = by_module.find(module.index);
    return found == by_module.end() ? nullptr : &parts[found->second];
  }
};

class OrderNodes {
 public:
  OrderNodes(const eval::Program& program, const plans::Plan& plan, const state::State& prior);

  std::vector<ResourceNodes> resources;
  std::vector<std::uint32_t> forgets;  // positions of what is only forgotten
  // By position of the destruction of a deposed object: that of the change of its successor.
  std::map<std::uint32_t, std::uint32_t> successors;

 private:
  void add(std::uint32_t position);
  void find_successors();
  void add_making(std::uint32_t position);
  void add_destroying(std::uint32_t position);
  PartNodes& part_of(const plans::ResourceChange& change, std::uint32_t resource);
  static ChangeGroup& group_of(PartNodes& part, const ResourceNumbers* needs);
  const ResourceNumbers* needs_of(const state::Object* object);
  std::uint32_t number_of(plans::ResourceId resource);
  std::uint32_t number_of(const addrs::ConfigResource& resource);
  std::uint32_t number_of(std::optional<eval::ObjectId> row, addrs::ConfigResource resource);

  const eval::Program& program_;
  const plans::Plan& plan_;
  const state::State& prior_;
  std::vector<std::optional<std::uint32_t>> by_row_;  // numbers by row of the program
  std::vector<std::optional<std::uint32_t>> by_id_;   // numbers by ResourceId
  // Of those that are not declared any more, which only their addresses tell apart.
  std::unordered_map<std::string, std::uint32_t> by_address_;
  std::map<std::string, ResourceNumbers, std::less<>> needs_;  // by the text of an object
};

}  // namespace tofu::engine
