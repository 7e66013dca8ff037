#include "plans/action.h"

#include <algorithm>
#include <array>
#include <utility>

namespace tofu::plans {

namespace {

struct ActionNames {
  std::array<std::string_view, 2> names;
  std::size_t count;
};

// In the order of the enumeration.
constexpr std::array<ActionNames, kActionCount> kActions{{
    {{"no-op"}, 1},
    {{"create"}, 1},
    {{"read"}, 1},
    {{"update"}, 1},
    {{"delete", "create"}, 2},
    {{"create", "delete"}, 2},
    {{"forget", "create"}, 2},
    {{"delete"}, 1},
    {{"forget"}, 1},
}};

constexpr std::array<std::string_view, 17> kReasons{
    "",
    "replace_because_tainted",
    "replace_by_request",
    "replace_by_triggers",
    "replace_because_cannot_update",
    "delete_because_no_resource_config",
    "delete_because_wrong_repetition",
    "delete_because_count_index",
    "delete_because_enabled_false",
    "delete_because_each_key",
    "delete_because_no_module",
    "delete_because_no_move_target",
    "read_because_config_unknown",
    "read_because_dependency_pending",
    "read_because_check_nested",
    "forgot_because_lifecycle_destroy_in_config",
    "forgot_because_lifecycle_destroy_in_state",
};
static_assert(static_cast<std::size_t>(ActionReason::ForgotBecauseLifecycleDestroyInState) + 1 ==
              kReasons.size());

}  // namespace

bool is_replace(Action action) {
  return action == Action::DeleteThenCreate || action == Action::CreateThenDelete ||
         action == Action::ForgetThenCreate;
}

std::span<const std::string_view> names_of(Action action) {
  const ActionNames& row = kActions[static_cast<std::size_t>(action)];
  return std::span(row.names).first(row.count);
}

std::optional<Action> action_named(std::span<const std::string_view> names) {
  for (std::size_t i = 0; i < kActionCount; ++i) {
    const auto action = static_cast<Action>(i);
    if (std::ranges::equal(names_of(action), names)) return action;
  }
  return std::nullopt;
}

std::string_view name_of(ActionReason reason) { return kReasons[static_cast<std::size_t>(reason)]; }

std::optional<ActionReason> reason_named(std::string_view name) {
  const auto* at = std::ranges::find(kReasons, name);
  if (at == kReasons.end()) return std::nullopt;
  return static_cast<ActionReason>(at - kReasons.begin());
}

}  // namespace tofu::plans
