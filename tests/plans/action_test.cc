#include "plans/action.h"

#include <array>
#include <gtest/gtest.h>
#include <set>
#include <string>

namespace tofu::plans {
namespace {

TEST(Action, NamesReadBackAsTheSameAction) {
  for (std::size_t i = 0; i < kActionCount; ++i) {
    const auto action = static_cast<Action>(i);
    EXPECT_EQ(action_named(names_of(action)), action);
  }
}

TEST(Action, TheOrderOfAReplacementIsInItsNames) {
  const std::array<std::string_view, 2> names{"create", "delete"};
  EXPECT_EQ(action_named(names), Action::CreateThenDelete);
}

TEST(Action, AnUnknownNameIsNoAction) {
  const std::array<std::string_view, 1> names{"explode"};
  EXPECT_EQ(action_named(names), std::nullopt);
}

TEST(ActionReason, EveryReasonHasANameOfItsOwn) {
  std::set<std::string> names;
  for (int i = 0; i <= static_cast<int>(ActionReason::ForgotBecauseLifecycleDestroyInState); ++i) {
    const auto reason = static_cast<ActionReason>(i);
    EXPECT_EQ(reason_named(name_of(reason)), reason);
    names.emplace(name_of(reason));
  }
  EXPECT_EQ(names.size(), 17U);
}

}  // namespace
}  // namespace tofu::plans
