#include <gtest/gtest.h>

#include "tests/syntax/parsed.h"

namespace tofu::syntax {
namespace {

std::string json(std::string_view text) { return ParsedText(parse_json_file, text).result(); }

void check(std::initializer_list<Case> cases) {
  for (const Case& each : cases) EXPECT_EQ(json(each.text), each.result) << each.text;
}

TEST(JsonSyntax, ValuesBecomeExpressions) {
  check({
      {"{}", "{}"},
      {"[]", "[]"},
      {" {\"a\": [1, -2.5e3, true, null]} ", "{json\"a\"(\"a\") = [1, -2500, true, null]}"},
      {R"({"a": "x\"\\\/\b\f\n\r\té"})",
       R"({json"a"("a") = json"x\"\\/\b\f\n\r\té"("x\"\\/\b\f\n\r\té")})"},
      {R"({"a": "😀\ud800x"})", "{json\"a\"(\"a\") = json\"😀\uFFFDx\"(\"😀\uFFFDx\")}"},
      {"{\"a\": \"\xFF\"}", "{json\"a\"(\"a\") = json\"\uFFFD\"(\"\uFFFD\")}"},
      {R"({"${k}": "a${b}"})", R"({json"${k}"(wrap(k)) = json"a${b}"(t["a", b])})"},
      {R"({"a": "$${b}"})", R"({json"a"("a") = json"$${b}"(t["${b}"])})"},
  });
}

TEST(JsonSyntax, AFileThatIsNoTextIsOneError) {
  EXPECT_EQ(json(std::string(30'000, '\0')), "errors 0-1");
  EXPECT_EQ(json("{\"a\": \"" + std::string(30'000, '\0')), "errors 7-8");
  EXPECT_EQ(json(R"({"a": 1} )" + std::string(3, '\0')), "errors 9-10");
}

TEST(JsonSyntax, ErrorsAreAtThePlaceThatOpenTofuNames) {
  check({
      {"", "errors 0-0 0-0"},
      {"1", "errors 0-1"},
      {"{} x", "errors 3-4"},
      {"{", "errors 0-1 1-1 1-1"},
      {"{\"a\"}", "errors 0-1 4-5"},
      {"{\"a\" = 1}", "errors 0-1 5-6"},
      {"{\"a\": 1 \"b\": 2}", "errors 0-1 15-15"},
      {"{\"a\": 1,}", "errors 0-1 7-8"},
      {"{\"a\": 1", "errors 0-1 0-1"},
      {"{1: 2}", "errors 0-1 1-2"},
      {"[1 2]", "errors 0-1 5-5"},
      {"[1,]", "errors 0-1 2-3"},
      {"[1", "errors 0-1 0-1"},
      {"{\"a\": 01}", "errors 6-8"},
      {"{\"a\": True}", "errors 6-10"},
      {"{\"a\": @}", "errors 0-1 6-7 7-7"},
      {"{\"a\": \"\\x\"}", "errors 9-10"},
      {"{\"a\": \"b\n\"}", "errors 0-1 8-9 11-11"},
  });
}

TEST(JsonSyntax, AWrongTemplateIsAnErrorOnlyWhenEvaluated) {
  const ParsedText parsed(parse_json_file, R"({"a": "x${b c}"})");
  EXPECT_FALSE(parsed.diags.has_errors());
  const auto& item = as<ObjectExpr>(*parsed.file->json).items[0];
  const auto& text = as<JsonStringExpr>(*item.value);
  EXPECT_EQ(text.parsed->kind, ExprKind::Invalid);
  ASSERT_NE(text.errors, nullptr);
  ASSERT_EQ(text.errors->size(), 1u);
  EXPECT_EQ((*text.errors)[0].subject->begin, 12u);
  EXPECT_EQ(text.literal->plain().as_string(), "x${b c}");
}

TEST(JsonSyntax, BytesThatAreNotUtf8DoNotMovePlacesOutOfTheString) {
  const std::string text = "{\"a\": \"${" + std::string(40, '\xFF') + "b c}\"}";
  const ParsedText parsed(parse_json_file, text);
  const auto& value = as<JsonStringExpr>(*as<ObjectExpr>(*parsed.file->json).items[0].value);
  ASSERT_NE(value.errors, nullptr);
  for (const diag::Diagnostic& error : *value.errors) {
    EXPECT_LE(error.subject->end, value.range.end) << error.summary;
  }
}

TEST(JsonSyntax, PlacesInATemplateCountFromTheStringsStart) {
  const ParsedText parsed(parse_json_file, R"({"a": "x${b}"})");
  EXPECT_EQ(parsed.result(true),
            R"({json"a"("a"@2-4)@1-4 = json"x${b}"(t["x"@7-8, b@10-11]@7-12)@6-13}@0-14)");
}

}  // namespace
}  // namespace tofu::syntax
