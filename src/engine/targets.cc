#include "engine/targets.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <utility>

#include "engine/find_module.h"
#include "eval/shape.h"

namespace tofu::engine {

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
    add_outputs();
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
      if (!filter.is_none()) add_for_state(*resource);
    }
  }

  // What planning an object of the state needs: its module's and its provider's rows; of
  // a resource that has a row, what that waits for.
  void add_for_state(const state::Resource& resource) {
    if (const auto row = row_of(resource.address())) {
      for (const std::uint32_t wait : program_.waits.of(*row)) add(wait);
      return;
    }
    for (const std::uint32_t row : rows_before(resource)) add(row);
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
      if (!left_out) {
        add_for_state(*resource);
      } else if (!unplaced && has_deposed(*resource)) {
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
    return program_.modules[static_cast<std::size_t>(&node - program_.tree->nodes.data())];
  }

  // What an object needs for which no configuration is asked.
  std::vector<std::uint32_t> rows_before(const state::Resource& resource) const {
    std::vector<std::uint32_t> rows;
    addrs::ModulePath module = resource.address().module.path();
    const config::TreeNode* node = find_module(*program_.tree, module);
    while (node == nullptr) {
      module = module.parent();
      node = find_module(*program_.tree, module);
    }
    rows.push_back(rows_of(*node).first.index);
    if (const auto provider = provider_row(resource.provider())) rows.push_back(*provider);
    return rows;
  }

  std::optional<std::uint32_t> provider_row(std::optional<addrs::AbsProviderConfig> config) const {
    for (; config; config = addrs::inherited_from(*config)) {
      const config::TreeNode* node = find_module(*program_.tree, config->module);
      if (node == nullptr) continue;
      const addrs::LocalProviderConfig local{node->module->local_name_of(config->provider),
                                             config->alias};
      const auto* found = node->provider_configs().find(local.compact());
      if (found != nullptr) return row_of(*node, found);
    }
    return std::nullopt;
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

  // Outputs of the root that depend on resources, all of which take part.
  void add_outputs() {
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
      const eval::Object& object = program_.objects[row];
      if (object.kind != eval::ObjectKind::Output || object.module != config::ModuleId{}) continue;
      if (on_resources[row] && !on_others[row]) add(row);
    }
  }

  const eval::Program& program_;
  const state::State& state_;
  Targeting& out_;
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
  diags.error("Moved objects do not take part")
      .detail(targets ? fmt::format("Objects of the state have moved to other addresses, and a "
                                    "plan is only right if it has all of them. Add these options, "
                                    "or plan without -target:{}",
                                    list)
                      : fmt::format("Objects of the state have moved to other addresses, and a "
                                    "plan is only right if it has all of them. Remove what "
                                    "excludes these, or plan without -exclude:{}",
                                    list));
}

}  // namespace tofu::engine
