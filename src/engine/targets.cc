#include "engine/targets.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/overloaded.h"
#include "engine/program_rows.h"
#include "eval/shape.h"

namespace tofu::engine {

TargetIndex::TargetIndex(const std::vector<addrs::Target>& targets) : empty_(targets.empty()) {
  for (const addrs::Target& target : targets) {
    std::visit(base::Overloaded{
                   [&](const addrs::ModuleInstance& module) {
                     modules_.insert(module.to_string());
                     touched_modules_.insert(module.path().to_string());
                   },
                   [&](const addrs::AbsResource& resource) {
                     resources_.insert(resource.to_string());
                     touched_resources_.insert(addrs::config_of(resource).to_string());
                   },
                   [&](const addrs::AbsResourceInstance& instance) {
                     const addrs::AbsResource resource = addrs::resource_of(instance);
                     instances_[resource.to_string()].insert(instance.object.key);
                     touched_resources_.insert(addrs::config_of(resource).to_string());
                   },
               },
               target);
  }
}

// A target that is a module contains what begins with it to the letter, but without a
// key at its end it stands for all instances of the call.
bool TargetIndex::has_module_of(const addrs::ModuleInstance& module) const {
  if (modules_.empty()) return false;
  addrs::ModuleInstance outer = module;
  while (!outer.is_root()) {
    if (modules_.contains(outer.to_string())) return true;
    if (!outer.steps.back().key.is_none()) {
      outer.steps.back().key = {};
      if (modules_.contains(outer.to_string())) return true;
    }
    outer.steps.pop_back();
  }
  return modules_.contains(std::string());
}

InstanceFilter TargetIndex::instances_of(const addrs::AbsResource& resource) const {
  const std::string text = resource.to_string();
  if (resources_.contains(text) || has_module_of(resource.module)) return InstanceFilter::all();
  const auto keys = instances_.find(text);
  return InstanceFilter::only(keys == instances_.end() ? std::set<addrs::InstanceKey>()
                                                       : keys->second);
}

bool TargetIndex::contains(const addrs::AbsResourceInstance& instance) const {
  if (empty_) return false;
  return instances_of(addrs::resource_of(instance)).includes(instance.object.key);
}

bool TargetIndex::contains_all(const addrs::ConfigResource& resource) const {
  // Exactly the targets without any key contain what has no keys yet.
  if (resources_.contains(resource.to_string())) return true;
  for (addrs::ModulePath outer = resource.module;; outer = outer.parent()) {
    if (modules_.contains(outer.to_string())) return true;
    if (outer.is_root()) return false;
  }
}

bool TargetIndex::touches(const addrs::ConfigResource& resource) const {
  if (touched_resources_.contains(resource.to_string())) return true;
  for (addrs::ModulePath outer = resource.module;; outer = outer.parent()) {
    if (touched_modules_.contains(outer.to_string())) return true;
    if (outer.is_root()) return false;
  }
}

// Works out which rows take part.
class Targeting::Choice {
 public:
  Choice(const eval::Program& program, const state::State& state, Targeting& out)
      : program_(program), state_(state), out_(out) {}

  void make() {
    out_.rows_.assign(size(), false);
    out_.chosen_.assign(size(), false);
    if (!out_.targets_.empty()) {
      choose_targets();
    } else {
      leave_out_excludes();
    }
    add_needed();
    add_results();
    add_needed();
  }

 private:
  std::uint32_t size() const { return static_cast<std::uint32_t>(program_.objects.size()); }
  const config::Resource* resource_in(std::uint32_t row) const {
    const eval::Object& object = program_.objects[row];
    if (object.kind != eval::ObjectKind::Resource) return nullptr;
    return std::get<const config::Resource*>(object.declaration);
  }
  addrs::ConfigResource address_of(std::uint32_t row, const config::Resource& resource) const {
    return {program_.node(program_.objects[row].module).path, resource.address()};
  }

  void choose_targets() {
    for (std::uint32_t row = 0; row < size(); ++row) {
      const config::Resource* resource = resource_in(row);
      if (resource == nullptr || !out_.targets_.touches(address_of(row, *resource))) continue;
      out_.chosen_[row] = true;
      add(row);
    }
    for (const state::Resource* resource : state_.resources()) {
      const auto filter = out_.targets_.instances_of(resource->address());
      if (filter.is_none()) continue;
      if (const auto row = row_of(resource->address())) add_needed_by(*row);
      for (const std::uint32_t row : rows_before(*resource)) add(row);
    }
  }

  void add_needed_by(std::uint32_t row) {
    for (const std::uint32_t wait : program_.waits.of(row)) add(wait);
  }

  void leave_out_excludes() {
    std::vector<bool> excluded(size());  // or some instance of it is
    std::vector<bool> depends(size());   // on something excluded
    std::vector<bool> whole(size());     // all instances are excluded, wherever they are
    for (const std::uint32_t row : program_.order) {
      for (const std::uint32_t wait : program_.waits.of(row)) {
        if (wait != row && (excluded[wait] || depends[wait])) depends[row] = true;
      }
      const config::Resource* resource = resource_in(row);
      if (resource == nullptr) continue;
      const addrs::ConfigResource address = address_of(row, *resource);
      excluded[row] = out_.excludes_.touches(address);
      whole[row] = out_.excludes_.contains_all(address);
      if (!depends[row] && !whole[row]) add(row);
    }
    for (const state::Resource* resource : state_.resources()) {
      const auto row = row_of(resource->address());
      const std::vector<std::uint32_t> before = rows_before(*resource);
      const bool unplaced =
          std::ranges::any_of(before, [&](std::uint32_t one) { return depends[one]; });
      const bool left_out = row ? depends[*row] || whole[*row] : unplaced;
      if (left_out) out_.left_out_.insert(resource->address());
      if (unplaced) out_.deposed_left_out_.insert(resource->address());
      if (out_.excludes_.instances_of(resource->address()).is_all()) continue;
      if (!left_out && row) add_needed_by(*row);
      if (!unplaced && (!left_out || has_deposed(*resource))) {
        for (const std::uint32_t one : before) add(one);
      }
    }
  }

  static bool has_deposed(const state::Resource& resource) {
    bool found = false;
    resource.for_each(
        [&](const state::Instance& instance) { found = found || !instance.deposed().empty(); });
    return found;
  }

  std::optional<std::uint32_t> row_of(const addrs::AbsResource& address) const {
    const config::TreeNode* node = find_module(*program_.tree, address.module);
    const config::Resource* resource = node ? node->module->resource(address.object) : nullptr;
    if (resource == nullptr) return std::nullopt;
    return row_of(*node, resource);
  }
  std::uint32_t row_of(const config::TreeNode& node, const void* declaration) const {
    const eval::ModuleRows& rows = rows_of(node);
    return rows.first.index + rows.shape->row_of(declaration);
  }
  const eval::ModuleRows& rows_of(const config::TreeNode& node) const {
    return program_.modules[node.id.index];
  }

  // The rows that planning an object of the state needs, whatever its configuration says: the rows
  // of its module and of its provider.
  std::vector<std::uint32_t> rows_before(const state::Resource& resource) {
    std::vector<std::uint32_t> rows;
    addrs::ModulePath module = resource.address().module.path();
    const config::TreeNode* node = find_module(*program_.tree, module);
    while (node == nullptr) {
      module = module.parent();
      node = find_module(*program_.tree, module);
    }
    rows.push_back(rows_of(*node).first.index);
    if (const auto provider = providers_.row_of(resource)) rows.push_back(provider->index);
    return rows;
  }

  void add(std::uint32_t row) {
    if (out_.rows_[row]) return;
    out_.rows_[row] = true;
    fresh_.push_back(row);
  }
  void add_needed() {
    while (!fresh_.empty()) {
      const std::uint32_t row = fresh_.back();
      fresh_.pop_back();
      for (const std::uint32_t wait : program_.waits.of(row)) add(wait);
    }
  }

  // Outputs of the root and variables with validations that depend on resources, all of which take
  // part.
  void add_results() {
    std::vector<bool> on_resources(size());
    std::vector<bool> on_others(size());  // that do not take part
    for (const std::uint32_t row : program_.order) {
      if (resource_in(row) != nullptr) {
        on_resources[row] = true;
        on_others[row] = !out_.rows_[row];
      }
      for (const std::uint32_t wait : program_.waits.of(row)) {
        if (on_resources[wait]) on_resources[row] = true;
        if (on_others[wait]) on_others[row] = true;
      }
    }
    for (std::uint32_t row = 0; row < size(); ++row) {
      if (on_resources[row] && !on_others[row] && is_result(program_.objects[row])) add(row);
    }
  }
  static bool is_result(const eval::Object& object) {
    if (object.kind == eval::ObjectKind::Output) return object.module == config::ModuleId{};
    return is_validated_variable(object);
  }

  const eval::Program& program_;
  const state::State& state_;
  Targeting& out_;
  StoredProviders providers_{program_};
  std::vector<std::uint32_t> fresh_;  // taken in, but not yet what they wait for
};

Targeting::Targeting(const eval::Program& program, const state::State& state,
                     const TargetOptions& options)
    : everything_(!options.any()), targets_(options.targets), excludes_(options.excludes) {
  if (!everything_) Choice(program, state, *this).make();
}

std::vector<bool> Targeting::left_out() const {
  std::vector<bool> rows = rows_;
  rows.flip();
  return rows;
}

InstanceFilter Targeting::instances_of(eval::ObjectId row,
                                       const addrs::AbsResource& resource) const {
  if (everything_) return InstanceFilter::all();
  if (!excludes_.empty()) return excludes_.instances_of(resource).inverted();
  return chosen_[row.index] ? targets_.instances_of(resource) : InstanceFilter::all();
}

bool Targeting::has_orphan(const addrs::AbsResourceInstance& instance) const {
  if (everything_) return true;
  if (!targets_.empty()) return targets_.contains(instance);
  return !excludes_.contains(instance) && !left_out_.contains(addrs::resource_of(instance));
}

bool Targeting::has_deposed(const addrs::AbsResourceInstance& instance) const {
  if (everything_) return true;
  if (!targets_.empty()) return targets_.contains(instance);
  return !excludes_.contains(instance) && !deposed_left_out_.contains(addrs::resource_of(instance));
}

void check_targeted_moves(const MoveOutcome& outcome, const TargetOptions& options,
                          diag::Diagnostics& diags) {
  if (!options.any() || outcome.moved.empty()) return;
  const bool targets = !options.targets.empty();
  const TargetIndex index(targets ? options.targets : options.excludes);
  std::set<addrs::AbsResource> missing;
  for (const auto& [now, from] : outcome.moved) {
    for (const addrs::AbsResourceInstance* address : {&now, &from.address}) {
      if (index.contains(*address) != targets) missing.insert(addrs::resource_of(*address));
    }
  }
  if (missing.empty()) return;
  std::string list;
  for (const addrs::AbsResource& resource : missing) {
    list += fmt::format("\n  -{}={:?}", targets ? "target" : "exclude", resource.to_string());
  }
  diags.error("Moved resource instances excluded by targeting")
      .detail(
          targets
              ? fmt::format(
                    "Some resource instances in the state have moved to other addresses. A plan "
                    "must include all of them. Add these options, or plan without -target:{}",
                    list)
              : fmt::format("Some resource instances in the state have moved to other addresses. A "
                            "plan must include all of them. Remove the options that exclude these, "
                            "or plan without -exclude:{}",
                            list));
}

namespace {

using Instances = std::vector<addrs::AbsResourceInstance>;
using InstanceSet = std::unordered_set<addrs::AbsResourceInstance, InstanceHash>;

// Names a set of instances: those of a resource, in all instances of its module or in
// the given one.
std::string set_name(const addrs::ConfigResource& resource, const addrs::ModuleInstance* in) {
  if (in == nullptr) return resource.to_string();
  return in->to_string() + "/" + resource.object.to_string();
}

// Between resources of one module, dependencies hold within each of its instances.
std::string dependency_name(const addrs::AbsResourceInstance& dependent,
                            const addrs::ConfigResource& dependency) {
  const bool same = dependent.module.is_instance_of(dependency.module);
  return set_name(dependency, same ? &dependent.module : nullptr);
}

// Instances by the sets they belong to. Each set is taken once: after
// that its members are in the result already, so that n instances that depend on m
// cost n + m steps.
class InstanceSets {
 public:
  void add(std::string name, const addrs::AbsResourceInstance& instance) {
    sets_[std::move(name)].push_back(instance);
  }

  // Adds all members of the sets that `names_of` an instance gives, of those in `start`
  // and then of what was added.
  void follow(
      Instances start,
      const std::function<std::vector<std::string>(const addrs::AbsResourceInstance&)>& names_of,
      InstanceSet& found) {
    while (!start.empty()) {
      const addrs::AbsResourceInstance at = std::move(start.back());
      start.pop_back();
      for (const std::string& name : names_of(at)) {
        const auto members = sets_.extract(name);
        if (members.empty()) continue;
        for (addrs::AbsResourceInstance& each : members.mapped()) {
          if (found.insert(each).second) start.push_back(std::move(each));
        }
      }
    }
  }

 private:
  std::unordered_map<std::string, Instances> sets_;
};

template <class On>
void for_each_current(const state::State& state, On&& on) {
  for (const state::Resource* resource : state.resources()) {
    resource->for_each([&](const state::Instance& instance) {
      if (const state::Object* object = instance.current()) {
        on(addrs::instance_of(resource->address(), instance.key()), *object);
      }
    });
  }
}

// What depends on the targets.
InstanceSet take_along(const state::State& state, const TargetIndex& targets) {
  InstanceSets dependents;  // by what they depend on
  Instances start;
  for_each_current(state, [&](addrs::AbsResourceInstance instance, const state::Object& object) {
    for (const addrs::ConfigResource& dependency : object.dependencies()) {
      dependents.add(dependency_name(instance, dependency), instance);
    }
    if (targets.contains(instance)) start.push_back(std::move(instance));
  });
  InstanceSet found;
  dependents.follow(
      std::move(start),
      [](const addrs::AbsResourceInstance& at) {
        const addrs::ConfigResource resource = addrs::config_of(at);
        return std::vector{set_name(resource, nullptr), set_name(resource, &at.module)};
      },
      found);
  return found;
}

// What the excluded depend on.
InstanceSet keep(const state::State& state, const TargetIndex& excludes) {
  InstanceSets instances;
  Instances start;
  for_each_current(state, [&](addrs::AbsResourceInstance instance, const state::Object&) {
    const addrs::ConfigResource resource = addrs::config_of(instance);
    instances.add(set_name(resource, nullptr), instance);
    instances.add(set_name(resource, &instance.module), instance);
    if (excludes.contains(instance)) start.push_back(std::move(instance));
  });
  InstanceSet found;
  instances.follow(
      std::move(start),
      [&](const addrs::AbsResourceInstance& at) {
        std::vector<std::string> names;
        for (const addrs::ConfigResource& dependency : state.object(at)->dependencies()) {
          names.push_back(dependency_name(at, dependency));
        }
        return names;
      },
      found);
  return found;
}

}  // namespace

DestroyTargeting::DestroyTargeting(const state::State& state, const TargetOptions& options)
    : everything_(!options.any()), targets_(options.targets), excludes_(options.excludes) {
  if (everything_) return;
  more_ = targets_.empty() ? keep(state, excludes_) : take_along(state, targets_);
}

bool DestroyTargeting::has(const addrs::AbsResourceInstance& instance) const {
  if (everything_) return true;
  if (!targets_.empty()) return targets_.contains(instance) || more_.contains(instance);
  return !excludes_.contains(instance) && !more_.contains(instance);
}

bool DestroyTargeting::has_deposed(const addrs::AbsResourceInstance& instance) const {
  if (everything_) return true;
  return targets_.empty() ? !excludes_.contains(instance) : targets_.contains(instance);
}

}  // namespace tofu::engine
