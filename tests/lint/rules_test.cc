// Each rule on code that it is about, on code that it is not about, and its fix.
#include "lint/rules.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/lint/lint_fixture.h"

namespace tofu::lint {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Case {
  std::string_view rule;
  std::string bad;    // has one finding of the rule
  std::string good;   // has none
  std::string fixed;  // of `bad`; empty: it cannot be fixed
};

std::string output(const std::string& value) {
  return "output \"o\" {\n  value = " + value + "\n}\n";
}

// Fixes have tests of their own below where it matters what they keep.
std::vector<Case> cases_of_expressions() {
  return {
      {"core:no-type-variable", "variable \"a\" {}\n", "variable \"a\" {\n  type = string\n}\n",
       ""},
      {"core:count-instead-enabled",
       "resource \"a_b\" \"c\" {\n  count = var.x ? (var.y ? 0 : 1) : 0\n}\n",
       "resource \"a_b\" \"c\" {\n  count = var.x ? 1 : 2\n}\n", ""},
      {"core:unused-variable",
       "variable \"a\" {\n  validation {\n    condition = var.a > 1\n    error_message = \"x\"\n  "
       "}\n}\n",
       "variable \"a\" {}\nterraform {\n  backend \"local\" {\n    path = var.a\n  }\n}\n", ""},
      {"core:unused-local", "locals {\n  a = 1\n}\n", "locals {\n  a = 1\n}\n" + output("local.a"),
       ""},
      {"core:impurefunc",
       "locals {\n  a = local.b\n  b = uuid()\n}\nresource \"a_b\" \"c\" {\n  d = local.a\n}\n",
       "resource \"a_b\" \"c\" {\n  d = plantimestamp()\n  provisioner \"local-exec\" {\n"
       "    command = timestamp()\n  }\n}\n" +
           output("uuid()"),
       ""},
      {"tofu:unused-data", "data \"a_b\" \"c\" {}\n",
       "data \"a_b\" \"c\" {}\nresource \"a_b\" \"d\" {\n  depends_on = [data.a_b.c]\n}\n", ""},
      {"tofu:unused-provider",
       "terraform {\n  required_providers {\n    aws = {\n      source = \"a/aws\"\n    }\n  "
       "}\n}\n",
       "terraform {\n  required_providers {\n    aws = {\n      source = \"a/aws\"\n    }\n  "
       "}\n}\n" +
           output("provider::aws::f()"),
       ""},
      {"tofu:unused-provider-alias", "provider \"aws\" {\n  alias = \"west\"\n}\n",
       "provider \"aws\" {\n  alias = \"west\"\n}\nresource \"aws_x\" \"y\" {\n  provider = "
       "aws.west\n}\n",
       ""},
      {"tofu:unused-symbols", "symbols \"lib\" {\n  source = \"./lib\"\n}\n",
       "symbols \"lib\" {\n  source = \"./lib\"\n}\n" + output("symbols::lib::f(1)"), ""},
      {"tofu:interpolation-only", output("\"${var.a}\""), output("\"${var.a}-${var.b}\""),
       output("var.a")},
      {"tofu:legacy-index", output("a_b.c.0.d"), output("a_b.c[0].d"), output("a_b.c[0].d")},
      {"tofu:legacy-splat", output("a_b.c.*.d"), output("a_b.c[*].d"), output("a_b.c[*].d")},
      {"tofu:lookup-without-default", output("lookup(var.m, \"k\")"),
       output("lookup(var.m, \"k\", 1)"), output("var.m[\"k\"]")},
      {"tofu:comment-syntax", "// why\nlocals {}\n", "# why\nlocals {}\n", "# why\nlocals {}\n"},
      {"tofu:superseded-type", "resource \"null_resource\" \"a\" {}\n",
       "resource \"terraform_data\" \"a\" {}\n", ""},
      {"tofu:empty-list-equality", output("var.a == []"), output("length(var.a) == 0"), ""},
      {"tofu:constant-condition", output("var.a == var.a"), output("var.a == var.b"), ""},
      {"tofu:same-branches", output("var.a ? [var.b] : [var.b]"),
       output("var.a ? [var.b] : [var.c]"), ""},
      {"tofu:duplicate-key", output("{ a = 1, \"a\" = 2 }"), output("{ a = 1, (var.a) = 2 }"), ""},
      {"tofu:shadowed-name", output("[for x in var.a : [for x in x : x]]"),
       output("[[for x in var.a : x], [for x in var.a : x]]"), ""},
      {"tofu:duplicate-resource",
       "resource \"a_b\" \"c\" {\n  d = 1 # x\n}\nresource \"a_b\" \"e\" {\n  d   = 1\n}\n",
       "resource \"a_b\" \"c\" {\n  d = 1\n}\nresource \"a_b\" \"e\" {\n  d = 2\n}\n"
       "resource \"random_id\" \"f\" {\n  d = 1\n}\nresource \"random_id\" \"g\" {\n  d = 1\n}\n",
       ""},
      {"tofu:redundant-conditional", output("var.a == 1 ? true : false"),
       output("var.a == 1 ? true : null"), output("var.a == 1")},
      {"tofu:bool-comparison", output("var.a == true"), output("var.a == \"true\""), ""},
  };
}

std::vector<Case> cases_of_declarations() {
  return {
      {"tofu:count-over-list", "resource \"a_b\" \"c\" {\n  count = length(var.a)\n}\n",
       "resource \"a_b\" \"c\" {\n  for_each = toset(var.a)\n}\n", ""},
      {"tofu:dynamic-constant",
       "resource \"a_b\" \"c\" {\n  dynamic \"d\" {\n    for_each = [1, 2]\n    content {}\n  "
       "}\n}\n",
       "resource \"a_b\" \"c\" {\n  dynamic \"d\" {\n    for_each = [var.a]\n    content {}\n  "
       "}\n}\n",
       ""},
      {"tofu:wide-ignore-changes",
       "resource \"a_b\" \"c\" {\n  lifecycle {\n    ignore_changes = all\n  }\n}\n",
       "resource \"a_b\" \"c\" {\n  lifecycle {\n    ignore_changes = [d]\n  }\n}\n", ""},
      {"tofu:redundant-depends-on",
       "resource \"a_b\" \"c\" {\n  d = a_b.e.id\n  depends_on = [a_b.e, a_b.f]\n}\n",
       "resource \"a_b\" \"c\" {\n  d = a_b.e.id\n  depends_on = [a_b.f]\n}\n", ""},
      {"tofu:variable-description", "variable \"a\" {\n  description = \"\"\n}\n",
       "variable \"a\" {\n  description = \"x\"\n}\n", ""},
      {"tofu:output-description", output("1"),
       "output \"o\" {\n  description = \"x\"\n  value = 1\n}\n", ""},
      {"tofu:naming", "variable \"aB\" {}\n", "variable \"a_b2\" {}\n", ""},
      {"tofu:required-version", "locals {}\n", "terraform {\n  required_version = \">= 1.5\"\n}\n",
       ""},
      {"tofu:provider-source", "resource \"aws_x\" \"y\" {}\nresource \"aws_x\" \"z\" {}\n",
       "resource \"aws_x\" \"y\" {}\nterraform {\n  required_providers {\n    aws = {\n      "
       "source = "
       "\"a/aws\"\n    }\n  }\n}\nresource \"terraform_data\" \"z\" {}\n",
       ""},
      {"tofu:provider-version",
       "terraform {\n  required_providers {\n    aws = {\n      source = \"a/aws\"\n    }\n  "
       "}\n}\n",
       "terraform {\n  required_providers {\n    aws = {\n      source = \"a/aws\"\n      version "
       "= \"~> "
       "1.0\"\n    }\n  }\n}\n",
       ""},
      {"tofu:module-version",
       "module \"a\" {\n  source = \"git::https://x.org/y.git?ref=main\"\n}\n",
       "module \"a\" {\n  source = \"git::https://x.org/y.git?ref=v1\"\n}\n"
       "module \"b\" {\n  source = \"a/b/c\"\n  version = \"~> 1.0\"\n}\n",
       ""},
      {"tofu:secret-literal", "resource \"a_b\" \"c\" {\n  db_password = \"hunter2\"\n}\n",
       "resource \"a_b\" \"c\" {\n  db_password = var.p\n  password_length = \"20\"\n  token = "
       "\"\"\n}\n",
       ""},
      {"tofu:sensitive-variable", "variable \"api_key\" {}\n",
       "variable \"api_key\" {\n  sensitive = true\n}\nvariable \"api_key_name\" {}\n", ""},
      {"tofu:sensitive-default", "variable \"a\" {\n  sensitive = true\n  default = \"x\"\n}\n",
       "variable \"a\" {\n  sensitive = true\n  default = null\n}\n", ""},
      {"tofu:sensitive-output",
       "variable \"a\" {\n  sensitive = true\n}\noutput \"o\" {\n  value = [var.a] # why\n}\n",
       "variable \"a\" {\n  sensitive = true\n}\noutput \"o\" {\n  value = "
       "nonsensitive(var.a)\n}\n",
       "variable \"a\" {\n  sensitive = true\n}\noutput \"o\" {\n  value     = [var.a] # why\n  "
       "sensitive = true\n}\n"},
      {"tofu:command-interpolation",
       "resource \"terraform_data\" \"a\" {\n  provisioner \"local-exec\" {\n    command = \"rm "
       "${var.x}\"\n  }\n}\n",
       "resource \"terraform_data\" \"a\" {\n  provisioner \"local-exec\" {\n    command = \"rm "
       "$X\"\n  "
       "}\n}\n",
       ""},
      {"tofu:insecure-source", "module \"a\" {\n  source = \"http://x.org/y.zip\"\n}\n",
       "module \"a\" {\n  source = \"https://x.org/y.zip\"\n}\n", ""},
  };
}

std::vector<Case> cases() {
  std::vector<Case> all = cases_of_expressions();
  std::ranges::move(cases_of_declarations(), std::back_inserter(all));
  return all;
}

class RulesTest : public LintFixture {};

TEST_F(RulesTest, FindWhatTheyAreAboutAndNothingElse) {
  for (const Case& each : cases()) {
    SCOPED_TRACE(each.rule);
    write(".", each.bad);
    EXPECT_EQ(lint(each.rule).size(), 1u);
    write(".", each.good);
    EXPECT_THAT(found(each.rule), IsEmpty());
  }
}

TEST_F(RulesTest, FixesRemoveTheFindingAndNothingElse) {
  for (const Case& each : cases()) {
    SCOPED_TRACE(each.rule);
    write(".", each.bad);
    EXPECT_EQ(fixed(each.rule, ""), each.fixed);
    if (each.fixed.empty()) continue;
    write(".", each.fixed);
    EXPECT_THAT(found(each.rule), IsEmpty());
  }
}

TEST_F(RulesTest, EachRuleHasACase) {
  // These look at several modules or at comments; scope_test.cc and comments_test.cc have cases.
  std::set<std::string_view> tested = {"tofu:unused-output", "tofu:provider-in-module",
                                       "tofu:unused-ignore"};
  std::set<std::string_view> fixable;
  for (const Case& each : cases()) {
    tested.insert(each.rule);
    if (!each.fixed.empty()) fixable.insert(each.rule);
  }
  std::set<std::string_view> ids;
  for (const Rule* rule : rules()) {
    ids.insert(rule->id);
    EXPECT_EQ(rule->has_fix, fixable.contains(rule->id)) << rule->id;
  }
  EXPECT_EQ(tested, ids);
}

TEST_F(RulesTest, InterpolationIsUnwrappedWithParenthesesWhereTheyAreNeeded) {
  const auto fix = [&](const std::string& value) {
    write(".", output(value));
    return fixed("tofu:interpolation-only", output(value));
  };
  EXPECT_EQ(fix("!\"${var.a == 1}\""), output("!(var.a == 1)"));
  EXPECT_EQ(fix("[\"${var.a ? 1 : 2}\"]"), output("[var.a ? 1 : 2]"));
  EXPECT_EQ(fix("{ \"${var.a}\" = 1 }"), output("{ (var.a) = 1 }"));
  EXPECT_EQ(fix("\"${~ var.a ~}\""), output("var.a"));
  // Outside of a template a line end would end the argument.
  EXPECT_EQ(fix("\"${var.a +\n  1}\""), output("\"${var.a +\n  1}\""));
  EXPECT_EQ(fix("\"${ /* why */ var.a}\""), output("\"${ /* why */ var.a}\""));
}

TEST_F(RulesTest, FixesThatDependOnWhatFollowsAreNotMade) {
  const std::string splat = output("a_b.c.*.d[0]");
  write(".", splat);
  EXPECT_EQ(fixed("tofu:legacy-splat", splat), splat);
  const std::string index = output("a_b.c.*.d.0");
  write(".", index);
  EXPECT_EQ(fixed("tofu:legacy-index", index), index);
  const std::string text = output("var.a ? true : false");  // may be text
  write(".", text);
  EXPECT_EQ(fixed("tofu:redundant-conditional", text), text);
}

TEST_F(RulesTest, SeveralFixesAreMadeTogether) {
  const std::string text = "# one\nlocals {\n  a   = \"${lookup(var.m.0, \"k\")}\" # two\n}\n";
  write(".", text);
  // It was not in the standard layout, so the layout stays.
  EXPECT_EQ(fixed("all", text), "# one\nlocals {\n  a = var.m[0][\"k\"] # two\n}\n");
}

TEST_F(RulesTest, NegatedConditionals) {
  write(".", output("var.a == 1 ? false : true"));
  EXPECT_EQ(fixed("tofu:redundant-conditional", ""), output("!(var.a == 1)"));
  write(".", output("can(var.a) ? false : true"));
  EXPECT_EQ(fixed("tofu:redundant-conditional", ""), output("!can(var.a)"));
}

TEST_F(RulesTest, ConditionsWithAConstantOperand) {
  write(".", output("var.a && false") + "locals {\n  a = true ? 1 : 2\n  b = 1 == 2\n}\n");
  EXPECT_THAT(found("tofu:constant-condition"),
              ElementsAre(".:2 tofu:constant-condition", ".:5 tofu:constant-condition",
                          ".:6 tofu:constant-condition"));
}

TEST_F(RulesTest, SecretsAreFoundInObjectsAndByTheirForm) {
  write(".",
        "locals {\n  a = { api_key = \"x\" }\n  b = \"AKIA0123456789ABCDEF\"\n}\n"
        "variable \"token\" {\n  default = \"x\"\n}\n");
  EXPECT_THAT(
      found("tofu:secret-literal"),
      ElementsAre(".:2 tofu:secret-literal", ".:3 tofu:secret-literal", ".:6 tofu:secret-literal"));
}

TEST_F(RulesTest, LongChainsOfOperatorsAreNoProblem) {
  std::string sum = "1";
  for (int i = 0; i < 20'000; ++i) sum += " + var.a";
  write(".", "variable \"a\" {}\nvariable \"b\" {}\n" + output(sum));
  EXPECT_THAT(found("core:unused-variable"), ElementsAre(".:2 core:unused-variable"));
}

}  // namespace
}  // namespace tofu::lint
