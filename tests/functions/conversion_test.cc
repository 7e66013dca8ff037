#include <gtest/gtest.h>

#include "tests/functions/evaluation.h"

namespace tofu::functions {
namespace {

TEST(Conversion, ToATypeOrAKindOfType) {
  expect_same({
      {"tobool(\"true\")", "true"},
      {"tonumber(\"1.5\")", "1.5"},
      {"tostring(1.50)", "\"1.5\""},
      {"tolist([1, \"a\"])[0]", "\"1\""},
      {"tomap({a = 1, b = \"x\"})[\"a\"]", "\"1\""},
      {"length(toset([\"a\", \"a\"]))", "1"},
      {"tostring(null) == null", "true"},
      {"tonumber(secret.number)", "secret.number"},
      {"tostring(unk.any) == \"a\"", "unk.string == \"a\""},
  });
  expect_faults({
      R"~(tobool(«"abc"»))~",
      "tobool(«1»)",
      R"~(tonumber(«"x"»))~",
      "tostring(«[]»)",
      "tolist(«5»)",
      "tolist(«[1, []]»)",
      "tomap(«[]»)",
      "«list(»1)",
      "«map(»)",
  });
}

TEST(Conversion, SecretsAreNotShown) {
  Evaluation evaluation;

  const Evaluated shown = evaluation.run("tonumber(known.string)");
  const Evaluated hidden = evaluation.run("tonumber(secret.string)");

  EXPECT_NE(shown.message.find("text"), std::string::npos);
  EXPECT_EQ(hidden.message.find("text"), std::string::npos);
  EXPECT_NE(hidden.message.find("sensitive"), std::string::npos);
}

TEST(Lazy, TryTakesTheFirstThatSucceeds) {
  expect_same({
      {"try(1 / 0 == null, [][0], \"a\")", "false"},
      {"try([][0], {}.a, \"a\")", "\"a\""},
      {"try(tonumber(\"x\"), nosuchfunction(), 7)", "7"},
      {"try(secret.string)", "secret.string"},
      {"try([unk.string], 1) == null", "unk.any == null"},
      {"can([][0])", "false"},
      {"can(1)", "true"},
      {"can(unk.string) == true", "unk.bool == true"},
  });
  expect_faults({
      "«try(»)",
      "«try(»[][0], {}.a)",
      "can(«)»",
      "can(1, «2»)",
  });
}

TEST(Lazy, ConvertTakesATypeAsVariablesDo) {
  expect_same({
      {"convert([1, \"a\"], list(string))", "tolist([\"1\", \"a\"])"},
      {"convert(\"5\", number)", "5"},
      {"convert({a = 1, c = 2}, object({a = string, b = optional(bool, true)}))",
       "{a = \"1\", b = true}"},
      {"convert(null, string) == null", "true"},
      {"convert(unk.any, object({a = string})).a == \"x\"", "unk.string == \"x\""},
      {"convert(secret.number, string)", "sensitive(\"7\")"},
      {"convert([1], any)", "[1]"},
  });
  expect_faults({
      R"~(convert(«"x"», number))~",
      "convert([]«[0]», string)",
      "convert(1, «nonsense»)",
      "convert(1«)»",
  });
}

TEST(Assume, UnknownsAreNarrowed) {
  expect_same({
      {"assumenotnull(unk.string) == null", "false"},
      {"startswith(assumestringprefix(unk.string, \"ami-\"), \"ami-\")", "true"},
      {"startswith(assumestringprefix(unk.string, \"ami\"), \"am\")", "true"},
      {"length(assumelistlengthmin(unk.list, 1)) == 0", "false"},
      {"length(assumenotnull(assumelistlength(unk.list, 2, 2)))", "2"},
      {"length(assumesetlengthmax(unk.set, 3)) < 4", "true"},
      {"length(assumemaplengthmin(unk.map, 2)) > 1", "true"},
      {"assumeequal(unk.string, \"a\")", "\"a\""},
      {"assumeequal(unk.any, [1])", "[1]"},
  });
}

TEST(Assume, KnownValuesMustKeepThePromise) {
  expect_same({
      {"assumenotnull(\"a\")", "\"a\""},
      {"assumestringprefix(\"ami-1\", \"ami-\")", "\"ami-1\""},
      {"assumestringprefix(null, \"ami-\") == null", "true"},
      {"assumelistlength([1, 2], 1, 2)", "tolist([1, 2])"},
      {"assumelistlengthmin([1], -5)", "tolist([1])"},
      {"assumeequal([\"a\"], tolist([\"a\"]))", "tolist([\"a\"])"},
  });
  expect_faults({
      "assumenotnull(«tostring(»null))",
      "assumenotnull(«unk.any»)",
      R"~(assumestringprefix(«"vpc-1"», "ami-"))~",
      R"~(assumestringprefix(«"am"», "ami-"))~",
      R"~(assumestringprefix(«unk.subnet», "ami-"))~",
      "assumelistlengthmax(«[1, 2]», 1)",
      "assumelistlengthmin(«[]», 1)",
      "assumelistlength(«[1]», 2, 1)",
      "assumelistlength([1], 0, «1.5»)",
      "assumesetlengthmin(«[1]», 1.5)",
      "assumelistlengthmax(«unk.list», -1)",
      "assumeequal(«1», 2)",
      R"~(assumeequal(«[]», "a"))~",
  });
}

TEST(Assume, EqualityKeepsWhereAValueCameFromButNotItsSecrecy) {
  expect_same({
      {"assumeequal(secret.string, \"text\")", "\"text\""},
      {"assumeequal(key.string, \"text\")", "\"text\""},
      {"assumeequal(\"text\", secret.string)", "secret.string"},
      {"assumeequal(old.string, \"text\")", "old.string"},
      {"assumeequal({a = [old.string]}, {a = [\"text\"]})", "{a = [old.string]}"},
  });
}

TEST(Type, IsWrappedForTheConsole) {
  Evaluation evaluation;

  const Evaluated type = evaluation.run("type([1])");

  ASSERT_TRUE(type.value.has_value());
  ASSERT_EQ(type.value->kind(), value::Kind::Capsule);
  const value::Type members[] = {value::Type::number()};
  EXPECT_EQ(*static_cast<const value::Type*>(type.value->plain().as_capsule().get()),
            value::Type::tuple(members));
}

}  // namespace
}  // namespace tofu::functions
