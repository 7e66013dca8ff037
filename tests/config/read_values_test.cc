// Variables, outputs, locals and module calls with what can be wrong in them. The
// places are those that OpenTofu reports.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/config/declared.h"

namespace tofu::config {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(ReadVariable, TakesConstantsOfTheRightTypeOnly) {
  EXPECT_THAT(declare(R"(variable "a" {
  description = var.x
  sensitive   = "maybe"
  nullable    = null
  deprecated  = upper("x")
  const       = [true]
  ephemeral   = 1
  bogus       = 1
  nope {}
}
variable "b" {
  description = null
  deprecated  = "  "
}
)")
                  .lines(),
              ElementsAre("2", "3", "4", "5", "6", "7", "8", "9", "12", "13"));
}

TEST(ReadVariable, ADefaultHasTheRightTypeEvenIfItIsNoConstant) {
  EXPECT_THAT(declare(R"(variable "a" {
  type    = number
  default = { a = b.c }
}
variable "b" {
  type    = list(string)
  default = [a, b.c]
}
variable "c" {
  type    = list(string)
  default = ("x${b}y")
}
variable "d" {
  type    = map(number)
  default = { a = b + 1, c = d }
}
variable "e" {
  type    = bool
  default = !f
}
variable "g" {
  type    = list(number)
  default = -h
}
)")
                  .lines(),
              ElementsAre("3", "3", "7", "7", "11", "11", "15", "15", "19", "23", "23"));
}

TEST(ReadVariable, NullableThatCannotBeReadIsFalse) {
  EXPECT_THAT(declare(R"(variable "a" {
  nullable = null
  default  = null
}
variable "b" {
  nullable = "maybe"
  default  = null
}
)")
                  .lines(),
              ElementsAre("2", "3", "6", "7"));
}

TEST(ReadVariable, AnOverrideOfNothingIsCheckedToo) {
  EXPECT_THAT(declare({{"main.tf", ""},
                       {"x_override.tf",
                        "variable \"a\" {\n  type    = nope\n  default = foo.bar\n}\n"
                        "variable \"b\" {\n  type    = number\n  default = \"x\"\n}\n"}})
                  .lines(),
              ElementsAre("1", "2", "3", "5", "7"));
}

TEST(ReadVariable, RefusesNamesThatNoCallerCouldSet) {
  EXPECT_THAT(declare(R"(variable "1a" {}
variable "source" {}
variable "lifecycle" {}
variable "_" {}
variable "enabled" {}
)")
                  .lines(),
              ElementsAre("1", "2", "3", "4"));
}

TEST(ReadVariable, ValidatesItself) {
  EXPECT_THAT(declare(R"(variable "a" {
  validation {
    condition     = true
    error_message = "x"
  }
  validation {
    condition     = local.x
    error_message = 1
  }
  validation {
    condition     = var.a != ""
    error_message = "x"
    bogus         = 1
  }
  validation {
    error_message = "x"
  }
}
)")
                  .lines(),
              ElementsAre("3", "3", "7", "13", "15"));
}

TEST(ReadOutput, NeedsAValueAndHasNoPostconditions) {
  EXPECT_THAT(declare(R"(output "a" {}
output "b c" {
  value = 1
}
output "d" {
  value      = 1
  sensitive  = "x"
  deprecated = ""
  depends_on = [1, "var.x", foo[*]]
  precondition {
    condition     = true
    error_message = "x"
  }
  postcondition {
    condition     = true
    error_message = "x"
  }
}
output "e" {
  value      = 1
  deprecated = " "
}
output "f" {
  value      = 1
  depends_on = "x"
}
)")
                  .lines(),
              ElementsAre("1", "2", "7", "9", "9", "w9", "11", "14", "21", "25"));
}

TEST(ReadLocals, HaveNoBlocksAndNoLabels) {
  EXPECT_THAT(declare("locals {\n  a = 1\n  nested {}\n}\nlocals \"x\" {}\n").lines(),
              ElementsAre("3", "5"));
}

TEST(ReadModuleCall, TakesMetaArgumentsApart) {
  EXPECT_THAT(declare(R"(module "a" {}
module "b c" {
  source = "./x"
}
module "d" {
  source   = "./x"
  count    = 1
  for_each = {}
  lifecycle {
    enabled = true
    other   = 1
  }
  lifecycle {}
  locals {}
  provider "x" {}
  _ {}
  _ {}
  providers = {
    aws       = aws
    "aws"     = aws.b
    aws.c     = "aws.d"
    Aws.x     = aws
    aws.e     = foo()
    aws.f.g.h = aws
    aws["x"]  = aws
  }
}
module "e" {
  source    = "./x"
  providers = [aws]
}
)")
                  .lines(),
              ElementsAre("1", "2", "7", "11", "13", "14", "15", "17", "20", "w20", "w21", "22",
                          "23", "24", "25", "30"));
}

TEST(ReadModuleCall, EscapedArgumentsAreInputs) {
  const Declared result = declare(R"(module "m" {
  source = "./m"
  a      = 1
  _ {
    source = 2
  }
}
)");
  ASSERT_THAT(result.places(), IsEmpty());
  diag::Diagnostics none;
  const auto inputs = result.module->module_calls.find("m")->config.just_attributes(none);
  ASSERT_EQ(inputs.size(), 2u);
  EXPECT_EQ(inputs[1].name, "source");
}

TEST(ReadModuleCall, AnArgumentIsNotBothEscapedAndPlain) {
  const Declared result = declare(R"(module "m" {
  source = "./m"
  a      = 1
  _ {
    a = 2
  }
}
)");
  syntax::BodySchema inputs;
  inputs.attributes.push_back({"a"});
  diag::Diagnostics diags;
  result.module->module_calls.find("m")->config.content(inputs, diags);
  ASSERT_EQ(diags.size(), 1u);
  EXPECT_EQ(result.sources->position({}, diags.items()[0].subject->begin).line, 5u);
}

}  // namespace
}  // namespace tofu::config
