#include "engine/removed.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "base/overloaded.h"
#include "engine/find_module.h"

namespace tofu::engine {

namespace {

addrs::ModulePath below(const addrs::ModulePath& outer, const addrs::ModulePath& inner) {
  addrs::ModulePath path = outer;
  path.names.insert(path.names.end(), inner.names.begin(), inner.names.end());
  return path;
}

std::string address_of(const config::Removed& block, const config::TreeNode& node) {
  return std::visit(
      base::Overloaded{
          [&](const addrs::ModulePath& module) { return below(node.path, module).to_string(); },
          [&](const addrs::ConfigResource& resource) {
            return addrs::ConfigResource{below(node.path, resource.module), resource.object}
                .to_string();
          },
      },
      block.from.subject);
}

}  // namespace

RemovedBlocks::RemovedBlocks(const config::Tree& tree) {
  for (const config::TreeNode& node : tree.nodes) {
    for (const config::Removed& block : node.module->removed) {
      const std::size_t at = entries_.size();
      entries_.push_back({&block, &node});
      by_address_.try_emplace(address_of(block, node), Range{at, at}).first->second.last = at;
    }
  }
}

std::optional<Removal> RemovedBlocks::find(const addrs::ConfigResource& resource) const {
  if (entries_.empty()) return std::nullopt;
  std::optional<Range> found;
  const auto look_up = [&](const std::string& address) {
    const auto range = by_address_.find(address);
    if (range == by_address_.end()) return;
    if (!found) found = range->second;
    found->first = std::min(found->first, range->second.first);
    found->last = std::max(found->last, range->second.last);
  };
  look_up(resource.to_string());
  for (addrs::ModulePath module = resource.module; !module.is_root(); module = module.parent()) {
    look_up(module.to_string());
  }
  if (!found) return std::nullopt;
  const Entry& first = entries_[found->first];
  const Entry& last = entries_[found->last];
  return Removal{last.block->destroy.value_or(false), last.block, &first.block->provisioners,
                 first.node};
}

void check_removed(const config::Tree& tree, diag::Diagnostics& diags) {
  for (const config::TreeNode& node : tree.nodes) {
    for (const config::Removed& block : node.module->removed) {
      const auto report = [&](std::string_view noun) {
        diags.error(fmt::format("The removed {} still exists", noun))
            .detail(fmt::format("This says that {} was removed, but the configuration still has "
                                "its block. Remove one of the two.",
                                address_of(block, node)))
            .at(block.range);
      };
      if (const auto* module = std::get_if<addrs::ModulePath>(&block.from.subject)) {
        if (find_module(tree, below(node.path, *module)) != nullptr) report("module");
        continue;
      }
      const auto& resource = std::get<addrs::ConfigResource>(block.from.subject);
      const config::TreeNode* holder = find_module(tree, below(node.path, resource.module));
      if (holder != nullptr && holder->module->resource(resource.object) != nullptr) {
        report("resource");
      }
    }
  }
}

}  // namespace tofu::engine
