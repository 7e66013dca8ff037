#include "engine/dependency_info.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "engine/lifecycle.h"
#include "engine/program_rows.h"
#include "eval/bindings.h"

namespace tofu::engine {

namespace {

using eval::ObjectId;
using eval::ObjectKind;

const config::Resource* resource_in(const eval::Program& program, std::uint32_t row) {
  const eval::Object& object = program.objects[row];
  if (object.kind != ObjectKind::Resource) return nullptr;
  return std::get<const config::Resource*>(object.declaration);
}

}  // namespace

DependencyInfo::DependencyInfo(const eval::Program& program, const std::vector<bool>& left_out,
                               std::vector<std::uint32_t> created_first)
    : program_(program), creates_first_(program.objects.size()) {
  std::vector<std::uint32_t> first = std::move(created_first);
  for (std::uint32_t row = 0; row < program.objects.size(); ++row) {
    const config::Resource* resource = resource_in(program, row);
    if (resource == nullptr || (!left_out.empty() && left_out[row])) continue;
    if (resource->create_before_destroy.value_or(false)) first.push_back(row);
  }
  if (first.empty()) return;
  for (const std::uint32_t row : reached(first)) {
    const config::Resource* resource = resource_in(program, row);
    creates_first_[row] = resource != nullptr && resource->mode == addrs::ResourceMode::Managed;
  }
}

void DependencyInfo::note_undeclared(const state::State& state) {
  if (program_.modules.size() == 1) return;
  for (const state::Resource* resource : state.resources()) {
    const addrs::AbsResource& address = resource->address();
    note_undeclared(addrs::ConfigResource{address.module.path(), address.object});
  }
}

void DependencyInfo::note_undeclared(const addrs::ConfigResource& resource) {
  if (resource_row(program_, resource)) return;
  const config::ModuleId module = program_.object(module_start(program_, resource.module)).module;
  if (program_.node(module).path == resource.module) undeclared_[module].insert(resource);
}

std::vector<std::uint32_t> DependencyInfo::reached(std::vector<std::uint32_t> from) const {
  // Most resources need little: looking through a few rows is quicker than a table of them.
  constexpr std::size_t kFew = 32;
  std::unordered_set<std::uint32_t> seen;  // all of `all`, once these are many
  std::vector<std::uint32_t> all = std::move(from);
  all.reserve(all.size() + kFew / 4);
  const auto is_new = [&](std::uint32_t row) {
    if (all.size() < kFew) return std::ranges::find(all, row) == all.end();
    if (seen.empty()) seen.insert(all.begin(), all.end());
    return seen.insert(row).second;
  };
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const std::uint32_t target : program_.waits.of(all[i])) {
      if (is_new(target)) all.push_back(target);
    }
  }
  return all;
}

std::vector<addrs::ConfigResource> DependencyInfo::dependencies(ObjectId resource) const {
  std::vector<addrs::ConfigResource> found;
  for (const std::uint32_t row : reached({resource.index})) {
    add_undeclared(row, found);
    const config::Resource* other = resource_in(program_, row);
    if (other == nullptr || row == resource.index) continue;
    found.push_back({program_.node(program_.objects[row].module).path, other->address()});
  }
  std::ranges::sort(found, {}, [](const addrs::ConfigResource& one) { return one.to_string(); });
  return found;
}

void DependencyInfo::add_undeclared(std::uint32_t row,
                                    std::vector<addrs::ConfigResource>& to) const {
  if (program_.objects[row].kind != ObjectKind::ModuleEnd) return;
  const auto undeclared = undeclared_.find(program_.objects[row].module);
  if (undeclared == undeclared_.end()) return;
  to.insert(to.end(), undeclared->second.begin(), undeclared->second.end());
}

DependencyInfo::Named DependencyInfo::named_by(ObjectId resource) const {
  Named named;
  const auto add = [&](std::uint32_t row, std::vector<std::uint32_t>& to) {
    const std::uint32_t begin = program_.waits.begin[row];
    for (std::uint32_t edge = begin; edge < program_.waits.begin[row + 1]; ++edge) {
      if (program_.reasons[edge] == eval::Why::DependsOn) to.push_back(program_.waits.edges[edge]);
    }
  };
  add(resource.index, named.by_itself);
  for (config::ModuleId module = program_.object(resource).module;;) {
    add(program_.modules[module.index].first.index, named.by_modules);  // the start of the module
    const config::TreeNode& node = program_.node(module);
    if (!node.parent) return named;
    module = *node.parent;
  }
}

std::vector<ObjectId> DependencyInfo::pending_before(ObjectId resource) const {
  const config::Resource& own = *resource_in(program_, resource.index);
  Named named = named_by(resource);
  std::vector<std::uint32_t> from = std::move(named.by_modules);  // all behind these counts
  std::vector<ObjectId> found;
  for (const std::uint32_t row : named.by_itself) {
    const config::Resource* other = resource_in(program_, row);
    if (other == nullptr) {
      from.push_back(row);
    } else if (other->mode != own.mode) {
      found.push_back({row});
    }
  }
  if (has_conditions(own)) {
    for (const std::uint32_t row : program_.waits.of(resource.index)) from.push_back(row);
  }
  for (const std::uint32_t row : reached(std::move(from))) {
    const config::Resource* other = resource_in(program_, row);
    if (other != nullptr && other->mode != own.mode) found.push_back({row});
  }
  // A reference to a managed resource means its planned object.
  for (const std::uint32_t row : program_.waits.of(resource.index)) {
    const config::Resource* other = resource_in(program_, row);
    if (other != nullptr && other->mode == addrs::ResourceMode::Managed) found.push_back({row});
  }
  std::ranges::sort(found);
  found.erase(std::ranges::unique(found).begin(), found.end());
  return found;
}

std::vector<addrs::ConfigResource> DependencyInfo::undeclared_before(ObjectId resource) const {
  std::vector<addrs::ConfigResource> found;
  if (undeclared_.empty()) return found;
  Named named = named_by(resource);
  std::vector<std::uint32_t> from = std::move(named.by_modules);
  for (const std::uint32_t row : named.by_itself) {
    if (resource_in(program_, row) == nullptr) from.push_back(row);
  }
  for (const std::uint32_t row : reached(std::move(from))) add_undeclared(row, found);
  return found;
}

}  // namespace tofu::engine
