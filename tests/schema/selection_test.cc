#include "schema/selection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/schema/make_schema.h"
#include "tests/syntax/plain_text.h"

namespace tofu::schema {
namespace {

using syntax::plain_text;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using value::Value;

std::vector<std::string> paths(const Block& schema, const std::string& body) {
  std::vector<std::string> texts;
  for (const value::Path& path : sensitive_attributes(schema).paths(object(schema, body))) {
    texts.push_back(to_string(path));
  }
  return texts;
}

const std::vector<Attribute> kParts = {attribute("open", Is::Optional),
                                       sensitive(attribute("secret", Is::Optional))};

TEST(Selection, FindsAttributesInBlocksOfAllNestings) {
  const Block schema =
      block(kParts,
            {blocks("g", Nesting::Group, block(kParts)), blocks("l", Nesting::List, block(kParts)),
             blocks("m", Nesting::Map, block(kParts)), blocks("o", Nesting::Single, block(kParts)),
             blocks("plain", Nesting::List, block({attribute("a", Is::Optional)}))});

  EXPECT_THAT(paths(schema, "l {}\nl {}\nm \"k\" {}\no {}\nplain {}"),
              ElementsAre(".g.secret", ".l[0].secret", ".l[1].secret", ".m[\"k\"].secret",
                          ".o.secret", ".secret"));
  EXPECT_THAT(paths(schema, ""), ElementsAre(".g.secret", ".secret"));
  EXPECT_THAT(paths(schema, "dynamic \"l\" {\nfor_each = unknown\ncontent {}\n}"),
              ElementsAre(".g.secret", ".secret"));
  EXPECT_THAT(paths(schema, "null"), IsEmpty());
}

TEST(Selection, FindsAttributesInNestedAttributesOfAllNestings) {
  const Block schema = block({nested("l", Is::Optional, Nesting::List, kParts),
                              nested("m", Is::Optional, Nesting::Map, kParts),
                              nested("o", Is::Optional, Nesting::Single, kParts)});

  EXPECT_THAT(paths(schema, "l = [{}, {}]\nm = { k = {} }\no = {}"),
              ElementsAre(".l[0].secret", ".l[1].secret", ".m[\"k\"].secret", ".o.secret"));
  EXPECT_THAT(paths(schema, "l = unknown\no = unknown"), IsEmpty());
}

TEST(Selection, LooksInsideChosenAttributesOfABlockOnly) {
  const Block schema =
      block({sensitive(nested("outer", Is::Optional, Nesting::Single,
                              {sensitive(nested("inner", Is::Optional, Nesting::Single, kParts)),
                               nested("other", Is::Optional, Nesting::Single, kParts)}))});

  EXPECT_THAT(paths(schema, "outer = { inner = {}, other = {} }"),
              ElementsAre(".outer", ".outer.inner", ".outer.other.secret"));
}

TEST(Selection, BlocksOfOpenTypesAreReachedByNameAndPosition) {
  const Block inside = block({attribute("any", Is::Optional, value::Type::dynamic()),
                              sensitive(attribute("secret", Is::Optional))});
  const Block schema =
      block({}, {blocks("l", Nesting::List, inside), blocks("m", Nesting::Map, inside)});

  EXPECT_THAT(paths(schema, "l { any = 1 }\nm \"k\" { any = true }"),
              ElementsAre(".l[0].secret", ".m.k.secret"));
}

Value gone(const Value& v) { return v.is_null() ? v : Value::null(v.type()); }

TEST(Selection, ChangesWhatWasChosenAndSharesTheRest) {
  const Block schema = block(kParts, {blocks("l", Nesting::List, block(kParts)),
                                      blocks("s", Nesting::Set, block(kParts))});
  const Selection secrets = sensitive_attributes(schema);

  const Value full = object(schema,
                            "open = 1\nsecret = 2\nl {}\nl { secret = 3 }\n"
                            "s { secret = 4 }\ns { secret = 5 }");
  EXPECT_EQ(plain_text(secrets.changed(full, gone)),
            plain_text(object(schema, "open = 1\nl {}\nl {}\ns {}")));

  const Value half = object(schema, "secret = 2\nl { open = 1 }");
  EXPECT_TRUE(secrets.changed(half, gone).plain().find("l")->is_same(*half.plain().find("l")));
  const Value empty = object(schema, "open = 1");
  EXPECT_TRUE(secrets.changed(empty, gone).is_same(empty));
}

TEST(Selection, OfASchemaWithoutSuchAttributesIsEmpty) {
  const Block schema = block({attribute("a", Is::Optional)},
                             {blocks("b", Nesting::List, block({attribute("a", Is::Optional)}))});
  EXPECT_TRUE(sensitive_attributes(schema).empty());
  EXPECT_TRUE(write_only_attributes(schema).empty());
  EXPECT_TRUE(computed_only_attributes(schema).empty());
}

TEST(Selection, OptionalComputedAttributesAreNotOnlyComputed) {
  const Block schema = block({attribute("a", Is::OptionalComputed), attribute("b", Is::Computed)});
  const auto found = computed_only_attributes(schema).paths(object(schema, ""));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(to_string(found[0]), ".b");
}

}  // namespace
}  // namespace tofu::schema
