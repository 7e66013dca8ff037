// The changes of a plan sorted into the nodes of its execution graph.
//
// For order.cc only: who destroys what, what each resource depends on by what its
// objects say, and which resources make something.
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

// What the objects of a resource depend on. Most of them depend on the same, so the
// sets are kept elsewhere, once each.
class Needs {
 public:
  void add(const ResourceNumbers& numbers) { sets_.insert(&numbers); }
  ResourceNumbers all() const;

 private:
  std::set<const ResourceNumbers*> sets_;
};

// What a resource destroys in one instance of its module.
struct Destroys {
  struct Node {
    std::vector<std::uint32_t> changes = {};  // positions in the plan
    bool replaces = false;                    // its row makes other objects in their place
    bool follows = false;      // its row changes what took their place: better that comes first
    std::uint32_t number = 0;  // in the graph; 0: there is none
  };
  plans::ModuleId module;
  Node first = {};  // before its row makes something
  Node last = {};   // after that
  std::string provider = {};
  std::optional<eval::ObjectId> provider_row = {};
  Needs needs = {};
};

// A resource in all instances of its module, in the configuration or not.
struct ResourceNodes {
  addrs::ConfigResource address;
  std::optional<eval::ObjectId> row;
  std::vector<Destroys> destroys = {};
  std::unordered_map<std::uint32_t, std::size_t> by_module = {};  // positions in `destroys`
  bool destroys_first = false;                                    // some of them
  bool destroys_last = false;
  bool makes = false;            // its row has something to do
  bool makes_more = false;       // for instances that there is no object of yet
  std::string provider = {};     // of what it makes
  Needs needs = {};              // of what it makes, as the objects there are say
  std::uint32_t first_gone = 0;  // barrier: all that goes first has gone
  std::uint32_t gone = 0;        // barrier: all that goes has gone
  std::uint32_t users_made = 0;  // barrier: what depends on it has been changed

  const Destroys* in(plans::ModuleId module) const {
    const auto found = by_module.find(module.index);
    return found == by_module.end() ? nullptr : &destroys[found->second];
  }
};

class OrderNodes {
 public:
  OrderNodes(const eval::Program& program, const plans::Plan& plan, const state::State& prior);

  std::vector<ResourceNodes> resources;
  std::vector<std::uint32_t> forgets;  // positions of what is only forgotten

 private:
  void add(std::uint32_t position);
  void add_making(const plans::ResourceChange& change, std::uint32_t resource);
  void add_destroying(const plans::ResourceChange& change, std::uint32_t position,
                      std::uint32_t resource);
  Destroys& destroys_of(const plans::ResourceChange& change, std::uint32_t resource);
  const ResourceNumbers& needs_of(const state::Object& object);
  std::uint32_t number_of(plans::ResourceId resource);
  std::uint32_t number_of(const addrs::ConfigResource& resource);

  const eval::Program& program_;
  const plans::Plan& plan_;
  const state::State& prior_;
  std::vector<std::optional<std::uint32_t>> by_id_;  // numbers by ResourceId
  std::unordered_map<std::string, std::uint32_t> by_address_;
  std::map<std::string, ResourceNumbers, std::less<>> needs_;  // by the text of an object
  // Instances that rows do something about, by ResourceId; only if something is deposed.
  std::set<std::pair<std::uint32_t, addrs::InstanceKey>> made_;
};

// Whether the row of the resource has something to do for a change.
bool makes(plans::Action action);
// Whether a change takes an object away, by itself or to make another one.
bool destroys(plans::Action action);

}  // namespace tofu::engine
