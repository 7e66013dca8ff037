#include "tests/config/link_fixture.h"

namespace tofu::config {
namespace {

using ::testing::ElementsAre;
using value::Value;

class StaticEvaluatorTest : public LinkFixture {
 protected:
  // `length` locals, each made from the one before by `step`, and a call whose source
  // is the last.
  static std::string chain(int length, std::string_view first, std::string_view step) {
    std::string text = fmt::format("locals {{\n  x0 = {}\n", first);
    for (int i = 1; i < length; ++i) {
      text += fmt::format("  x{} = {}\n", i, fmt::format(fmt::runtime(step), i - 1));
    }
    return text + fmt::format("}}\nmodule \"m\" {{\n  source = local.x{}\n}}\n", length - 1);
  }
};

TEST_F(StaticEvaluatorTest, AChainOfLocalsMayBeOfAnyLength) {
  write(".", chain(100'000, "\"./m\"", "local.x{}"));
  write("./m", "");

  EXPECT_THAT(paths(link()), ElementsAre("", "module.m"));
}

TEST_F(StaticEvaluatorTest, ALocalThatFailsIsEvaluatedOnce) {
  write(".", chain(40, "nope()", "\"${{local.x{0}}}${{local.x{0}}}\""));

  (void)link();

  EXPECT_LT(diags_.size(), 200U);
}

TEST_F(StaticEvaluatorTest, AFewReferencesToALocalThatFailsEachTellWhy) {
  write(".",
        "locals {\n  x = nope()\n}\n"
        "module \"a\" {\n  source = local.x\n}\nmodule \"b\" {\n  source = local.x\n}\n");

  (void)link();

  EXPECT_THAT(error_lines(), ElementsAre(2, 5, 2, 8));
}

TEST_F(StaticEvaluatorTest, TheArgumentOfACallIsEvaluatedOnce) {
  constexpr int kLevels = 100;
  write(".", "module \"m\" {\n  source = \"./m0\"\n  x = true\n}\n");
  for (int i = 0; i < kLevels; ++i) {
    write(fmt::format("./m{}", i),
          fmt::format("variable \"x\" {{}}\nmodule \"m\" {{\n"
                      "  source = var.x ? \"./m{}\" : \"\"\n  x = var.x && var.x\n}}\n",
                      i + 1));
  }
  write(fmt::format("./m{}", kLevels), "variable \"x\" {}\n");

  EXPECT_EQ(link().nodes.size(), kLevels + 2U);
}

TEST_F(StaticEvaluatorTest, AVariableThatFailsIsAskedForOnce) {
  constexpr int kLevels = 60;
  write(".", "module \"m\" {\n  source = \"./m0\"\n  x = nope()\n}\n");
  for (int i = 0; i < kLevels; ++i) {
    write(fmt::format("./m{}", i),
          fmt::format("variable \"x\" {{}}\nmodule \"m\" {{\n  source = \"./m{}\"\n"
                      "  x = \"${{var.x}}${{var.x}}\"\n}}\n",
                      i + 1));
  }
  write(fmt::format("./m{}", kLevels), "variable \"x\" {}\nmodule \"m\" {\n  source = var.x\n}\n");

  (void)link();

  EXPECT_TRUE(diags_.has_errors());
}

TEST_F(StaticEvaluatorTest, AVariableOfTheWrongTypeIsAnErrorHoweverOftenItIsNamed) {
  std::string text = "variable \"x\" {\n  type = number\n}\n";
  for (int i = 0; i < 200; ++i) {
    text += fmt::format("module \"m{}\" {{\n  source = var.x\n}}\n", i);
  }
  write(".", std::move(text));
  give("x", Value::string("many"));

  (void)link();

  // Each call of a module without a source is an error, or it would be looked for.
  EXPECT_GE(diags_.error_count(), 200U);
}

TEST_F(StaticEvaluatorTest, OfALongChainOnlyTheEndsAreShown) {
  write(".", chain(20'000, "terraform_data.x.id", "local.x{}"));

  (void)link();

  ASSERT_TRUE(diags_.has_errors());
  const std::string& detail = diags_.items()[0].detail;
  EXPECT_THAT(detail, ::testing::HasSubstr("module.m.source uses local.x19999"));
  EXPECT_THAT(detail, ::testing::HasSubstr("uses local.x0 must be known"));
  EXPECT_THAT(detail, ::testing::HasSubstr("more)"));
  EXPECT_LT(detail.size(), 500U);
}

TEST_F(StaticEvaluatorTest, ABadReferenceHidesTheValuesBesideIt) {
  write(".",
        "locals {\n  x = nope()\n}\nresource \"terraform_data\" \"x\" {}\n"
        "module \"m\" {\n  source = \"${terraform_data.x.id}${local.x}\"\n}\n");

  (void)link();

  EXPECT_THAT(error_lines(), ElementsAre(6));
}

TEST_F(StaticEvaluatorTest, AValueOfTheWrongTypeIsToldWithTheCallThatGivesIt) {
  write(".", "module \"net\" {\n  source = \"./net\"\n  size   = \"big\"\n}\n");
  write("./net",
        "variable \"size\" {\n  type = number\n}\nmodule \"m\" {\n  source = var.size\n}\n");

  (void)link();

  ASSERT_FALSE(diags_.empty());
  EXPECT_THAT(diags_.items()[0].detail, ::testing::HasSubstr("module.net"));
}

TEST_F(StaticEvaluatorTest, AVariableWhoseConstCannotBeReadIsNotConstant) {
  write(".",
        "variable \"x\" {\n  const   = null\n  default = \"./m\"\n}\n"
        "module \"m\" {\n  source = var.x\n}\n");
  write("./m", "");

  (void)link();

  EXPECT_THAT(error_lines(), ElementsAre(2, 6));
}

TEST_F(StaticEvaluatorTest, AMisspelledNameIsCorrected) {
  write(".",
        "variable \"region\" {\n  default = 1\n}\nlocals {\n  zone = 1\n}\n"
        "module \"m\" {\n  source = \"${var.regoin}${local.zoen}\"\n}\n");

  (void)link();

  ASSERT_EQ(diags_.size(), 2U);
  EXPECT_THAT(diags_.items()[0].detail, ::testing::HasSubstr("Did you mean \"region\"?"));
  EXPECT_THAT(diags_.items()[1].detail, ::testing::HasSubstr("Did you mean \"zone\"?"));
}

}  // namespace
}  // namespace tofu::config
