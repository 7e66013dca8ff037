#include "schema/proposed.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/schema/make_schema.h"
#include "tests/syntax/plain_text.h"

namespace tofu::schema {
namespace {

using syntax::plain_text;
using value::Type;
using value::Value;

const std::vector<Attribute> kAll = {attribute("com", Is::Computed), attribute("opt", Is::Optional),
                                     attribute("oc", Is::OptionalComputed)};

// Each case in words: an object of before, a configuration, what is proposed.
struct Case {
  std::string prior;
  std::string config;
  std::string proposed;
};

void expect_proposed(const Block& schema, const std::vector<Case>& cases) {
  for (const Case& one : cases) {
    EXPECT_EQ(
        plain_text(proposed_new(schema, object(schema, one.prior), object(schema, one.config))),
        plain_text(object(schema, one.proposed)))
        << "prior: " << one.prior << "\nconfig: " << one.config;
  }
}

TEST(ProposedNew, ComputedAttributesKeepTheirValueUnlessConfigured) {
  expect_proposed(block(kAll),
                  {
                      {"null", "null", "null"},
                      {"null", "opt = 1", "opt = 1"},
                      {"com = 1\nopt = 2\noc = 3", "", "com = 1\noc = 3"},
                      {"com = 1\nopt = 2\noc = 3", "opt = 4\noc = 5", "com = 1\nopt = 4\noc = 5"},
                      {"oc = 3", "oc = unknown", "oc = unknown"},
                      {"com = 1\nopt = 2", "null", "com = 1\nopt = 2"},
                  });
}

TEST(ProposedNew, AWriteOnlyArgumentIsWhatTheConfigurationSays) {
  expect_proposed(block({write_only(attribute("secret", Is::Optional))}),
                  {{"", "secret = 1", "secret = 1"}, {"null", "secret = 1", "secret = 1"}});
}

TEST(ProposedNew, ASingleBlockIsThereOnlyIfConfigured) {
  const Block schema = block({}, {blocks("b", Nesting::Single, block(kAll))});
  expect_proposed(schema, {
                              {"null", "", ""},
                              {"b { com = 1 }", "", ""},
                              {"b { com = 1 }", "b { opt = 2 }", "b {\ncom = 1\nopt = 2\n}"},
                              {"", "b { opt = 2 }", "b { opt = 2 }"},
                          });
}

TEST(ProposedNew, AGroupTakesItsComputedAttributesAlsoWithoutABlock) {
  const Block schema = block({}, {blocks("b", Nesting::Group, block(kAll))});
  expect_proposed(schema, {
                              {"null", "", ""},
                              {"b {\ncom = 1\nopt = 2\n}", "", "b { com = 1 }"},
                          });
}

TEST(ProposedNew, ListBlocksAreMatchedByIndex) {
  const Block schema = block({}, {blocks("b", Nesting::List, block(kAll))});
  expect_proposed(schema,
                  {
                      {"b { com = 1 }\nb { com = 2 }", "b { opt = 3 }", "b {\ncom = 1\nopt = 3\n}"},
                      {"b { com = 1 }", "b { opt = 3 }\nb { opt = 4 }",
                       "b {\ncom = 1\nopt = 3\n}\nb { opt = 4 }"},
                      {"b { com = 1 }", "", ""},
                      {"b { com = 1 }", "dynamic \"b\" {\nfor_each = unknown\ncontent {}\n}",
                       "dynamic \"b\" {\nfor_each = unknown\ncontent {}\n}"},
                  });
}

TEST(ProposedNew, MapBlocksAreMatchedByKey) {
  const Block schema = block({}, {blocks("b", Nesting::Map, block(kAll))});
  expect_proposed(schema, {
                              {"b \"x\" { com = 1 }\nb \"y\" { com = 2 }",
                               "b \"y\" { opt = 3 }\nb \"z\" { opt = 4 }",
                               "b \"y\" {\ncom = 2\nopt = 3\n}\nb \"z\" { opt = 4 }"},
                              {"null", "b \"y\" { opt = 3 }", "b \"y\" { opt = 3 }"},
                          });
}

TEST(ProposedNew, SetBlocksAreMatchedByWhatTheConfigurationSaysOfThem) {
  const Block schema = block({}, {blocks("b", Nesting::Set, block(kAll))});
  expect_proposed(
      schema, {
                  {"b {\ncom = 1\nopt = \"a\"\noc = 2\n}\nb {\ncom = 3\nopt = \"b\"\noc = 4\n}",
                   "b { opt = \"b\" }\nb { opt = \"c\" }",
                   "b {\ncom = 3\nopt = \"b\"\noc = 4\n}\nb { opt = \"c\" }"},
                  // What is set to another value than before is another element.
                  {"b {\ncom = 1\nopt = \"a\"\noc = 2\n}", "b {\nopt = \"a\"\noc = 9\n}",
                   "b {\nopt = \"a\"\noc = 9\n}"},
                  {"b {\ncom = 1\nopt = \"a\"\n}", "b { opt = unknown }", "b { opt = unknown }"},
                  {"null", "b { opt = unknown }", "b { opt = unknown }"},
              });
}

TEST(ProposedNew, EachElementOfASetTakesAnotherObjectOfBefore) {
  const Block schema = block(
      {}, {blocks("b", Nesting::Set,
                  block({attribute("com", Is::Computed), attribute("oc", Is::OptionalComputed)}))});
  // Both objects of before fit the element that says nothing: it takes the first.
  expect_proposed(schema, {{"b {\ncom = 1\noc = \"x\"\n}\nb {\ncom = 2\noc = \"y\"\n}",
                            "b {}\nb { oc = \"y\" }",
                            "b {\ncom = 1\noc = \"x\"\n}\nb {\ncom = 2\noc = \"y\"\n}"}});
}

TEST(ProposedNew, ObjectsInsideElementsOfASetDecideAboutAMatchToo) {
  const Block inside =
      block({}, {blocks("l", Nesting::List, block(kAll)), blocks("m", Nesting::Map, block(kAll)),
                 blocks("s", Nesting::Single, block(kAll))});
  const Block schema = block({}, {blocks("b", Nesting::Set, inside)});
  const std::string prior =
      "b {\nl {\nopt = 1\noc = 2\n}\nm \"k\" {\nopt = 3\noc = 4\n}\ns {\nopt = 5\noc = 6\n}\n}";
  expect_proposed(schema,
                  {
                      {prior, "b {\nl { opt = 1 }\nm \"k\" { opt = 3 }\ns { opt = 5 }\n}", prior},
                      // One of them differs, or is missing, so nothing of it is the same element.
                      {prior, "b {\nl { opt = 7 }\nm \"k\" { opt = 3 }\ns { opt = 5 }\n}",
                       "b {\nl { opt = 7 }\nm \"k\" { opt = 3 }\ns { opt = 5 }\n}"},
                      {prior, "b {\nl { opt = 1 }\nm \"j\" { opt = 3 }\ns { opt = 5 }\n}",
                       "b {\nl { opt = 1 }\nm \"j\" { opt = 3 }\ns { opt = 5 }\n}"},
                      {prior, "b {\nl { opt = 1 }\nm \"k\" { opt = 3 }\n}",
                       "b {\nl { opt = 1 }\nm \"k\" { opt = 3 }\n}"},
                      {prior, "b {\nm \"k\" { opt = 3 }\ns { opt = 5 }\n}",
                       "b {\nm \"k\" { opt = 3 }\ns { opt = 5 }\n}"},
                  });
}

TEST(ProposedNew, ASetInsideAnElementOfASetHasToBeTheSame) {
  const Block inside = block(
      {attribute("opt", Is::Optional), attribute("com", Is::Computed, Type::set(Type::string()))},
      {blocks("s", Nesting::Set, block(kAll))});
  const Block schema = block({}, {blocks("b", Nesting::Set, inside)});
  expect_proposed(schema, {
                              {"b {\ns {\nopt = 1\noc = 2\n}\n}", "b {\ns { opt = 1 }\n}",
                               "b {\ns { opt = 1 }\n}"},
                              // Even a computed one that the configuration leaves out.
                              {"b {\nopt = 1\ncom = [\"x\"]\n}", "b { opt = 1 }", "b { opt = 1 }"},
                          });
}

TEST(ProposedNew, BlocksOfOpenTypesStayTuplesAndObjects) {
  const Block inside =
      block({attribute("com", Is::Computed), attribute("any", Is::Optional, Type::dynamic())});
  const Block schema =
      block({}, {blocks("l", Nesting::List, inside), blocks("m", Nesting::Map, inside)});
  expect_proposed(
      schema, {{"l {\ncom = 1\nany = true\n}\nm \"k\" {\ncom = 2\nany = 3\n}",
                "l { any = [1] }\nl { any = 2 }\nm \"k\" { any = \"x\" }",
                "l {\ncom = 1\nany = [1]\n}\nl { any = 2 }\nm \"k\" {\ncom = 2\nany = \"x\"\n}"}});
}

TEST(ProposedNew, AComputedAttributeOfTypeAnyKeepsTheTypeOfItsValue) {
  expect_proposed(block({attribute("any", Is::OptionalComputed, Type::dynamic())}),
                  {{"any = [1]", "", "any = [1]"},
                   {"any = [1]", "any = true", "any = true"},
                   {"null", "", ""}});
}

TEST(ProposedNew, NestedAttributesAreMergedAsBlocksAre) {
  const Block schema = block({nested("l", Is::Optional, Nesting::List, kAll),
                              nested("m", Is::Optional, Nesting::Map, kAll),
                              nested("o", Is::Optional, Nesting::Single, kAll),
                              nested("s", Is::Optional, Nesting::Set, kAll)});
  const std::string prior =
      "l = [{ com = 1, opt = 2 }]\nm = { k = { com = 3 } }\no = { com = 4, oc = 5 }\n"
      "s = [{ com = 6, opt = 7 }]\n";
  expect_proposed(
      schema,
      {
          {prior, "", ""},
          {prior, "l = []\nm = {}\ns = []", "l = []\nm = {}\ns = []"},
          {prior, "l = unknown\nm = unknown\no = unknown\ns = unknown",
           "l = unknown\nm = unknown\no = unknown\ns = unknown"},
          {prior,
           "l = [{ opt = 8 }, { opt = 9 }]\nm = { k = { opt = 1 }, j = {} }\no = { opt = 1 }\n"
           "s = [{ opt = 7 }, { opt = 8 }]",
           "l = [{ com = 1, opt = 8 }, { opt = 9 }]\nm = { k = { com = 3, opt = 1 }, j = {} }\n"
           "o = { com = 4, opt = 1, oc = 5 }\ns = [{ com = 6, opt = 7 }, { opt = 8 }]"},
          {"null", "l = [{ opt = 8 }]\no = { opt = 1 }\ns = [{ opt = 7 }]",
           "l = [{ opt = 8 }]\no = { opt = 1 }\ns = [{ opt = 7 }]"},
          {"", "o = { opt = 1 }\ns = [{ opt = 7 }]", "o = { opt = 1 }\ns = [{ opt = 7 }]"},
          // An element that is unknown as a whole has an object of before.
          {prior, "l = [unknown]", "l = [{ com = unknown, opt = unknown, oc = unknown }]"},
          {"", "l = [unknown]", "l = [unknown]"},
          {prior, "l = [null]", "l = [null]"},
      });
}

TEST(ProposedNew, AnOptionalComputedNestedAttributeIsDroppedIfItWasConfiguredBefore) {
  for (const Nesting nesting : {Nesting::List, Nesting::Set, Nesting::Map, Nesting::Single}) {
    const Block schema = block({nested("n", Is::OptionalComputed, nesting, kAll)});
    const auto around = [&](const std::string& one) {
      if (nesting == Nesting::Single) return "n = " + one;
      return nesting == Nesting::Map ? "n = { k = " + one + " }" : "n = [" + one + "]";
    };
    expect_proposed(schema, {
                                {around("{ com = 1, oc = 2 }"), "", around("{ com = 1, oc = 2 }")},
                                {around("{ com = 1, opt = 2 }"), "", ""},
                                {"null", "", ""},
                            });
  }
}

TEST(ProposedNew, WhetherSomethingWasConfiguredIsLookedForAtEveryDepth) {
  const Block schema = block({nested(
      "n", Is::OptionalComputed, Nesting::List,
      {nested("inner", Is::OptionalComputed, Nesting::Map, {attribute("opt", Is::Optional)})})});
  expect_proposed(schema, {{"n = [{ inner = { k = { opt = 1 } } }]", "", ""},
                           {"n = [{ inner = { k = {} } }]", "", "n = [{ inner = { k = {} } }]"}});
}

TEST(ProposedNew, NestedAttributesInsideOneAnotherKeepWhatIsComputed) {
  const Block schema = block({nested(
      "n", Is::Optional, Nesting::Map,
      {nested("inner", Is::Optional, Nesting::List, kAll), attribute("com", Is::Computed)})});
  expect_proposed(schema, {{"n = { k = { com = 1, inner = [{ com = 2, opt = 3 }] } }",
                            "n = { k = { inner = [{ opt = 4 }] } }",
                            "n = { k = { com = 1, inner = [{ com = 2, opt = 4 }] } }"}});
}

TEST(ProposedNew, LargeSetsAreMatchedAsSmallOnesAre) {
  const Block schema = block({}, {blocks("b", Nesting::Set, block(kAll))});
  std::string prior;
  std::string config;
  std::string want;
  for (int i = 0; i < 100; ++i) {
    prior += fmt::format("b {{\ncom = \"c{0}\"\nopt = \"o{0}\"\noc = \"x{1}\"\n}}\n", i, i % 7);
    if (i % 3 == 0) {
      config += fmt::format("b {{ opt = \"o{}\" }}\n", i);
      want += fmt::format("b {{\ncom = \"c{0}\"\nopt = \"o{0}\"\noc = \"x{1}\"\n}}\n", i, i % 7);
    } else if (i % 3 == 1) {
      config += fmt::format("b {{\nopt = \"o{}\"\noc = \"x{}\"\n}}\n", i, i % 5);
      const std::string com = i % 7 == i % 5 ? fmt::format("com = \"c{}\"\n", i) : "";
      want += fmt::format("b {{\n{}opt = \"o{}\"\noc = \"x{}\"\n}}\n", com, i, i % 5);
    }
  }
  expect_proposed(schema, {{prior, config, want}});
}

TEST(ProposedNew, WhatDoesNotChangeIsShared) {
  const Block schema = block(kAll, {blocks("b", Nesting::List, block(kAll))});

  const Value created = object(schema, "opt = 1\nb { opt = 2 }");
  EXPECT_TRUE(proposed_new(schema, object(schema, "null"), created).is_same(created));

  const Value prior = object(schema, "com = \"from before\"");
  const Value proposed = proposed_new(schema, prior, created);
  EXPECT_TRUE(proposed.plain().find("com")->is_same(*prior.plain().find("com")));
  EXPECT_TRUE(proposed.plain().find("b")->is_same(*created.plain().find("b")));
}

TEST(PlannedData, WhatTheConfigurationLeavesOutIsUnknown) {
  const Block schema = block(
      kAll, {blocks("g", Nesting::Group, block(kAll)), blocks("l", Nesting::List, block(kAll)),
             blocks("m", Nesting::Map, block(kAll)), blocks("s", Nesting::Set, block(kAll))});
  const Value config = object(schema, "opt = 1\nl { opt = 2 }\nm \"k\" { opt = 3 }\ns { opt = 4 }");

  // Elements of maps and sets have nothing to be matched with, so they stay as they are.
  EXPECT_EQ(plain_text(planned_data(schema, config)),
            plain_text(object(schema,
                              "com = unknown\nopt = 1\noc = unknown\n"
                              "g {\ncom = unknown\noc = unknown\n}\n"
                              "l {\ncom = unknown\nopt = 2\noc = unknown\n}\n"
                              "m \"k\" { opt = 3 }\ns { opt = 4 }")));
}

TEST(PlannedData, NestedAttributesAreUnknownWhereTheyAreComputed) {
  const Block schema = block({nested("l", Is::OptionalComputed, Nesting::List, kAll),
                              nested("o", Is::Optional, Nesting::Single, kAll),
                              attribute("any", Is::Computed, Type::dynamic())});

  EXPECT_EQ(plain_text(planned_data(schema, object(schema, "o = { opt = 1 }"))),
            plain_text(object(schema,
                              "l = unknown\nany = unknown\n"
                              "o = { com = unknown, opt = 1, oc = unknown }")));
}

TEST(PlannedData, ListBlocksOfOpenTypesHaveUnknownPartsToo) {
  const Block schema = block({}, {blocks("l", Nesting::List,
                                         block({attribute("any", Is::Optional, Type::dynamic()),
                                                attribute("com", Is::Computed)}))});

  EXPECT_EQ(plain_text(planned_data(schema, object(schema, "l { any = 1 }"))),
            plain_text(object(schema, "l {\nany = 1\ncom = unknown\n}")));
}

TEST(PlannedData, NothingIsKnownOfADataSourceWithoutConfiguration) {
  const Block schema = block(kAll);
  EXPECT_EQ(plain_text(planned_data(schema, object(schema, "null"))),
            plain_text(Value::unknown(schema.implied_type())));
}

TEST(AllUnknownComputed, ComputedNullsAreUnknownAtEveryDepth) {
  const Block schema =
      block({attribute("com", Is::Computed), attribute("opt", Is::Optional),
             nested("n", Is::OptionalComputed, Nesting::List, kAll),
             nested("o", Is::Optional, Nesting::Map, kAll)},
            {blocks("g", Nesting::Group, block(kAll)), blocks("s", Nesting::Set, block(kAll))});

  EXPECT_EQ(
      plain_text(
          all_unknown_computed(schema, object(schema, "o = { k = { oc = 1 } }\ns { com = 2 }"))),
      plain_text(object(schema,
                        "com = unknown\nn = unknown\n"
                        "o = { k = { com = unknown, oc = 1 } }\n"
                        "g {\ncom = unknown\noc = unknown\n}\ns {\ncom = 2\noc = unknown\n}")));
  const Value null = object(schema, "null");
  EXPECT_TRUE(all_unknown_computed(schema, null).is_same(null));
}

}  // namespace
}  // namespace tofu::schema
