#include "plans/object_label.h"

#include <gtest/gtest.h>

namespace tofu::plans {
namespace {

using value::Type;
using value::Value;

Value tags(std::vector<value::MapEntry> entries) {
  return Value::map(Type::string(), std::move(entries));
}

TEST(ObjectLabel, IsTheIdBeforeTheName) {
  const Value object =
      Value::object({{"id", Value::string("i-1")}, {"name", Value::string("web")}});
  EXPECT_EQ(label_of(object), (ObjectLabel{"id", "i-1"}));
}

TEST(ObjectLabel, AnUnknownIdStillHidesTheNameUnlessANameWillDo) {
  const Value object =
      Value::object({{"id", Value::unknown(Type::string())}, {"name", Value::string("web")}});
  EXPECT_TRUE(label_of(object).empty());
  EXPECT_EQ(label_or_name_of(object), (ObjectLabel{"name", "web"}));
}

TEST(ObjectLabel, ASensitiveIdIsNotShown) {
  const Value object =
      Value::object({{"id", Value::string("secret").with_marks(value::Marks::sensitive())}});
  EXPECT_TRUE(label_of(object).empty());
  EXPECT_TRUE(label_or_name_of(object).empty());
  EXPECT_TRUE(any_label_of(object).empty());
}

TEST(ObjectLabel, ANameMayComeFromTheTags) {
  const Value object = Value::object({{"tags", tags({{"Name", Value::string("web")}})}});
  EXPECT_TRUE(label_of(object).empty());
  EXPECT_EQ(label_or_name_of(object), (ObjectLabel{"tags.Name", "web"}));
}

TEST(ObjectLabel, AnIdentityIsNamedByItsFirstString) {
  const Value identity =
      Value::object({{"account", Value::integer(1)}, {"region", Value::string("eu")}});
  EXPECT_TRUE(label_or_name_of(identity).empty());
  EXPECT_EQ(any_label_of(identity), (ObjectLabel{"region", "eu"}));
}

TEST(ObjectLabel, ThereIsNoneOfAnObjectThatIsNotThere) {
  EXPECT_TRUE(label_or_name_of(Value::null()).empty());
  EXPECT_TRUE(label_or_name_of(Value::unknown()).empty());
}

}  // namespace
}  // namespace tofu::plans
