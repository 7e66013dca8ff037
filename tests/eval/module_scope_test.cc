#include "eval/module_scope.h"

#include "syntax/parser.h"
#include "tests/eval/in_memory.h"

namespace tofu::eval {
namespace {

using value::Value;

class ModuleScopeTest : public InMemory {
 protected:
  // What `expression` is in the root module that `text` declares; absent if it fails.
  std::optional<Value> value_in(std::string text, const std::string& expression) {
    write(".", std::move(text));
    const Program program = compiled();
    const config::TreeNode& root = program.tree->root();
    const functions::Table functions{functions::Environment{}};
    ModuleScope scope(root, {}, {}, functions);
    if (!scope.settle(diags_)) return std::nullopt;
    diag::SourceMap sources;
    const diag::FileId id = sources.add("<input>", expression);
    const auto file = syntax::parse_expression(sources, id, diags_);
    return scope.evaluate(*file->expr, diags_);
  }
};

TEST_F(ModuleScopeTest, AChainOfLocalsMayBeOfAnyLength) {
  std::string text = "locals {\n  x0 = 0\n";
  for (int i = 1; i <= 60'000; ++i) text += fmt::format("  x{} = local.x{} + 1\n", i, i - 1);

  const auto v = value_in(text + "}\n", "local.x60000");

  ASSERT_TRUE(v);
  EXPECT_EQ(v->plain().as_number().to_string(), "60000");
}

TEST_F(ModuleScopeTest, ALocalThatFailsIsReportedOnceAndUnknown) {
  const auto v =
      value_in("locals {\n  bad = 1 + \"x\"\n  after = upper(local.bad)\n  good = 3\n}\n",
               "[local.bad, local.after, local.good]");

  ASSERT_TRUE(v);
  EXPECT_FALSE(v->plain().items()[0].is_known());
  EXPECT_FALSE(v->plain().items()[1].is_known());
  EXPECT_TRUE(v->plain().items()[2].is_known());
  EXPECT_EQ(diags_.error_count(), 1U);
}

TEST_F(ModuleScopeTest, WhatOnlyAPlanKnowsIsUnknown) {
  const auto v = value_in(
      "resource \"terraform_data\" \"x\" {}\nlocals {\n  all = [terraform_data.x.id, 1]\n}\n",
      "concat(local.all, [terraform_data.x.output])");

  ASSERT_TRUE(v);
  EXPECT_FALSE(v->plain().items()[0].is_known());
  EXPECT_TRUE(v->plain().items()[1].is_known());
  EXPECT_FALSE(v->plain().items()[2].is_known());
}

TEST_F(ModuleScopeTest, AResourceThatIsNotDeclaredIsAnError) {
  EXPECT_FALSE(value_in("", "terraform_data.x"));
}

TEST_F(ModuleScopeTest, AModuleThatIsNotCalledIsAnError) {
  EXPECT_FALSE(value_in("", "module.m.x"));
}

TEST_F(ModuleScopeTest, AMistakeIsToldAsValidateTellsIt) {
  for (const std::string expression :
       {"var.nope", "local.nope", "module.nope", "terraform_data.nope", "path.nope",
        "terraform.nope", "count.index", "count.nope", "each.key", "each.nope", "self.id"}) {
    diags_ = {};
    (void)value_in("", expression);
    ASSERT_EQ(diags_.size(), 1U) << expression;
    const diag::Diagnostic typed = diags_.items()[0];
    diags_ = {};
    (void)problems_of("output \"o\" {\n  value = " + expression + "\n}\n");
    ASSERT_EQ(diags_.size(), 1U) << expression;
    EXPECT_EQ(typed.summary, diags_.items()[0].summary);
    EXPECT_EQ(typed.detail, diags_.items()[0].detail);
  }
}

TEST_F(ModuleScopeTest, NamesOfRepeatedBlocksAreErrors) {
  EXPECT_FALSE(value_in("", "count.index"));
}

}  // namespace
}  // namespace tofu::eval
