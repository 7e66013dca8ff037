#include <gtest/gtest.h>

#include "tests/functions/evaluation.h"
#include "tests/functions/scratch_directory.h"

namespace tofu::functions {
namespace {

using value::Value;

TEST(TemplateString, KeepsTheTypeOfASingleInterpolation) {
  expect_same({
      {R"(templatestring("$${a}", {a = [1]}))", "[1]"},
      {R"(templatestring("$${a}!", {a = 1}))", R"("1!")"},
      {R"(templatestring("%%{for x in xs}<$${upper(x)}>%%{endfor}", {xs = ["a", "b"]}))",
       R"("<A><B>")"},
      {R"(templatestring("$${a}", tomap({a = "x"})))", R"("x")"},
      {R"(templatestring("$${templatestring(\"q\", {})}", {}))", R"("q")"},
  });
}

TEST(TemplateString, MarksAndUnknownsPassThrough) {
  expect_same({
      {R"(templatestring(sensitive("x"), {}))", R"(sensitive("x"))"},
      {R"(templatestring("x$${a}", {a = sensitive(1)}))", R"(sensitive("x1"))"},
      {R"(templatestring("$${a}", {a = unk.number}))", "unk.number"},
      {R"(templatestring(unk.string, {}))", "unk.any"},
  });
}

TEST(TemplateString, FaultsPointAtTheVariablesOrTheCall) {
  expect_faults({
      R"(templatestring("$${a}", «{}»))",
      R"(templatestring("$${a}", «[]»))",
      R"(templatestring("a", «{"1a" = 1}»))",
      R"(«templatestring(»"$${", {}))",
      R"(«templatestring(»"$${nope(1)}", {}))",
      R"(«templatestring(»"$${a.b}", {a = 1}))",
      R"(«templatestring(»"$${a}", sensitive({a = 1})))",
  });
}

TEST(TemplateString, NoWordOfASensitiveTemplateIsShown) {
  Evaluation evaluation;
  for (const std::string_view expression : {R"(templatestring(sensitive("$${s3cret}"), {}))",
                                            R"(templatestring(sensitive("$${s3cret()}"), {}))",
                                            R"(templatestring(sensitive("$${s3cret"), {}))"}) {
    const Evaluated got = evaluation.run(expression);
    EXPECT_FALSE(got.value.has_value()) << expression;
    EXPECT_EQ(got.message.find("s3cret"), std::string::npos) << got.message;
  }
}

class TemplateFile : public testing::Test {
 protected:
  TemplateFile() : table_(directory_.environment()) {}

  syntax::CallResult<Value> render(std::string_view path, Value variables) const {
    return call_by_name(table_, "templatefile", {Value::string(path), std::move(variables)});
  }

  ScratchDirectory directory_;
  Table table_;
};

TEST_F(TemplateFile, RendersWithVariablesAndFunctions) {
  directory_.write("t.tftpl", "Hello, ${upper(name)}!");
  const auto text = render("t.tftpl", Value::object({{"name", Value::string("Ann")}}));
  ASSERT_TRUE(text.ok()) << text.error().what;
  EXPECT_EQ(text->plain().as_string(), "Hello, ANN!");
}

TEST_F(TemplateFile, SensitiveVariablesMakeTheResultSensitive) {
  directory_.write("t.tftpl", "${name} ${other}");
  const auto text = render(
      "t.tftpl", Value::object({{"name", Value::string("x").with_marks(value::Marks::sensitive())},
                                {"other", Value::string("y")}}));
  EXPECT_TRUE(text->marks().is_sensitive());
}

TEST_F(TemplateFile, TellsWhereInTheTemplateAnErrorIs) {
  directory_.write("t.tftpl", "one\n  ${missing}");
  const auto failed = render("t.tftpl", Value::object(std::vector<value::Attr>{}));
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().argument, 1u);
  EXPECT_NE(failed.error().what.find("t.tftpl, line 2, column 5"), std::string::npos)
      << failed.error().what;
  EXPECT_EQ(render("nope.tftpl", Value::object(std::vector<value::Attr>{})).error().argument, 0u);
}

TEST_F(TemplateFile, EndlessRecursionIsOneShortError) {
  const Value nothing = Value::object(std::vector<value::Attr>{});
  directory_.write("plain.tftpl", R"(${templatefile("plain.tftpl", {})})");
  directory_.write("core.tftpl", R"(${core::templatefile("core.tftpl", {})})");
  directory_.write("string.tftpl", R"(${templatestring(file("string.tftpl"), {})})");
  for (const std::string_view path : {"plain.tftpl", "core.tftpl", "string.tftpl"}) {
    const auto failed = render(path, nothing);
    ASSERT_FALSE(failed.ok()) << path;
    EXPECT_LT(failed.error().what.size(), 200u) << failed.error().what;
  }
}

TEST_F(TemplateFile, TheRecursionLimitIsTheEnvironments) {
  directory_.write("nested.tftpl",
                   R"(${n == 0 ? "end" : templatefile("nested.tftpl", {n = n - 1})})");
  Environment environment = directory_.environment();
  environment.template_recursion_limit = 3;
  const Table table(environment);
  const auto with_depth = [&](int depth) {
    return call_by_name(
        table, "templatefile",
        {Value::string("nested.tftpl"), Value::object({{"n", Value::integer(depth)}})});
  };
  EXPECT_EQ(with_depth(3)->plain().as_string(), "end");
  EXPECT_FALSE(with_depth(100).ok());
}

TEST_F(TemplateFile, CallsAreLimitedInAll) {
  directory_.write("plain.tftpl",
                   R"(${templatefile("plain.tftpl", {})}${templatefile("plain.tftpl", {})})");
  const Table table(directory_.environment());
  const auto failed =
      call_by_name(table, "templatefile",
                   {Value::string("plain.tftpl"), Value::object(std::vector<value::Attr>{})});
  ASSERT_FALSE(failed.ok());
  EXPECT_NE(failed.error().what.find("in all"), std::string::npos) << failed.error().what;
}

TEST_F(TemplateFile, NoRecursionLimitCanOverflowTheStack) {
  directory_.write("plain.tftpl", R"(${templatefile("plain.tftpl", {})})");
  Environment environment = directory_.environment();
  environment.template_recursion_limit = 10'000'000;
  const Table table(environment);
  EXPECT_FALSE(
      call_by_name(table, "templatefile",
                   {Value::string("plain.tftpl"), Value::object(std::vector<value::Attr>{})})
          .ok());
}

}  // namespace
}  // namespace tofu::functions
