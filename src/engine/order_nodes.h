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

// What a resource destroys in one instance of its module.
struct Destroys {
  struct Node {
    std::vector<std::uint32_t> changes;  // positions in the plan
    bool replaces = false;               // its row makes other objects in their place
    std::uint32_t number = 0;            // in the graph; 0: there is none
  };
  addrs::ModuleInstance module;
  Node first;  // before its row makes something
  Node last;   // after that
  std::string provider;
  std::optional<eval::ObjectId> provider_row;
  std::set<std::uint32_t> needs;  // resources, by number
};

// A resource in all instances of its module, in the configuration or not.
struct ResourceNodes {
  addrs::ConfigResource address;
  std::optional<eval::ObjectId> row;
  std::vector<Destroys> destroys;
  bool makes = false;         // its row has something to do
  bool makes_more = false;    // for instances that there is no object of yet
  std::string provider;       // of what it makes
  std::set<std::uint32_t> needs;  // of what it makes, as the objects there are say
  std::uint32_t first_gone = 0;   // barriers: all that goes first, and all
  std::uint32_t gone = 0;

  bool has_first() const;
  bool has_last() const;
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
  // What the object depends on.
  const std::set<std::uint32_t>& numbers_of(const state::Object& object);
  std::uint32_t number_of(const addrs::ConfigResource& resource);

  const eval::Program& program_;
  const plans::Plan& plan_;
  const state::State& prior_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::unordered_map<std::uint32_t, std::size_t> places_;  // by ResourceId, in their `destroys`
  // By the text that objects have for it: those of one resource mostly have the same.
  std::map<std::string, std::set<std::uint32_t>, std::less<>> needs_;
  // Instances that rows do something about, by ResourceId; only if something is deposed.
  std::set<std::pair<std::uint32_t, addrs::InstanceKey>> made_;
};

}  // namespace tofu::engine
