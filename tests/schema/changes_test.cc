#include "schema/changes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "schema/marks.h"
#include "syntax/parser.h"
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

Path at(std::string name) { return Path().with_attribute(std::move(name)); }
Path key(const Path& path, std::string_view text) { return path.with_index(Value::string(text)); }
Path item(const Path& path, int i) { return path.with_index(Value::integer(i)); }

const Block& schema() {
  static const Block made = block(
      {attribute("a", Is::Optional), attribute("b", Is::Optional), attribute("com", Is::Computed),
       attribute("l", Is::Optional, Type::list(Type::string())),
       attribute("m", Is::Optional, Type::map(Type::string())),
       attribute("o", Is::Optional,
                 Type::object({{"x", Type::string()}, {"y", Type::map(Type::string())}})),
       nested("n", Is::Optional, Nesting::List,
              {attribute("com", Is::Computed), attribute("opt", Is::Optional)})},
      {blocks("bl", Nesting::List,
              block({attribute("com", Is::Computed), attribute("opt", Is::Optional),
                     write_only(attribute("w", Is::Optional))})),
       blocks("bs", Nesting::Set, block({attribute("opt", Is::Optional)}))});
  return made;
}

struct Case {
  std::vector<Path> ignored;
  std::string prior;
  std::string config;
  std::string result;
};

void expect_ignored(const std::vector<Case>& cases) {
  const Selection computed_only = computed_only_attributes(schema());
  for (const Case& one : cases) {
    const Value prior = object(schema(), one.prior);
    const Value config = object(schema(), one.config);
    EXPECT_EQ(plain_text(with_ignored_changes({false, one.ignored}, prior, config, computed_only)),
              plain_text(object(schema(), one.result)))
        << "prior: " << one.prior << "\nconfig: " << one.config;
    EXPECT_EQ(plain_text(with_ignored_changes({false, one.ignored}, prior, config)),
              plain_text(object(schema(), one.result)));
  }
}

TEST(IgnoredChanges, AnIgnoredAttributeIsAsItWasBefore) {
  expect_ignored({
      {{at("a")}, "a = 1\nb = 1", "a = 2\nb = 2", "a = 1\nb = 2"},
      {{at("a")}, "a = 1", "", "a = 1"},
      {{at("a")}, "", "a = 2", ""},
      {{at("a")}, "a = 1", "a = unknown", "a = 1"},
      {{at("a"), at("b")}, "a = 1\nb = 1", "a = 2\nb = 2", "a = 1\nb = 1"},
      {{at("bs")}, "bs { opt = 1 }", "bs { opt = 2 }\nbs {}", "bs { opt = 1 }"},
      {{at("nothing")}, "a = 1", "a = 2", "a = 2"},
      {{}, "a = 1", "a = 2", "a = 2"},
  });
}

TEST(IgnoredChanges, NothingIsIgnoredBeforeThereIsAnObject) {
  expect_ignored({{{at("a")}, "null", "a = 2", "a = 2"}});
  const Value config = object(schema(), "a = 2");
  EXPECT_TRUE(with_ignored_changes({true, {}}, object(schema(), "null"), config,
                                   computed_only_attributes(schema()))
                  .is_same(config));
}

TEST(IgnoredChanges, PartsOfAttributesAndBlocksCanBeIgnored) {
  expect_ignored({
      {{item(at("l"), 0)}, "l = [\"a\", \"b\"]", "l = [\"c\", \"d\"]", "l = [\"a\", \"d\"]"},
      // An element that only one of them has cannot be ignored.
      {{item(at("l"), 1)}, "l = [\"a\"]", "l = [\"a\", \"b\"]", "l = [\"a\", \"b\"]"},
      {{item(at("bl"), 0).with_attribute("opt")},
       "bl {\nopt = 1\ncom = 2\n}",
       "bl { opt = 3 }\nbl { opt = 4 }",
       "bl { opt = 1 }\nbl { opt = 4 }"},
      {{item(at("n"), 0).with_attribute("opt")},
       "n = [{ opt = 1 }]",
       "n = [{ opt = 2 }]",
       "n = [{ opt = 1 }]"},
      {{at("o").with_attribute("x")},
       "o = { x = \"1\", y = {} }",
       "o = { x = \"2\", y = {} }",
       "o = { x = \"1\", y = {} }"},
      {{at("o").with_attribute("x")}, "", "o = { x = \"2\", y = {} }", "o = { x = \"2\", y = {} }"},
      // The enclosing path wins.
      {{at("o"), at("o").with_attribute("x")},
       "o = { x = \"1\", y = {} }",
       "o = { x = \"2\", y = { k = \"v\" } }",
       "o = { x = \"1\", y = {} }"},
  });
}

TEST(IgnoredChanges, SingleKeysOfMapsCanBeIgnored) {
  const Path k = key(at("m"), "k");
  const Path j = key(at("m"), "j");
  expect_ignored({
      {{k}, "m = { k = 1, j = 1 }", "m = { k = 2, j = 2 }", "m = { k = 1, j = 2 }"},
      {{k}, "m = { k = 1 }", "m = { j = 2 }", "m = { k = 1, j = 2 }"},
      {{k}, "m = { j = 1 }", "m = { k = 2, j = 2 }", "m = { j = 2 }"},
      {{k, j},
       "m = { k = 1, j = 1 }",
       "m = { k = 2, j = 2, i = 2 }",
       "m = { k = 1, j = 1, i = 2 }"},
      {{k}, "m = { k = 1 }", "", "m = { k = 1 }"},
      {{k}, "", "m = { k = 2 }", "m = {}"},
      {{k}, "m = { j = 1 }", "", ""},
      {{k}, "m = { k = 1 }", "m = { k = unknown }", "m = { k = 1 }"},
      {{k, at("m")}, "m = { i = 1 }", "m = { k = 2 }", "m = { i = 1 }"},
      // The keys of an unknown map cannot be distinguished.
      {{k}, "m = { k = 1 }", "m = unknown", "m = unknown"},
      {{at("m")}, "m = { k = 1 }", "m = unknown", "m = unknown"},
      {{key(at("o").with_attribute("y"), "k")},
       "o = { x = \"1\", y = { k = \"1\" } }",
       "o = { x = \"2\", y = {} }",
       "o = { x = \"2\", y = { k = \"1\" } }"},
      // An object has no keys: it is ignored as a whole.
      {{key(at("o"), "x")},
       "o = { x = \"1\", y = {} }",
       "o = { x = \"2\", y = { k = \"v\" } }",
       "o = { x = \"1\", y = {} }"},
  });
}

TEST(IgnoredChanges, OfAllOnlyWhatCanBeConfiguredIsTaken) {
  const Value prior = object(schema(),
                             "a = 1\ncom = 2\nn = [{ com = 3, opt = 4 }]\n"
                             "bl {\ncom = 5\nopt = 6\n}");
  const Value config = object(schema(), "a = 7\nb = 8");
  EXPECT_EQ(plain_text(with_ignored_changes({true, {}}, prior, config,
                                            computed_only_attributes(schema()))),
            plain_text(object(schema(), "a = 1\nn = [{ opt = 4 }]\nbl { opt = 6 }")));
  EXPECT_TRUE(with_ignored_changes({true, {}}, prior, config).is_same(prior));
}

TEST(IgnoredChanges, OfAllNoMarksOfComputedAttributesAreTaken) {
  const Value prior =
      mark(object(schema(), "a = 1"), std::vector<PathMarks>{{at("com"), Marks::sensitive()}});
  EXPECT_EQ(plain_text(with_ignored_changes({true, {}}, prior, object(schema(), ""),
                                            computed_only_attributes(schema()))),
            plain_text(object(schema(), "a = 1")));
}

TEST(IgnoredChanges, MarksAreIgnoredWithTheirValues) {
  const Selection none;
  const auto marked = [](const std::string& body, const Path& path) {
    return mark(object(schema(), body), std::vector<PathMarks>{{path, Marks::sensitive()}});
  };
  // The mark of before comes back, the new one goes.
  EXPECT_EQ(plain_text(with_ignored_changes({false, {at("a")}}, marked("a = 1", at("a")),
                                            object(schema(), "a = 1"), none)),
            plain_text(marked("a = 1", at("a"))));
  EXPECT_EQ(plain_text(with_ignored_changes({false, {at("a")}}, object(schema(), "a = 1"),
                                            marked("a = 2", at("a")), none)),
            plain_text(object(schema(), "a = 1")));
  // A map keeps its own marks when only a key of it is ignored.
  EXPECT_EQ(plain_text(with_ignored_changes({false, {key(at("m"), "k")}},
                                            object(schema(), "m = { k = 1 }"),
                                            marked("m = { k = 2, j = 3 }", at("m")), none)),
            plain_text(marked("m = { k = 1, j = 3 }", at("m"))));
}

TEST(IgnoredChanges, AConfigurationWithoutSuchChangesIsReturnedAsItIs) {
  const Value prior = object(schema(), "a = 1\nb = 2");
  const Value config = object(schema(), "a = 1\nb = 3");
  EXPECT_TRUE(with_ignored_changes({false, {at("a")}}, prior, config, {}).is_same(config));
}

TEST(PathOf, ATraversalHasItsRootAsFirstAttribute) {
  diag::SourceMap sources;
  diag::Diagnostics diags;
  const auto id = sources.add("test", "a.b[\"c\"][0]");
  const auto parsed = syntax::parse_traversal(sources, id, false, diags);
  ASSERT_TRUE(parsed);
  EXPECT_EQ(to_string(path_of(parsed->traversal)), ".a.b[\"c\"][0]");
}

std::vector<std::string> replacing(const std::string& prior, const std::string& planned,
                                   const std::vector<Path>& paths) {
  std::vector<std::string> texts;
  const Replacing found =
      changes_that_replace(schema(), object(schema(), prior), object(schema(), planned), paths);
  for (const Path& path : found.changed) texts.push_back(to_string(path));
  for (const Path& path : found.nowhere) texts.push_back("nowhere " + to_string(path));
  return texts;
}

TEST(ChangesThatReplace, OnlyWhatChangedCounts) {
  EXPECT_THAT(replacing("a = 1\nb = 1", "a = 1\nb = 2", {at("a"), at("b"), at("b")}),
              ElementsAre(".b"));
  EXPECT_THAT(replacing("a = 1", "a = unknown", {at("a")}), ElementsAre(".a"));
  EXPECT_THAT(replacing("null", "a = 1", {at("a")}), IsEmpty());
  EXPECT_THAT(
      replacing("bl { opt = 1 }", "bl { opt = 2 }", {item(at("bl"), 0).with_attribute("opt")}),
      ElementsAre(".bl[0].opt"));
  EXPECT_THAT(replacing("m = { k = 1 }", "m = { k = 1, j = 2 }", {key(at("m"), "k")}), IsEmpty());
}

TEST(ChangesThatReplace, WhatOnlyOneObjectHasIsAChange) {
  EXPECT_THAT(replacing("", "bl { opt = 1 }", {item(at("bl"), 0).with_attribute("opt")}),
              ElementsAre(".bl[0].opt"));
  EXPECT_THAT(replacing("m = { k = 1 }", "", {key(at("m"), "k")}), ElementsAre(".m[\"k\"]"));
}

TEST(ChangesThatReplace, APathThatLeadsNowhereIsTheProvidersMistake) {
  EXPECT_THAT(replacing("", "", {at("z"), item(at("bl"), 0), at("a").with_attribute("b")}),
              ElementsAre("nowhere .z", "nowhere .bl[0]", "nowhere .a.b"));
  EXPECT_THAT(replacing("bs {}", "bs {}", {item(at("bs"), 0)}), ElementsAre("nowhere .bs[0]"));
}

TEST(ChangesThatReplace, ProvidersMayNameKeysAndAttributesInOtherForms) {
  EXPECT_THAT(replacing("m = { k = 1 }", "m = { k = 2 }", {at("m").with_attribute("k")}),
              ElementsAre(".m.k"));
  EXPECT_THAT(replacing("l = [\"a\"]", "l = [\"b\"]", {key(at("l"), "0")}),
              ElementsAre(".l[\"0\"]"));
  EXPECT_THAT(
      replacing("o = { x = \"1\", y = {} }", "o = { x = \"2\", y = {} }", {key(at("o"), "x")}),
      ElementsAre(".o[\"x\"]"));
}

TEST(ChangesThatReplace, AWriteOnlyArgumentCountsAlways) {
  const Path path = item(at("bl"), 0).with_attribute("w");
  const Value both = object(schema(), "bl {}");
  const Replacing found = changes_that_replace(schema(), both, both, std::vector<Path>{path});
  EXPECT_THAT(found.changed, ElementsAre(path));
  EXPECT_TRUE(found.write_only);
}

TEST(AttributeAt, PathsEndAtAnAttribute) {
  const auto name = [](const Path& path) {
    const Attribute* found = attribute_at(schema(), path);
    return found == nullptr ? std::string("-") : found->name;
  };
  EXPECT_EQ(name(at("a")), "a");
  EXPECT_EQ(name(item(at("bl"), 0).with_attribute("w")), "w");
  EXPECT_EQ(name(item(at("n"), 0).with_attribute("opt")), "opt");
  EXPECT_EQ(name(at("n")), "n");
  EXPECT_EQ(name(item(at("n"), 0)), "-");
  EXPECT_EQ(name(at("bl")), "-");
  EXPECT_EQ(name(key(at("m"), "k")), "-");
  EXPECT_EQ(name(at("o").with_attribute("x")), "-");
  EXPECT_EQ(name({}), "-");
}

TEST(IsUnchanged, MarksAreNoChangeAndUnknownsAreOne) {
  const Value v = object(schema(), "a = 1\nbs { opt = 1 }");
  const Value marked = mark(v, std::vector<PathMarks>{{at("a"), Marks::sensitive()}});
  EXPECT_TRUE(is_unchanged(v, object(schema(), "a = 1\nbs { opt = 1 }")));
  EXPECT_TRUE(is_unchanged(v, marked));
  EXPECT_FALSE(is_unchanged(v, object(schema(), "a = 2\nbs { opt = 1 }")));
  EXPECT_FALSE(is_unchanged(v, object(schema(), "a = 1\ncom = unknown\nbs { opt = 1 }")));
  EXPECT_FALSE(is_unchanged(object(schema(), "null"), v));
}

TEST(SameSensitiveParts, OnlySensitiveMarksAreCompared) {
  const Value v = object(schema(), "a = 1\nb = 2");
  const auto with = [&](const Path& path, Marks marks) {
    return mark(v, std::vector<PathMarks>{{path, marks}});
  };
  EXPECT_TRUE(same_sensitive_parts(v, v));
  EXPECT_TRUE(same_sensitive_parts(v, with(at("a"), Marks::ephemeral())));
  EXPECT_TRUE(same_sensitive_parts(with(at("a"), Marks::sensitive()),
                                   with(at("a"), Marks::sensitive().with(Marks::ephemeral()))));
  EXPECT_FALSE(same_sensitive_parts(v, with(at("a"), Marks::sensitive())));
  EXPECT_FALSE(
      same_sensitive_parts(with(at("b"), Marks::sensitive()), with(at("a"), Marks::sensitive())));
}

}  // namespace
}  // namespace tofu::schema
