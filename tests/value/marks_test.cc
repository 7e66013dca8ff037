#include "value/marks.h"

#include <gtest/gtest.h>

namespace tofu::value {
namespace {

TEST(Marks, AreASet) {
  const Marks both = Marks::sensitive().with(Marks::ephemeral());
  EXPECT_EQ(both, Marks::ephemeral().with(Marks::sensitive()));
  EXPECT_EQ(both.with(Marks::sensitive()), both);
  EXPECT_EQ(both.without_sensitive(), Marks::ephemeral());
  EXPECT_TRUE(both.without_sensitive().without_ephemeral().empty());
  EXPECT_EQ(Marks().with(both), both);
}

TEST(Marks, CarryTheSourcesOfDeprecatedValues) {
  const Marks one = Marks::deprecated({"module.a.old", "use new", false});
  const Marks two = Marks::deprecated({"module.b.old", "use other", true});
  const Marks both = two.with(one).with(one);
  EXPECT_EQ(both, one.with(two));
  ASSERT_EQ(both.deprecations().size(), 2u);
  EXPECT_EQ(both.deprecations()[0].source, "module.a.old");
  EXPECT_TRUE(both.deprecations()[1].from_remote_module);
  EXPECT_TRUE(both.without_deprecations().empty());
}

TEST(Marks, DeprecationNeverMakesAValueSensitive) {
  EXPECT_FALSE(Marks::deprecated({"a", "b", false}).is_sensitive());
  EXPECT_TRUE(Marks::deprecated({"a", "b", false}).with(Marks::sensitive()).is_sensitive());
}

}  // namespace
}  // namespace tofu::value
