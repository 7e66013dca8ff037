#include "addrs/constraints_text.h"

#include <gtest/gtest.h>

namespace tofu::addrs {
namespace {

TEST(ConstraintsText, IsEmptyWithoutConstraints) { EXPECT_EQ(constraints_text({}), ""); }

// Recorded from OpenTofu.
TEST(ConstraintsText, IsSortedAndWrittenOut) {
  const struct {
    const char* written;
    const char* text;
  } cases[] = {
      {"1.2.3", "1.2.3"},
      {"= 1.2.3-beta+foo.bar", "1.2.3-beta+foo.bar"},
      {">= 3", ">= 3.0.0"},
      {"~> 3", "~> 3.0"},
      {"~> 3.0", "~> 3.0"},
      {"~> 3.0.0", "~> 3.0.0"},
      {"> 1.0.0, < 1.0.0, >= 1.0.0, <= 1.0.0, != 1.0.0",
       "> 1.0.0, >= 1.0.0, <= 1.0.0, < 1.0.0, != 1.0.0"},
      {">= 1.2.3, 1.2.3, ~> 1.2, 1.2.3", "~> 1.2, >= 1.2.3, 1.2.3"},
      {">= 2.68, >= 2.68.0", ">= 2.68.0"},
      {"1.2.3+local.2, 1.2.3+local.1, = 1.2.3, ~> 1.2.3, <= 1.2.3",
       "1.2.3, ~> 1.2.3, <= 1.2.3, 1.2.3+local.1, 1.2.3+local.2"},
      {"~> 1.2, >= 1.2, 1.2.4", ">= 1.2.0, ~> 1.2, 1.2.4"},
  };
  for (const auto& each : cases) {
    const auto constraints = Constraints::parse(each.written);
    ASSERT_TRUE(constraints.ok()) << each.written;
    EXPECT_EQ(constraints_text(constraints->all()), each.text) << each.written;
  }
}

}  // namespace
}  // namespace tofu::addrs
