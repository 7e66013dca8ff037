#include "commands/step_graph.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/check.h"
#include "base/graph.h"
#include "engine/order.h"
#include "engine/program_rows.h"
#include "engine/saved_order.h"
#include "eval/describe.h"

namespace tofu::commands {

namespace {

using eval::ObjectId;
using eval::ObjectKind;
using NodeId = std::uint32_t;

std::string_view suffix_of(ObjectKind kind, bool is_root) {
  switch (kind) {
    case ObjectKind::Resource:
    case ObjectKind::Local:
    case ObjectKind::Output:
    case ObjectKind::ModuleStart:
    case ObjectKind::Check: return " (expand)";
    case ObjectKind::Variable: return " (expand, reference)";
    case ObjectKind::Argument: return is_root ? "" : " (expand, input)";
    case ObjectKind::ModuleEnd: return " (close)";
    case ObjectKind::Provider:
    case ObjectKind::Import: return "";
  }
  base::broken_promise("object kind out of range");
}

// Only resources, providers and variables of the root have a shape. The rest is drawn as
// Graphviz draws what it knows nothing of.
std::string_view shape_of(ObjectKind kind, bool is_root) {
  if (kind == ObjectKind::Resource) return "box";
  if (kind == ObjectKind::Provider) return "diamond";
  return kind == ObjectKind::Argument && is_root ? "note" : "";
}

class StepGraph {
 public:
  explicit StepGraph(const eval::Program& program) : program_(program) {
    for (std::uint32_t i = 0; i < program.objects.size(); ++i) add_row({i});
  }

  void plan(const state::State& state);
  void plan_to_destroy(const state::State& state);
  void apply(const engine::Planned& planned);

  views::DotGraph finish();

 private:
  const eval::Object& object(NodeId row) const { return program_.objects[row]; }
  bool is_row(NodeId node) const { return node < program_.objects.size(); }
  // Row 0 is the start of the root module: everything waits for it and it says nothing.
  bool is_drawn(ObjectId row) const {
    return row.index != 0 && program_.object(row).kind != ObjectKind::Import;
  }
  bool is_end(NodeId node) const {
    return is_row(node) && object(node).kind == ObjectKind::ModuleEnd;
  }

  NodeId add(views::DotNode node) {
    nodes_.push_back(std::move(node));
    waits_.emplace_back();
    return static_cast<NodeId>(nodes_.size() - 1);
  }
  void wait(NodeId node, NodeId other) {
    if (node != other) waits_[node].push_back(other);
  }
  void add_row(ObjectId row);
  void connect_row(NodeId row, NodeId other);

  std::vector<NodeId> steps_of(const engine::ExecutionGraph& graph, NodeId node) const;
  void add_changes(const plans::Plan& plan, const engine::ExecutionGraph& graph,
                   std::string_view deposed);
  NodeId provider(const addrs::AbsProviderConfig& address);
  bool is_provider(NodeId node) const;
  void add_orphans(const state::State& state);
  void add_gone(const state::State& state);
  void connect(const engine::ExecutionGraph& graph);
  // `deposed` is what the destruction of a deposed object is called.
  void add_order(const engine::Planned& planned, std::string_view deposed);
  void leave_out_objects();
  void leave_out_unused(bool destroys);
  void add_ephemeral_ends();
  void add_ends();
  void reduce();

  const eval::Program& program_;
  std::vector<views::DotNode> nodes_;
  std::vector<std::vector<NodeId>> waits_;
  std::vector<bool> left_out_;
  std::unordered_map<NodeId, std::vector<NodeId>> made_;   // by row: changes of its instances
  std::unordered_map<NodeId, std::vector<NodeId>> steps_;  // by step of the order
  std::map<std::string, NodeId> other_providers_;          // that only the state needs
};

void StepGraph::add_row(ObjectId row) {
  const eval::Object& each = program_.object(row);
  const bool is_root = program_.node(each.module).path.is_root();
  std::string label = each.kind == ObjectKind::Provider ? program_.provider_address(row).to_string()
                                                        : eval::address_of(program_, row);
  std::string name = is_root && each.kind == ObjectKind::ModuleEnd
                         ? "root"
                         : label + std::string(suffix_of(each.kind, is_root));
  add({std::move(name), std::move(label), shape_of(each.kind, is_root)});
}

// The waits of an import block are those of its resource.
void StepGraph::connect_row(NodeId row, NodeId other) {
  if (other == 0) return;
  if (object(other).kind != ObjectKind::Import) return wait(row, other);
  for (const std::uint32_t further : program_.waits.of(other)) connect_row(row, further);
}

NodeId StepGraph::provider(const addrs::AbsProviderConfig& address) {
  if (const auto row = engine::provider_row(program_, address)) return row->index;
  std::string name = address.to_string();
  const auto found = other_providers_.find(name);
  if (found != other_providers_.end()) return found->second;
  const NodeId made = add({name, name, "diamond"});
  other_providers_.emplace(std::move(name), made);
  return made;
}

bool StepGraph::is_provider(NodeId node) const {
  if (is_row(node)) return object(node).kind == ObjectKind::Provider;
  return nodes_[node].shape == "diamond";
}

// What the state has and the configuration does not, and what was to be destroyed before.
void StepGraph::add_orphans(const state::State& state) {
  for (const state::Resource* resource : state.resources()) {
    const addrs::AbsResource& address = resource->address();
    const addrs::ConfigResource config{address.module.path(), address.object};
    const bool is_declared = engine::resource_row(program_, config).has_value();
    const auto add_step = [&](const addrs::InstanceKey& key, std::string_view what) {
      const NodeId step = add({addrs::instance_of(address, key).to_string() + std::string(what),
                               config.to_string(), "box"});
      wait(step, provider(resource->provider()));
      const NodeId start = engine::module_start(program_, address.module.path()).index;
      if (start == 0 || program_.node(object(start).module).path != config.module) return;
      wait(step, start);
      if (is_declared) return;
      NodeId end = start;
      while (!is_end(end) || object(end).module != object(start).module) ++end;
      wait(end, step);
    };
    resource->for_each([&](const state::Instance& instance) {
      if (!is_declared && instance.current() != nullptr) add_step(instance.key(), " (orphan)");
      for (const auto& [key, object] : instance.deposed()) {
        add_step(instance.key(), fmt::format(" (deposed {})", key));
      }
    });
  }
}

// Outputs and modules that only the state has.
void StepGraph::add_gone(const state::State& state) {
  for (const auto& [name, output] : state.outputs) {
    if (program_.tree->root().module->outputs.find(name) != nullptr) continue;
    const std::string step = fmt::format("output.{} (destroy)", name);
    add({step, step, "note"});
  }
  std::set<std::string> modules;
  for (const state::Resource* resource : state.resources()) {
    addrs::ModulePath path = resource->address().module.path();
    for (; !path.is_root(); path = path.parent()) {
      const eval::ObjectId start = engine::module_start(program_, path);
      if (program_.node(program_.object(start).module).path == path) continue;
      if (modules.insert(path.to_string()).second) add({path.to_string() + " (close)", {}, {}});
    }
  }
}

void StepGraph::plan(const state::State& state) {
  for (std::uint32_t i = 0; i < program_.objects.size(); ++i) {
    if (!is_drawn({i})) continue;
    for (const std::uint32_t other : program_.waits.of(i)) connect_row(i, other);
    if (object(i).kind != ObjectKind::Check) continue;
    const NodeId report = add({nodes_[i].label + " (report)", {}, {}});
    wait(i, report);
    // The data source of a check is read after the check was announced.
    const config::Resource* data = std::get<const config::Check*>(object(i).declaration)->data;
    for (const std::uint32_t other : program_.waits.of(i)) {
      const auto* resource = std::get_if<const config::Resource*>(&object(other).declaration);
      if (resource != nullptr && *resource == data) wait(other, report);
    }
    const NodeId start = program_.modules[object(i).module.index].first.index;
    if (start != 0) wait(report, start);
  }
  add_orphans(state);
  add_gone(state);
}

void StepGraph::add_changes(const plans::Plan& plan, const engine::ExecutionGraph& graph,
                            std::string_view deposed) {
  const auto label_of = [&](const plans::ResourceChange& change) {
    const plans::ResourceRow& row = plan.addresses[change.resource];
    return addrs::ConfigResource{plan.addresses[row.module].path(), row.resource}.to_string();
  };
  std::unordered_map<std::string, NodeId> rows;  // of resources, by label
  std::unordered_map<const plans::ResourceChange*, NodeId> by_change;
  for (std::uint32_t i = 0; i < program_.objects.size(); ++i) {
    if (object(i).kind == ObjectKind::Resource) rows.emplace(nodes_[i].label, i);
  }
  for (const plans::ResourceChange& change : plan.changes) {
    const bool makes = engine::makes(change.action);
    std::string label = label_of(change);
    const auto row = rows.find(label);
    if (!makes || row == rows.end()) continue;
    std::string name = plan.addresses.instance(change.resource, change.key).to_string();
    const NodeId step = add({std::move(name), std::move(label), "box"});
    wait(step, provider(plan.addresses[change.provider].config));
    made_[row->second].push_back(step);
    by_change.emplace(&change, step);
  }
  for (std::uint32_t node = graph.order.rows; node < graph.waits.size(); ++node) {
    const plans::Step& each = graph.step(node);
    std::vector<std::uint32_t> destroyed;
    switch (each.kind) {
      case plans::StepKind::Barrier:
      case plans::StepKind::Rest: break;
      case plans::StepKind::Expand: steps_[node] = {each.subject}; break;
      case plans::StepKind::Make: steps_[node] = {by_change.at(&plan.changes[each.subject])}; break;
      case plans::StepKind::Destroy: destroyed = {each.subject}; break;
      case plans::StepKind::Forget: destroyed = graph.order.forgets; break;
    }
    for (const std::uint32_t position : destroyed) {
      const plans::ResourceChange& change = plan.changes[position];
      std::string name = plan.addresses.instance(change.resource, change.key).to_string();
      if (!change.deposed().empty()) {
        name += fmt::format(" ({} {})", deposed, change.deposed());
      } else {
        name += change.action == plans::Action::Forget ? " (forget)" : " (destroy)";
      }
      const NodeId step = add({std::move(name), label_of(change), "box"});
      wait(step, provider(plan.addresses[change.provider].config));
      steps_[node].push_back(step);
    }
  }
}

// What is drawn for a node of the order. What only holds others back is not drawn: who
// waits for it waits for what it waits for.
std::vector<NodeId> StepGraph::steps_of(const engine::ExecutionGraph& graph, NodeId node) const {
  std::vector<NodeId> steps;
  std::vector<NodeId> open = {node};
  std::set<NodeId> seen = {node};
  while (!open.empty()) {
    const NodeId next = open.back();
    open.pop_back();
    if (is_row(next)) {
      if (is_drawn({next})) steps.push_back(next);
      const auto made = made_.find(next);
      if (made != made_.end()) steps.insert(steps.end(), made->second.begin(), made->second.end());
    }
    const auto own = steps_.find(next);
    if (own != steps_.end()) steps.insert(steps.end(), own->second.begin(), own->second.end());
    const bool is_drawn_itself = is_row(next) ? is_drawn({next}) || next == 0 : own != steps_.end();
    if (is_drawn_itself) continue;
    for (const NodeId further : graph.waits.of(next)) {
      if (seen.insert(further).second) open.push_back(further);
    }
  }
  return steps;
}

void StepGraph::connect(const engine::ExecutionGraph& graph) {
  for (NodeId node = 1; node < graph.waits.size(); ++node) {
    // Who waits for a row waits for the steps of its instances, and is drawn so.
    if (is_row(node) && (!is_drawn({node}) || graph.is_made_in_steps({node}))) continue;
    const auto own = steps_.find(node);
    if (!is_row(node) && own == steps_.end()) continue;
    for (const NodeId other : graph.waits.of(node)) {
      for (const NodeId step : steps_of(graph, other)) {
        if (is_row(node)) {
          wait(node, step);
        } else {
          for (const NodeId each : own->second) wait(each, step);
        }
      }
    }
  }
  for (const auto& [row, instances] : made_) {
    for (const NodeId instance : instances) wait(instance, row);
  }
}

// Objects that only pass values on are not evaluated unless their values are used.
void StepGraph::leave_out_unused(bool destroys) {
  const auto before_destroy = [&](NodeId node) {
    if (!is_row(node)) return false;
    const bool is_root = program_.node(object(node).module).path.is_root();
    switch (object(node).kind) {
      case ObjectKind::Variable:
        return destroys ||
               std::get<const config::Variable*>(object(node).declaration)->validations.empty();
      case ObjectKind::Local:
      case ObjectKind::Resource:
      case ObjectKind::Provider:
      case ObjectKind::ModuleStart:
      case ObjectKind::Import: return true;
      case ObjectKind::Argument:
      case ObjectKind::Output: return !is_root;
      case ObjectKind::Check: return destroys;
      case ObjectKind::ModuleEnd: return false;
    }
    return false;
  };
  // A reference to a whole module waits for its end, and needs its outputs.
  std::set<NodeId> named_ends;
  for (NodeId node = 0; node < nodes_.size(); ++node) {
    if (is_end(node)) continue;
    for (const NodeId other : waits_[node]) {
      if (is_end(other)) named_ends.insert(other);
    }
  }
  // Outputs of the root and checks have their values of blocks from the state.
  const auto needs = [&](NodeId node, NodeId other) {
    if (is_end(node)) {
      return is_row(other) && object(other).kind == ObjectKind::Output && named_ends.contains(node);
    }
    if (!is_row(node) || !is_row(other)) return true;
    const ObjectKind kind = object(node).kind;
    const bool is_shown =
        kind == ObjectKind::Check || (kind == ObjectKind::Output && !before_destroy(node));
    return !is_shown || (object(other).kind != ObjectKind::Resource &&
                         object(other).kind != ObjectKind::ModuleStart);
  };
  std::vector<std::uint32_t> users(nodes_.size());
  for (NodeId node = 0; node < nodes_.size(); ++node) {
    // An output of the root is only removed from the state.
    if (destroys && is_row(node) && object(node).kind == ObjectKind::Output &&
        !before_destroy(node)) {
      waits_[node].clear();
    }
    for (const NodeId other : waits_[node]) users[other] += needs(node, other) ? 1 : 0;
  }
  std::vector<NodeId> unused;
  for (NodeId node = 1; node < nodes_.size(); ++node) {
    if (users[node] == 0 && before_destroy(node)) unused.push_back(node);
  }
  while (!unused.empty()) {
    const NodeId node = unused.back();
    unused.pop_back();
    left_out_[node] = true;
    for (const NodeId other : waits_[node]) {
      if (needs(node, other) && --users[other] == 0 && before_destroy(other))
        unused.push_back(other);
    }
  }
}

// A plan without an order has cycles, which are drawn.
void StepGraph::add_order(const engine::Planned& planned, std::string_view deposed) {
  const plans::Plan& plan = planned.plan;
  const plans::ExecutionOrder order =
      plan.order ? *plan.order : engine::execution_order(program_, plan, planned.prior).order;
  const engine::ExecutionGraph graph = engine::execution_graph(program_, order);
  add_changes(plan, graph, deposed);
  connect(graph);
  add_gone(planned.prior);
  left_out_.resize(nodes_.size());
}

void StepGraph::apply(const engine::Planned& planned) {
  add_order(planned, "destroy deposed");
  leave_out_unused(planned.plan.mode == plans::Mode::Destroy);
}

// A plan that destroys takes objects from the state. Of the resources that are declared it
// evaluates ephemeral ones only.
void StepGraph::leave_out_objects() {
  for (NodeId row = 0; row < program_.objects.size(); ++row) {
    if (object(row).kind != ObjectKind::Resource) continue;
    const auto& resource = *std::get<const config::Resource*>(object(row).declaration);
    if (resource.mode == addrs::ResourceMode::Ephemeral) continue;
    left_out_[row] = true;
    waits_[row].clear();
  }
  for (std::vector<NodeId>& others : waits_) {
    std::erase_if(others, [&](NodeId other) { return left_out_[other]; });
  }
}

// The end of each ephemeral resource, after everything that depends on it.
void StepGraph::add_ephemeral_ends() {
  std::vector<std::vector<NodeId>> users(nodes_.size());
  for (NodeId node = 0; node < nodes_.size(); ++node) {
    if (left_out_[node]) continue;
    for (const NodeId other : waits_[node]) users[other].push_back(node);
  }
  for (NodeId row = 0; row < program_.objects.size(); ++row) {
    if (left_out_[row] || object(row).kind != ObjectKind::Resource) continue;
    const auto& resource = *std::get<const config::Resource*>(object(row).declaration);
    if (resource.mode != addrs::ResourceMode::Ephemeral) continue;
    const NodeId close = add({nodes_[row].label + " (close)", {}, {}});
    std::set<NodeId> seen = {row};
    std::vector<NodeId> open = {row};
    while (!open.empty()) {
      const NodeId next = open.back();
      open.pop_back();
      // The end of a module holds nothing back by itself.
      if (!is_end(next)) wait(close, next);
      for (const NodeId user : users[next]) {
        if (seen.insert(user).second) open.push_back(user);
      }
    }
    const std::vector<NodeId> others = waits_[row];
    for (const NodeId other : others) {
      if (is_provider(other)) wait(close, other);
    }
  }
  left_out_.resize(nodes_.size());
}

// The end of each provider, after all that it is asked for; and that of everything.
void StepGraph::add_ends() {
  std::unordered_map<NodeId, NodeId> closes;
  const auto steps = static_cast<NodeId>(nodes_.size());
  for (NodeId node = 0; node < steps; ++node) {
    if (left_out_[node] || is_end(node)) continue;
    const std::vector<NodeId> others = waits_[node];
    for (const NodeId other : others) {
      if (!is_provider(other)) continue;
      auto close = closes.find(other);
      if (close == closes.end()) {
        close = closes.emplace(other, add({nodes_[other].name + " (close)", {}, {}})).first;
        wait(close->second, other);
      }
      wait(close->second, node);
    }
  }
  left_out_.resize(nodes_.size());
  // A provider that nothing uses is never opened.
  for (NodeId node = 0; node < program_.objects.size(); ++node) {
    if (object(node).kind == ObjectKind::Provider && !closes.contains(node)) left_out_[node] = true;
  }
  NodeId root = 0;
  while (!is_end(root) || nodes_[root].name != "root") ++root;
  for (NodeId node = 1; node < nodes_.size(); ++node) {
    if (!left_out_[node] && (!is_row(node) || is_drawn({node}))) wait(root, node);
  }
}

// Leaves out every wait that follows from others. How many steps have to be looked at for
// that is bounded by how far they are apart in an order of them.
void StepGraph::reduce() {
  const base::Waits waits = base::Waits::of_lists(waits_);
  const base::Ordered ordered = base::order(waits);
  if (!ordered.cycles.empty()) return;  // everything in a cycle would follow from the rest
  std::vector<std::uint32_t> place(nodes_.size());
  for (std::uint32_t i = 0; i < ordered.order.size(); ++i) place[ordered.order[i]] = i;
  std::vector<NodeId> seen_by(nodes_.size(), ~NodeId{0});
  std::vector<NodeId> open;
  for (NodeId node = 0; node < nodes_.size(); ++node) {
    std::vector<NodeId>& others = waits_[node];
    if (others.size() < 2) continue;
    std::uint32_t first = place[others[0]];
    for (const NodeId other : others) first = std::min(first, place[other]);
    const auto follow = [&](NodeId from) {
      for (const NodeId further : waits.of(from)) {
        if (place[further] < first || seen_by[further] == node) continue;
        seen_by[further] = node;
        open.push_back(further);
      }
    };
    for (const NodeId other : others) follow(other);
    while (!open.empty()) {
      const NodeId next = open.back();
      open.pop_back();
      follow(next);
    }
    std::erase_if(others, [&](NodeId other) { return seen_by[other] == node; });
  }
}

views::DotGraph StepGraph::finish() {
  left_out_.resize(nodes_.size());
  add_ephemeral_ends();
  add_ends();
  for (NodeId node = 0; node < nodes_.size(); ++node) {
    std::erase_if(waits_[node], [&](NodeId other) { return left_out_[other]; });
    std::ranges::sort(waits_[node]);
    const auto repeated = std::ranges::unique(waits_[node]);
    waits_[node].erase(repeated.begin(), repeated.end());
    if (left_out_[node]) waits_[node].clear();
  }
  reduce();
  views::DotGraph graph;
  std::vector<std::uint32_t> numbers(nodes_.size());
  for (NodeId node = 1; node < nodes_.size(); ++node) {
    if (left_out_[node] || (is_row(node) && !is_drawn({node}))) continue;
    numbers[node] = static_cast<std::uint32_t>(graph.nodes.size());
    graph.nodes.push_back(nodes_[node]);
  }
  for (NodeId node = 1; node < nodes_.size(); ++node) {
    for (const NodeId other : waits_[node]) graph.edges.emplace_back(numbers[node], numbers[other]);
  }
  for (std::vector<NodeId>& cycle : base::order(base::Waits::of_lists(waits_)).cycles) {
    for (NodeId& node : cycle) node = numbers[node];
    graph.cycles.push_back(std::move(cycle));
  }
  return graph;
}

// Without asking any provider.
plans::Plan destroying_plan(const state::State& state) {
  plans::Plan plan;
  plan.mode = plans::Mode::Destroy;
  const auto add = [&](const state::Resource& resource, const addrs::InstanceKey& key,
                       const std::string& deposed) {
    plans::ResourceChange change;
    const addrs::AbsResource& address = resource.address();
    change.resource = plan.addresses.resource(plan.addresses.module(address.module), address.object,
                                              resource.provider().provider);
    change.provider = plan.addresses.provider({resource.provider(), {}});
    change.key = key;
    change.action = plans::Action::Delete;
    if (!deposed.empty()) {
      auto details = std::make_unique<plans::ChangeDetails>();
      details->deposed = deposed;
      change.details = std::move(details);
    }
    plan.changes.push_back(std::move(change));
  };
  for (const state::Resource* resource : state.resources()) {
    if (resource->address().object.mode == addrs::ResourceMode::Ephemeral) continue;
    resource->for_each([&](const state::Instance& instance) {
      if (instance.current() != nullptr) add(*resource, instance.key(), {});
      for (const auto& [key, object] : instance.deposed()) add(*resource, instance.key(), key);
    });
  }
  return plan;
}

void StepGraph::plan_to_destroy(const state::State& state) {
  engine::Planned planned{.plan = destroying_plan(state), .prior = state};
  diag::Diagnostics ignored;  // about cycles
  (void)engine::complete_order(program_, planned, ignored);
  add_order(planned, "deposed");
  leave_out_objects();
  leave_out_unused(true);
}

}  // namespace

views::DotGraph graph_of_planning(const eval::Program& program, const state::State& state) {
  StepGraph graph(program);
  graph.plan(state);
  return graph.finish();
}

views::DotGraph graph_of_destroying(const eval::Program& program, const state::State& state) {
  StepGraph graph(program);
  graph.plan_to_destroy(state);
  return graph.finish();
}

views::DotGraph graph_of_applying(const eval::Program& program, engine::Planned planned) {
  diag::Diagnostics ignored;  // about cycles
  (void)engine::complete_order(program, planned, ignored);
  StepGraph graph(program);
  graph.apply(planned);
  return graph.finish();
}

}  // namespace tofu::commands
