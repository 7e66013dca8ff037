#include "config/declare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/config/declared.h"

namespace tofu::config {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Declare, KeepsEveryKindOfBlock) {
  const Declared result = declare(R"(
terraform {
  required_version = ">= 1.0"
  required_providers {
    aws = {
      source                = "example/aws"
      version               = "~> 2.0"
      configuration_aliases = [aws.west]
    }
  }
  backend "local" {}
}
provider "aws" {
  alias  = "east"
  region = "e"
}
variable "v" {
  type        = list(string)
  default     = []
  description = "d"
}
locals {
  l = var.v
}
output "o" {
  value     = local.l
  sensitive = true
}
module "m" {
  source    = "./m"
  for_each  = toset([])
  providers = { aws = aws.east }
  input     = 1
}
resource "aws_x" "r" {
  count      = 1
  provider   = aws.east
  depends_on = [module.m]
  a          = 1
  lifecycle {
    ignore_changes       = [a, b["c"]]
    replace_triggered_by = [aws_y.z[count.index]]
  }
}
data "aws_d" "d" {}
ephemeral "aws_e" "e" {}
check "c" {
  data "aws_d" "inner" {}
  assert {
    condition     = data.aws_d.inner.ok
    error_message = "no"
  }
}
moved {
  from = aws_x.old
  to   = aws_x.r
}
removed {
  from = aws_x.gone
  lifecycle { destroy = false }
}
import {
  to = aws_x.r[var.v[0]]
  id = "i"
}
)");
  ASSERT_THAT(result.places(), IsEmpty());
  const Module& module = *result.module;
  EXPECT_EQ(module.provider_for("aws").to_string(), "registry.opentofu.org/example/aws");
  EXPECT_EQ(module.provider_for("terraform").to_string(), "terraform.io/builtin/terraform");
  ASSERT_NE(module.managed_resources.find("aws_x.r"), nullptr);
  const Resource& resource = *module.managed_resources.find("aws_x.r");
  EXPECT_EQ(resource.provider_name(), "aws");
  EXPECT_EQ(resource.provider->alias, "east");
  EXPECT_EQ(resource.depends_on.size(), 1u);
  EXPECT_EQ(resource.ignore_changes.size(), 2u);
  diag::Diagnostics none;
  EXPECT_EQ(resource.config.just_attributes(none).size(), 1u);
  EXPECT_EQ(module.variables.find("v")->constraint.type, value::Type::list(value::Type::string()));
  EXPECT_EQ(module.checks.find("c")->data, module.data_resources.find("aws_d.inner"));
  EXPECT_EQ(module.imports.at(0).static_to.to_string(), "aws_x.r");
  EXPECT_FALSE(module.imports.at(0).resolved_to);
  EXPECT_TRUE(module.has_any_managed_resource_of_type("aws_x"));
  EXPECT_TRUE(module.has_managed_resource("aws_x", "r"));
  EXPECT_FALSE(module.has_managed_resource("aws_x", "q"));
}

TEST(Declare, NamesTheBlockAroundEachProblem) {
  const Declared result = declare(R"(resource "a" "b" {
  count = 1
  for_each = {}
}
output "c" {}
)");
  ASSERT_EQ(result.diags.size(), 2u);
  EXPECT_EQ(result.diags.items()[0].in, "resource \"a\" \"b\"");
  EXPECT_EQ(result.diags.items()[1].in, "output \"c\"");
}

TEST(Declare, WhatIsAboutAWholeBlockIsNotInIt) {
  const Declared result = declare("variable \"a\" {}\nvariable \"a\" {}\n");
  ASSERT_EQ(result.diags.size(), 1u);
  EXPECT_EQ(result.diags.items()[0].in, "");
}

TEST(Declare, NamesTheWayToTheObjectInJson) {
  const Declared result =
      declare({{"main.tf.json", R"({"resource": {"a": {"b": {"count": 1, "for_each": {}}}}})"}});
  ASSERT_EQ(result.diags.size(), 1u);
  EXPECT_EQ(result.diags.items()[0].in, ".resource.a.b");
}

TEST(Declare, ReportsDuplicatesAtTheSecondPlace) {
  const std::string text = R"(variable "v" {}
locals {
  l = 1
}
output "o" {
  value = 1
}
resource "a_b" "r" {}
data "a_b" "r" {}
module "m" {
  source = "./m"
}
provider "p" {}
)";
  const Declared result = declare({{"a.tf", text}, {"b.tf", text}});
  EXPECT_THAT(result.places(),
              ElementsAre("error b.tf:1", "error b.tf:3", "error b.tf:5", "error b.tf:8",
                          "error b.tf:9", "error b.tf:10", "error b.tf:13"));
  EXPECT_NE(result.diags.items()[0].detail.find("a.tf:1"), std::string::npos);
}

TEST(Declare, ADataSourceInACheckGivesWayToOneOutside) {
  const std::string check = R"(check "c" {
  data "a_b" "r" {}
  assert {
    condition     = data.a_b.r.id != ""
    error_message = "No."
  }
}
)";
  EXPECT_THAT(declare(check + "data \"a_b\" \"r\" {}\n").lines(), ElementsAre("2"));
}

TEST(Declare, MistakesInADuplicateAreToldAsWell) {
  EXPECT_THAT(
      declare("variable \"v\" {\n  type = bogus\n}\nvariable \"v\" {\n  type = bogus\n}\n").lines(),
      ElementsAre("2", "4", "5"));
}

TEST(Declare, ABackendBesideACloudBlockIsToldOfForEachFileFromThere) {
  const Declared result = declare({{"a.tf", "terraform {\n  backend \"local\" {}\n}\n"},
                                   {"b.tf", "terraform {\n  cloud {}\n}\n"},
                                   {"c.tf", ""}});
  EXPECT_THAT(result.places(), ElementsAre("error a.tf:2", "error a.tf:2"));
}

}  // namespace
}  // namespace tofu::config
