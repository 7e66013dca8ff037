#include "plans/plan.h"

#include <algorithm>
#include <numeric>
#include <span>

#include "base/check.h"

namespace tofu::plans {

std::string_view name_of(DeferralReason reason) {
  switch (reason) {
    case DeferralReason::InstanceCountUnknown: return "instance_count_unknown";
    case DeferralReason::ProviderConfigUnknown: return "provider_config_unknown";
    case DeferralReason::DeferredPrerequisite: return "deferred_prereq";
  }
  base::broken_promise("a reason out of range");
}

std::vector<std::uint32_t> display_order(const Addresses& addresses,
                                         const std::vector<ResourceChange>& changes) {
  if (changes.empty()) return {};
  const std::vector<std::uint32_t> ranks = addresses.resource_ranks();
  // Where the changes of each resource begin: there is a place for each, so only those of one
  // resource are compared with each other.
  std::vector<std::uint32_t> begins(ranks.size() + 1);
  for (const ResourceChange& change : changes) ++begins[ranks[change.resource.index] + 1];
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  std::vector<std::uint32_t> order(changes.size());
  std::vector<std::uint32_t> ends = begins;
  for (std::uint32_t i = 0; i < changes.size(); ++i) {
    order[ends[ranks[changes[i].resource.index]]++] = i;
  }
  for (std::size_t i = 0; i + 1 < begins.size(); ++i) {
    const auto of_resource = std::span(order).subspan(begins[i], begins[i + 1] - begins[i]);
    std::ranges::sort(of_resource, [&](std::uint32_t a, std::uint32_t b) {
      const ResourceChange& x = changes[a];
      const ResourceChange& y = changes[b];
      if (x.key != y.key) return x.key < y.key;
      if (x.deposed() != y.deposed()) return x.deposed() < y.deposed();
      return a < b;
    });
  }
  return order;
}

void ChangeCounts::count(Action action) {
  switch (action) {
    case Action::NoOp:
    case Action::Read: return;
    case Action::Create: ++add; return;
    case Action::Update: ++change; return;
    case Action::DeleteThenCreate:
    case Action::CreateThenDelete: ++add, ++destroy; return;
    case Action::ForgetThenCreate: ++add, ++forget; return;
    case Action::Delete: ++destroy; return;
    case Action::Forget: ++forget; return;
  }
}

ChangeCounts count_changes(const Plan& plan) {
  ChangeCounts counts;
  for (const ResourceChange& change : plan.changes) {
    const auto mode = plan.addresses[change.resource].resource.mode;
    if (mode == addrs::ResourceMode::Ephemeral) continue;
    if (mode == addrs::ResourceMode::Data && change.action == Action::Delete) continue;
    if (change.importing() != nullptr) ++counts.import;
    counts.count(change.action);
  }
  return counts;
}

}  // namespace tofu::plans
