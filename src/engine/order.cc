#include "engine/order.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "engine/order_nodes.h"

namespace tofu::engine {

namespace {

struct Edge {
  std::uint32_t node;
  std::uint32_t waits_for;
  bool replaces = false;   // see ExecutionOrder
  bool can_go = false;     // if it closes a cycle
};

class Order {
 public:
  Order(const eval::Program& program, const plans::Plan& plan, const state::State& prior)
      : program_(program),
        nodes_(program, plan, prior),
        may_leave_out_(plan.mode != plans::Mode::Destroy) {
    out_.rows = static_cast<std::uint32_t>(program.objects.size());
  }

  ExecutionOrder make() {
    number_nodes();
    for (const ResourceNodes& resource : nodes_.resources) {
      connect_own(resource);
      connect_made(resource);
      for (const Destroys& each : resource.destroys) connect_destroyed(resource, each);
    }
    connect_made_anew();
    finish();
    return std::move(out_);
  }

 private:
  std::uint32_t new_node(std::vector<std::uint32_t> changes = {}, std::string name = {}) {
    out_.destroys.push_back(std::move(changes));
    out_.names.push_back(std::move(name));
    return out_.rows + static_cast<std::uint32_t>(out_.destroys.size()) - 1;
  }
  void wait(std::uint32_t node, std::uint32_t waits_for, bool can_go = false) {
    edges_.push_back({node, waits_for, false, can_go && may_leave_out_});
  }

  void number_nodes() {
    for (ResourceNodes& resource : nodes_.resources) {
      if (resource.destroys.empty()) continue;
      resource.first_gone = new_node();
      resource.gone = new_node();
      wait(resource.gone, resource.first_gone);
      for (Destroys& each : resource.destroys) {
        const std::string name =
            addrs::AbsResource{each.module, resource.address.object}.to_string();
        if (!each.first.changes.empty()) {
          each.first.number = new_node(each.first.changes, name);
          wait(resource.first_gone, each.first.number);
        }
        if (!each.last.changes.empty()) {
          each.last.number = new_node(each.last.changes, name);
          wait(resource.gone, each.last.number);
        }
      }
    }
    if (!nodes_.forgets.empty()) new_node(nodes_.forgets, "objects that are forgotten");
  }

  // Calls `on` with the numbers of the nodes there are.
  template <class On>
  static void for_each_node(const Destroys& destroys, On&& on) {
    if (destroys.first.number != 0) on(destroys.first.number);
    if (destroys.last.number != 0) on(destroys.last.number);
  }

  // A resource and what it replaces itself, with the provider that destroys.
  void connect_own(const ResourceNodes& resource) {
    for (const Destroys& each : resource.destroys) {
      if (each.provider_row) {
        for_each_node(each, [&](std::uint32_t node) { wait(node, each.provider_row->index); });
      }
      if (!resource.row) continue;
      if (each.first.replaces) {
        edges_.push_back({resource.row->index, each.first.number, true, false});
      }
      if (each.last.replaces) wait(each.last.number, resource.row->index);
    }
  }

  // What changes, with what is destroyed of that on which it depends.
  void connect_made(const ResourceNodes& resource) {
    if (!resource.makes || !resource.row) return;
    for (const std::uint32_t number : resource.needs) {
      const ResourceNodes& needed = nodes_.resources[number];
      if (&needed == &resource || needed.destroys.empty()) continue;
      if (needed.has_first()) wait(resource.row->index, needed.first_gone);
      for (const Destroys& each : needed.destroys) {
        if (each.last.number != 0) wait(each.last.number, resource.row->index);
      }
    }
  }

  // What is destroyed, with what is destroyed and what is changed of that on which it
  // depends.
  void connect_destroyed(const ResourceNodes& resource, const Destroys& destroyed) {
    for (const std::uint32_t number : destroyed.needs) {
      const ResourceNodes& needed = nodes_.resources[number];
      if (&needed == &resource) continue;
      const bool same_module = needed.address.module == resource.address.module;
      for (const Destroys& each : needed.destroys) {
        const bool can_go = each.provider != destroyed.provider;
        for_each_node(each, [&](std::uint32_t node) {
          if (!same_module) return wait(node, resource.gone, can_go);
          if (each.module != destroyed.module) return;
          for_each_node(destroyed,
                        [&](std::uint32_t before) { wait(node, before, can_go); });
        });
      }
      if (!needed.makes || !needed.row) continue;
      const bool can_go = needed.provider != destroyed.provider;
      if (destroyed.first.number != 0) wait(needed.row->index, destroyed.first.number, can_go);
      if (destroyed.last.number != 0) wait(destroyed.last.number, needed.row->index);
    }
  }

  // Instances that there is no object of yet depend on what their configuration says.
  // That may be a long way, so barriers beside the rows go the same ways: they pass on
  // what is destroyed first to what comes after it, and what is made to what is destroyed
  // last before it.
  void connect_made_anew() {
    std::vector<const ResourceNodes*> of_row(out_.rows);
    bool makes_more = false;
    bool has_first = false;
    bool has_last = false;
    for (const ResourceNodes& resource : nodes_.resources) {
      if (!resource.row) continue;
      of_row[resource.row->index] = &resource;
      makes_more = makes_more || resource.makes_more;
      has_first = has_first || resource.has_first();
      has_last = has_last || resource.has_last();
    }
    if (!makes_more || !(has_first || has_last)) return;
    const std::uint32_t before = out_.rows + static_cast<std::uint32_t>(out_.destroys.size());
    if (has_first) add_barriers();
    const std::uint32_t after = out_.rows + static_cast<std::uint32_t>(out_.destroys.size());
    if (has_last) add_barriers();
    for (std::uint32_t row = 0; row < out_.rows; ++row) {
      const ResourceNodes* resource = of_row[row];
      const bool anew = resource != nullptr && resource->makes_more;
      if (has_first && resource != nullptr && resource->has_first()) {
        wait(before + row, resource->first_gone);
      }
      if (has_last && anew) wait(after + row, row);
      for (const std::uint32_t needed : program_.waits.of(row)) {
        if (has_first) wait(before + row, before + needed);
        if (has_first && anew) wait(row, before + needed);
        if (!has_last) continue;
        wait(after + needed, after + row);
        if (of_row[needed] == nullptr) continue;
        for (const Destroys& each : of_row[needed]->destroys) {
          if (each.last.number != 0) wait(each.last.number, after + row);
        }
      }
    }
  }
  void add_barriers() {
    for (std::uint32_t row = 0; row < out_.rows; ++row) new_node();
  }

  // Takes the edges and those of the program into the graph, without those that can go
  // and close a cycle.
  void finish() {
    std::vector<Edge> optional;
    std::erase_if(edges_, [&](const Edge& edge) {
      if (edge.can_go) optional.push_back(edge);
      return edge.can_go;
    });
    if (!optional.empty()) {
      // Most plans have no cycle at all, and an edge that is in none cannot close one.
      edges_.insert(edges_.end(), optional.begin(), optional.end());
      fill();
      if (eval::order(out_.waits).cycles.empty()) return;
      edges_.resize(edges_.size() - optional.size());
      for (const Edge& edge : optional) {
        fill();
        if (!reaches(edge.waits_for, edge.node)) edges_.push_back(edge);
      }
    }
    fill();
    out_.cycles = eval::order(out_.waits).cycles;
  }

  bool reaches(std::uint32_t from, std::uint32_t to) const {
    std::vector<bool> seen(out_.waits.size());
    std::vector<std::uint32_t> open = {from};
    while (!open.empty()) {
      const std::uint32_t node = open.back();
      open.pop_back();
      if (node == to) return true;
      if (seen[node]) continue;
      seen[node] = true;
      for (const std::uint32_t next : out_.waits.of(node)) open.push_back(next);
    }
    return false;
  }

  void fill() {
    const std::size_t nodes = out_.rows + out_.destroys.size();
    std::vector<std::vector<Edge>> by_node(nodes);
    for (const Edge& edge : edges_) by_node[edge.node].push_back(edge);
    out_.waits = {};
    out_.replaces.clear();
    for (std::uint32_t node = 0; node < nodes; ++node) {
      if (node < out_.rows) {
        const auto own = program_.waits.of(node);
        out_.waits.edges.insert(out_.waits.edges.end(), own.begin(), own.end());
      }
      out_.replaces.resize(out_.waits.edges.size());
      for (const Edge& edge : by_node[node]) {
        out_.waits.edges.push_back(edge.waits_for);
        out_.replaces.push_back(edge.replaces);
      }
      out_.waits.close();
    }
  }

  const eval::Program& program_;
  OrderNodes nodes_;
  bool may_leave_out_;
  std::vector<Edge> edges_;  // beside those of the program
  ExecutionOrder out_;
};

}  // namespace

ExecutionOrder execution_order(const eval::Program& program, const plans::Plan& plan,
                               const state::State& prior) {
  return Order(program, plan, prior).make();
}

void report_cycles(const ExecutionOrder& order, const eval::Program& program,
                   diag::Diagnostics& diags) {
  for (const auto& cycle : order.cycles) {
    std::string list;
    for (const std::uint32_t node : cycle) {
      if (node < order.rows) {
        list += "\n  " + eval::describe(program, {node});
      } else if (const std::string& name = order.names[node - order.rows]; !name.empty()) {
        list += "\n  " + name + " (destroy)";
      }
    }
    diags.error("Changes that wait for each other")
        .detail(fmt::format("Each of these has to wait for the next, and the last for the first, so "
                            "that none can begin:{}\n\nApply the changes in smaller steps: change "
                            "create_before_destroy or remove resources in a run of its own.",
                            list));
  }
}

}  // namespace tofu::engine
