#include "engine/move_statements.h"

#include <algorithm>
#include <set>
#include <utility>

#include "engine/program_rows.h"

namespace tofu::engine {

bool is_module(MoveKind kind) {
  return kind == MoveKind::ModuleCall || kind == MoveKind::ModuleInstance;
}

AddressPattern pattern_of(const MoveStatement& statement, const MoveEnd& end) {
  AddressPattern pattern;
  for (const std::string& name : statement.declared_in.names) {
    pattern.module.push_back({name, std::nullopt});
  }
  for (const addrs::ModuleStep& step : end.module.steps) {
    pattern.module.push_back({step.name, step.key});
  }
  switch (statement.kind) {
    case MoveKind::ModuleCall: pattern.module.back().key.reset(); break;
    case MoveKind::ModuleInstance: break;
    case MoveKind::Resource: pattern.object = end.object.resource.to_string(); break;
    case MoveKind::ResourceInstance: pattern.object = end.object.to_string(); break;
  }
  return pattern;
}

std::string describe(const MoveStatement& statement, const MoveEnd& end) {
  const AddressPattern pattern = pattern_of(statement, end);
  std::string text;
  for (const AddressPattern::Step& step : pattern.module) {
    if (!text.empty()) text += '.';
    text += "module." + step.name + (step.key ? step.key->to_string() : "[*]");
  }
  if (is_module(statement.kind)) return text;
  if (!text.empty()) text += '.';
  text += pattern.object;
  return statement.kind == MoveKind::Resource ? text + "[*]" : text;
}

namespace {

MoveKind kind_of(const addrs::MoveEndpoint& from, const addrs::MoveEndpoint& to) {
  const auto has_key = [](const addrs::MoveEndpoint& end) {
    const auto* instance = std::get_if<addrs::AbsResourceInstance>(&end.subject);
    if (instance != nullptr) return !instance->object.key.is_none();
    return !std::get<addrs::ModuleInstance>(end.subject).steps.back().key.is_none();
  };
  const bool of_instances = has_key(from) || has_key(to);
  if (from.is_module()) return of_instances ? MoveKind::ModuleInstance : MoveKind::ModuleCall;
  return of_instances ? MoveKind::ResourceInstance : MoveKind::Resource;
}

MoveEnd end_of(const addrs::MoveEndpoint& endpoint) {
  if (const auto* module = std::get_if<addrs::ModuleInstance>(&endpoint.subject)) {
    return {*module, {}};
  }
  const auto& instance = std::get<addrs::AbsResourceInstance>(endpoint.subject);
  return {instance.module, instance.object};
}

std::vector<MoveStatement> written_moves(const config::Tree& tree) {
  std::vector<MoveStatement> out;
  for (const config::TreeNode& node : tree.nodes) {
    for (const config::Moved& moved : node.module->moved) {
      out.push_back({node.path, kind_of(moved.from, moved.to), end_of(moved.from), end_of(moved.to),
                     moved.range, false});
    }
  }
  return out;
}

// The key that what has `count` or nothing keeps; nothing for the other repetitions.
std::optional<addrs::InstanceKey> kept_key(const config::Repetition& repetition) {
  if (repetition.count != nullptr) return addrs::InstanceKey(0);
  if (repetition.for_each != nullptr) return std::nullopt;
  return addrs::InstanceKey();
}

addrs::InstanceKey other_key(const addrs::InstanceKey& kept) {
  return kept.is_none() ? addrs::InstanceKey(0) : addrs::InstanceKey();
}

// Finds the implied moves, of a state's resources one by one.
class Implied {
 public:
  Implied(const config::Tree& tree, std::vector<MoveStatement>& moves)
      : tree_(tree), moves_(moves) {
    for (std::size_t i = 0; i < moves.size(); ++i) {
      const auto id = static_cast<std::uint32_t>(i);
      for (const MoveEnd* end : {&moves[i].from, &moves[i].to}) {
        AddressPattern pattern = pattern_of(moves[i], *end);
        modules_.add(pattern.prefix(pattern.module.size()), id);
        if (is_module(moves[i].kind)) continue;
        pattern.object = end->object.resource.to_string();
        resources_.add(pattern, id);
      }
    }
  }

  void look_at(const state::Resource& resource) {
    const addrs::AbsResource& address = resource.address();
    if (!address.module.is_root() && seen_.insert(resource.module_text()).second) {
      look_at(address.module);
    }
    const config::TreeNode* node = find_module(tree_, address.module);
    const config::Resource* config = node ? node->module->resource(address.object) : nullptr;
    if (config == nullptr) return;
    const auto kept = kept_key(config->repetition);
    if (!kept || resource.find(other_key(*kept)) == nullptr) return;
    if (!resources_.find(exactly(address.module, address.object.to_string())).empty()) return;
    const auto* count = config->repetition.count;
    moves_.push_back({{},
                      MoveKind::ResourceInstance,
                      {address.module, {address.object, other_key(*kept)}},
                      {address.module, {address.object, *kept}},
                      count != nullptr ? count->range : config->range,
                      true});
  }

 private:
  // Of a module instance that has resources of its own. A block about a resource in it
  // counts as one about the module, as in OpenTofu.
  void look_at(const addrs::ModuleInstance& module) {
    const config::TreeNode* node = find_module(tree_, module);
    if (node == nullptr) return;
    const auto kept = kept_key(node->call->repetition);
    if (!kept || module.steps.back().key != other_key(*kept)) return;
    if (!modules_.find(exactly(module)).empty()) return;
    addrs::ModuleInstance to = module;
    to.steps.back().key = *kept;
    const auto* count = node->call->repetition.count;
    moves_.push_back({{},
                      MoveKind::ModuleInstance,
                      {module, {}},
                      {std::move(to), {}},
                      count != nullptr ? count->range : node->call->range,
                      true});
  }

  const config::Tree& tree_;
  std::vector<MoveStatement>& moves_;
  PatternIndex modules_;    // what blocks are about: a module, or the module of a resource
  PatternIndex resources_;  // likewise; an instance stands for its resource
  std::set<std::string, std::less<>> seen_;
};

// Ends of statements, to be found by what they stand for.
class Ends {
 public:
  Ends(const std::vector<MoveStatement>& statements, MoveEnd MoveStatement::*end)
      : statements_(statements) {
    for (std::size_t i = 0; i < statements.size(); ++i) {
      index_of(statements[i].kind)
          .add(pattern_of(statements[i], statements[i].*end), static_cast<std::uint32_t>(i));
    }
  }

  // Statements whose end can be the same as `end` of `statement`.
  std::vector<std::uint32_t> same_as(const MoveStatement& statement, const MoveEnd& end) {
    return index_of(statement.kind).find(pattern_of(statement, end));
  }

  // Calls `on` with the statements whose end can be around `end` of `statement`.
  template <class On>
  void around(const MoveStatement& statement, const MoveEnd& end, On&& on) {
    AddressPattern pattern = pattern_of(statement, end);
    for (std::size_t length = 1; length <= pattern.module.size(); ++length) {
      const bool whole = length == pattern.module.size();
      for (const std::uint32_t id : modules_.find(pattern.prefix(length))) {
        // A module is not inside itself, but an instance is inside its call.
        const bool inside = !whole || !is_module(statement.kind) ||
                            (statement.kind == MoveKind::ModuleInstance &&
                             statements_[id].kind == MoveKind::ModuleCall);
        if (inside) on(id);
      }
    }
    if (statement.kind != MoveKind::ResourceInstance) return;
    pattern.object = end.object.resource.to_string();
    for (const std::uint32_t id : resources_.find(pattern)) on(id);
  }

 private:
  PatternIndex& index_of(MoveKind kind) {
    if (is_module(kind)) return modules_;
    return kind == MoveKind::Resource ? resources_ : instances_;
  }

  const std::vector<MoveStatement>& statements_;
  PatternIndex modules_;
  PatternIndex resources_;
  PatternIndex instances_;
};

// Whether only keys of modules differ between its two ends.
bool only_changes_module_keys(const MoveStatement& statement) {
  return is_module(statement.kind) && statement.kind == MoveKind::ModuleInstance &&
         statement.from.module.path() == statement.to.module.path();
}

}  // namespace

std::vector<MoveStatement> find_moves(const config::Tree& tree, const state::State& prior) {
  std::vector<MoveStatement> moves = written_moves(tree);
  Implied implied(tree, moves);
  for (const state::Resource* resource : prior.resources()) implied.look_at(*resource);
  return moves;
}

eval::Waits waits_of(const std::vector<MoveStatement>& statements) {
  Ends from(statements, &MoveStatement::from);
  Ends to(statements, &MoveStatement::to);
  std::vector<std::set<std::uint32_t>> edges(statements.size());
  const auto wait = [&](std::uint32_t statement, std::uint32_t first) {
    if (statement != first) edges[statement].insert(first);
  };
  // The same, because of something inside of something else. A change of a module's
  // keys does not wait for what modules inside say, which holds before it and after it.
  const auto wait_inside = [&](std::uint32_t statement, std::uint32_t first) {
    const MoveStatement& a = statements[statement];
    const MoveStatement& b = statements[first];
    const bool above = a.declared_in.names.size() < b.declared_in.names.size();
    if (!above || !only_changes_module_keys(a)) wait(statement, first);
  };
  for (std::uint32_t i = 0; i < statements.size(); ++i) {
    const MoveStatement& each = statements[i];
    for (const std::uint32_t first : to.same_as(each, each.from)) wait(i, first);
    for (const MoveEnd* end : {&each.from, &each.to}) {
      to.around(each, *end, [&](std::uint32_t first) { wait_inside(i, first); });
      from.around(each, *end, [&](std::uint32_t outer) { wait_inside(outer, i); });
    }
  }
  eval::Waits waits;
  for (const auto& of_one : edges) {
    waits.edges.insert(waits.edges.end(), of_one.begin(), of_one.end());
    waits.close();
  }
  return waits;
}

}  // namespace tofu::engine
