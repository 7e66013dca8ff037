#include "config/version_conflict.h"

#include <array>
#include <fmt/format.h>
#include <optional>
#include <unordered_set>
#include <vector>

namespace tofu::config {

namespace {

// The first constraint that leaves no release of the Terraform line for which it and the ones
// before it hold; each of them holds alone.
std::optional<std::size_t> first_conflict(std::span<const HoldingConstraint* const> all,
                                          const OwnVersions& own) {
  const auto joined_hold = [&](std::size_t count) {
    addrs::Constraints joined;
    for (const HoldingConstraint* each : all.first(count)) joined.add(each->constraints);
    return own.terraform_meets(joined);
  };
  if (joined_hold(all.size())) return std::nullopt;
  std::size_t good = 1;
  std::size_t bad = all.size();
  while (bad - good > 1) {
    const std::size_t middle = good + (bad - good) / 2;
    (joined_hold(middle) ? good : bad) = middle;
  }
  return bad - 1;
}

// Modules repeat each other's constraints, which changes nothing about whether they go together.
std::vector<const HoldingConstraint*> distinct(std::span<const HoldingConstraint> all) {
  std::vector<const HoldingConstraint*> found;
  std::unordered_set<std::string> seen;
  for (const HoldingConstraint& each : all) {
    if (seen.insert(each.constraints.to_string()).second) found.push_back(&each);
  }
  return found;
}

}  // namespace

void check_together(std::span<const HoldingConstraint> given, const OwnVersions& own,
                    diag::Diagnostics& errors) {
  const std::vector<const HoldingConstraint*> all = distinct(given);
  if (all.size() < 2) return;
  const auto conflict = first_conflict(all, own);
  if (!conflict) return;
  const HoldingConstraint& last = *all[*conflict];
  // Two of them are mostly enough to show it.
  const HoldingConstraint* other = nullptr;
  for (const HoldingConstraint* each : std::span(all).first(*conflict)) {
    const std::array two{each, &last};
    if (first_conflict(two, own)) other = each;
  }
  const std::string others =
      other == nullptr
          ? "the other constraints allow"
          : fmt::format("the constraint \"{}\" of {} allows", other->constraints.to_string(),
                        other->module == last.module ? "the same module" : other->module);
  errors.error("Incompatible module")
      .detail(fmt::format(
          "The version constraint \"{}\" of {} excludes every release of Terraform {} that {}. "
          "Constraints for Terraform are met only if one release satisfies all of them. Remove one "
          "of them, or write one that allows the required release.",
          last.constraints.to_string(), last.module, own.terraform_text(), others))
      .at(last.range);
}

}  // namespace tofu::config
