// How provider configurations are declared, configured and passed between modules.
// The places are those that OpenTofu reports.
#include "tests/config/link_fixture.h"

namespace tofu::config {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ProviderChecks : public LinkFixture {
 protected:
  // Links a root that calls ./m, and returns the places of all diagnostics.
  std::vector<std::string> check(std::string root, std::string module) {
    diags_.clear();
    write(".", std::move(root));
    write("./m", std::move(module));
    (void)link();
    return places();
  }
};

constexpr const char* kNeedsTwo = R"(terraform {
  required_providers {
    tf = {
      configuration_aliases = [tf.a, tf.b]
    }
  }
}
)";

TEST_F(ProviderChecks, EveryAliasThatAModuleNeedsIsPassed) {
  EXPECT_THAT(check("module \"m\" {\n  source = \"./m\"\n}\n", kNeedsTwo),
              ElementsAre(".:1", ".:1"));
  EXPECT_THAT(check(R"(terraform {
  required_providers {
    tf = {}
  }
}
provider "tf" {
  alias = "q"
}
module "m" {
  source = "./m"
  providers = {
    tf.a = tf.q
    tf.b = tf
  }
}
)",
                    kNeedsTwo),
              IsEmpty());
}

TEST_F(ProviderChecks, UndeclaredNamesAreWarnedOfOnBothSides) {
  EXPECT_THAT(check(R"(module "m" {
  source = "./m"
  providers = {
    zz   = terraform
    yy.x = terraform
  }
}
)",
                    ""),
              ElementsAre(".:4", ".:5", "w .:4", "w .:4", "w .:5", "w .:5"));
}

TEST_F(ProviderChecks, WhatIsPassedIsOfTheSameProvider) {
  EXPECT_THAT(check(R"(terraform {
  required_providers {
    foo = {
      source = "acme/foo"
    }
    bar = {
      source = "acme/bar"
    }
  }
}
module "m" {
  source = "./m"
  providers = {
    foo = bar
    baz = foo
  }
}
)",
                    R"(terraform {
  required_providers {
    foo = {
      source = "acme/foo"
    }
    baz = {
      source = "acme/other"
    }
  }
}
)"),
              ElementsAre(".:15"));
}

TEST_F(ProviderChecks, AModuleWithConfigurationsTakesNone) {
  EXPECT_THAT(check(R"(module "m" {
  source = "./m"
  providers = {
    terraform = terraform
  }
}
)",
                    "provider \"terraform\" {\n  x = 1\n}\n"),
              ElementsAre(".:4", "w .:4", "w .:4"));
}

TEST_F(ProviderChecks, AModuleWithConfigurationsIsCalledOnceAndPlainly) {
  write("./n", "provider \"terraform\" {\n  x = 1\n}\n");
  const std::string module = "module \"n\" {\n  source = \"./n\"\n}\n";
  for (const char* argument :
       {"count = 1", "for_each = {}", "depends_on = [a_b.c]", "lifecycle { enabled = true }"}) {
    EXPECT_THAT(
        check(fmt::format("module \"m\" {{\n  source = \"./m\"\n  {}\n}}\n", argument), module),
        ElementsAre(".:3"))
        << argument;
  }
  EXPECT_THAT(check("module \"m\" {\n  source = \"./m\"\n  depends_on = []\n}\n", module),
              IsEmpty());
}

TEST_F(ProviderChecks, EmptyConfigurationsInAModuleAreWarnedOfOncePerProvider) {
  EXPECT_THAT(check("module \"m\" {\n  source = \"./m\"\n  count = 1\n}\n",
                    "provider \"a\" {}\nprovider \"a\" {\n  alias = \"x\"\n}\nprovider \"b\" {}\n"),
              ElementsAre("w ./m:1", "w ./m:5"));
}

TEST_F(ProviderChecks, PlacesOfEmptyConfigurationsAreComparedAsTexts) {
  EXPECT_THAT(check("module \"m\" {\n  source = \"./m\"\n}\n",
                    "\n\n\n\n\n\n\nprovider \"a\" {}\n\nprovider \"a\" {\n  alias = \"x\"\n}\n"),
              ElementsAre("w ./m:10"));
}

TEST_F(ProviderChecks, AProviderHasOneName) {
  EXPECT_THAT(check(R"(terraform {
  required_providers {
    aa = {
      source = "terraform.io/builtin/terraform"
    }
  }
}
resource "terraform_data" "x" {}
resource "terraform_data" "y" {
  provider = aa
}
data "terraform_remote_state" "s" {}
)",
                    ""),
              ElementsAre("w .:12", "w .:8"));
}

TEST_F(ProviderChecks, TheTypeOfAResourceImpliesAValidName) {
  EXPECT_THAT(check("resource \"_x\" \"y\" {}\nresource \"a--b_x\" \"y\" {}\n", ""),
              ElementsAre(".:1", ".:2"));
}

TEST_F(ProviderChecks, InstancesHaveKeysAndOnlyThey) {
  EXPECT_THAT(check(R"(provider "a" {
  alias    = "many"
  for_each = toset(["k"])
}
provider "a" {
  alias = "one"
  x     = 1
}
resource "a_b" "a" {
  provider = a.many["k"]
}
resource "a_b" "b" {
  provider = a.many
}
resource "a_b" "c" {
  provider = a.one["k"]
}
resource "a_b" "d" {
  provider = a.none["k"]
}
)",
                    ""),
              ElementsAre(".:13", ".:16", ".:19"));
}

TEST_F(ProviderChecks, InstancesArePassedOneByOne) {
  EXPECT_THAT(check(R"(provider "a" {
  alias    = "r"
  for_each = toset(["k"])
}
module "m" {
  source = "./m"
  providers = {
    a.x["k"] = a.r["k"]
    a.y      = a.r
    a.z      = a.r["k"]
  }
}
)",
                    R"(terraform {
  required_providers {
    a = {
      configuration_aliases = [a.x, a.y, a.z]
    }
  }
}
)"),
              ElementsAre(".:8", ".:9"));
}

TEST_F(ProviderChecks, InstancesOutliveWhatTheyMade) {
  EXPECT_THAT(check(R"(variable "s" {
  default = { a = 1 }
}
provider "a" {
  alias    = "r"
  for_each = var.s
}
resource "a_b" "c" {
  for_each = var.s
  provider = a.r[each.key]
}
module "m" {
  for_each = var.s
  source   = "./m"
  providers = {
    a = a.r[each.key]
  }
}
)",
                    "terraform {\n  required_providers {\n    a = {}\n  }\n}\n"),
              ElementsAre("w .:13", "w .:9"));
}

}  // namespace
}  // namespace tofu::config
