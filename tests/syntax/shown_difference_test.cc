#include "syntax/shown_difference.h"

#include <gtest/gtest.h>

#include "tests/syntax/evaluated.h"

namespace tofu::syntax {
namespace {

std::optional<diag::ShownDifference> difference(std::string_view text) {
  const Evaluated compared(text);
  return shown_difference(*compared.file->expr, &compared.scope);
}

TEST(ShownDifference, HasBothSidesAsTheDocumentsOfAChange) {
  const auto shown = difference(R"(o == { a = "y", b = [1, null] })");
  ASSERT_TRUE(shown);
  EXPECT_EQ(shown->before, R"({"a":"x","b":2})");
  EXPECT_EQ(shown->after, R"({"a":"y","b":[1,null]})");
  EXPECT_EQ(shown->after_unknown, "false");
  EXPECT_EQ(shown->before_sensitive, "{}");
  EXPECT_EQ(shown->after_sensitive, R"({"b":[false,false]})");
}

TEST(ShownDifference, SaysWhatIsNotKnownOnTheRight) {
  const auto part = difference("{ a = 1 } == { a = un, b = [us] }");
  ASSERT_TRUE(part);
  EXPECT_EQ(part->after, R"({"b":[null]})");
  EXPECT_EQ(part->after_unknown, R"({"a":true,"b":[true]})");

  const auto whole = difference("1 == un");
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->after, "");
  EXPECT_EQ(whole->after_unknown, "true");
}

TEST(ShownDifference, NumbersSecretsAndNeverShowsThem) {
  const auto shown = difference("[ss, sn, sop] == [ss, 7, so]");
  ASSERT_TRUE(shown);
  EXPECT_EQ(
      shown->before,
      R"json(["(sensitive value 1)","(sensitive value 2)",{"a":"(sensitive value 3)","b":2}])json");
  EXPECT_EQ(shown->after, R"json(["(sensitive value 1)",7,"(sensitive value 4)"])json");
  EXPECT_EQ(shown->before_sensitive, R"([true,true,{"a":true}])");
  EXPECT_EQ(shown->after_sensitive, R"([true,false,true])");
}

TEST(ShownDifference, IsOnlyThereForComparisonsThatCanBeShown) {
  EXPECT_FALSE(difference("1 != 1"));
  EXPECT_FALSE(difference("(1 == 2)"));
  EXPECT_FALSE(difference("un == 1"));
  EXPECT_FALSE(difference("[us] == [1]"));
  EXPECT_FALSE(difference("em == 1"));
  EXPECT_FALSE(difference("1 == [em]"));
}

}  // namespace
}  // namespace tofu::syntax
