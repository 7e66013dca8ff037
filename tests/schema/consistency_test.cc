#include "schema/consistency.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/schema/make_schema.h"
#include "tests/syntax/plain_text.h"

namespace tofu::schema {
namespace {

using syntax::plain_text;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using value::Marks;
using value::Path;
using value::Type;
using value::Value;

const std::vector<Attribute> kAll = {attribute("com", Is::Computed), attribute("opt", Is::Optional),
                                     attribute("oc", Is::OptionalComputed)};

std::vector<std::string> texts(const std::vector<value::PathError>& problems) {
  std::vector<std::string> out;
  for (const value::PathError& problem : problems) {
    out.push_back(to_string(problem.path) + ": " + problem.what);
  }
  return out;
}

std::vector<std::string> planned(const Block& schema, const std::string& prior,
                                 const std::string& config, const std::string& plan) {
  return texts(
      check_planned(schema, object(schema, prior), object(schema, config), object(schema, plan)));
}

std::vector<std::string> applied(const Block& schema, const std::string& plan,
                                 const std::string& actual) {
  return texts(check_applied(schema, object(schema, plan), object(schema, actual)));
}

// --- plans

TEST(CheckPlanned, AProviderDecidesAboutWhatTheConfigurationLeavesToIt) {
  const Block schema = block(kAll);
  EXPECT_THAT(planned(schema, "null", "opt = 1", "opt = 1\ncom = unknown\noc = unknown"),
              IsEmpty());
  EXPECT_THAT(planned(schema, "com = 1", "opt = 1", "opt = 1\ncom = 2\noc = 3"), IsEmpty());
  EXPECT_THAT(planned(schema, "null", "null", "null"), IsEmpty());
  // A computed attribute may be in the configuration by ignore_changes.
  EXPECT_THAT(planned(schema, "com = 1", "com = 1", "com = 2"), IsEmpty());
}

TEST(CheckPlanned, WhatIsConfiguredHasToBePlanned) {
  const Block schema = block(kAll);
  EXPECT_THAT(planned(schema, "null", "opt = 1", "opt = 2"),
              ElementsAre(".opt: the planned value is \"2\", but the configured value is \"1\""));
  EXPECT_THAT(planned(schema, "opt = 3", "opt = 1", "opt = 2"),
              ElementsAre(".opt: the planned value is \"2\", but the configured value is \"1\" and "
                          "the value of before is \"3\""));
  EXPECT_THAT(planned(schema, "null", "oc = 1", "oc = unknown"),
              ElementsAre(".oc: the planned value is a string, known only after apply, but the "
                          "configured value is \"1\""));
  EXPECT_THAT(planned(schema, "null", "", "opt = 2"),
              ElementsAre(".opt: the planned value is \"2\", but it is neither set nor computed"));
  EXPECT_THAT(planned(schema, "null", "opt = 1", ""),
              ElementsAre(".opt: the planned value is null, but the configured value is \"1\""));
  EXPECT_THAT(planned(schema, "null", "null", ""),
              ElementsAre(": it is planned to exist, but not configured"));
  EXPECT_THAT(planned(schema, "null", "", "null"),
              ElementsAre(": it is configured, but planned to be absent"));
}

TEST(CheckPlanned, TheValueOfBeforeMayStandForTheConfiguredOne) {
  const Block schema = block(kAll);
  EXPECT_THAT(planned(schema, "opt = \"a\"", "opt = \"A\"", "opt = \"a\""), IsEmpty());
  EXPECT_THAT(planned(schema, "opt = \"a\"", "", "opt = \"a\""),
              ElementsAre(".opt: the planned value is \"a\", but it is neither set nor computed"));
}

TEST(CheckPlanned, AWriteOnlyArgumentIsPlannedAsNull) {
  const std::vector<Attribute> parts = {write_only(attribute("w", Is::Optional))};
  const Block schema = block(
      {write_only(attribute("w", Is::Optional)), nested("n", Is::Optional, Nesting::List, parts),
       nested("s", Is::Optional, Nesting::Set, parts)},
      {blocks("b", Nesting::Map, block(parts))});
  EXPECT_THAT(planned(schema, "null", "w = 1\nn = [{ w = 2 }]\ns = [{ w = 4 }]\nb \"k\" { w = 3 }",
                      "n = [{}]\ns = [{}]\nb \"k\" {}"),
              IsEmpty());
}

TEST(CheckPlanned, SecretsAreNotShown) {
  const Block schema = block({sensitive(attribute("a", Is::Optional)), attribute("b", Is::Optional),
                              attribute("c", Is::Optional)});
  const std::vector<PathMarks> hidden = {{Path().with_attribute("b"), Marks::sensitive()}};
  EXPECT_THAT(texts(check_planned(schema, object(schema, "null"), object(schema, "b = 1\nc = 2"),
                                  object(schema, "a = 1\nb = 2\nc = 3"), hidden)),
              ElementsAre(".a: it is sensitive and planned, but neither set nor computed",
                          ".b: the planned value differs from the configured one",
                          ".c: the planned value is \"3\", but the configured value is \"2\""));
}

TEST(CheckPlanned, UnknownsMayBeKnownBetterOrWorse) {
  const Block schema = block(
      {attribute("a", Is::Optional), attribute("l", Is::Optional, Type::list(Type::string()))});
  const Value plain = object(schema, "a = unknown\nl = [unknown]");
  const Value narrow = Value::unknown(Type::string()).refined_not_null();
  const Value refined =
      with_part(with_part(plain, "a", narrow), "l", Value::list(Type::string(), {narrow}));
  const Value none = object(schema, "null");
  EXPECT_THAT(check_planned(schema, none, plain, refined), IsEmpty());
  EXPECT_THAT(check_planned(schema, none, refined, plain), IsEmpty());
}

TEST(CheckPlanned, BlocksOfAllNestingsAreLookedInto) {
  const std::string wrong = "the planned value is \"2\", but the configured value is \"1\"";
  for (const Nesting nesting : {Nesting::Single, Nesting::Group, Nesting::List}) {
    const Block schema = block({}, {blocks("b", nesting, block(kAll))});
    const std::string place = nesting == Nesting::List ? ".b[0].opt: " : ".b.opt: ";
    EXPECT_THAT(planned(schema, "null", "b { opt = 1 }", "b {\nopt = 1\ncom = 5\n}"), IsEmpty());
    EXPECT_THAT(planned(schema, "null", "b { opt = 1 }", "b { opt = 2 }"),
                ElementsAre(place + wrong));
    EXPECT_THAT(planned(schema, "b { opt = 2 }", "b { opt = 1 }", "b { opt = 2 }"), IsEmpty());
  }
  const Block schema = block({}, {blocks("b", Nesting::Map, block(kAll))});
  EXPECT_THAT(planned(schema, "null", "b \"k\" { opt = 1 }", "b \"k\" { opt = 2 }"),
              ElementsAre(".b[\"k\"].opt: " + wrong));
  EXPECT_THAT(planned(schema, "b \"k\" { opt = 2 }", "b \"k\" { opt = 1 }", "b \"k\" { opt = 2 }"),
              IsEmpty());
}

TEST(CheckPlanned, ThereAreAsManyBlocksAsConfigured) {
  const Block schema =
      block({}, {blocks("l", Nesting::List, block(kAll)), blocks("m", Nesting::Map, block(kAll)),
                 blocks("o", Nesting::Single, block(kAll))});
  EXPECT_THAT(planned(schema, "null", "l {}", "l {}\nl {}"),
              ElementsAre(".l: 2 are planned, but 1 are configured"));
  EXPECT_THAT(planned(schema, "null", "m \"a\" {}", "m \"b\" {}"),
              ElementsAre(".m: the key \"b\" is planned, but not configured",
                          ".m: the key \"a\" is configured, but not planned"));
  EXPECT_THAT(planned(schema, "null", "o {}", ""),
              ElementsAre(".o: it is configured, but planned to be absent"));
  EXPECT_THAT(planned(schema, "null", "", "o {}"),
              ElementsAre(".o: it is planned to exist, but not configured"));
}

TEST(CheckPlanned, BlocksOfOpenTypesAreComparedByKeyAndIndex) {
  const Block inside =
      block({attribute("any", Is::Optional, Type::dynamic()), attribute("com", Is::Computed)});
  const Block schema =
      block({}, {blocks("l", Nesting::List, inside), blocks("m", Nesting::Map, inside)});
  EXPECT_THAT(planned(schema, "null", "l { any = 1 }\nm \"k\" { any = true }",
                      "l {\nany = 1\ncom = 2\n}\nm \"k\" {\nany = true\ncom = 2\n}"),
              IsEmpty());
  EXPECT_THAT(planned(schema, "null", "m \"k\" { any = 1 }", "m \"k\" { any = 2 }\nm \"j\" {}"),
              ElementsAre(".m: the key \"j\" is planned, but not configured",
                          ".m[\"k\"].any: the planned value is 2, but the configured value is 1"));
}

TEST(CheckPlanned, BlocksAreNeitherNullNorUnknown) {
  for (const Nesting nesting : {Nesting::List, Nesting::Set, Nesting::Map}) {
    const Block schema = block({}, {blocks("b", nesting, block(kAll))});
    const Value none = object(schema, "");
    const Type type = part_type(schema, "b");
    EXPECT_THAT(
        texts(check_planned(schema, none, none, with_part(none, "b", Value::null(type)))),
        ElementsAre(".b: a plan without such blocks must have an empty collection, not null"));
    EXPECT_THAT(
        texts(check_planned(schema, none, none, with_part(none, "b", Value::unknown(type)))),
        ElementsAre(".b: a block cannot be unknown; only its arguments can be"));
    // From a legacy provider's state, by ignore_changes.
    EXPECT_THAT(check_planned(schema, none, with_part(none, "b", Value::null(type)), none),
                IsEmpty());
    // From a `dynamic` block over something unknown.
    const Value later = with_part(none, "b", Value::unknown(type));
    EXPECT_THAT(check_planned(schema, none, later, later), IsEmpty());
    EXPECT_THAT(texts(check_planned(schema, none, later, none)),
                ElementsAre(".b: a value is planned for a number of blocks that is not known yet"));
  }
}

TEST(CheckPlanned, AnElementThatIsABlockIsNotUnknown) {
  for (const Nesting nesting : {Nesting::List, Nesting::Set}) {
    const Block schema = block({}, {blocks("b", nesting, block(kAll))});
    const Value config = object(schema, "b { opt = 1 }");
    const Type type = part_type(schema, "b").element();
    const Value unknown = nesting == Nesting::List ? Value::list(type, {Value::unknown(type)})
                                                   : Value::set(type, {Value::unknown(type)});
    const auto problems = check_planned(schema, config, config, with_part(config, "b", unknown));
    ASSERT_EQ(problems.size(), 1u);
    EXPECT_EQ(problems[0].what, "a block cannot be unknown; only its arguments can be");
  }
}

TEST(CheckPlanned, ElementsOfSetsAreLeftToTheProvider) {
  const Block schema = block({}, {blocks("b", Nesting::Set, block(kAll))});
  EXPECT_THAT(planned(schema, "b { opt = 1 }", "b { opt = 2 }", "b {\nopt = 3\ncom = 4\n}"),
              IsEmpty());
}

TEST(CheckPlanned, NestedAttributesOfAllNestingsAreLookedInto) {
  const std::string wrong = "the planned value is \"2\", but the configured value is \"1\"";
  struct Form {
    Nesting nesting;
    std::string before;
    std::string after;
    std::string place;
  };
  for (const Form& form : {Form{Nesting::Single, "n = ", "", ".n.opt: "},
                           Form{Nesting::List, "n = [", "]", ".n[0].opt: "},
                           Form{Nesting::Map, "n = { k = ", " }", ".n[\"k\"].opt: "}}) {
    const Block schema = block({nested("n", Is::Optional, form.nesting, kAll)});
    const auto around = [&](const std::string& one) { return form.before + one + form.after; };
    EXPECT_THAT(planned(schema, "null", around("{ opt = 1 }"), around("{ opt = 1, com = 2 }")),
                IsEmpty());
    EXPECT_THAT(planned(schema, "null", around("{ opt = 1 }"), around("{ opt = 2 }")),
                ElementsAre(form.place + wrong));
    EXPECT_THAT(planned(schema, around("{ opt = 2 }"), around("{ opt = 1 }"),
                        around("{ opt = 2, com = 3 }")),
                IsEmpty());
    EXPECT_THAT(planned(schema, "null", around("{ opt = 1 }"), "n = unknown"),
                ElementsAre(".n: it is configured, but planned to be unknown"));
    EXPECT_THAT(planned(schema, "null", around("{ opt = 1 }"), ""),
                ElementsAre(".n: it is configured, but planned to be absent"));
    EXPECT_EQ(planned(schema, "null", "", around("{ opt = 1 }")).size(), 1u);
  }
}

TEST(CheckPlanned, NestedAttributesHaveAsManyElementsAsConfigured) {
  const Block schema = block({nested("l", Is::Optional, Nesting::List, kAll),
                              nested("m", Is::Optional, Nesting::Map, kAll),
                              nested("s", Is::Optional, Nesting::Set, kAll)});
  EXPECT_THAT(planned(schema, "null", "l = [{}]", "l = [{}, {}]"),
              ElementsAre(".l: 2 are planned, but 1 are configured"));
  EXPECT_THAT(planned(schema, "null", "l = unknown", "l = [{}]"),
              ElementsAre(".l: 1 are planned, but the number of blocks is not known yet"));
  EXPECT_THAT(planned(schema, "null", "m = { a = {} }", "m = {}"),
              ElementsAre(".m: the key \"a\" is configured, but not planned"));
  EXPECT_THAT(planned(schema, "null", "s = [{ opt = 1 }]", "s = [{ opt = 1 }, { opt = 2 }]"),
              ElementsAre(".s: 2 are planned, but 1 are configured"));
  EXPECT_THAT(planned(schema, "null", "s = [{ opt = 1 }]", "s = [{ opt = 1, com = unknown }]"),
              IsEmpty());
}

TEST(CheckPlanned, AnOptionalComputedNestedAttributeIsTheProvidersIfNotConfigured) {
  const Block schema = block({nested("n", Is::OptionalComputed, Nesting::List, kAll)});
  EXPECT_THAT(planned(schema, "null", "", "n = unknown"), IsEmpty());
  EXPECT_THAT(planned(schema, "null", "", "n = [{ opt = 1 }]"), IsEmpty());
  EXPECT_THAT(planned(schema, "null", "n = [{ opt = 1 }]", "n = [{ opt = 2 }]").size(), 1u);
}

// --- what was applied

TEST(CheckApplied, WhatWasUnknownMayBecomeAnything) {
  const Block schema =
      block({attribute("a", Is::Computed), attribute("any", Is::Computed, Type::dynamic()),
             attribute("l", Is::Computed, Type::list(Type::string()))});
  EXPECT_THAT(applied(schema, "a = unknown\nany = unknown\nl = unknown",
                      "a = 1\nany = [true]\nl = [\"x\"]"),
              IsEmpty());
  EXPECT_THAT(applied(schema, "a = unknown\nl = [unknown]", "l = [\"x\"]"), IsEmpty());
  EXPECT_THAT(applied(schema, "null", "null"), IsEmpty());
  // Nothing was promised about something without a type.
  EXPECT_THAT(applied(schema, "", "any = 1"), IsEmpty());
}

TEST(CheckApplied, WhatWasKnownStaysAsItIs) {
  const Block schema =
      block({attribute("a", Is::Computed), attribute("any", Is::Computed, Type::dynamic()),
             attribute("n", Is::Computed, Type::number())});
  EXPECT_THAT(applied(schema, "a = 1", "a = 2"),
              ElementsAre(".a: the planned value is \"1\", but the new value is \"2\""));
  EXPECT_THAT(applied(schema, "a = 1", ""),
              ElementsAre(".a: the planned value is \"1\", but the new value is null"));
  EXPECT_THAT(applied(schema, "", "n = 1"),
              ElementsAre(".n: the planned value is null, but the new value is 1"));
  EXPECT_THAT(applied(schema, "n = 1", "n = unknown"),
              ElementsAre(".n: it was known in the plan and is now unknown"));
  EXPECT_THAT(applied(schema, "null", ""),
              ElementsAre(": it was planned to be absent, but is now present"));
  EXPECT_THAT(applied(schema, "", "null"),
              ElementsAre(": it was planned to exist, but is now absent"));
  EXPECT_THAT(applied(schema, "any = \"x\"", "any = [1]").size(), 1u);
}

TEST(CheckApplied, WhatWasKnownOfAnUnknownStaysTrue) {
  const Block schema = block({attribute("a", Is::Computed)});
  value::Refinements known;
  known.not_null = true;
  known.prefix = "i-";
  const Value plan =
      with_part(object(schema, ""), "a", Value::unknown(Type::string()).refined(known));
  EXPECT_THAT(check_applied(schema, plan, object(schema, "a = \"i-1\"")), IsEmpty());
  EXPECT_THAT(texts(check_applied(schema, plan, object(schema, "a = \"j-1\""))),
              ElementsAre(".a: the new value is \"j-1\", which the plan excluded"));
  EXPECT_THAT(texts(check_applied(schema, plan, object(schema, ""))),
              ElementsAre(".a: the new value is null, which the plan excluded"));
}

TEST(CheckApplied, PartsOfValuesAreComparedByIndexKeyAndName) {
  const Type object_type = Type::object({{"x", Type::string()}, {"y", Type::string()}});
  const Block schema = block({attribute("l", Is::Optional, Type::list(Type::string())),
                              attribute("m", Is::Optional, Type::map(object_type)),
                              attribute("t", Is::Optional, Type::dynamic())});
  EXPECT_THAT(applied(schema, "l = [\"a\", unknown]", "l = [\"a\", \"b\"]"), IsEmpty());
  EXPECT_THAT(applied(schema, "l = [\"a\", \"b\"]", "l = [\"a\"]"),
              ElementsAre(".l: element 1 is missing"));
  EXPECT_THAT(applied(schema, "l = [\"a\"]", "l = [\"a\", \"b\"]"),
              ElementsAre(".l: element 1 was not planned"));
  EXPECT_THAT(applied(schema, "m = { k = { x = \"1\", y = unknown } }",
                      "m = { k = { x = \"2\", y = \"3\" } }"),
              ElementsAre(".m[\"k\"].x: the planned value is \"1\", but the new value is \"2\""));
  EXPECT_THAT(applied(schema, "m = { k = { x = \"1\", y = \"2\" } }",
                      "m = { j = { x = \"1\", y = \"2\" } }"),
              ElementsAre(".m: element \"k\" is missing", ".m: element \"j\" was not planned"));
  EXPECT_THAT(applied(schema, "t = [1, [unknown, \"a\"]]", "t = [1, [2, \"b\"]]"),
              ElementsAre(".t[1][1]: the planned value is \"a\", but the new value is \"b\""));
}

TEST(CheckApplied, ElementsOfASetBelongTogetherIfWhatWasKnownIsEqual) {
  const Block schema =
      block({attribute("s", Is::Optional, Type::set(Type::string())),
             attribute("o", Is::Optional,
                       Type::set(Type::object({{"x", Type::string()}, {"y", Type::string()}})))});
  EXPECT_THAT(applied(schema, "s = [\"a\", unknown]", "s = [\"a\", \"b\"]"), IsEmpty());
  // Elements may turn out to be equal.
  EXPECT_THAT(applied(schema, "s = [\"a\", unknown]", "s = [\"a\"]"), IsEmpty());
  EXPECT_THAT(applied(schema, "s = [unknown]", "s = [\"a\", \"b\"]"),
              ElementsAre(".s: 1 element was planned, now 2"));
  EXPECT_THAT(applied(schema, "s = [\"a\"]", "s = [\"b\"]"),
              ElementsAre(".s: a planned element, which is \"a\", is missing"));
  EXPECT_THAT(applied(schema, "s = [\"a\"]", "s = [\"a\", \"b\"]"),
              ElementsAre(".s: an element, which is \"b\", was not planned",
                          ".s: 1 element was planned, now 2"));
  EXPECT_THAT(applied(schema, "o = [{ x = \"1\", y = unknown }]", "o = [{ x = \"1\", y = \"2\" }]"),
              IsEmpty());
  EXPECT_THAT(applied(schema, "o = [{ x = \"1\", y = unknown }]", "o = [{ x = \"3\", y = \"2\" }]"),
              ElementsAre(".o: a planned element, which is object with 2 attributes, is missing"));
}

TEST(CheckApplied, LargeSetsAreMatchedAsSmallOnesAre) {
  const Block schema = block({attribute(
      "o", Is::Optional, Type::set(Type::object({{"x", Type::string()}, {"y", Type::string()}})))});
  std::string plan;
  std::string actual;
  for (int i = 0; i < 50; ++i) {
    plan += fmt::format("{{ x = \"{}\", y = unknown }},", i);
    actual += fmt::format("{{ x = \"{}\", y = \"y{}\" }},", i, i);
  }
  EXPECT_THAT(applied(schema, "o = [" + plan + "]", "o = [" + actual + "]"), IsEmpty());
  EXPECT_THAT(
      applied(schema, "o = [" + plan + "{ x = \"z\", y = unknown }]", "o = [" + actual + "]"),
      ElementsAre(".o: a planned element, which is object with 2 attributes, is missing"));
  EXPECT_THAT(
      applied(schema, "o = [" + plan + "]", "o = [" + actual + "{ x = \"z\", y = \"1\" }]").size(),
      2u);
}

TEST(CheckApplied, SecretsAreNotShown) {
  const Block schema =
      block({sensitive(attribute("a", Is::Optional)), attribute("b", Is::Optional),
             nested("n", Is::Optional, Nesting::Set, {sensitive(attribute("x", Is::Optional))})});
  const std::vector<PathMarks> hidden = {{Path().with_attribute("b"), Marks::sensitive()}};
  const std::string differ = ": the planned and the new value of this sensitive attribute differ";
  EXPECT_THAT(texts(check_applied(schema, object(schema, "a = 1\nb = 2\nn = [{ x = 3 }]"),
                                  object(schema, "a = 4\nb = 5\nn = [{ x = 6 }]"), hidden)),
              ElementsAre(".a" + differ, ".b" + differ, ".n" + differ));
}

TEST(CheckApplied, BlocksOfAllNestingsAreLookedInto) {
  const std::string wrong = "the planned value is \"1\", but the new value is \"2\"";
  for (const Nesting nesting : {Nesting::Single, Nesting::Group, Nesting::List}) {
    const Block schema = block({}, {blocks("b", nesting, block(kAll))});
    const std::string place = nesting == Nesting::List ? ".b[0].opt: " : ".b.opt: ";
    EXPECT_THAT(applied(schema, "b {\nopt = 1\ncom = unknown\n}", "b {\nopt = 1\ncom = 2\n}"),
                IsEmpty());
    EXPECT_THAT(applied(schema, "b { opt = 1 }", "b { opt = 2 }"), ElementsAre(place + wrong));
  }
  const Block schema = block({}, {blocks("b", Nesting::Map, block(kAll))});
  EXPECT_THAT(applied(schema, "b \"k\" { opt = 1 }", "b \"k\" { opt = 2 }"),
              ElementsAre(".b[\"k\"].opt: " + wrong));
}

TEST(CheckApplied, ThereAreAsManyBlocksAsPlanned) {
  const Block inside = block({attribute("any", Is::Optional, Type::dynamic())});
  const Block schema =
      block({}, {blocks("l", Nesting::List, block(kAll)), blocks("m", Nesting::Map, block(kAll)),
                 blocks("o", Nesting::Single, block(kAll)), blocks("z", Nesting::Map, inside)});
  EXPECT_THAT(applied(schema, "l {}", ""), ElementsAre(".l: 1 blocks were planned, now 0"));
  EXPECT_THAT(applied(schema, "m \"k\" {}", ""), ElementsAre(".m: 1 blocks were planned, now 0"));
  EXPECT_THAT(applied(schema, "o {}", ""),
              ElementsAre(".o: it was planned to exist, but is now absent"));
  EXPECT_THAT(applied(schema, "z \"k\" {}", "z \"j\" {}"),
              ElementsAre(".z: the block \"k\" is missing", ".z: the block \"j\" was not planned"));
}

TEST(CheckApplied, BlocksThatWereUnknownMayBeAny) {
  for (const Nesting nesting : {Nesting::Single, Nesting::List, Nesting::Set, Nesting::Map}) {
    const Block schema = block({}, {blocks("b", nesting, block(kAll))});
    const Value plan = with_part(object(schema, ""), "b", Value::unknown(part_type(schema, "b")));
    const std::string label = nesting == Nesting::Map ? "b \"k\"" : "b";
    EXPECT_THAT(check_applied(schema, plan, object(schema, label + " { opt = 1 }")), IsEmpty());
    EXPECT_THAT(check_applied(schema, plan, object(schema, "")), IsEmpty());
  }
}

TEST(CheckApplied, BlocksOfASetBelongTogetherIfWhatWasKnownIsEqual) {
  const Block inside = block(kAll, {blocks("l", Nesting::List, block(kAll))});
  const Block schema = block({}, {blocks("b", Nesting::Set, inside)});
  EXPECT_THAT(applied(schema, "b {\nopt = 1\ncom = unknown\n}\nb {\nopt = 2\ncom = unknown\n}",
                      "b {\nopt = 1\ncom = 3\n}\nb {\nopt = 2\ncom = 4\n}"),
              IsEmpty());
  EXPECT_THAT(applied(schema, "b {\nopt = 1\ncom = unknown\n}", "b {\nopt = 2\ncom = 3\n}"),
              ElementsAre(".b: a planned element, which is object with 4 attributes, is missing"));
  EXPECT_THAT(applied(schema, "b { com = unknown }", "b { com = 1 }\nb { com = 2 }"),
              ElementsAre(".b: 1 element was planned, now 2"));
  EXPECT_THAT(
      applied(schema, "b {\nl {\nopt = 1\ncom = unknown\n}\n}", "b {\nl {\nopt = 1\ncom = 2\n}\n}"),
      IsEmpty());
}

TEST(CheckApplied, DepthOfAValueCostsNoStack) {
  const Block schema = block({attribute("any", Is::Optional, Type::dynamic())});
  Value planned = Value::unknown(Type::string());
  Value actual = Value::string("x");
  for (int i = 0; i < 20'000; ++i) {
    planned = Value::tuple({std::move(planned)});
    actual = Value::tuple({std::move(actual)});
  }
  // Every level has its type, and comparing those is what costs here.
  EXPECT_THAT(check_applied(schema, Value::object({{"any", planned}}),
                            Value::object({{"any", Value::tuple({actual})}}))
                  .size(),
              1u);
}

// --- types, unknowns, the legacy type system

TEST(CheckConforms, EveryPlaceWithAWrongTypeIsNamed) {
  const Block schema =
      block({attribute("a", Is::Optional), attribute("b", Is::Optional, Type::dynamic())},
            {blocks("l", Nesting::List, block(kAll)), blocks("o", Nesting::Single, block(kAll))});
  const Type type = schema.implied_type();
  EXPECT_THAT(check_conforms(type, object(schema, "a = 1\nb = [1]\nl {}")), IsEmpty());
  EXPECT_THAT(check_conforms(type, object(schema, "null")), IsEmpty());

  const Value inside = with_part(object(block(kAll), ""), "opt", Value::integer(1));
  const Value wrong =
      with_part(with_part(object(schema, ""), "a", Value::boolean(true)), "o", inside);
  EXPECT_THAT(texts(check_conforms(type, wrong)),
              ElementsAre(::testing::StartsWith(".a: "), ::testing::StartsWith(".o.opt: ")));
  EXPECT_THAT(
      texts(check_conforms(type, Value::object({{"a", Value::string("x")},
                                                {"b", Value::null()},
                                                {"l", Value::null(part_type(schema, "l"))},
                                                {"z", Value::null()}}))),
      ElementsAre(": the attribute \"o\" is missing", ": the schema has no attribute \"z\""));
}

TEST(UnknownParts, AreFoundAtEveryDepthAndCanBeMadeNull) {
  const Block schema = block(
      {attribute("a", Is::Optional), attribute("l", Is::Optional, Type::list(Type::string()))},
      {blocks("s", Nesting::Set, block(kAll))});
  const Value v = object(schema, "a = unknown\nl = [\"x\", unknown]\ns { opt = unknown }");

  std::vector<std::string> places;
  for (const Path& path : unknown_parts(v)) places.push_back(to_string(path));
  EXPECT_THAT(places, ElementsAre(".a", ".l[1]", ".s[...].opt"));
  EXPECT_EQ(plain_text(unknown_as_null(v)), plain_text(object(schema, "l = [\"x\", null]\ns {}")));

  const Value known = object(schema, "a = 1");
  EXPECT_THAT(unknown_parts(known), IsEmpty());
  EXPECT_TRUE(unknown_as_null(known).is_same(known));
}

TEST(NormalizedLegacy, BlocksAreNeitherNullNorUnknown) {
  struct Form {
    Nesting nesting;
    std::string null;
    std::string unknown;
  };
  const std::string all = "b {\ncom = unknown\nopt = unknown\noc = unknown\n}";
  for (const Form& form : {Form{Nesting::Single, "", all}, Form{Nesting::Group, "", all},
                           Form{Nesting::List, "", all}, Form{Nesting::Set, "", all}}) {
    const Block schema = block({}, {blocks("b", form.nesting, block(kAll))});
    const Type type = part_type(schema, "b");
    const Value v = object(schema, "");
    EXPECT_EQ(plain_text(normalized_legacy(schema, with_part(v, "b", Value::null(type)))),
              plain_text(object(schema, form.null)));
    EXPECT_EQ(plain_text(normalized_legacy(schema, with_part(v, "b", Value::unknown(type)))),
              plain_text(object(schema, form.unknown)));
  }
}

TEST(NormalizedLegacy, BlocksInsideBlocksAreNormalizedToo) {
  const Block inside = block({}, {blocks("c", Nesting::List, block(kAll))});
  for (const Nesting nesting : {Nesting::Single, Nesting::List, Nesting::Set}) {
    const Block schema = block({}, {blocks("b", nesting, inside)});
    const Value inner = Value::object({{"c", Value::null(part_type(inside, "c"))}});
    const Value outer = nesting == Nesting::Single ? inner
                        : nesting == Nesting::List ? Value::list(inner.type(), {inner})
                                                   : Value::set(inner.type(), {inner});
    EXPECT_EQ(plain_text(normalized_legacy(schema, Value::object({{"b", outer}}))),
              plain_text(object(schema, "b {}")));
  }
  const Block deep = block({}, {blocks("b", Nesting::List, inside)});
  EXPECT_EQ(plain_text(normalized_legacy(
                deep, Value::object({{"b", Value::unknown(part_type(deep, "b"))}}))),
            plain_text(object(deep, "b {\nc {\ncom = unknown\nopt = unknown\noc = unknown\n}\n}")));
}

TEST(NormalizedLegacy, WhatTheLegacySdkNeverMakesIsLeftAlone) {
  const Block open = block({attribute("any", Is::Optional, Type::dynamic())});
  const Block schema =
      block({attribute("a", Is::Optional, Type::list(Type::string()))},
            {blocks("l", Nesting::List, open), blocks("m", Nesting::Map, block(kAll))});
  const Value v = Value::object({{"a", Value::unknown(Type::list(Type::string()))},
                                 {"l", Value::unknown()},
                                 {"m", Value::null(part_type(schema, "m"))}});
  EXPECT_TRUE(normalized_legacy(schema, v).is_same(v));
}

TEST(NormalizedLegacy, AnObjectThatIsRightIsShared) {
  const Block schema = block(
      kAll, {blocks("l", Nesting::List, block(kAll)), blocks("o", Nesting::Single, block(kAll))});
  const Value v = object(schema, "opt = 1\nl { opt = 2 }");
  EXPECT_TRUE(normalized_legacy(schema, v).is_same(v));
  const Value null = object(schema, "null");
  EXPECT_TRUE(normalized_legacy(schema, null).is_same(null));
}

}  // namespace
}  // namespace tofu::schema
