#include "addrs/check_rule.h"

#include <gtest/gtest.h>

namespace tofu::addrs {
namespace {

TEST(CheckRule, IsNamedAfterItsContainerAndBlock) {
  const Checkable check = AbsCheck{ModuleInstance{}.child("m", InstanceKey(0)), {"health"}};
  const Checkable output = AbsOutputValue{{}, {"o"}};
  const Checkable variable = AbsInputVariable{{}, {"v"}};
  const Checkable resource =
      AbsResourceInstance{{}, {{ResourceMode::Managed, "a", "b"}, InstanceKey("k")}};

  EXPECT_EQ((CheckRule{check, CheckRuleKind::CheckAssertion, 2}.to_string()),
            "module.m[0].check.health.assert[2]");
  EXPECT_EQ((CheckRule{output, CheckRuleKind::OutputPrecondition, 0}.to_string()),
            "output.o.precondition[0]");
  EXPECT_EQ((CheckRule{variable, CheckRuleKind::InputValidation, 1}.to_string()),
            "var.v.validation[1]");
  EXPECT_EQ((CheckRule{resource, CheckRuleKind::ResourcePostcondition, 0}.to_string()),
            "a.b[\"k\"].postcondition[0]");
}

TEST(CheckRule, ItsContainerHasAPlaceInTheConfiguration) {
  const Checkable check = AbsCheck{ModuleInstance{}.child("m", InstanceKey(0)), {"health"}};

  EXPECT_EQ(to_string(config_of(check)), "module.m.check.health");
}

}  // namespace
}  // namespace tofu::addrs
