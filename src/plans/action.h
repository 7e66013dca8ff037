// The planned action for one object, and its reason.
//
// The names are those of a plan's JSON document, which policy tools read; they
// never change.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace tofu::plans {

enum class Action : std::uint8_t {
  NoOp,
  Create,
  Read,
  Update,
  DeleteThenCreate,
  CreateThenDelete,
  ForgetThenCreate,  // the old object is left alone, and a new one made
  Delete,
  Forget,  // the object leaves the state and stays as it is
};

inline constexpr std::size_t kActionCount = 9;

// One of the three that end with another object than they begin with.
bool is_replace(Action action);

enum class ActionReason : std::uint8_t {
  None,
  ReplaceBecauseTainted,
  ReplaceByRequest,
  ReplaceByTriggers,
  ReplaceBecauseCannotUpdate,
  DeleteBecauseNoResourceConfig,
  DeleteBecauseWrongRepetition,
  DeleteBecauseCountIndex,
  DeleteBecauseEnabledFalse,
  DeleteBecauseEachKey,
  DeleteBecauseNoModule,
  DeleteBecauseNoMoveTarget,
  ReadBecauseConfigUnknown,
  ReadBecauseDependencyPending,
  ReadBecauseCheckNested,
  ForgotBecauseLifecycleDestroyInConfig,
  ForgotBecauseLifecycleDestroyInState,
};

// ["delete", "create"]: what happens, in its order.
std::span<const std::string_view> names_of(Action action);
std::optional<Action> action_named(std::span<const std::string_view> names);

// replace_because_tainted; empty for None.
std::string_view name_of(ActionReason reason);
std::optional<ActionReason> reason_named(std::string_view name);

}  // namespace tofu::plans
