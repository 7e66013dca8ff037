#include "engine/moves.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "engine/address_pattern.h"
#include "engine/program_rows.h"
#include "eval/graph.h"
#include "state/move.h"

namespace tofu::engine {

namespace {

using Statement = MoveStatement;

// The module instance that `end` leads to from the one that `inside` stands in.
addrs::ModuleInstance resolve(const addrs::ModuleInstance& inside, const Statement& statement,
                              const MoveEnd& end) {
  const auto depth = static_cast<std::ptrdiff_t>(statement.declared_in.names.size());
  addrs::ModuleInstance out{{inside.steps.begin(), inside.steps.begin() + depth}};
  out.steps.insert(out.steps.end(), end.module.steps.begin(), end.module.steps.end());
  return out;
}

// Where the module instance goes that begins with the statement's `from`.
addrs::ModuleInstance destination(const addrs::ModuleInstance& module, const Statement& statement) {
  addrs::ModuleInstance out = resolve(module, statement, statement.to);
  const std::size_t matched =
      statement.declared_in.names.size() + statement.from.module.steps.size();
  if (statement.kind == MoveKind::ModuleCall) {
    out.steps.back().key = module.steps[matched - 1].key;
  }
  out.steps.insert(out.steps.end(), module.steps.begin() + static_cast<std::ptrdiff_t>(matched),
                   module.steps.end());
  return out;
}

// The resources of a state by their modules. Rows stay when what they name has moved
// on; the finder of a row looks it up in the state.
class ModuleTable {
 public:
  explicit ModuleTable(const state::State& state) {
    for (const state::Resource* resource : state.resources()) add(resource->address());
  }

  void add(const addrs::AbsResource& resource) {
    const auto [found, is_new] =
        rows_of_.try_emplace(resource.module.to_string(), static_cast<std::uint32_t>(rows_.size()));
    if (is_new) {
      rows_.push_back({resource.module, {}, 0});
      const AddressPattern pattern = exactly(resource.module);
      for (std::size_t length = 1; length <= pattern.module.size(); ++length) {
        index_.add(pattern.prefix(length), found->second);
      }
    }
    Row& row = rows_[found->second];
    row.resources.push_back(resource.object);
    ++row.present;
  }
  void remove(const addrs::AbsResource& resource) {
    --rows_[rows_of_.at(resource.module.to_string())].present;
  }

  bool has(const addrs::ModuleInstance& module) const {
    const auto found = rows_of_.find(module.to_string());
    return found != rows_of_.end() && rows_[found->second].present != 0;
  }
  // Modules that begin with what the pattern stands for and have resources.
  std::vector<addrs::ModuleInstance> below(const AddressPattern& pattern) {
    std::vector<addrs::ModuleInstance> found;
    for (const std::uint32_t row : index_.find(pattern)) {
      if (rows_[row].present != 0) found.push_back(rows_[row].address);
    }
    return found;
  }
  // Those that are or were in the module.
  std::vector<addrs::Resource> resources_of(const addrs::ModuleInstance& module) const {
    return rows_[rows_of_.at(module.to_string())].resources;
  }

 private:
  struct Row {
    addrs::ModuleInstance address;
    std::vector<addrs::Resource> resources;
    std::size_t present;
  };
  std::vector<Row> rows_;
  std::unordered_map<std::string, std::uint32_t> rows_of_;
  PatternIndex index_;
};

// The resources of a state by their address without keys. Rows stay likewise.
class ResourceTable {
 public:
  explicit ResourceTable(const state::State& state) {
    for (const state::Resource* resource : state.resources()) add(resource->address());
  }
  void add(const addrs::AbsResource& resource) {
    index_.add(exactly(resource.module, resource.object.to_string()),
               static_cast<std::uint32_t>(rows_.size()));
    rows_.push_back(resource);
  }
  std::vector<addrs::AbsResource> find(const AddressPattern& pattern) {
    std::vector<addrs::AbsResource> found;
    for (const std::uint32_t row : index_.find(pattern)) found.push_back(rows_[row]);
    return found;
  }

 private:
  std::vector<addrs::AbsResource> rows_;
  PatternIndex index_;
};

class Mover {
 public:
  explicit Mover(MoveOutcome& out) : out_(out), state_(out.state) {}

  void follow(const Statement& statement) {
    if (is_module(statement.kind)) {
      if (!modules_) modules_.emplace(state_);
      const auto found = modules_->below(pattern_of(statement, statement.from));
      for (const addrs::ModuleInstance& module : found) move_module(module, statement);
      return;
    }
    for (const addrs::AbsResource& resource : resources_at(statement)) {
      if (state_.resource(resource) == nullptr) continue;
      if (statement.kind == MoveKind::Resource) {
        move_resource(resource, statement);
      } else {
        move_instance(addrs::instance_of(resource, statement.from.object.key), statement);
      }
    }
  }

 private:
  std::vector<addrs::AbsResource> resources_at(const Statement& statement) {
    const addrs::Resource& resource = statement.from.object.resource;
    if (statement.declared_in.is_root()) return {{statement.from.module, resource}};
    if (!resources_) resources_.emplace(state_);
    AddressPattern pattern = pattern_of(statement, statement.from);
    pattern.object = resource.to_string();
    return resources_->find(pattern);
  }

  void move_module(const addrs::ModuleInstance& from, const Statement& statement) {
    const addrs::ModuleInstance to = destination(from, statement);
    if (modules_->has(to)) return block(from.to_string(), to.to_string());
    for (const addrs::Resource& resource : modules_->resources_of(from)) {
      if (state_.resource({from, resource}) == nullptr) continue;
      make_move({from, resource}, {to, resource}, statement.implied);
    }
  }

  void move_resource(const addrs::AbsResource& from, const Statement& statement) {
    const addrs::AbsResource to{resolve(from.module, statement, statement.to),
                                statement.to.object.resource};
    if (state_.resource(to) != nullptr) return block(from.to_string(), to.to_string());
    make_move(from, to, statement.implied);
  }

  void move_instance(const addrs::AbsResourceInstance& from, const Statement& statement) {
    if (state_.instance(from) == nullptr) return;
    const addrs::AbsResourceInstance to{resolve(from.module, statement, statement.to),
                                        statement.to.object};
    if (state_.instance(to) != nullptr) return block(from.to_string(), to.to_string());
    const addrs::AbsResource old_place = addrs::resource_of(from);
    const addrs::AbsResource new_place = addrs::resource_of(to);
    const bool is_new = state_.resource(new_place) == nullptr;
    state::move_instance(state_, state_, from, to);
    record(from, to, statement.implied);
    if (is_new) appeared(new_place);
    if (state_.resource(old_place) == nullptr) vanished(old_place);
  }

  void make_move(const addrs::AbsResource& from, const addrs::AbsResource& to, bool implied) {
    state_.resource(from)->for_each([&](const state::Instance& instance) {
      record(addrs::instance_of(from, instance.key()), addrs::instance_of(to, instance.key()),
             implied);
    });
    state::move_resource(state_, state_, from, to);
    appeared(to);
    vanished(from);
  }

  void record(addrs::AbsResourceInstance from, addrs::AbsResourceInstance to, bool implied) {
    const auto before = out_.moved.find(from);
    if (before != out_.moved.end()) {
      from = std::move(before->second.address);
      out_.moved.erase(before);
    }
    out_.moved.insert_or_assign(std::move(to), MovedFrom{std::move(from), implied});
  }
  void block(std::string stays, std::string wanted) {
    out_.blocked.insert_or_assign(std::move(stays), std::move(wanted));
  }

  void appeared(const addrs::AbsResource& resource) {
    if (modules_) modules_->add(resource);
    if (resources_) resources_->add(resource);
  }
  void vanished(const addrs::AbsResource& resource) {
    if (modules_) modules_->remove(resource);
  }

  MoveOutcome& out_;
  state::State& state_;
  // Made when a statement needs them: one in the root about a resource does not.
  std::optional<ModuleTable> modules_;
  std::optional<ResourceTable> resources_;
};

}  // namespace

std::size_t InstanceHash::operator()(const addrs::AbsResourceInstance& address) const {
  return static_cast<std::size_t>(state::hash_of(addrs::resource_of(address)) * 31 +
                                  state::hash_of(address.object.key));
}

const MovedFrom* MoveOutcome::moved_from(const addrs::AbsResourceInstance& now) const {
  if (moved.empty()) return nullptr;
  const auto found = moved.find(now);
  return found == moved.end() ? nullptr : &found->second;
}

MoveOutcome apply_moves(const config::Tree& tree, state::State prior) {
  MoveOutcome out;
  out.statements = find_moves(tree, prior);
  out.state = std::move(prior);
  if (out.statements.empty()) return out;
  const eval::Ordered ordered = eval::order(waits_of(out.statements));
  if (!ordered.cycles.empty()) return out;
  Mover mover(out);
  for (const std::uint32_t statement : ordered.order) mover.follow(out.statements[statement]);
  return out;
}

namespace {

std::string_view noun_of(MoveKind kind) {
  switch (kind) {
    case MoveKind::ModuleCall: return "module";
    case MoveKind::ModuleInstance: return "module instance";
    case MoveKind::Resource: return "resource";
    case MoveKind::ResourceInstance: return "resource instance";
  }
  base::broken_promise("kind of move out of range");
}

// An end of a statement in one instance of the module that makes it.
struct Place {
  addrs::ModuleInstance module;
  addrs::ResourceInstance object;
  std::string text;  // as people are shown it; different for places of one kind
};

class Check {
 public:
  Check(const config::Tree& tree, const DeclaredInstances& declared, diag::Diagnostics& diags)
      : tree_(tree), declared_(declared), diags_(diags) {}

  void look_at(const MoveStatement& statement) {
    for (const addrs::ModuleInstance& module : declared_.of_module(statement.declared_in)) {
      const Place from = place_of(module, statement, statement.from);
      const Place to = place_of(module, statement, statement.to);
      if (from.text == to.text) {
        diags_.error("Redundant move statement")
            .detail(fmt::format("{} is moved to its own address. Remove this block.", from.text))
            .at(statement.range);
        continue;
      }
      if (exists(statement.kind, from)) {
        diags_.error("Moved object still exists")
            .detail(fmt::format("The configuration still declares {}, although it has moved. "
                                "Declare this {} as {} instead, or remove the moved block.",
                                from.text, noun_of(statement.kind), to.text))
            .at(statement.range);
      }
      look_at(statement, from.text, to.text);
    }
  }

 private:
  Place place_of(addrs::ModuleInstance module, const MoveStatement& statement,
                 const MoveEnd& end) const {
    module.steps.insert(module.steps.end(), end.module.steps.begin(), end.module.steps.end());
    Place place{std::move(module), end.object, {}};
    switch (statement.kind) {
      case MoveKind::ModuleCall: place.module.steps.back().key = {}; [[fallthrough]];
      case MoveKind::ModuleInstance: place.text = place.module.to_string(); break;
      case MoveKind::Resource:
        place.text = addrs::AbsResource{place.module, place.object.resource}.to_string();
        break;
      case MoveKind::ResourceInstance:
        place.text = addrs::AbsResourceInstance{place.module, place.object}.to_string();
        break;
    }
    return place;
  }

  bool exists(MoveKind kind, const Place& place) const {
    switch (kind) {
      case MoveKind::ModuleCall:
        return find_module(tree_, place.module) != nullptr &&
               declared_.has_module(place.module.parent());
      case MoveKind::ModuleInstance: return declared_.has_module(place.module);
      case MoveKind::Resource: {
        const config::TreeNode* node = find_module(tree_, place.module);
        return node != nullptr && node->module->resource(place.object.resource) != nullptr &&
               declared_.has_module(place.module);
      }
      case MoveKind::ResourceInstance: return declared_.has_instance({place.module, place.object});
    }
    base::broken_promise("kind of move out of range");
  }

  // There is one destination for each origin and one origin for each destination.
  void look_at(const MoveStatement& statement, const std::string& from, const std::string& to) {
    const std::string_view noun = noun_of(statement.kind);
    // Different kinds of things may have the same text.
    const std::string kind(1, static_cast<char>('0' + static_cast<int>(statement.kind)));
    const auto& there = destinations_.try_emplace(kind + from, to).first->second;
    if (there != to) {
      diags_.error("Ambiguous move statements")
          .detail(fmt::format("{} is moved to {} here, and to {} in another moved block. A {} can "
                              "have only one destination: remove one of the two.",
                              from, to, there, noun))
          .at(statement.range);
    }
    const auto& origin = origins_.try_emplace(kind + to, from).first->second;
    if (origin != from) {
      diags_.error("Ambiguous move statements")
          .detail(fmt::format("{1} is the destination of {0} here, and of {2} in another moved "
                              "block. A {3} can have only one origin: remove one of the two.",
                              from, to, origin, noun))
          .at(statement.range);
    }
  }

  const config::Tree& tree_;
  const DeclaredInstances& declared_;
  diag::Diagnostics& diags_;
  std::unordered_map<std::string, std::string> destinations_;
  std::unordered_map<std::string, std::string> origins_;
};

}  // namespace

void check_moves(const std::vector<MoveStatement>& statements, const config::Tree& tree,
                 const DeclaredInstances& declared, diag::Diagnostics& diags) {
  if (statements.empty()) return;
  const std::size_t errors_before = diags.error_count();
  Check check(tree, declared, diags);
  for (const MoveStatement& statement : statements) check.look_at(statement);
  // What makes a circle is often one of the errors above, which say what to do.
  if (diags.error_count() != errors_before) return;
  for (const auto& cycle : eval::order(waits_of(statements)).cycles) {
    std::vector<std::string> lines;
    for (const std::uint32_t i : cycle) {
      const MoveStatement& each = statements[i];
      lines.push_back(
          fmt::format("\n  {} moved to {}", describe(each, each.from), describe(each, each.to)));
    }
    std::ranges::sort(lines);
    diags.error("Cyclic dependency in move statements")
        .detail(
            fmt::format("These moves form a cycle, so no final address can be determined:{}\n\nA "
                        "chain of moves must end at an address from which nothing moves.",
                        fmt::join(lines, "")));
  }
}

void warn_of_blocked_moves(const MoveOutcome& outcome, diag::Diagnostics& diags) {
  if (outcome.blocked.empty()) return;
  std::string list;
  for (const auto& [stays, wanted] : outcome.blocked) {
    list += fmt::format("\n  {} could not be moved to {}", stays, wanted);
  }
  diags.warning("Unresolved resource instance address changes")
      .detail(fmt::format(
          "These objects could not be moved, because the state already has other objects at the "
          "new addresses:{}\n\nThey are planned for destruction. To keep them, first use \"tofu "
          "state mv\" or \"tofu state rm\", then plan again.",
          list));
}

}  // namespace tofu::engine
