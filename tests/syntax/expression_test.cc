#include <gtest/gtest.h>

#include "tests/syntax/parsed.h"

namespace tofu::syntax {
namespace {

void check(std::initializer_list<Case> cases) {
  for (const Case& each : cases) EXPECT_EQ(expression(each.text), each.result) << each.text;
}

TEST(Expression, OperatorsBindByTheirLevel) {
  check({
      {"1 + 2 * 3 - 4", "((1 + (2 * 3)) - 4)"},
      {"a || b && c == d < e + f % g", "(a || (b && (c == (d < (e + (f % g))))))"},
      {"a - b - c", "((a - b) - c)"},
      {"a / b * c", "((a / b) * c)"},
      {"-a + b", "((-a) + b)"},
      {"-a.b[0]", "(-a.b[0])"},
      {"!!a", "(!(!a))"},
      {"!a == b", "((!a) == b)"},
      {"(a + b) * c", "(paren((a + b)) * c)"},
      {"a ? b : c ? d : e", "if(a, b, if(c, d, e))"},
      {"a ? b ? 1 : 2 : 3", "if(a, if(b, 1, 2), 3)"},
      {"a == b ? c : d", "if((a == b), c, d)"},
  });
}

TEST(Expression, LiteralsAndNames) {
  check({
      {"true", "true"},
      {"null", "null"},
      {"trueish", "trueish"},
      {"1.50", "1.5"},
      {"\"a\"", "t[\"a\"]"},
      {"\"\"", "t[\"\"]"},
      {"\"e\u0301\"", "t[\"é\"]"},
      {"\"\\n\\r\\t\\\"\\\\\\u00e9\\U0001F600\"", "t[\"\\n\\r\\t\\\"\\\\é😀\"]"},
      {"true.a", "rel(true).a"},
  });
}

TEST(Expression, NumbersKeepTheirValueHoweverManyThereAre) {
  std::string text = "[12345678, 123456789";
  std::string result = text;
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 200; ++i) {
      text += ", " + std::to_string(i) + ", " + std::to_string(i) + ".50";
      result += ", " + std::to_string(i) + ", " + std::to_string(i) + ".5";
    }
  }

  EXPECT_EQ(expression(text + "]"), result + "]");
}

TEST(Expression, ConstantStepsArePartOfTheTraversal) {
  check({
      {"a.b.c", "a.b.c"},
      {"a[0].b[\"k\"]", "a[0].b[\"k\"]"},
      {"a.0.b", "a[0].b"},
      {"a[true][null]", "a[true][null]"},
      {"a[b].c[d]", "idx(rel(idx(a, b)).c, d)"},
      {"a[\"x${b}\"]", "idx(a, t[\"x\", b])"},
      {"a[\"${\"b\"}\"]", "idx(a, wrap(t[\"b\"]))"},
      {"a[-1]", "idx(a, (-1))"},
      {"f().a[0]", "rel(f()).a[0]"},
      {"[1][0]", "rel([1])[0]"},
      {"(a).b", "rel(paren(a)).b"},
      {"\"s\".b", "rel(t[\"s\"]).b"},
      {"a\n.b\n[0]", "a.b[0]"},
  });
}

TEST(Expression, SplatsTakeWhatTheirFormTakes) {
  check({
      {"a.*.b[0]", "rel(splat(a, @.b))[0]"},
      {"a[*].b[0]", "splat(a, @.b[0])"},
      {"a.*", "splat(a, @)"},
      {"a[*]", "splat(a, @)"},
      {"a.*.b.0.c", "splat(a, @.b[0].c)"},
      {"a.b.*.c", "splat(a.b, @.c)"},
      {"a[*][b].c", "splat(a, rel(idx(@, b)).c)"},
      {"a[*].b[*].c", "splat(a, splat(@.b, @.c))"},
      {"a.*.b[0].*.c", "splat(rel(splat(a, @.b))[0], @.c)"},
  });
}

TEST(Expression, CallsMayHaveNamespacesAndAnExpandedEnd) {
  check({
      {"f()", "f()"},
      {"f(a, b,)", "f(a, b)"},
      {"f(a...)", "f(a...)"},
      {"f(\n a,\n b\n)", "f(a, b)"},
      {"provider::aws::f(1)", "provider::aws::f(1)"},
      {"a :: b (1)", "a::b(1)"},
      {"f(g(h()))", "f(g(h()))"},
  });
}

TEST(Expression, ListsAndObjects) {
  check({
      {"[]", "[]"},
      {"[1, 2,\n 3,]", "[1, 2, 3]"},
      {"{}", "{}"},
      {"{a = 1, b : 2}", "{key(a) = 1, key(b) = 2}"},
      {"{a = 1\n b = 2\n}", "{key(a) = 1, key(b) = 2}"},
      {"{\n\n a = 1,\n\n}", "{key(a) = 1}"},
      {"{\"a b\" = 1, (c) = 2, 3 = 4, a.b = 5}",
       "{key(t[\"a b\"]) = 1, key!(paren(c)) = 2, key(3) = 4, key(a.b) = 5}"},
      {"{a = [\n1\n]\n b = (\n2\n)}", "{key(a) = [1], key(b) = paren(2)}"},
      {"{a = 1 # one\n b = 2}", "{key(a) = 1, key(b) = 2}"},
      {"{b = 1, for = 2}", "{key(b) = 1, key(for) = 2}"},
      {"{if = 1, in = 2}", "{key(if) = 1, key(in) = 2}"},
  });
}

TEST(Expression, ForMakesListsAndObjects) {
  check({
      {"[for a in b : a]", "for(a in b: a)"},
      {"[for a, b in c : b if a]", "for(a, b in c: b if a)"},
      {"{for a, b in c : a => b...}", "for(a, b in c: a => b...)"},
      {"{\nfor a in b :\n a => 1\n if a\n}", "for(a in b: a => 1 if a)"},
      {"{for = 1}", "errors 5-6"},
      {"[for]", "errors 4-5"},
      {"[for a b]", "errors 7-8"},
      {"[for a in b a]", "errors 12-13"},
      {"[for a in b : a => a]", "errors 14-15"},
      {"[for a in b : a...]", "errors 15-18"},
      {"{for a in b : a}", "errors 14-15"},
      {"[for a in b : a c]", "errors 16-17"},
      {"[for a, in b : a]", "errors 11-12"},
  });
}

TEST(Expression, BracketsMakeLineBreaksMeaningless) {
  check({
      {"(a\n+\nb)", "paren((a + b))"},
      {"a\n+ b", "(a + b)"},
      {"f(a ?\n b :\n c)", "f(if(a, b, c))"},
      {"[a # one\n, b]", "[a, b]"},
  });
}

TEST(Expression, ErrorsAreAtThePlaceThatOpenTofuNames) {
  check({
      {"", "errors 0-0"},
      {"1 2", "errors 2-3"},
      {"a +", "errors 3-3"},
      {"a..b", "errors 2-3"},
      {"a.", "errors 2-2"},
      {"a.0.1", "errors 2-5"},
      {"a.*.0.1", "errors 2-3"},
      {"a.*.*", "errors 4-5"},
      {"a[0", "errors 3-3"},
      {"a[0;1]", "errors 3-4 5-6"},
      {"a[*b]", "errors 4-5"},
      {"(1", "errors 2-2"},
      {"(1 2)", "errors 3-4"},
      {"[1 2]", "errors 3-4"},
      {"[1", "errors 0-1"},
      {"{a}", "errors 2-3"},
      {"{a = 1 b = 2}", "errors 7-8"},
      {"{a = 1", "errors 0-1"},
      {"f(1 2)", "errors 4-5"},
      {"f(1", "errors 0-2"},
      {"f(a... b)", "errors 3-6"},
      {"a::", "errors 3-3"},
      {"a::b", "errors 4-4"},
      {"a ? b", "errors 5-5"},
      {"1.2.3", "errors 0-5"},
      {"\"\\x\"", "errors 1-3"},
      {"\"\\u12\"", "errors 1-5"},
      {"\"\\ud800\"", "errors 1-7"},
      {"\"abc", "errors 4-4"},
      {"'a'", "errors 0-1 0-1"},
  });
}

TEST(Expression, NodesKnowTheirPlaces) {
  EXPECT_EQ(ParsedText(parse_expression, " a.b + f(\"c\")[0]").result(true),
            "(a.b@2-4@1-4 + rel(f(t[\"c\"@10-11]@9-12)@7-13)[0]@13-16@7-16)@1-16");
  EXPECT_EQ(ParsedText(parse_expression, "a[*].b").result(true), "splat(a@0-1, @.b@4-6@1-6)@0-6");
  EXPECT_EQ(ParsedText(parse_expression, "a.*.b").result(true), "splat(a@0-1, @.b@3-5@3-5)@0-5");
  EXPECT_EQ(ParsedText(parse_expression, "[{(a) = 1}]").result(true),
            "[{key!(paren(a@3-4)@2-5)@2-5 = 1@8-9}@1-10]@0-11");
}

// The slots of names bound inside an expression, in source order: names of locals
// with their slots, @ for the element of a splat.
void append_slots(const Expr& expr, std::string& out) {
  if (const auto* local = as_if<LocalExpr>(expr)) {
    out += std::string(local->traversal.root.empty() ? "@" : local->traversal.root) +
           std::to_string(local->slot) + " ";
  } else if (const auto* variable = as_if<VariableExpr>(expr)) {
    out += std::string(variable->traversal.root) + " ";
  } else if (const auto* loop = as_if<ForExpr>(expr)) {
    append_slots(*loop->collection, out);
    out += "(" + std::to_string(loop->key_slot) + "," + std::to_string(loop->value_slot) + " ";
    if (loop->key) append_slots(*loop->key, out);
    append_slots(*loop->value, out);
    if (loop->condition) append_slots(*loop->condition, out);
    out += ") ";
  } else if (const auto* splat = as_if<SplatExpr>(expr)) {
    append_slots(*splat->source, out);
    append_slots(*splat->each, out);
  } else if (const auto* index = as_if<IndexExpr>(expr)) {
    append_slots(*index->collection, out);
    append_slots(*index->key, out);
  } else if (const auto* tuple = as_if<TupleExpr>(expr)) {
    for (const Expr* item : tuple->items) append_slots(*item, out);
  } else if (const auto* text = as_if<TemplateExpr>(expr)) {
    for (const Expr* part : text->parts) append_slots(*part, out);
  } else if (const auto* wrap = as_if<TemplateWrapExpr>(expr)) {
    append_slots(*wrap->wrapped, out);
  } else if (const auto* join = as_if<TemplateJoinExpr>(expr)) {
    append_slots(*join->tuple, out);
  }
}

std::string slots(std::string_view text) {
  const ParsedText parsed(parse_expression, text);
  EXPECT_FALSE(parsed.diags.has_errors()) << text;
  std::string out;
  append_slots(*parsed.file->expr, out);
  return out;
}

TEST(Expression, NamesBoundByForAreNumberedFromTheOutermost) {
  EXPECT_EQ(slots("[for a in a : a]"), "a (0,1 a1 ) ");
  EXPECT_EQ(slots("[for k, v in m : [k, v, m]]"), "m (0,1 k0 v1 m ) ");
  EXPECT_EQ(slots("[for a in x : [for b in a : [a, b]]]"), "x (0,1 a1 (2,3 a1 b3 ) ) ");
  EXPECT_EQ(slots("[for a in x : [for a in a : a]]"), "x (0,1 a1 (2,3 a3 ) ) ");
  EXPECT_EQ(slots("[for a, a in x : a]"), "x (0,1 a1 ) ");
  EXPECT_EQ(slots("[[for a in x : a], a]"), "x (0,1 a1 ) a ");
  EXPECT_EQ(slots("{for a in x : a => a if a}"), "x (0,1 a1 a1 a1 ) ");
}

TEST(Expression, ElementsOfSplatsAreNumberedToo) {
  EXPECT_EQ(slots("a[*].b"), "a @0 ");
  EXPECT_EQ(slots("a[*][b[*].c]"), "a @0 b @1 ");
  EXPECT_EQ(slots("a[*].b[*].c"), "a @0 @1 ");
  EXPECT_EQ(slots("[for x in a[*] : x.*.y]"), "a @0 (0,1 x1 @2 ) ");
}

TEST(Expression, ATemplateForBindsUntilItsEnd) {
  EXPECT_EQ(slots("\"%{ for a in a }${a}%{ endfor }${a}\""), "a (0,1 a1 ) a ");
  EXPECT_EQ(slots("[for x in y : \"%{ for k, x in x }${k}${x}%{ endfor }${x}\"]"),
            "y (0,1 x1 (2,3 k2 x3 ) x1 ) ");
}

std::string traversal(std::string_view text, bool allow_splat) {
  diag::SourceMap sources;
  diag::Diagnostics diags;
  const auto parsed =
      parse_traversal(sources, sources.add("test", std::string(text)), allow_splat, diags);
  EXPECT_NE(parsed.has_value(), diags.has_errors()) << text;
  return parsed ? TreeDump(false).traversal(parsed->traversal) : "errors " + places(diags);
}

TEST(ParseTraversal, AcceptsNamesAndConstantKeysOnly) {
  EXPECT_EQ(traversal("a.b[0][\"c\"]", false), "a.b[0][\"c\"]");
  EXPECT_EQ(traversal(" a\n.b ", false), "a.b");
  EXPECT_EQ(traversal("true.null", false), "true.null");
  EXPECT_EQ(traversal("a[*].b", true), "a[*].b");
  EXPECT_EQ(traversal("a[*].b", false), "errors 2-3");
  EXPECT_EQ(traversal("a.*", true), "errors 2-3");
  EXPECT_EQ(traversal("a.0", false), "errors 2-3");
  EXPECT_EQ(traversal("a[b]", false), "errors 2-3");
  EXPECT_EQ(traversal("a[\"${b}\"]", false), "errors 3-5");
  EXPECT_EQ(traversal("a[0", false), "errors 3-3");
  EXPECT_EQ(traversal("a b", false), "errors 2-3");
  EXPECT_EQ(traversal("", false), "errors 0-0");
  EXPECT_EQ(traversal("a.b'", false), "errors 3-4 3-4");
}

}  // namespace
}  // namespace tofu::syntax
