#include "tests/config/link_fixture.h"

namespace tofu::config {
namespace {

using ::testing::ElementsAre;
using value::Value;

class Link : public LinkFixture {};

TEST_F(Link, EveryCallBecomesANodeBelowItsCaller) {
  write(".", "module \"b\" {\n  source = \"./b\"\n}\nmodule \"a\" {\n  source = \"./a\"\n}\n");
  write("./a", "module \"b\" {\n  source = \"./b\"\n}\n");
  write("./b", "");

  const Tree tree = link();

  EXPECT_THAT(error_lines(), ElementsAre());
  EXPECT_THAT(paths(tree), ElementsAre("", "module.a", "module.a.module.b", "module.b"));
  EXPECT_TRUE(tree.nodes[2].is_local);
  EXPECT_EQ(tree.nodes[2].parent, ModuleId{1});
}

TEST_F(Link, SourcesMayUseVariablesLocalsAndFunctions) {
  write(".",
        "variable \"name\" {}\nlocals {\n  dir = lower(var.name)\n}\n"
        "module \"m\" {\n  source = \"./${local.dir}\"\n}\n");
  write("./mod", "");
  give("name", Value::string("MOD"));

  EXPECT_THAT(paths(link()), ElementsAre("", "module.m"));
  EXPECT_FALSE(diags_.has_errors());
}

TEST_F(Link, AChildsVariableIsTheArgumentOfItsCall) {
  write(".", "module \"m\" {\n  source = \"./m\"\n  next   = \"deep\"\n}\n");
  write("./m", "variable \"next\" {}\nmodule \"n\" {\n  source = \"./${var.next}\"\n}\n");
  write("./deep", "");

  EXPECT_THAT(paths(link()), ElementsAre("", "module.m", "module.m.module.n"));
}

TEST_F(Link, LiteralsThatAreKeptForeverOutliveTheTree) {
  write(".",
        "locals {\n  a = \"a literal of the root\"\n}\nmodule \"m\" {\n  source = \"./m\"\n}\n");
  write("./m", "locals {\n  b = \"one of the module, caf\u00e9\"\n}\n");
  std::vector<Value> copies;
  {
    const Tree tree = link();
    tree.keep_literals_forever();
    for (const TreeNode& node : tree.nodes) {
      for (const Local& local : node.module->locals) {
        copies.push_back(*syntax::evaluate(*local.expr, nullptr, diags_));
      }
    }
  }
  ASSERT_EQ(copies.size(), 2u);
  EXPECT_EQ(copies[0].plain().as_string(), "a literal of the root");
  EXPECT_EQ(copies[1].plain().as_string(), "one of the module, caf\u00e9");
}

TEST_F(Link, WhatIsNotKnownEarlyIsAnErrorAtTheReference) {
  write(".",
        "resource \"terraform_data\" \"x\" {}\nmodule \"m\" {\n"
        "  source = terraform_data.x.output\n}\n");

  (void)link();

  EXPECT_THAT(error_lines(), ElementsAre(3));
}

TEST_F(Link, ALocalThatDependsOnItselfIsReportedWithItsChain) {
  write(".", "locals {\n  a = local.b\n  b = local.a\n}\nmodule \"m\" {\n  source = local.a\n}\n");

  (void)link();

  ASSERT_TRUE(diags_.has_errors());
  EXPECT_THAT(diags_.items()[0].detail, ::testing::HasSubstr("local.a uses local.b"));
}

TEST_F(Link, SensitiveSourcesAreRefused) {
  write(".",
        "variable \"s\" {\n  default   = \"./m\"\n  sensitive = true\n}\n"
        "module \"m\" {\n  source = var.s\n}\n");
  write("./m", "");

  (void)link();

  EXPECT_THAT(error_lines(), ElementsAre(6));
}

TEST_F(Link, ABackendInAChildIsOnlyAWarning) {
  write(".", "module \"m\" {\n  source = \"./m\"\n}\n");
  write("./m", "terraform {\n  backend \"local\" {}\n}\n");

  (void)link();

  EXPECT_FALSE(diags_.has_errors());
  EXPECT_THAT(error_lines(), ElementsAre(2));
}

TEST_F(Link, CallsOfOneDirectoryShareOneModule) {
  write(".", "module \"a\" {\n  source = \"./m\"\n}\nmodule \"b\" {\n  source = \"./m\"\n}\n");
  write("./m", "variable \"x\" {\n  default = 1\n}\n");

  const Tree tree = link();

  EXPECT_EQ(reads_["./m"], 1);
  EXPECT_EQ(tree.nodes[1].module, tree.nodes[2].module);
}

TEST_F(Link, MistakesOfAModuleAreToldForEachCallButSyntaxErrorsOnce) {
  write(".", "module \"a\" {\n  source = \"./m\"\n}\nmodule \"b\" {\n  source = \"./m\"\n}\n");
  write("./m", "variable \"x\" {\n  bogus = 1\n}\nlocals {\n  a = \n}\n");

  (void)link();

  EXPECT_THAT(error_lines(), ::testing::UnorderedElementsAre(2, 2, 5));
}

TEST_F(Link, MistakesOfTheRootHideThoseBelow) {
  write(".", "module \"m\" {\n  source = \"./m\"\n}\nvariable \"x\" {\n  bogus = 1\n}\n");
  write("./m", "variable \"x\" {\n  bogus = 1\n}\n");

  EXPECT_THAT(paths(link()), ElementsAre(""));
  EXPECT_THAT(error_lines(), ElementsAre(5));
}

TEST_F(Link, AChildWithAWrongSourceIsStillLookedFor) {
  write(".", "module \"m\" {\n  source = \"./m\"\n}\n");
  write("./m", "module \"n\" {\n  source = 5 + null\n}\n");

  (void)link();

  EXPECT_THAT(error_lines(), ElementsAre(2, 1));
}

TEST_F(Link, AModuleThatCallsItselfIsRefused) {
  write(".", "module \"m\" {\n  source = \"./m\"\n}\n");
  write("./m", "\nmodule \"n\" {\n  source = \"./n\"\n}\n");
  write("./n", "\n\nmodule \"m\" {\n  source = \"./m\"\n}\n");

  EXPECT_THAT(paths(link()), ElementsAre("", "module.m", "module.m.module.n"));
  EXPECT_THAT(error_lines(), ElementsAre(3));
}

TEST_F(Link, AModuleMayCallItselfForAWhile) {
  const std::string text =
      "variable \"n\" {\n  type = number\n}\nmodule \"m\" {\n"
      "  source = var.n == 0 ? \"./leaf\" : \"./m\"\n  n      = var.n - 1\n}\n";
  write(".", "module \"m\" {\n  source = \"./m\"\n  n      = 2\n}\n");
  write("./m", text);
  write("./leaf", "variable \"n\" {}\n");

  EXPECT_EQ(paths(link()).size(), 5u);
  EXPECT_THAT(error_lines(), ElementsAre());
}

TEST_F(Link, ButNotForEver) {
  write(".", "module \"m\" {\n  source = \"./m\"\n  n      = 2\n}\n");
  write("./m",
        "variable \"n\" {}\nmodule \"a\" {\n  source = var.n > 0 ? \"./m\" : \"\"\n  n = 1\n}\n"
        "module \"b\" {\n  source = var.n > 0 ? \"./m\" : \"\"\n  n = 1\n}\n");

  EXPECT_LT(link().nodes.size(), 1000u);
  EXPECT_THAT(error_lines(), ElementsAre(2));
}

TEST_F(Link, InstancesOfProvidersAreKnownEarly) {
  write(".",
        "locals {\n  regions = toset([\"a\", \"b\"])\n}\n"
        "provider \"aws\" {\n  alias    = \"r\"\n  for_each = local.regions\n}\n");

  const Tree tree = link();

  EXPECT_THAT(error_lines(), ElementsAre());
  EXPECT_EQ(tree.root().provider_instances.at("aws.r").size(), 2u);
}

TEST_F(Link, ProviderForEachTakesMapsAndSetsOfStrings) {
  write(".",
        "variable \"s\" {\n  default   = {}\n  sensitive = true\n}\n"
        "provider \"aws\" {\n  alias    = \"a\"\n  for_each = [1]\n}\n"
        "provider \"aws\" {\n  alias    = \"b\"\n  for_each = toset([1])\n}\n"
        "provider \"aws\" {\n  alias    = \"c\"\n  for_each = null\n}\n"
        "provider \"aws\" {\n  alias    = \"d\"\n  for_each = var.s\n}\n"
        "provider \"aws\" {\n  alias    = \"e\"\n  for_each = toset([tostring(null)])\n}\n"
        "provider \"aws\" {\n  alias    = \"f\"\n  for_each = aws_x.y\n}\n"
        "provider \"aws\" {\n  alias    = \"g\"\n  for_each = nope()\n}\n");

  (void)link();

  EXPECT_THAT(error_lines(), ElementsAre(7, 11, 15, 19, 23, 27, 31, 31));
}

TEST_F(Link, ConstantVariablesHaveToBeKnown) {
  write(".",
        "resource \"terraform_data\" \"x\" {}\nmodule \"m\" {\n  source = \"./m\"\n"
        "  c      = terraform_data.x.output\n}\n");
  write("./m", "variable \"c\" {\n  const = true\n}\n");

  (void)link();

  EXPECT_THAT(error_lines(), ElementsAre(4, 2));
}

TEST_F(Link, OfTwoDeclarationsOfAVariableTheLastCounts) {
  write(".",
        "variable \"x\" {\n  default = \"./m\"\n}\nvariable \"x\" {\n  const = true\n}\n"
        "module \"m\" {\n  source = var.x\n}\n");
  write("./m", "");

  (void)link();

  // Declared twice; no value, once for the source and once for `const`, and who needs it.
  EXPECT_THAT(places(), ElementsAre("-", ".:4", ".:4", ".:4", ".:8"));
}

TEST_F(Link, AVersionAndARevisionOfAGitRepositoryExcludeEachOther) {
  write(".",
        "module \"m\" {\n  source  = \"git::https://example.com/m.git?ref=v1\"\n"
        "  version = \"1.0.0\"\n}\n");

  (void)link();

  ASSERT_FALSE(diags_.empty());
  EXPECT_THAT(diags_.items()[0].detail, ::testing::HasSubstr("?ref="));
}

TEST_F(Link, AnyMistakeHidesThoseOfProviders) {
  const std::string call =
      "module \"m\" {\n  source    = \"./m\"\n  providers = {\n    aws.x = aws\n  }\n}\n";
  write("./m",
        "terraform {\n  required_providers {\n    aws = {\n      configuration_aliases = [aws.x, "
        "aws.y]\n    }\n  }\n}\n");
  write("./n", "variable \"x\" {\n  bogus = 1\n}\n");

  write(".", call + "module \"n\" {\n  source = \"./n\"\n}\n");
  (void)link();
  EXPECT_THAT(error_lines(), ElementsAre(2));

  diags_.clear();
  write(".", call);
  (void)link();
  EXPECT_THAT(error_lines(), ElementsAre(4, 1));  // aws is not declared; aws.y is not passed
}

TEST_F(Link, AnImportSaysTheSameProviderAsItsTarget) {
  const auto config = [](const std::string& provider) {
    return "provider \"a\" {\n  alias = \"x\"\n}\nresource \"a_b\" \"c\" {\n" + provider +
           "}\nimport {\n  to       = a_b.c\n  id       = \"x\"\n  provider = a.x\n}\n";
  };
  write(".", config("  provider = a.x\n"));
  (void)link();
  EXPECT_THAT(error_lines(), ElementsAre());
  write(".", config("  provider = a\n"));
  (void)link();
  EXPECT_THAT(error_lines(), ElementsAre(10));
  diags_.clear();
  write(".", config(""));
  (void)link();
  EXPECT_THAT(error_lines(), ElementsAre(9));
}

TEST_F(Link, AnImportBelowTheRootIsRefusedBesideOtherErrors) {
  write(".", "module \"m\" {\n  source = \"./m\"\n}\n");
  write("./m", "import {\n  to = upper(\"a\")\n  id = \"x\"\n}\n");
  (void)link();
  EXPECT_THAT(error_lines(), ElementsAre(2, 1));  // no address; only in the root
}

TEST_F(Link, AFailedForEachOfAProviderIsHeldAgainstItsType) {
  const auto provider = [](const std::string& for_each) {
    return "provider \"terraform\" {\n  alias = \"x\"\n  for_each = " + for_each + "\n}\n";
  };
  write(".", provider("{ a = 1 + \"a\" }"));
  (void)link();
  EXPECT_THAT(error_lines(), ElementsAre(3));
  diags_.clear();
  write(".", provider("!1"));  // no operand, and no map; what it is is not known either
  (void)link();
  EXPECT_THAT(error_lines(), ElementsAre(3, 3, 3));
}

TEST_F(Link, VersionsOfProvidersAreSpeltStrictly) {
  write(".",
        "terraform {\n  required_providers {\n    a = {\n      version = \">= v1.2\"\n    }\n"
        "    b = \"1.2.3.4\"\n    c = \"1.2.3-beta1\"\n  }\n}\n");
  (void)link();
  EXPECT_THAT(error_lines(), ElementsAre(3, 6));
}

}  // namespace
}  // namespace tofu::config
