#include "engine/moves.h"

#include <optional>
#include <utility>

#include "engine/address_pattern.h"
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
// on; whoever finds one asks the state.
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

}  // namespace tofu::engine
