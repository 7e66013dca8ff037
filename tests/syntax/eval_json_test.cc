// Expressions in JSON syntax.
#include <gtest/gtest.h>

#include "tests/syntax/evaluated.h"

namespace tofu::syntax {
namespace {

std::string json(std::string_view text, bool with_scope = true) {
  diag::SourceMap sources;
  diag::Diagnostics diags;
  const TestScope scope;
  const auto id = sources.add("test.json", fmt::format("{{\"x\": {}}}", text));
  const auto file = parse_json_file(sources, id, diags);
  if (diags.has_errors()) return "does not parse";
  const auto attributes = file->body().just_attributes(diags);
  const auto result = evaluate(*attributes[0].expr, with_scope ? &scope : nullptr, diags);
  return result ? plain_text(*result) : error_places(diags);
}

TEST(JsonExpression, StringsAreTemplates) {
  EXPECT_EQ(json(R"("a${1 + 1}")"), R"("a2")");
  EXPECT_EQ(json(R"("${l}")"), R"(list(string)["a", "b"])");
  EXPECT_EQ(json(R"([1, true, null, "${ss}"])"), R"([1, true, null, sensitive("secret")])");
  EXPECT_EQ(json(R"({"${o.a}": "${us}"})"), "{x = unknown(string)}");
}

TEST(JsonExpression, WithoutAScopeStringsAreThemselves) {
  EXPECT_EQ(json(R"("a${1 + 1}")", false), R"("a${1 + 1}")");
  EXPECT_EQ(json(R"({"${": "${"})", false), R"({${ = "${"})");
}

TEST(JsonExpression, SyntaxErrorsInTemplatesAreReportedWhenEvaluated) {
  EXPECT_EQ(json(R"("${")"), "error 9-9");
}

TEST(JsonExpression, KeysMustBeUniqueKnownStrings) {
  EXPECT_EQ(json(R"({"${us}": 1, "b": 2})"), "unknown(any)");
  EXPECT_EQ(json(R"({"x": 1, "${o.a}": 2})"), "error 15-23");
  EXPECT_EQ(json(R"({"${ns}": 1})"), "error 7-14");
  EXPECT_EQ(json(R"({"${l}": 1})"), "error 7-13");
  EXPECT_EQ(json(R"({"${ss}": 1})"), "sensitive({secret = 1})");
}

}  // namespace
}  // namespace tofu::syntax
