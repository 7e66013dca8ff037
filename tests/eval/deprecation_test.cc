#include <gmock/gmock.h>

#include "tests/eval/in_memory.h"

namespace tofu::eval {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Deprecation = InMemory;

constexpr const char* kVariable = "The variable \"old\" is marked as deprecated by module author.";
constexpr const char* kOutput = "Value derived from a deprecated source";

constexpr const char* kModule =
    "variable \"old\" {\n  default    = \"x\"\n  nullable   = false\n"
    "  deprecated = \"Use new.\"\n}\n"
    "output \"out\" {\n  value      = 1\n  deprecated = \"Use other.\"\n}\n";

TEST_F(Deprecation, WhatANullIsReplacedByIsNotGiven) {
  write("./m", kModule);
  EXPECT_THAT(problems_of("module \"m\" {\n  source = \"./m\"\n  old    = null\n}\n"), IsEmpty());
}

TEST_F(Deprecation, AnUnknownValueThatIsNeverNullIsGiven) {
  write("./m", kModule);
  EXPECT_THAT(
      problems_of("resource \"terraform_data\" \"x\" {}\n"
                  "variable \"v\" {}\n"
                  "module \"a\" {\n  source = \"./m\"\n  old = terraform_data.x.id\n}\n"
                  "module \"b\" {\n  source = \"./m\"\n  count = 2\n"
                  "  old = count.index\n}\n"
                  "module \"c\" {\n  source = \"./m\"\n  for_each = {}\n"
                  "  old = each.key\n}\n"
                  "module \"d\" {\n  source = \"./m\"\n  for_each = {}\n"
                  "  old = each.value\n}\n"
                  "module \"e\" {\n  source = \"./m\"\n  old = var.v\n}\n"),
      ElementsAre(fmt::format("main.tf:10 {}", kVariable), fmt::format("main.tf:15 {}", kVariable),
                  fmt::format("main.tf:5 {}", kVariable)));
}

TEST_F(Deprecation, OneSourceAtOnePlaceWarnsOnceHoweverOftenTheModuleIsCalled) {
  write("./m", kModule);
  write("./user",
        "module \"m\" {\n  source = \"./m\"\n  old = \"given\"\n}\n"
        "resource \"terraform_data\" \"a\" {\n  count = 3\n  input = module.m.out\n}\n");
  EXPECT_THAT(problems_of("module \"a\" {\n  source = \"./user\"\n}\n"
                          "module \"b\" {\n  source = \"./user\"\n  count = 2\n}\n"),
              ElementsAre(fmt::format("user/main.tf:3 {}", kVariable),
                          fmt::format("user/main.tf:7 {}", kOutput)));
}

TEST_F(Deprecation, AConditionThatIsLookedAtTwiceWarnsOnce) {
  write("./m", kModule);
  EXPECT_THAT(problems_of("module \"m\" {\n  source = \"./m\"\n}\n"
                          "output \"o\" {\n  value = 1\n  precondition {\n"
                          "    condition     = module.m.out == 1\n"
                          "    error_message = \"No.\"\n  }\n}\n"),
              ElementsAre(fmt::format("main.tf:7 {}", kOutput)));
}

}  // namespace
}  // namespace tofu::eval
