#include <gmock/gmock.h>

#include "tests/eval/in_memory.h"

namespace tofu::eval {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using ValidateModule = InMemory;

TEST_F(ValidateModule, ArgumentsHaveToFitTheTypesOfVariables) {
  write("./m", "variable \"in\" {\n  type = number\n}\n");

  EXPECT_THAT(problems_of("module \"m\" {\n  source = \"./m\"\n  in = \"one\"\n}\n"),
              ElementsAre("m/main.tf:1 Invalid value for input variable"));
}

TEST_F(ValidateModule, NullIsRefusedWhereAVariableSaysSo) {
  write("./m", "variable \"in\" {\n  nullable = false\n}\n");

  EXPECT_THAT(problems_of("module \"m\" {\n  source = \"./m\"\n  in = null\n}\n"),
              ElementsAre("main.tf:3 Required variable not set"));
}

TEST_F(ValidateModule, ConstantsAreHeldAgainstTheRulesOfAVariable) {
  write("./m",
        "variable \"in\" {\n  validation {\n    condition = var.in > 1\n"
        "    error_message = \"Too small.\"\n  }\n}\n");

  EXPECT_THAT(problems_of("module \"m\" {\n  source = \"./m\"\n  in = 1\n}\n"
                          "module \"n\" {\n  source = \"./m\"\n  in = 2\n}\n"),
              ElementsAre("main.tf:3 Invalid value for variable"));
}

TEST_F(ValidateModule, ADefaultThatBreaksARuleIsReportedAtTheVariable) {
  write("./m",
        "variable \"in\" {\n  default = 1\n  validation {\n    condition = var.in > 1\n"
        "    error_message = \"Too small.\"\n  }\n}\n");

  EXPECT_THAT(problems_of("module \"m\" {\n  source = \"./m\"\n}\n"),
              ElementsAre("m/main.tf:1 Invalid value for variable"));
}

TEST_F(ValidateModule, ADeprecatedVariableDrawsAWarningWhereItIsSet) {
  write("./m", "variable \"in\" {\n  default = 1\n  deprecated = \"Use other.\"\n}\n");

  EXPECT_THAT(
      problems_of("module \"m\" {\n  source = \"./m\"\n  in = 2\n}\n"
                  "module \"n\" {\n  source = \"./m\"\n}\n"),
      ElementsAre("main.tf:3 The variable \"in\" is marked as deprecated by module author."));
}

TEST_F(ValidateModule, NullIsNoUseOfADeprecatedVariable) {
  write("./m", "variable \"in\" {\n  default = 1\n  deprecated = \"Use other.\"\n}\n");

  EXPECT_THAT(problems_of("module \"m\" {\n  source = \"./m\"\n  in = null\n}\n"), IsEmpty());
}

TEST_F(ValidateModule, ADeprecatedOutputDrawsAWarningWhereItIsNamed) {
  write("./m", "output \"old\" {\n  value = 1\n  deprecated = \"Use new.\"\n}\n");

  EXPECT_THAT(problems_of("module \"m\" {\n  source = \"./m\"\n}\n"
                          "module \"n\" {\n  source = \"./m\"\n  count = 1\n}\n"
                          "locals {\n  a = [\n    module.m.old,\n    module.n[0].old\n  ]\n}\n"),
              ElementsAre("main.tf:10 Value derived from a deprecated source",
                          "main.tf:11 Value derived from a deprecated source"));
  EXPECT_EQ(diags_.items()[0].detail,
            "This value is derived from module.m.old, which is deprecated with the following "
            "message:\n\nUse new.");
}

TEST_F(ValidateModule, EphemeralArgumentsNeedAnEphemeralVariable) {
  write("./m", "variable \"kept\" {}\nvariable \"gone\" {\n  ephemeral = true\n}\n");

  EXPECT_THAT(
      problems_of("variable \"v\" {\n  ephemeral = true\n}\n"
                  "module \"m\" {\n  source = \"./m\"\n  kept = var.v\n  gone = var.v\n}\n"),
      ElementsAre("main.tf:6 Variable does not allow ephemeral value"));
}

TEST_F(ValidateModule, CountAndForEachAreChecked) {
  write("./m", "");

  EXPECT_THAT(
      problems_of("module \"a\" {\n  source = \"./m\"\n  count = -1\n}\n"
                  "module \"b\" {\n  source = \"./m\"\n  for_each = [1]\n}\n"
                  "module \"c\" {\n  source = \"./m\"\n  count = \"x\"\n}\n"
                  "module \"d\" {\n  source = \"./m\"\n  count = null\n}\n"
                  "module \"e\" {\n  source = \"./m\"\n  for_each = sensitive({})\n}\n"
                  "module \"f\" {\n  source = \"./m\"\n  for_each = toset([\"a\"])\n}\n"),
      ElementsAre("main.tf:11 Incorrect value type", "main.tf:15 Invalid count argument",
                  "main.tf:19 Invalid for_each argument", "main.tf:3 Invalid count argument",
                  "main.tf:7 Invalid for_each argument"));
}

TEST_F(ValidateModule, OutputsOfTheRootSayIfTheyAreSensitive) {
  EXPECT_THAT(problems_of("variable \"v\" {\n  sensitive = true\n}\n"
                          "output \"a\" {\n  value = [var.v]\n}\n"
                          "output \"b\" {\n  value = [var.v]\n  sensitive = true\n}\n"),
              ElementsAre("main.tf:4 Output refers to sensitive values"));
}

TEST_F(ValidateModule, OutputsKeepNothingEphemeral) {
  EXPECT_THAT(problems_of("variable \"v\" {\n  ephemeral = true\n}\n"
                          "output \"a\" {\n  value = var.v\n}\n"
                          "output \"b\" {\n  value = 1\n  ephemeral = true\n}\n"),
              ElementsAre("main.tf:5 Output does not allow ephemeral value",
                          "main.tf:7 Invalid output configuration"));
}

TEST_F(ValidateModule, PreconditionsThatNeverHoldFail) {
  EXPECT_THAT(
      problems_of("locals {\n  no = false\n}\noutput \"a\" {\n  value = 1\n  precondition {\n"
                  "    condition = local.no\n    error_message = \"never\"\n  }\n}\n"),
      ElementsAre("main.tf:7 Module output value precondition failed"));
}

TEST_F(ValidateModule, MessagesHaveToBeText) {
  EXPECT_THAT(problems_of("locals {\n  yes = true\n}\ncheck \"c\" {\n"
                          "  assert {\n    condition = local.yes\n    error_message = null\n  }\n"
                          "  assert {\n    condition = local.yes\n"
                          "    error_message = sensitive(\"x\")\n  }\n}\n"),
              ElementsAre("main.tf:11 Error message refers to sensitive values",
                          "main.tf:7 Invalid error message"));
}

TEST_F(ValidateModule, AModuleCalledTwiceTellsItsMistakesTwice) {
  write("./m", "locals {\n  a = var.no\n}\n");

  EXPECT_THAT(problems_of("module \"x\" {\n  source = \"./m\"\n}\nmodule \"y\" {\n  source = "
                          "\"./m\"\n}\n"),
              ElementsAre("m/main.tf:2 Reference to undeclared input variable",
                          "m/main.tf:2 Reference to undeclared input variable"));
}

TEST_F(ValidateModule, ArgumentsMayUseCountAndEach) {
  write("./m", "variable \"in\" {}\n");

  EXPECT_THAT(
      problems_of("module \"m\" {\n  source = \"./m\"\n  count = 2\n  in = count.index\n}\n"),
      IsEmpty());
}

TEST_F(ValidateModule, AMissingProviderConfigurationIsNamedWhereItIsLookedFor) {
  write("./m", "resource \"terraform_data\" \"a\" {}\n");
  (void)problems_of(
      "module \"m\" {\n  source    = \"./m\"\n"
      "  providers = { terraform = terraform.x }\n}\n");
  EXPECT_THAT(diags_.items().back().detail,
              ::testing::HasSubstr("configuration terraform.x of the root module"));
}

TEST_F(ValidateModule, AFailedValidationIsToldOnceItsMessageIsKnown) {
  EXPECT_THAT(problems_of("variable \"l\" {\n  type = list(string)\n  validation {\n"
                          "    condition     = var.l == 1\n"
                          "    error_message = join(\",\", var.l)\n  }\n}\n"),
              IsEmpty());
}

}  // namespace
}  // namespace tofu::eval
