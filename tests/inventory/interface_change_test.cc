#include "inventory/interface_change.h"

#include <gmock/gmock.h>

#include "tests/archive/tree_fixture.h"

namespace tofu::inventory {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class InterfaceChangeTest : public archive::TreeFixture {
 protected:
  std::vector<std::string> changes(const std::string& before, const std::string& after) {
    write("before/main.tf", before);
    write("after/main.tf", after);
    const auto old = read_interface(at("before"));
    const auto now = read_interface(at("after"));
    EXPECT_TRUE(old && now);
    return old && now ? interface_changes(*old, *now) : std::vector<std::string>();
  }
};

TEST_F(InterfaceChangeTest, DeclarationsThatCameAndWentAreListed) {
  EXPECT_THAT(changes("variable \"a\" {}\noutput \"x\" {\n  value = 1\n}\n",
                      "variable \"b\" {}\nvariable \"c\" {\n  default = 1\n}\n"
                      "output \"y\" {\n  value = 1\n}\n"),
              ElementsAre("- variable \"a\"", "+ variable \"b\" (required)", "+ variable \"c\"",
                          "- output \"x\"", "+ output \"y\""));
}

TEST_F(InterfaceChangeTest, WhatCallersSeeOfAChangeIsNamed) {
  EXPECT_THAT(changes("variable \"a\" {\n  type = string\n}\noutput \"x\" {\n  value = 1\n}\n",
                      "variable \"a\" {\n  type       = number\n  default    = 1\n"
                      "  deprecated = \"Use b.\"\n}\n"
                      "output \"x\" {\n  value = 2\n  deprecated = \"Use y.\"\n}\n"),
              ElementsAre("~ variable \"a\" (optional now; type number instead of string; "
                          "deprecated: Use b.)",
                          "~ output \"x\" (deprecated: Use y.)"));
}

TEST_F(InterfaceChangeTest, LayoutAndDescriptionsAreNoChange) {
  EXPECT_THAT(changes("variable \"a\" {\n  type = object({ n = number })\n}\n",
                      "variable \"a\" {\n  description = \"A\"\n"
                      "  type = object({\n    n = number\n  })\n}\n"),
              IsEmpty());
}

TEST_F(InterfaceChangeTest, ADirectoryThatIsMissingHasNoInterface) {
  EXPECT_FALSE(read_interface(at("nowhere")));
}

}  // namespace
}  // namespace tofu::inventory
