#include <gtest/gtest.h>

#include "functions/seen_values.h"
#include "tests/functions/evaluation.h"

namespace tofu::functions {
namespace {

TEST(List, ResultsAreThoseOfOpenTofu) {
  expect_same({
      {"chunklist([1, 2, 3], 2)", "tolist([tolist([1, 2]), tolist([3])])"},
      {"chunklist([1, 2], 0)", "tolist([tolist([1, 2])])"},
      {"length(chunklist([], 3))", "0"},
      {"compact([\"a\", \"\", null, \"b\"])", "tolist([\"a\", \"b\"])"},
      {"concat([1], [\"a\"])", "[1, \"a\"]"},
      {"concat(tolist([1]), tolist([\"a\"]))", "tolist([\"1\", \"a\"])"},
      {"concat(tolist([1]), [\"a\"])", "[1, \"a\"]"},
      {"concat(tolist([]), tolist([1]))", "tolist([1])"},
      {"distinct([\"a\", 1, \"1\", \"a\"])", "tolist([\"a\", \"1\"])"},
      {"distinct([null, \"a\", null])", "tolist([null, \"a\"])"},
      {"distinct([[1, 2], [2, 1], [1, 2]])", "tolist([[1, 2], [2, 1]])"},
      {"element([1, \"b\"], 3)", "\"b\""},
      {"element(tolist([1, 2, 3]), -1)", "3"},
      {"flatten([1, [2, [\"a\", []]], toset([3])])", "[1, 2, \"a\", 3]"},
      {"flatten([])", "[]"},
      {"flatten([null, {a = [1]}])", "[null, {a = [1]}]"},
      {"reverse([1, \"a\"])", "[\"a\", 1]"},
      {"reverse(toset([1, 2]))", "tolist([2, 1])"},
      {"slice([1, \"a\", true], 1, 3)", "[\"a\", true]"},
      {"slice([1, 2], 1, 1)", "[]"},
      {"sort([\"b\", \"a\", \"B\", 10, 9])", "tolist([\"10\", \"9\", \"B\", \"a\", \"b\"])"},
  });
}

TEST(List, Ranges) {
  expect_same({
      {"range(3)", "tolist([0, 1, 2])"},
      {"range(-2)", "tolist([0, -1])"},
      {"range(1, 2, 0.5)", "tolist([1, 1.5])"},
      {"range(3, 1)", "tolist([3, 2])"},
      {"length(range(1, 1, 0))", "0"},
      {"length(range(1024))", "1024"},
  });
  expect_faults({
      "«range(»1025)",
      "«range(»1, 5, 0)",
      "range(5, «1», 1)",
      "range(1, «5», -1)",
      "«range(»)",
      "«range(»1, 2, 3, 4)",
  });
}

TEST(List, FaultsPointAtTheArgumentOrTheCall) {
  expect_faults({
      "«chunklist(»[1], -1)",
      "«concat(»)",
      "concat([1], «5»)",
      "«element(»[], 0)",
      "«element(»[1], 0.5)",
      "«element(»{}, 0)",
      "«flatten(»5)",
      R"~(reverse(«"a"»))~",
      "slice(«toset(»[1]), 0, 1)",
      "slice([1], «2», 2)",
      "slice([1], 0, «2»)",
      "slice([1, 2], «1», 0)",
      "slice([1], «-1», 1)",
      R"~(«sort(»["a", null]))~",
  });
}

TEST(List, UnknownsKeepWhatCanBeTold) {
  expect_same({
      {"length(sort([unk.string, \"a\"]))", "2"},
      {"length(reverse(unk.tuple))", "2"},
      {"length(slice(unk.tuple, 0, 1))", "1"},
      {"length(concat(unk.tuple, [1]))", "3"},
      {"concat(unk.list, [1]) == null", "unk.any == null"},
      {"length(flatten([unk.string, [1]]))", "2"},
      {"flatten([unk.list]) == null", "unk.any == null"},
      {"distinct([unk.string]) == null", "false"},
      {"element(unk.tuple, 1) == null", "unk.number == null"},
      {"flatten([secret.list, [1]])", "sensitive([\"text\", 1])"},
      {"concat(secret.list, [1])", "sensitive([\"text\", 1])"},
      {"element(secret.list, 0)", "secret.string"},
      {"chunklist(secret.list, 1)", "sensitive(tolist([tolist([\"text\"])]))"},
  });
}

TEST(Search, NullsAreFound) {
  expect_same({
      {"contains([\"a\", null], null)", "true"},
      {"contains(tolist([\"a\"]), null)", "false"},
      {"contains(toset([\"a\", null]), null)", "true"},
      {"contains([], null)", "false"},
      {"contains([null], convert(null, string))", "true"},
      {"contains([unk.string], null) == null", "false"},
  });
}

TEST(Search, FindingElements) {
  expect_same({
      {"contains([\"a\", 1], 1)", "true"},
      {"contains([\"1\"], 1)", "false"},
      {"contains(toset([\"a\", \"b\"]), \"b\")", "true"},
      {"contains(toset([\"1\"]), 1)", "false"},
      {"contains([null], 1)", "false"},
      {"contains([unk.string, \"a\"], \"a\")", "true"},
      {"contains([unk.string], \"a\") == null", "false"},
      {"index([1, 2, 2], 2)", "1"},
      {"index([[1], {}], {})", "1"},
      {"matchkeys([\"x\", \"y\", \"z\"], [1, 2, \"1\"], [\"1\"])", "tolist([\"x\", \"z\"])"},
      {"length(matchkeys([\"x\"], [\"a\"], []))", "0"},
      {"length(matchkeys([\"x\"], [\"a\"], [unk.string]))", "0"},
      {"matchkeys([\"x\"], [\"a\"], [\"a\", unk.string])", "tolist([\"x\"])"},
  });
  expect_faults({
      "«contains(»{a = 1}, 1)",
      "contains(«null», 1)",
      "«index(»[1], 2)",
      "«index(»[], 2)",
      "«index(»{}, 2)",
      "«matchkeys(»[1], [], [])",
      "«matchkeys(»[1], [[1]], [{}])",
  });
}

TEST(Map, ResultsAreThoseOfOpenTofu) {
  expect_same({
      {"keys({b = 1, a = 2})", "[\"a\", \"b\"]"},
      {"keys(tomap({b = 1, a = 2}))", "tolist([\"a\", \"b\"])"},
      {"values({b = 1, a = \"x\"})", "[\"x\", 1]"},
      {"values(tomap({b = 1, a = 2}))", "tolist([2, 1])"},
      {"lookup({a = 1}, \"a\", \"x\")", "1"},
      {"lookup({a = 1}, \"b\", \"x\")", "\"x\""},
      {"lookup(tomap({a = 1}), \"b\", \"2\")", "2"},
      {"lookup({a = null}, \"a\")", "null"},
      {"merge({a = 1}, {a = \"x\", b = 2})", "{a = \"x\", b = 2}"},
      {"merge(tomap({a = 1}), tomap({b = 2}))", "tomap({a = 1, b = 2})"},
      {"merge(tomap({a = 1}), tomap({b = \"x\"}))", "{a = 1, b = \"x\"}"},
      {"merge(tomap({a = 1}), null)", "{a = 1}"},
      {"merge(null, null)", "{}"},
      {"merge(convert(null, object({a = string})))", "{}"},
      {"merge(convert(null, object({a = string})), {b = 1})", "{b = 1}"},
      {"merge()", "{}"},
      {"transpose({a = [\"x\", \"y\"], b = [\"x\", \"x\"]})",
       "tomap({x = tolist([\"a\", \"b\", \"b\"]), y = tolist([\"a\"])})"},
      {"zipmap([\"a\", \"b\"], [1, \"x\"])", "{a = 1, b = \"x\"}"},
      {"zipmap([\"a\", \"a\"], tolist([1, 2]))", "tomap({a = 2})"},
  });
}

TEST(Map, FaultsPointAtTheArgumentOrTheCall) {
  expect_faults({
      "keys(«[1]»)",
      "«values(»[1])",
      R"~(lookup(«{a = 1}», "b"))~",
      R"~(«lookup(»tomap({a = 1}), "b"))~",
      R"~(lookup(tomap({a = 1}), "b", «[]»))~",
      R"~(lookup(«[1]», "b", 2))~",
      R"~(«lookup(»{}, "a", 1, 2))~",
      "«merge(»{}, [1])",
      "transpose(«{a = [null]}»)",
      R"~(«zipmap(»["a"], []))~",
      R"~(«zipmap(»["a"], tolist([])))~",
      "«zipmap(»[null], [1])",
      R"~(«zipmap(»["a"], "b"))~",
  });
}

TEST(Map, UnknownsAndMarksGoThrough) {
  expect_same({
      {"keys(unk.object)", "[\"a\"]"},
      {"keys(unk.map) == null", "false"},
      {"length(values(unk.object))", "1"},
      {"lookup({a = 1}, unk.string) == null", "unk.any == null"},
      {"length(merge(unk.object, {b = 1}))", "2"},
      {"merge(unk.map, {b = 1}) == null", "unk.any == null"},
      {"length(zipmap([\"a\", \"b\"], unk.tuple))", "2"},
      {"lookup(secret.map, \"a\", \"b\")", "secret.string"},
      {"lookup(known.map, secret.string, \"b\")", "sensitive(\"b\")"},
      {"keys(secret.map)", "sensitive(tolist([\"a\"]))"},
      {"merge(known.map, secret.map)", "secret.map"},
      {"merge({a = secret.string}, {})", "{a = secret.string}"},
      {"zipmap([secret.string], [1])", "sensitive({text = 1})"},
  });
}

TEST(Map, ASecretKeyIsNotShown) {
  Evaluation evaluation;

  const Evaluated shown = evaluation.run("lookup(known.map, known.string)");
  const Evaluated hidden = evaluation.run("lookup(known.map, secret.string)");

  EXPECT_NE(shown.message.find("text"), std::string::npos);
  EXPECT_EQ(hidden.message.find("text"), std::string::npos);
}

TEST(Summary, OneValueOutOfMany) {
  expect_same({
      {"alltrue([true, \"true\"])", "true"},
      {"alltrue([true, null])", "false"},
      {"alltrue([])", "true"},
      {"alltrue([unk.bool, false]) == null", "false"},
      {"anytrue([unk.bool, true])", "true"},
      {"anytrue([null])", "false"},
      {"coalesce(null, \"\", \"a\", 1)", "\"a\""},
      {"coalesce(null, 2, true)", "2"},
      {"coalesce([1], [\"a\"])", "[\"1\"]"},
      {"coalescelist([], null == null ? [] : [], [1])", "[1]"},
      {"length(\"a👩‍👩‍👦\")", "2"},
      {"length({a = 1})", "1"},
      {"length(unk.tuple)", "2"},
      {"length(unk.list) > -1", "true"},
      {"length(secret.list)", "sensitive(1)"},
      {"one([])", "null"},
      {"one(toset([\"a\"]))", "\"a\""},
      {"one(tolist([unk.string])) == null", "unk.string == null"},
      {"sum([1, \"2\", 3.5])", "6.5"},
      {"sum([1, unk.number]) == null", "false"},
  });
  expect_faults({
      "«length(»5)",
      "length(«null»)",
      R"~(«coalesce(»null, ""))~",
      "«coalesce(»[1], {})",
      "«coalesce(»)",
      "«coalescelist(»)",
      "«coalescelist(»[])",
      "«coalescelist(»{})",
      "one(«[1, 2]»)",
      "one(«tolist(»[1, 2]))",
      "sum(«[]»)",
      "sum(«{a = 1}»)",
      "sum(«5»)",
      "sum(«[1, null]»)",
      R"~(sum(«["a"]»))~",
      "«sum(»[1/0, -1/0])",
  });
}

TEST(SeenValues, KeepsEqualValuesOnce) {
  const value::Value items[] = {value::Value::integer(1), value::Value::string("1"),
                                value::Value::null(value::Type::string())};
  SeenValues seen(4);

  EXPECT_TRUE(seen.add(items[0]));
  EXPECT_TRUE(seen.add(items[1]));
  EXPECT_TRUE(seen.add(items[2]));
  EXPECT_FALSE(seen.add(items[0]));
  EXPECT_TRUE(seen.contains(value::Value::null(value::Type::number())));
  EXPECT_FALSE(seen.contains(value::Value::integer(2)));
}

}  // namespace
}  // namespace tofu::functions
