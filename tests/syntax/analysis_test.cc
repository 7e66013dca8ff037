#include "syntax/analysis.h"

#include <gtest/gtest.h>

#include "tests/syntax/parsed.h"

namespace tofu::syntax {
namespace {

// A JSON string is given as json:TEXT.
ParsedText parsed(std::string_view text) {
  if (!text.starts_with("json:")) return {parse_expression, text};
  std::string quoted = base::quote_go(text.substr(5));
  return {parse_json_file, "{\"a\": " + quoted + "}"};
}
const Expr& tree(const ParsedText& parsed) {
  if (parsed.file->expr) return *parsed.file->expr;
  return *as<ObjectExpr>(*parsed.file->json).items[0].value;
}

std::string variables_of(std::string_view text) {
  const ParsedText source = parsed(text);
  std::string out;
  for (const Traversal* found : variables(tree(source))) {
    out += TreeDump(false).traversal(*found) + " ";
  }
  return out;
}

TEST(Analysis, AccessesAreWhatIsTakenOutOfSomethingEvaluated) {
  const auto accesses_of = [](std::string_view text) {
    const ParsedText source = parsed(text);
    std::string out;
    for (const Expr* found : accesses(tree(source))) {
      out += text.substr(found->range.begin, found->range.end - found->range.begin);
      out += ' ';
    }
    return out;
  };
  EXPECT_EQ(accesses_of("a.b[0] + f(a.c)"), "");
  EXPECT_EQ(accesses_of("[for k in f(x).ks : m[k].old]"), "f(x).ks m[k].old m[k] ");
  EXPECT_EQ(accesses_of("length(m[*].old)"), "m[*].old ");
}

TEST(Analysis, VariablesAreTheNamesFromOutside) {
  const Case cases[] = {
      {"1 + a.b", "a.b "},
      {"a[b.c].d", "a b.c "},
      {"[for x in a : x + y]", "a y "},
      {"{for k, v in k : k => v if w}", "k w "},
      {"a[*].b[c]", "a c "},
      {"{a = b, (c) = d, \"${e}\" = f, g.h = i}", "b c d e f g.h i "},
      {"f(a, b...)", "a b "},
      {"\"${a}%{ if b }%{ for c in d }${c}${e}%{ endfor }%{ endif }\"", "a b d e "},
      {"a ? b : c", "a b c "},
      {"a || b && c", "a b c "},
      {"true.x", ""},
      {"json:x${a.b}${f(c)}", "a.b c "},
      {"json:a.b", ""},
      {"json:${a", ""},
  };
  for (const Case& each : cases) EXPECT_EQ(variables_of(each.text), each.result) << each.text;
}

TEST(Analysis, CallsAreFoundFromTheOutsideIn) {
  const ParsedText source = parsed("f(g(1), [h()]) + p::q()");
  std::string out;
  for (const CallExpr* call : calls(tree(source))) out += std::string(call->name) + " ";
  EXPECT_EQ(out, "f g h p::q ");
}

struct ReadingCase {
  std::string_view text;
  std::string_view traversal;  // or where the error is
  std::string_view keyword;
};

TEST(Analysis, NestingCountsWhatStandsInsideEachOther) {
  const auto nesting_of = [](std::string_view text) {
    const ParsedText source = parsed(text);
    return nesting(tree(source));
  };
  EXPECT_EQ(nesting_of("a.b"), 1);
  EXPECT_EQ(nesting_of("[a, b, c]"), 2);
  EXPECT_EQ(nesting_of("[f(a)]"), 3);
}

TEST(Analysis, TraversalsAndKeywords) {
  const ReadingCase cases[] = {
      {"a", "a", "a"},
      {"a.b[0]", "a.b[0]", ""},
      {"true", "true", "true"},
      {"null.a", "null.a", ""},
      {"(a)", "errors 0-3", ""},
      {"\"a\"", "errors 0-3", ""},
      {"\"${a}\"", "errors 0-6", ""},
      {"a[b]", "errors 0-4", ""},
      {"f()", "errors 0-3", ""},
      {"1", "errors 0-1", ""},
      {"json:a.b[\"c\"]", "a.b[\"c\"]", ""},
      {"json: all ", "all", "all"},
      {"json:true", "true", "true"},
      {"json:a b", "errors 6-11", ""},
      {"json:a.0", "errors 6-11", ""},
      {"json:", "errors 6-8", ""},
  };
  for (const ReadingCase& each : cases) {
    const ParsedText source = parsed(each.text);
    diag::Diagnostics diags;
    const auto found = as_traversal(tree(source), diags);
    EXPECT_EQ(found ? TreeDump(false).traversal(*found) : "errors " + places(diags), each.traversal)
        << each.text;
    EXPECT_EQ(keyword(tree(source)), each.keyword) << each.text;
  }
}

TEST(Analysis, JsonLiteralsAreNoNames) {
  const ParsedText source(parse_json_file, "{\"a\": true}");
  EXPECT_FALSE(traversal_if(tree(source)));
}

TEST(Analysis, AKeyOfAnObjectIsReadAsWhatItWraps) {
  const ParsedText source = parsed("{a = 1, b.c = 2, (d) = 3, null = 4}");
  std::string out;
  for (const ObjectItem& item : as<ObjectExpr>(tree(source)).items) {
    out += std::string(keyword(*item.key)) + (traversal_if(*item.key) ? "+ " : "- ");
  }
  EXPECT_EQ(out, "a+ + - null+ ");
}

TEST(Analysis, ListsMapsAndCallsHaveToBeWrittenOut) {
  diag::Diagnostics diags;
  const ParsedText list = parsed("[a, b]");
  EXPECT_EQ(as_list(tree(list), diags)->size(), 2u);
  const ParsedText map = parsed("{a = b}");
  EXPECT_EQ(as_map(tree(map), diags)->size(), 1u);
  const ParsedText call = parsed("f(a)");
  EXPECT_EQ(as_call(tree(call), diags)->name, "f");
  const ParsedText text = parsed("json:list(string)");
  const CallExpr* found = as_call(tree(text), diags);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->name, "list");
  EXPECT_EQ(found->name_range.begin, 6u);
  EXPECT_TRUE(diags.empty());

  const ParsedText other = parsed("a.b[c]");
  EXPECT_FALSE(as_list(tree(other), diags));
  EXPECT_FALSE(as_map(tree(other), diags));
  EXPECT_EQ(as_call(tree(other), diags), nullptr);
  EXPECT_EQ(places(diags), "3-4 3-4 3-4");
}

}  // namespace
}  // namespace tofu::syntax
