// Test files and the modules that their runs are about. The places are those that
// OpenTofu reports.
#include "config/test_file.h"

#include "tests/config/link_fixture.h"

namespace tofu::config {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class TestFiles : public LinkFixture {
 protected:
  // Links an empty root with one test file and checks it.
  std::vector<std::string> check(std::string test) {
    diags_.clear();
    write(".", "");
    write_test("t", std::move(test));
    const Tree tree = link();
    if (!diags_.has_errors()) check_test_file(tree.tests[0], *tree.root().module, diags_);
    return places();
  }
};

TEST_F(TestFiles, RunsPlanOrApply) {
  EXPECT_THAT(check(R"(run "a" {
  command = plan
}
run "b" {
  command = "plan"
}
run "c" {
  command = destroy
}
run "d d" {}
run {}
nope {}
)"),
              ElementsAre("t:10", "t:11", "t:12", "t:5", "t:8"));
}

TEST_F(TestFiles, VariablesStandInOneBlock) {
  EXPECT_THAT(check(R"(variables {
  x = 1
}
variables {}
run "a" {
  variables {
    y = foo.bar
    z {}
  }
  variables {}
}
)"),
              ElementsAre("t:10", "t:4", "t:8"));
}

TEST_F(TestFiles, PlanOptionsGoTogether) {
  EXPECT_THAT(check(R"(run "a" {
  plan_options {
    mode    = refresh-only
    refresh = false
    target  = ["a_b.c", 5, nope]
    bogus   = 1
  }
}
run "b" {
  plan_options {
    mode    = foo
    refresh = "x"
  }
  plan_options {}
  plan_options {}
}
)"),
              ElementsAre("t:11", "t:12", "t:15", "t:4", "t:5", "t:6", "w t:5"));
}

TEST_F(TestFiles, FailuresAreExpectedOfWhatHasConditions) {
  EXPECT_THAT(check(R"(run "a" {
  expect_failures = [a_b.c, output.o, check.c, var.q]
}
run "b" {
  expect_failures = [local.z, module.m, path.module]
}
)"),
              ElementsAre("t:5", "t:5", "t:5"));
}

TEST_F(TestFiles, TargetsAreOverriddenOnce) {
  EXPECT_THAT(check(R"(override_resource {
  target = a_b.c
}
override_data {
  target = a_b.c
}
override_module {
  target = module.m
}
override_module {
  target = module.m
}
run "r" {
  override_resource {
    target = a_b.c
  }
}
)"),
              ElementsAre("t:11", "t:5"));
}

TEST_F(TestFiles, OverridesHaveATargetAndObjects) {
  EXPECT_THAT(check(R"(override_resource {}
override_resource {
  target = "x"
  values = 1
}
override_module {
  target  = a_b.c
  outputs = [1]
  bogus   = 1
}
)"),
              ElementsAre("t:1", "t:3", "t:4", "t:7", "t:8", "t:9"));
}

TEST_F(TestFiles, MocksOfAProviderAreTheOnlyOnes) {
  EXPECT_THAT(check(R"(mock_provider "a" {
  mock_resource "a_b" {
    defaults = {}
  }
  mock_resource "a_b" {}
  mock_data "a_b" {}
}
mock_provider "b" {}
mock_provider "b" {}
mock_provider "Bad" {}
mock_provider "c" {
  alias = "1 x"
}
mock_provider "c" {
  for_each = {}
}
)"),
              ElementsAre("t:1", "t:10", "t:12", "t:15", "t:9"));
}

TEST_F(TestFiles, ARunMayBeAboutAnotherModule) {
  write("./m", "terraform {\n  backend \"local\" {}\n}\nmodule \"n\" {\n  source = \"./n\"\n}\n");
  write("./n", "");
  write(".", "");
  write_test("tests/main.tftest.hcl", "run \"a\" {\n  module {\n    source = \"./m\"\n  }\n}\n");

  const Tree tree = link();

  EXPECT_THAT(places(), ElementsAre("w ./m:2"));
  ASSERT_EQ(tree.test_trees.size(), 1u);
  EXPECT_THAT(paths(*tree.test_trees[0].tree), ElementsAre("", "module.n"));
  EXPECT_THAT(asked_, ElementsAre("module.test.module.tests.module.main.module.a",
                                  "module.test.module.tests.module.main.module.a.module.n"));
}

TEST_F(TestFiles, AModuleBlockOfARunHasOneSource) {
  EXPECT_THAT(check(R"(run "a" {
  module {}
}
run "b" {
  module {
    source  = "x"
    version = "1.0"
  }
}
run "c" {
  module {
    source = var.x
  }
}
run "d" {
  module {
    source = "./m"
  }
  module {
    source = "./m"
  }
}
)"),
              ElementsAre("t:12", "t:19", "t:2", "t:6"));
}

TEST_F(TestFiles, WhatARunGivesIsKnownEarlyInItsModule) {
  write("./k", "variable \"d\" {}\nmodule \"z\" {\n  source = var.d\n}\n");
  write("./n", "");
  EXPECT_THAT(check(R"(run "a" {
  module {
    source = "./k"
  }
  variables {
    d = "./n"
  }
}
)"),
              IsEmpty());
}

TEST_F(TestFiles, AProviderBlockStandsForOneProvider) {
  write("./m",
        "terraform {\n  required_providers {\n    a = {\n      source = \"x/y\"\n    }\n  }\n}\n");
  write(".",
        "terraform {\n  required_providers {\n    a = {\n      source = \"x/z\"\n    }\n  }\n}\n");
  write_test("t", R"(provider "a" {}
run "first" {
  module {
    source = "./m"
  }
}
run "second" {}
run "third" {
  providers = {
    a = a
  }
}
)");

  (void)link();

  EXPECT_THAT(places(), ElementsAre("t:1", "t:10"));
}

}  // namespace
}  // namespace tofu::config
