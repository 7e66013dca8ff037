#include "addrs/instance_key.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

#include "base/check.h"

namespace tofu::addrs {
namespace {

TEST(InstanceKey, PrintsAsItIsWritten) {
  EXPECT_EQ(InstanceKey().to_string(), "");
  EXPECT_EQ(InstanceKey(-3).to_string(), "[-3]");
  EXPECT_EQ(InstanceKey("a b").to_string(), "[\"a b\"]");
  EXPECT_EQ(InstanceKey("a\"\\\n${x}%{y}$z\u00a0\U000E0001").to_string(),
            R"(["a\"\\\n$${x}%%{y}$z\u00a0\U000e0001"])");
}

TEST(InstanceKey, OrdersNoneThenNumbersThenStrings) {
  std::vector<InstanceKey> keys = {InstanceKey("b"), InstanceKey(10), InstanceKey("B"),
                                   InstanceKey(9), InstanceKey()};
  std::ranges::sort(keys);

  std::string shown;
  for (const InstanceKey& key : keys) shown += key.to_string() + ";";
  EXPECT_EQ(shown, ";[9];[10];[\"B\"];[\"b\"];");
}

TEST(InstanceKey, ComesFromStringsAndWholeNumbersOnly) {
  using value::Value;
  EXPECT_EQ(*parse_instance_key(Value::string("k")), InstanceKey("k"));
  EXPECT_EQ(*parse_instance_key(Value::integer(7)), InstanceKey(7));
  EXPECT_FALSE(parse_instance_key(Value::number(*value::Number::parse("1.5"))));
  EXPECT_FALSE(parse_instance_key(Value::number(*value::Number::parse("1e30"))));
  EXPECT_FALSE(parse_instance_key(Value::boolean(true)));
  EXPECT_FALSE(parse_instance_key(Value::null()));
}

TEST(InstanceKey, HasAValueUnlessItIsNone) {
  EXPECT_TRUE(value::raw_equal(InstanceKey("k").value(), value::Value::string("k")));
  EXPECT_TRUE(value::raw_equal(InstanceKey(2).value(), value::Value::integer(2)));
  EXPECT_THROW(InstanceKey().value(), base::InternalError);
}

}  // namespace
}  // namespace tofu::addrs
