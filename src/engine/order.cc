#include "engine/order.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <string_view>
#include <utility>

#include "engine/order_nodes.h"

namespace tofu::engine {

namespace {

struct Edge {
  std::uint32_t node;
  std::uint32_t waits_for;
  bool replaces = false;  // see ExecutionOrder
  bool can_go = false;    // if it closes a cycle
};

class Order {
 public:
  Order(const eval::Program& program, const plans::Plan& plan, const state::State& prior)
      : program_(program),
        plan_(plan),
        nodes_(program, plan, prior),
        may_leave_out_(plan.mode != plans::Mode::Destroy) {
    out_.rows = static_cast<std::uint32_t>(program.objects.size());
  }

  ExecutionOrder make() {
    number_nodes();
    for (const ResourceNodes& resource : nodes_.resources) {
      connect_own(resource);
      connect_made(resource);
      connect_destroyed(resource);
    }
    connect_made_anew();
    finish();
    return std::move(out_);
  }

 private:
  std::uint32_t next_number() const {
    return out_.rows + static_cast<std::uint32_t>(out_.destroys.size());
  }
  std::uint32_t new_node(std::vector<std::uint32_t> changes = {}, std::string name = {}) {
    const std::uint32_t number = next_number();
    out_.destroys.push_back(std::move(changes));
    out_.names.push_back(std::move(name));
    return number;
  }
  void wait(std::uint32_t node, std::uint32_t waits_for, bool can_go = false) {
    edges_.push_back({node, waits_for, false, can_go && may_leave_out_});
  }

  void number_nodes() {
    for (ResourceNodes& resource : nodes_.resources) {
      if (resource.destroys.empty()) continue;
      resource.first_gone = new_node();
      resource.gone = new_node();
      resource.users_made = new_node();
      wait(resource.gone, resource.first_gone);
      for (Destroys& each : resource.destroys) {
        const std::string name =
            addrs::AbsResource{plan_.addresses[each.module], resource.address.object}.to_string();
        if (!each.first.changes.empty()) {
          each.first.number = new_node(std::move(each.first.changes), name);
          wait(resource.first_gone, each.first.number);
        }
        if (!each.last.changes.empty()) {
          each.last.number = new_node(std::move(each.last.changes), name);
          wait(resource.gone, each.last.number);
          wait(each.last.number, resource.users_made);
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
      if (each.last.replaces) {
        wait(each.last.number, resource.row->index);
      } else if (each.last.follows) {
        // Not at any price: what the row waits for may have to wait for the old object to go.
        wait(each.last.number, resource.row->index, true);
      }
    }
  }

  // What changes, and what is destroyed of that on which it depends.
  void connect_made(const ResourceNodes& resource) {
    if (!resource.makes || !resource.row) return;
    for (const std::uint32_t number : resource.needs.all()) {
      const ResourceNodes& needed = nodes_.resources[number];
      if (&needed == &resource) continue;
      if (needed.destroys_first) wait(resource.row->index, needed.first_gone);
      if (needed.destroys_last) wait(needed.users_made, resource.row->index);
    }
  }

  // What is destroyed, and what is destroyed or changed of that on which it depends.
  void connect_destroyed(const ResourceNodes& resource) {
    std::map<std::uint32_t, std::string_view> elsewhere;  // with the provider that destroys here
    for (const Destroys& destroyed : resource.destroys) {
      for (const std::uint32_t number : destroyed.needs.all()) {
        const ResourceNodes& needed = nodes_.resources[number];
        if (&needed == &resource) continue;
        connect_made_before(destroyed, needed);
        if (needed.address.module != resource.address.module) {
          elsewhere.try_emplace(number, destroyed.provider);
          continue;
        }
        const Destroys* beside = needed.in(destroyed.module);
        if (beside == nullptr) continue;
        for_each_node(*beside, [&](std::uint32_t node) {
          for_each_node(destroyed, [&](std::uint32_t before) {
            wait(node, before, beside->provider != destroyed.provider);
          });
        });
      }
    }
    for (const auto& [number, provider] : elsewhere) {
      for (const Destroys& each : nodes_.resources[number].destroys) {
        for_each_node(each, [&](std::uint32_t node) {
          wait(node, resource.gone, each.provider != provider);
        });
      }
    }
  }
  void connect_made_before(const Destroys& destroyed, const ResourceNodes& needed) {
    if (!needed.makes || !needed.row) return;
    const bool can_go = needed.provider != destroyed.provider;
    if (destroyed.first.number != 0) wait(needed.row->index, destroyed.first.number, can_go);
    // What goes last and is needed by nobody any more need not wait for what can only be made
    // after it has gone.
    if (destroyed.last.number != 0) wait(destroyed.last.number, needed.row->index, true);
  }

  // Instances that there is no object of yet depend on what their configuration says.
  // That may be a long way, so barriers beside the rows go the same way: one of each row
  // that waits for everything which is destroyed first of that on which the row depends,
  // and one for everything which is made anew of that which depends on the row.
  void connect_made_anew() {
    std::vector<const ResourceNodes*> of_row(out_.rows);
    bool any = false;
    bool first = false;
    bool last = false;
    for (const ResourceNodes& resource : nodes_.resources) {
      if (!resource.row) continue;
      of_row[resource.row->index] = &resource;
      any = any || resource.makes_more;
      first = first || resource.destroys_first;
      last = last || resource.destroys_last;
    }
    if (any && first) connect_destroyed_before(of_row);
    if (any && last) connect_destroyed_after(of_row);
  }
  void connect_destroyed_before(const std::vector<const ResourceNodes*>& of_row) {
    const std::uint32_t beside = add_barriers();
    for (std::uint32_t row = 0; row < out_.rows; ++row) {
      const ResourceNodes* resource = of_row[row];
      if (resource != nullptr && resource->destroys_first) wait(beside + row, resource->first_gone);
      for (const std::uint32_t needed : program_.waits.of(row)) {
        wait(beside + row, beside + needed);
        if (resource != nullptr && resource->makes_more) wait(row, beside + needed);
      }
    }
  }
  void connect_destroyed_after(const std::vector<const ResourceNodes*>& of_row) {
    const std::uint32_t beside = add_barriers();
    for (std::uint32_t row = 0; row < out_.rows; ++row) {
      if (of_row[row] != nullptr && of_row[row]->makes_more) wait(beside + row, row);
      for (const std::uint32_t needed : program_.waits.of(row)) {
        wait(beside + needed, beside + row);
        const ResourceNodes* resource = of_row[needed];
        if (resource != nullptr && resource->destroys_last) {
          wait(resource->users_made, beside + row);
        }
      }
    }
  }
  std::uint32_t add_barriers() {
    const std::uint32_t first = next_number();
    for (std::uint32_t row = 0; row < out_.rows; ++row) new_node();
    return first;
  }

  // Makes the graph of the edges and those of the program, without those that can go and
  // are part of a cycle.
  void finish() {
    for (bool again = true; again;) {
      fill();
      out_.cycles = eval::order(out_.waits).cycles;
      again = false;
      for (const auto& cycle : out_.cycles) again = break_up(cycle) || again;
    }
  }

  // Takes out one edge that can go. False if the cycle has none.
  bool break_up(const std::vector<std::uint32_t>& cycle) {
    for (std::size_t i = 0; i < cycle.size(); ++i) {
      const std::uint32_t node = cycle[i];
      const std::uint32_t next = cycle[(i + 1) % cycle.size()];
      const auto is_it = [&](const Edge& edge) {
        return edge.node == node && edge.waits_for == next;
      };
      const bool firm = std::ranges::any_of(
          edges_, [&](const Edge& edge) { return is_it(edge) && !edge.can_go; });
      if (firm || (node < out_.rows && std::ranges::count(program_.waits.of(node), next) != 0)) {
        continue;
      }
      std::erase_if(edges_, is_it);
      return true;
    }
    return false;
  }

  void fill() {
    std::vector<std::vector<Edge>> by_node(next_number());
    for (const Edge& edge : edges_) by_node[edge.node].push_back(edge);
    out_.waits = {};
    out_.replaces.clear();
    for (std::uint32_t node = 0; node < by_node.size(); ++node) {
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
  const plans::Plan& plan_;
  OrderNodes nodes_;
  bool may_leave_out_;
  std::vector<Edge> edges_;  // beside those of the program
  ExecutionOrder out_;
};

}  // namespace

ExecutionOrder execution_order(const eval::Program& program, const plans::Plan& plan,
                               const state::State& prior) {
  const bool only_makes = std::ranges::none_of(plan.changes, [](const plans::ResourceChange& each) {
    return destroys(each.action) || each.action == plans::Action::Forget;
  });
  if (!only_makes) return Order(program, plan, prior).make();
  ExecutionOrder as_written;
  as_written.waits = program.waits;
  as_written.rows = static_cast<std::uint32_t>(program.objects.size());
  as_written.replaces.resize(program.waits.edges.size());
  return as_written;
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
        .detail(
            fmt::format("Each of these has to wait for the next, and the last for the first, so "
                        "that none can begin:{}\n\nApply the changes in smaller steps: change "
                        "create_before_destroy or remove resources in a run of its own.",
                        list));
  }
}

}  // namespace tofu::engine
