#include "views/difference_text.h"

#include <gtest/gtest.h>

namespace tofu::views {
namespace {

// The shape was recorded from OpenTofu 1.12.6 (`tofu test -no-color`).
TEST(DifferenceText, ComparesLineByLine) {
  EXPECT_EQ(difference_text({R"({"a":1,"b":[1,2]})", R"({"a":1,"b":[1,3]})", "false",
                             R"({"b":[false,false]})", R"({"b":[false,false]})"},
                            false),
            R"({
      ~ b = [
            1,
          - 2,
          + 3,
        ]
        # (1 unchanged attribute hidden)
    })");
  EXPECT_EQ(difference_text({"3", "\"3\"", "false", "false", "false"}, false), R"(3 -> "3")");
}

TEST(DifferenceText, SaysWhatIsNotKnownYet) {
  EXPECT_EQ(difference_text({R"({"a":1})", "{}", R"({"a":true})", "{}", "{}"}, false),
            "{\n      ~ a = 1 -> (known after apply)\n    }");
  EXPECT_EQ(difference_text({"1", "", "true", "false", "false"}, false),
            "1 -> (known after apply)");
}

TEST(DifferenceText, HidesWhatIsSensitive) {
  EXPECT_EQ(
      difference_text(
          {"\"(sensitive value 1)\"", "\"(sensitive value 2)\"", "false", "true", "true"}, false),
      "(sensitive value)");
}

}  // namespace
}  // namespace tofu::views
