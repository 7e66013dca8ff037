#include "engine/order.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <span>
#include <utility>

#include "base/check.h"
#include "engine/order_nodes.h"
#include "engine/program_rows.h"
#include "eval/describe.h"

namespace tofu::engine {

namespace {

using plans::Step;
using plans::StepKind;

// Which edge gives way where changes would wait for each other: the weakest.
enum class EdgeStrength : std::uint8_t {
  // Between objects of different providers: a provider that is configured with what another
  // one makes would never get to destroy anything.
  OtherProvider,
  // What is left over of an earlier replacement goes after its successor is changed.
  Leftover,
  // Between the change of one object and the destruction of another.
  Preferred,
  // What depends on an object is changed before that is destroyed last.
  UsersFirst,
  // The order of a replacement, what is destroyed before that which it needs, and values.
  Firm,
};

struct Edge {
  std::uint32_t node;
  std::uint32_t waits_for;
  EdgeStrength firmness = EdgeStrength::Firm;
};

// Large: each rule about two changes is a function, and the barriers they share are made by further
// ones.
class Order {
 public:
  Order(const eval::Program& program, const plans::Plan& plan, const state::State& prior)
      : program_(program),
        plan_(plan),
        nodes_(program, plan, prior),
        made_(plan.changes.size()),
        destroyed_(plan.changes.size()) {
    out_.rows = static_cast<std::uint32_t>(program.objects.size());
    out_.program = fingerprint(program);
    has_steps_.resize(out_.rows);
  }

  ComputedOrder make() {
    add_steps();
    for (ResourceNodes& resource : nodes_.resources) {
      for (PartNodes& part : resource.parts) {
        connect_own(part);
        for (const ChangeGroup& group : part.groups) connect(resource, part, group);
      }
    }
    connect_made_anew();
    ComputedOrder computed;
    computed.cycles = finish();
    keep_own_edges();
    computed.order = std::move(out_);
    return computed;
  }

 private:
  using Numbers = std::vector<std::uint32_t>;

  std::uint32_t next_number() const {
    return out_.rows + static_cast<std::uint32_t>(out_.steps.size());
  }
  std::uint32_t add_step(StepKind kind = StepKind::Barrier, std::uint32_t subject = 0) {
    const std::uint32_t number = next_number();
    out_.steps.push_back({kind, subject});
    return number;
  }
  void wait(std::uint32_t node, std::uint32_t waits_for,
            EdgeStrength firmness = EdgeStrength::Firm) {
    if (node != waits_for) edges_.push_back({node, waits_for, firmness});
  }

  void add_steps() {
    for (ResourceNodes& resource : nodes_.resources) {
      std::uint32_t expand = 0;
      if (resource.makes) {
        const std::uint32_t row = resource.row->index;
        has_steps_[row] = true;
        expand = add_step(StepKind::Expand, row);
        const std::uint32_t rest = add_step(StepKind::Rest, row);
        for (const std::uint32_t needed : program_.waits.of(row)) wait(expand, needed);
        wait(rest, expand);
        wait(row, rest);
      }
      for (const PartNodes& part : resource.parts) {
        for (const ChangeGroup& group : part.groups) {
          for (const std::uint32_t position : group.makes) {
            made_[position] = add_step(StepKind::Make, position);
            wait(made_[position], expand);
            wait(resource.row->index, made_[position]);
          }
          for (const auto* list : {&group.first, &group.last}) {
            for (const std::uint32_t position : *list) {
              destroyed_[position] = add_step(StepKind::Destroy, position);
            }
          }
        }
      }
    }
    out_.forgets = nodes_.forgets;
    if (!out_.forgets.empty()) add_step(StepKind::Forget);
  }

  // A node that all of these wait for, and one that waits for all of these.
  std::uint32_t before(const Numbers& steps) {
    if (steps.size() == 1) return steps[0];
    const std::uint32_t barrier = add_step();
    for (const std::uint32_t step : steps) wait(step, barrier);
    return barrier;
  }
  std::uint32_t after(const Numbers& steps) {
    if (steps.size() == 1) return steps[0];
    const std::uint32_t barrier = add_step();
    for (const std::uint32_t step : steps) wait(barrier, step);
    return barrier;
  }

  enum What : std::uint8_t { kMade = 1, kFirst = 2, kLast = 4 };
  void add_nodes(const ChangeGroup& group, unsigned what, Numbers& to) const {
    if ((what & kMade) != 0) {
      for (const std::uint32_t position : group.makes) to.push_back(made_[position]);
    }
    if ((what & kFirst) != 0) {
      for (const std::uint32_t position : group.first) to.push_back(destroyed_[position]);
    }
    if ((what & kLast) != 0) {
      for (const std::uint32_t position : group.last) to.push_back(destroyed_[position]);
    }
  }
  Numbers nodes_of(const ChangeGroup& group, unsigned what) const {
    Numbers nodes;
    add_nodes(group, what, nodes);
    return nodes;
  }

  // The barrier of a part, or of a resource as a whole, made when it is first asked for.
  using Barrier = std::uint32_t Barriers::*;
  static bool is_before(Barrier which) {
    return which == &Barriers::before_destroy || which == &Barriers::dependents_applied ||
           which == &Barriers::may_be_made;
  }
  static unsigned what_of(Barrier which) {
    if (which == &Barriers::may_be_made || which == &Barriers::made) return kMade;
    if (which == &Barriers::first_gone) return kFirst;
    return which == &Barriers::dependents_applied ? kLast : kFirst | kLast;
  }
  static bool has(const PartNodes& part, unsigned what) {
    return ((what & kMade) != 0 && part.makes) || ((what & kFirst) != 0 && part.destroys_first) ||
           ((what & kLast) != 0 && part.destroys_last);
  }
  std::uint32_t barrier(PartNodes& part, Barrier which) {
    std::uint32_t& number = part.barriers.*which;
    if (number != 0) return number;
    Numbers nodes;
    for (const ChangeGroup& group : part.groups) add_nodes(group, what_of(which), nodes);
    return number = is_before(which) ? before(nodes) : after(nodes);
  }
  std::uint32_t barrier(ResourceNodes& resource, Barrier which) {
    std::uint32_t& number = resource.barriers.*which;
    if (number != 0) return number;
    Numbers nodes;
    for (PartNodes& part : resource.parts) {
      if (has(part, what_of(which))) nodes.push_back(barrier(part, which));
    }
    return number = is_before(which) ? before(nodes) : after(nodes);
  }

  // A replacement with what it replaces, and what is destroyed with the provider that does.
  void connect_own(PartNodes& part) {
    for (const ChangeGroup& group : part.groups) {
      for (const std::uint32_t position : group.first) {
        if (made_[position] != 0) wait(made_[position], destroyed_[position]);
      }
      for (const std::uint32_t position : group.last) {
        if (made_[position] != 0) wait(destroyed_[position], made_[position]);
        const auto successor = nodes_.successors.find(position);
        if (successor != nodes_.successors.end() && made_[successor->second] != 0) {
          wait(destroyed_[position], made_[successor->second], EdgeStrength::Leftover);
        }
      }
    }
    for (const eval::ObjectId provider : part.provider_rows) {
      wait(barrier(part, &Barriers::before_destroy), provider.index);
    }
  }

  // What a group of changes depends on is in the same instance of the module, or in all
  // instances of another one.
  void connect(const ResourceNodes& resource, const PartNodes& part, const ChangeGroup& group) {
    if (group.needs == nullptr) return;
    Ends ends;
    for (const std::uint32_t number : *group.needs) {
      ResourceNodes& needed = nodes_.resources[number];
      if (&needed == &resource) continue;
      const bool is_firm = plan_.mode == plans::Mode::Destroy ||
                           (needed.destroying_providers.size() <= 1 &&
                            needed.destroying_providers.contains(part.provider));
      const bool same_maker = needed.making_provider == part.provider;
      if (needed.address.module != resource.address.module) {
        connect(group, ends, needed, is_firm, same_maker);
      } else if (PartNodes* beside = needed.in(part.module)) {
        connect(group, ends, *beside, is_firm, same_maker);
      }
    }
  }

  // The nodes by which a group is connected; made when they are first asked for.
  struct Ends {
    std::optional<std::uint32_t> before_made, after_made, gone, first_gone, before_last;
  };
  template <class Needed>
  void connect(const ChangeGroup& group, Ends& ends, Needed& needed, bool is_firm,
               bool same_maker) {
    if (!group.makes.empty()) {
      if (needed.destroys_first) {
        if (!ends.before_made) ends.before_made = before(nodes_of(group, kMade));
        wait(*ends.before_made, barrier(needed, &Barriers::first_gone), EdgeStrength::Preferred);
      }
      if (needed.destroys_last) {
        if (!ends.after_made) ends.after_made = after(nodes_of(group, kMade));
        wait(barrier(needed, &Barriers::dependents_applied), *ends.after_made,
             EdgeStrength::UsersFirst);
      }
    }
    if (group.first.empty() && group.last.empty()) return;
    if (needed.destroys()) {
      if (!ends.gone) ends.gone = after(nodes_of(group, kFirst | kLast));
      wait(barrier(needed, &Barriers::before_destroy), *ends.gone,
           is_firm ? EdgeStrength::Firm : EdgeStrength::OtherProvider);
    }
    if (!needed.makes) return;
    if (!group.first.empty()) {
      if (!ends.first_gone) ends.first_gone = after(nodes_of(group, kFirst));
      wait(barrier(needed, &Barriers::may_be_made), *ends.first_gone,
           same_maker ? EdgeStrength::Preferred : EdgeStrength::OtherProvider);
    }
    if (!group.last.empty()) {
      if (!ends.before_last) ends.before_last = before(nodes_of(group, kLast));
      wait(*ends.before_last, barrier(needed, &Barriers::made), EdgeStrength::Preferred);
    }
  }

  // Instances that there is no object of yet depend on what their configuration says.
  // That may be a long way, so barriers beside the rows go the same way: one of each row
  // that waits for everything which is destroyed first of that on which the row depends,
  // and one for everything which is made anew of that which depends on the row.
  void connect_made_anew() {
    std::vector<ResourceNodes*> of_row(out_.rows);
    bool any = false;
    bool first = false;
    bool last = false;
    for (ResourceNodes& resource : nodes_.resources) {
      if (!resource.row) continue;
      of_row[resource.row->index] = &resource;
      any = any || resource.makes_anew;
      first = first || resource.destroys_first;
      last = last || resource.destroys_last;
    }
    if (any && first) connect_destroyed_before(of_row);
    if (any && last) connect_destroyed_after(of_row);
  }
  Numbers made_anew(const ResourceNodes& resource) const {
    Numbers nodes;
    for (const PartNodes& part : resource.parts) {
      for (const ChangeGroup& group : part.groups) {
        if (group.needs == nullptr) add_nodes(group, kMade, nodes);
      }
    }
    return nodes;
  }
  void connect_destroyed_before(const std::vector<ResourceNodes*>& of_row) {
    const std::uint32_t beside = add_barriers();
    for (std::uint32_t row = 0; row < out_.rows; ++row) {
      ResourceNodes* resource = of_row[row];
      if (resource != nullptr && resource->destroys_first) {
        wait(beside + row, barrier(*resource, &Barriers::first_gone));
      }
      std::optional<std::uint32_t> anew;
      if (resource != nullptr && resource->makes_anew) anew = before(made_anew(*resource));
      for (const std::uint32_t needed : program_.waits.of(row)) {
        wait(beside + row, beside + needed);
        if (anew) wait(*anew, beside + needed, EdgeStrength::Preferred);
      }
    }
  }
  void connect_destroyed_after(const std::vector<ResourceNodes*>& of_row) {
    const std::uint32_t beside = add_barriers();
    for (std::uint32_t row = 0; row < out_.rows; ++row) {
      if (of_row[row] != nullptr && of_row[row]->makes_anew) {
        wait(beside + row, after(made_anew(*of_row[row])));
      }
      for (const std::uint32_t needed : program_.waits.of(row)) {
        wait(beside + needed, beside + row);
        ResourceNodes* resource = of_row[needed];
        if (resource != nullptr && resource->destroys_last) {
          wait(barrier(*resource, &Barriers::dependents_applied), beside + row,
               EdgeStrength::UsersFirst);
        }
      }
    }
  }
  std::uint32_t add_barriers() {
    const std::uint32_t first = next_number();
    for (std::uint32_t row = 0; row < out_.rows; ++row) add_step();
    return first;
  }

  // Makes the graph of the edges and those of the program, without those that give way.
  //
  // One edge of each cycle at a time, so that no more give way than have to. Where that takes
  // too long, all of the weakest kind do that are part of a cycle.
  std::vector<Numbers> finish() {
    constexpr int kOneByOne = 50;
    for (int round = 0;; ++round) {
      fill();
      eval::Ordered ordered = eval::order(waits_);
      bool again = false;
      for (std::size_t i = 0; i < ordered.cycles.size(); ++i) {
        const bool gave_way =
            round < kOneByOne ? break_up(ordered.cycles[i]) : break_up_all(ordered.tangles[i]);
        again = again || gave_way;
      }
      if (again) {
        std::erase_if(edges_, [](const Edge& edge) { return edge.node == edge.waits_for; });
        continue;
      }
      return std::move(ordered.cycles);
    }
  }

  void fill() {
    std::ranges::stable_sort(edges_, {}, &Edge::node);
    waits_ = {};
    auto edge = edges_.begin();
    for (std::uint32_t node = 0; node < next_number(); ++node) {
      if (node < out_.rows && !has_steps_[node]) {
        const auto own = program_.waits.of(node);
        waits_.edges.insert(waits_.edges.end(), own.begin(), own.end());
      }
      for (; edge != edges_.end() && edge->node == node; ++edge) {
        waits_.edges.push_back(edge->waits_for);
      }
      waits_.close();
    }
  }
  // Keeps the edges that do not follow from the program.
  void keep_own_edges() {
    for (std::uint32_t row = 0; row < out_.rows; ++row) {
      if (has_steps_[row]) out_.rows_with_steps.push_back(row);
    }
    auto edge = edges_.begin();
    const auto keep = [&](std::uint32_t node) {
      for (; edge != edges_.end() && edge->node == node; ++edge) {
        out_.waits.edges.push_back(edge->waits_for);
      }
      out_.waits.close();
    };
    for (const std::uint32_t row : out_.rows_with_steps) keep(row);
    for (std::uint32_t node = out_.rows; node < next_number(); ++node) keep(node);
    TOFU_CHECK(edge == edges_.end(), "rows without steps wait for what the program says");
  }

  // The edges of a node, which are sorted.
  std::span<Edge> edges_of(std::uint32_t node) {
    const auto found = std::ranges::equal_range(edges_, node, {}, &Edge::node);
    return {found.begin(), found.end()};
  }
  // Edges that give way become loops, to be removed together.
  static void remove(Edge& edge) { edge.waits_for = edge.node; }

  // Removes the weakest edge of the cycle. False if all are firm.
  bool break_up(const Numbers& cycle) {
    EdgeStrength weakest = EdgeStrength::Firm;
    std::size_t at = 0;
    for (std::size_t i = 0; i < cycle.size(); ++i) {
      const EdgeStrength firmness = firmness_of(cycle[i], cycle[(i + 1) % cycle.size()]);
      if (firmness >= weakest) continue;
      weakest = firmness;
      at = i;
    }
    if (weakest == EdgeStrength::Firm) return false;
    for (Edge& edge : edges_of(cycle[at])) {
      if (edge.waits_for == cycle[(at + 1) % cycle.size()]) remove(edge);
    }
    return true;
  }
  EdgeStrength firmness_of(std::uint32_t node, std::uint32_t waits_for) {
    std::optional<EdgeStrength> firmness;
    for (const Edge& edge : edges_of(node)) {
      if (edge.waits_for != waits_for) continue;
      firmness = std::max(firmness.value_or(edge.firmness), edge.firmness);
    }
    return firmness.value_or(EdgeStrength::Firm);
  }
  bool break_up_all(Numbers tangle) {
    std::ranges::sort(tangle);
    const auto is_inside = [&](const Edge& edge) {
      return std::ranges::binary_search(tangle, edge.waits_for);
    };
    EdgeStrength weakest = EdgeStrength::Firm;
    for (const std::uint32_t node : tangle) {
      for (const Edge& edge : edges_of(node)) {
        if (is_inside(edge)) weakest = std::min(weakest, edge.firmness);
      }
    }
    if (weakest == EdgeStrength::Firm) return false;
    for (const std::uint32_t node : tangle) {
      for (Edge& edge : edges_of(node)) {
        if (edge.firmness == weakest && is_inside(edge)) remove(edge);
      }
    }
    return true;
  }

  const eval::Program& program_;
  const plans::Plan& plan_;
  OrderNodes nodes_;
  Numbers made_;                 // by change: the step that makes, 0 if there is none
  Numbers destroyed_;            // likewise: the one that destroys
  std::vector<Edge> edges_;      // beside those of rows without steps
  std::vector<bool> has_steps_;  // by row
  eval::Waits waits_;            // of all nodes
  plans::ExecutionOrder out_;
};

}  // namespace

bool makes(plans::Action action) {
  switch (action) {
    case plans::Action::NoOp:
    case plans::Action::Delete:
    case plans::Action::Forget: return false;
    case plans::Action::Create:
    case plans::Action::Read:
    case plans::Action::Update:
    case plans::Action::DeleteThenCreate:
    case plans::Action::CreateThenDelete:
    case plans::Action::ForgetThenCreate: return true;
  }
  return false;
}

bool destroys(plans::Action action) {
  return action == plans::Action::Delete || action == plans::Action::DeleteThenCreate ||
         action == plans::Action::CreateThenDelete;
}

ComputedOrder execution_order(const eval::Program& program, const plans::Plan& plan,
                              const state::State& prior) {
  const bool only_makes = std::ranges::none_of(plan.changes, [](const plans::ResourceChange& each) {
    return destroys(each.action) || each.action == plans::Action::Forget;
  });
  if (!only_makes) return Order(program, plan, prior).make();
  ComputedOrder as_written;
  as_written.order.program = fingerprint(program);
  as_written.order.rows = static_cast<std::uint32_t>(program.objects.size());
  return as_written;
}

ExecutionGraph execution_graph(const eval::Program& program, const plans::ExecutionOrder& order) {
  ExecutionGraph graph{order, {}, {}};
  if (order.steps.empty()) {
    graph.waits = program.waits;
    return graph;
  }
  graph.has_steps.resize(order.rows);
  for (const std::uint32_t row : order.rows_with_steps) graph.has_steps[row] = true;
  std::uint32_t list = 0;  // of the order
  const auto nodes = order.rows + static_cast<std::uint32_t>(order.steps.size());
  for (std::uint32_t node = 0; node < nodes; ++node) {
    const bool is_of_program = node < order.rows && !graph.has_steps[node];
    const auto edges = is_of_program ? program.waits.of(node) : order.waits.of(list++);
    graph.waits.edges.insert(graph.waits.edges.end(), edges.begin(), edges.end());
    graph.waits.close();
  }
  return graph;
}

namespace {

void report_cycles(const ComputedOrder& computed, const eval::Program& program,
                   const plans::Plan& plan, diag::Diagnostics& diags) {
  const plans::ExecutionOrder& order = computed.order;
  const auto name_of = [&](std::uint32_t node) -> std::string {
    if (node < order.rows) return eval::describe(program, {node});
    const Step& step = order.steps[node - order.rows];
    const bool is_change = step.kind == StepKind::Make || step.kind == StepKind::Destroy;
    if (!is_change) return {};
    const plans::ResourceChange& change = plan.changes[step.subject];
    const std::string address = plan.addresses.instance(change.resource, change.key).to_string();
    return step.kind == StepKind::Make ? address : address + " (destroy)";
  };
  for (const auto& cycle : computed.cycles) {
    std::string list;
    for (const std::uint32_t node : cycle) {
      const std::string name = name_of(node);
      if (!name.empty()) list += "\n  " + name;
    }
    diags.error("Cycle in planned changes")
        .detail(fmt::format("Each of these changes depends on the next, and the last one on the "
                            "first:{}\n\nMake the changes in smaller steps: change "
                            "create_before_destroy or remove resources in a separate run.",
                            list));
  }
}

}  // namespace

diag::Checked<void> set_order(const eval::Program& program, plans::Plan& plan,
                              const state::State& prior, diag::Diagnostics& diags) {
  ComputedOrder computed = execution_order(program, plan, prior);
  if (!computed.cycles.empty()) {
    report_cycles(computed, program, plan, diags);
    return false;
  }
  plan.order = std::move(computed.order);
  return true;
}

}  // namespace tofu::engine
