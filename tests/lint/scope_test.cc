// Which modules are linted, and rules that look at several modules.
#include "tests/lint/lint_fixture.h"

namespace tofu::lint {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ScopeTest : public LintFixture {};

TEST_F(ScopeTest, TheRootAloneOrAllLocalModulesOnceEach) {
  write(".",
        "module \"a\" {\n  source = \"./m\"\n}\nmodule \"b\" {\n  source = \"./m\"\n}\n"
        "locals {\n  x = 1\n}\n");
  write("./m", "locals {\n  y = 1\n}\n");
  EXPECT_THAT(found("core:unused-local", Scope::Root), ElementsAre(".:8 core:unused-local"));
  EXPECT_THAT(found("core:unused-local", Scope::Local),
              ElementsAre(".:8 core:unused-local", "./m:2 core:unused-local"));
}

TEST_F(ScopeTest, AnOutputIsUsedIfOneOfTheCallsReadsIt) {
  write(".",
        "module \"a\" {\n  source = \"./m\"\n}\nmodule \"b\" {\n  count = 2\n"
        "  source = \"./m\"\n}\n"
        "output \"o\" {\n  value = [module.a.one, module.b[0].two]\n}\n");
  write("./m",
        "output \"one\" {\n  value = 1\n}\noutput \"two\" {\n  value = 1\n}\n"
        "output \"three\" {\n  value = 1\n}\n");
  EXPECT_THAT(found("tofu:unused-output"), ElementsAre("./m:7 tofu:unused-output"));
  EXPECT_THAT(found("tofu:unused-output", Scope::Root), IsEmpty());
}

TEST_F(ScopeTest, AModuleUsedWholeUsesAllOutputs) {
  write(".", "module \"a\" {\n  source = \"./m\"\n}\noutput \"o\" {\n  value = module.a\n}\n");
  write("./m", "output \"one\" {\n  value = 1\n}\n");
  EXPECT_THAT(found("tofu:unused-output"), IsEmpty());
}

TEST_F(ScopeTest, ProvidersAreConfiguredInTheRoot) {
  const std::string provider = "provider \"aws\" {\n  region = \"x\"\n}\n";
  write(".", provider + "module \"a\" {\n  source = \"./m\"\n}\n");
  write("./m", provider);
  EXPECT_THAT(found("tofu:provider-in-module"), ElementsAre("./m:1 tofu:provider-in-module"));
}

TEST_F(ScopeTest, ARequiredProviderMayBeForModulesBelow) {
  const std::string required =
      "terraform {\n  required_providers {\n    x = {\n      source = \"a/x\"\n    }\n  }\n}\n";
  write(".", required + "module \"a\" {\n  source = \"./m\"\n}\n");
  write("./m", required + "resource \"x_y\" \"z\" {}\n");
  EXPECT_THAT(found("tofu:unused-provider"), IsEmpty());
  write("./m", "");
  EXPECT_THAT(found("tofu:unused-provider"), ElementsAre(".:3 tofu:unused-provider"));
}

TEST_F(ScopeTest, TestFilesAreNoPartOfTheModule) {
  write(".", "variable \"a\" {}\n");
  write_test("main.tftest.hcl",
             "run \"x\" {\n  variables {\n    password = \"${var.a}\"\n  }\n}\n");
  EXPECT_THAT(found("core:unused-variable,tofu:outdated"), ElementsAre(".:1 core:unused-variable"));
}

}  // namespace
}  // namespace tofu::lint
