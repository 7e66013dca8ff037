#include "engine/lifecycle.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "base/overloaded.h"
#include "engine/program_rows.h"
#include "eval/lifecycle.h"
#include "syntax/eval.h"
#include "value/convert.h"

namespace tofu::engine {

bool keeps_objects(const config::Resource& resource) { return resource.destroy == false; }

void check_prevent_destroy(const config::Resource& resource,
                           const addrs::AbsResourceInstance& address, plans::Action action,
                           const eval::ModuleScope& names, diag::Diagnostics& diags) {
  if (resource.prevent_destroy == nullptr) return;
  const auto truth = eval::evaluate_prevent_destroy(resource, names, diags);
  if (!truth) return;
  const auto refuse = [&](std::string why) {
    diags.error("Invalid value for prevent_destroy")
        .detail(std::move(why))
        .at(resource.prevent_destroy->range);
  };
  const bool destroys = action == plans::Action::Delete ||
                        action == plans::Action::CreateThenDelete ||
                        action == plans::Action::DeleteThenCreate;
  if (!destroys) return;
  if (truth->is_unknown()) {
    return refuse(
        fmt::format("For {}, the value is known only after apply. To continue without it, exclude "
                    "the resource with -exclude.",
                    address.to_string()));
  }
  if (truth->is_null()) {
    return refuse(fmt::format("For {}, the value is null. To allow destroying, set it to false.",
                              address.to_string()));
  }
  if (!truth->unmarked().as_bool()) return;
  diags.error("Resource instance cannot be destroyed")
      .detail(fmt::format(
          "{} has prevent_destroy set, but the plan would destroy it. Set prevent_destroy to false "
          "or remove it, or exclude the resource from the plan with -exclude.",
          address.to_string()))
      .at(resource.range);
}

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
        diags.error(fmt::format("Removed {} still exists", noun))
            .detail(fmt::format("{} is declared in both a removed block and the configuration. "
                                "Remove one of the two.",
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
