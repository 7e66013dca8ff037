#include "schema/generate_config.h"

#include <gtest/gtest.h>

#include "tests/schema/make_schema.h"

namespace tofu::schema {
namespace {

using value::Type;
using value::Value;

std::string generated(const Block& schema, const std::string& body) {
  return generated_config({"thing", "a", ""}, schema, object(schema, body));
}

TEST(GenerateConfig, ArgumentsAreWrittenByNameAndBlocksAfterThem) {
  const Block inside = block({attribute("b", Is::Optional), attribute("a", Is::Required)});
  const Block schema =
      block({attribute("name", Is::Required), attribute("size", Is::Optional, Type::number())},
            {blocks("disk", Nesting::List, inside)});
  EXPECT_EQ(generated(schema, "name = \"n\"\nsize = 2.5\ndisk {\na = 1\nb = 2\n}\ndisk { a = 3 }"),
            "resource \"thing\" \"a\" {\n"
            "  name = \"n\"\n"
            "  size = 2.5\n"
            "  disk {\n"
            "    a = \"1\"\n"
            "    b = \"2\"\n"
            "  }\n"
            "  disk {\n"
            "    a = \"3\"\n"
            "    b = null\n"
            "  }\n"
            "}");
}

TEST(GenerateConfig, AProviderThatDoesNotFollowFromTheTypeIsNamed) {
  const Block schema = block({attribute("name", Is::Optional)});
  EXPECT_EQ(generated_config({"thing", "a", "other.west"}, schema, object(schema, "")),
            "resource \"thing\" \"a\" {\n"
            "  provider = other.west\n"
            "  name     = null\n"
            "}");
}

TEST(GenerateConfig, WhatNobodyMaySetIsLeftOut) {
  Attribute old = attribute("old", Is::Optional);
  old.deprecated = true;
  Block gone = block({attribute("a", Is::Optional)});
  gone.deprecated = true;
  const Block schema =
      block({attribute("id", Is::OptionalComputed), attribute("com", Is::Computed),
             attribute("odd.name", Is::Optional), old, attribute("oc", Is::OptionalComputed),
             nested("n", Is::Optional, Nesting::Single,
                    {attribute("com", Is::Computed), attribute("opt", Is::Optional)})},
            {blocks("gone", Nesting::List, gone)});
  EXPECT_EQ(
      generated(schema, "oc = 1\nid = 2\ncom = 3\nold = 4\nn = { com = 5, opt = 6 }\ngone {}"),
      "resource \"thing\" \"a\" {\n"
      "  n = {\n"
      "    opt = \"6\"\n"
      "  }\n"
      "  oc = \"1\"\n"
      "}");
}

TEST(GenerateConfig, AnIdThatMustBeSetIsWritten) {
  EXPECT_EQ(generated(block({attribute("id", Is::Required)}), "id = 1"),
            "resource \"thing\" \"a\" {\n  id = \"1\"\n}");
}

TEST(GenerateConfig, SecretsAndWriteOnlyArgumentsAreNotWritten) {
  const std::vector<Attribute> parts = {sensitive(attribute("x", Is::Optional))};
  const Block schema = block({sensitive(attribute("a", Is::Optional)), attribute("b", Is::Optional),
                              write_only(attribute("c", Is::Optional)),
                              write_only(sensitive(attribute("d", Is::Optional))),
                              sensitive(nested("e", Is::Optional, Nesting::Set, parts)),
                              sensitive(nested("f", Is::Optional, Nesting::Map, parts)),
                              nested("g", Is::Optional, Nesting::List, parts)});
  EXPECT_EQ(generated(schema, "a = 1\nb = 2\nd = 4\ne = [{}]\nf = { k = {} }\ng = [{ x = 1 }]"),
            "resource \"thing\" \"a\" {\n"
            "  a = null # sensitive\n"
            "  b = \"2\"\n"
            "  c = null # write-only\n"
            "  d = null # sensitive write-only\n"
            "  e = []   # sensitive\n"
            "  f = {}   # sensitive\n"
            "  g = [\n"
            "    {\n"
            "      x = null # sensitive\n"
            "    },\n"
            "  ]\n"
            "}");
}

TEST(GenerateConfig, ValuesAreWrittenAsExpressions) {
  const Block schema = block({attribute("any", Is::Optional, Type::dynamic()),
                              attribute("l", Is::Optional, Type::list(Type::number())),
                              attribute("m", Is::Optional, Type::map(Type::boolean())),
                              attribute("s", Is::Optional)});
  EXPECT_EQ(generated(schema,
                      "any = [\"a\", 1]\nl = [1, 2.5]\nm = { \"a b\" = true }\n"
                      "s = \"a\\\"b\\n$${c}\\n\""),
            "resource \"thing\" \"a\" {\n"
            "  any = [\"a\", 1]\n"
            "  l   = [1, 2.5]\n"
            "  m = {\n"
            "    \"a b\" = true\n"
            "  }\n"
            "  s = \"a\\\"b\\n$${c}\\n\"\n"
            "}");
}

TEST(GenerateConfig, JsonInAStringIsWrittenAsACall) {
  const Block schema = block({attribute("array", Is::Optional), attribute("object", Is::Optional),
                              attribute("other", Is::Optional), attribute("text", Is::Optional)});
  EXPECT_EQ(generated(schema,
                      "array = \" [{\\\"a\\\":1}]\\n\"\nobject = \"{\\\"b\\\":null}\"\n"
                      "other = \"{a=b}\"\ntext = \"\\\"quoted\\\"\""),
            "resource \"thing\" \"a\" {\n"
            "  array = jsonencode([{\n"
            "    a = 1\n"
            "  }])\n"
            "  object = jsonencode({\n"
            "    b = null\n"
            "  })\n"
            "  other = \"{a=b}\"\n"
            "  text  = \"\\\"quoted\\\"\"\n"
            "}");
}

TEST(GenerateConfig, NestedAttributesOfAllNestingsAreWritten) {
  const std::vector<Attribute> parts = {attribute("x", Is::Optional)};
  const Block schema = block({nested("l", Is::Optional, Nesting::List, parts),
                              nested("m", Is::Optional, Nesting::Map, parts),
                              nested("n", Is::Optional, Nesting::List, parts),
                              nested("o", Is::Optional, Nesting::Single, parts),
                              nested("s", Is::Optional, Nesting::Set, parts)});
  EXPECT_EQ(generated(schema,
                      "l = [{ x = 1 }]\nm = { k = {}, \"a b\" = { x = 2 } }\no = { x = 3 }\n"
                      "s = []"),
            "resource \"thing\" \"a\" {\n"
            "  l = [\n"
            "    {\n"
            "      x = \"1\"\n"
            "    },\n"
            "  ]\n"
            "  m = {\n"
            "    \"a b\" = {\n"
            "      x = \"2\"\n"
            "    }\n"
            "    k = {\n"
            "      x = null\n"
            "    }\n"
            "  }\n"
            "  n = null\n"
            "  o = {\n"
            "    x = \"3\"\n"
            "  }\n"
            "  s = [\n"
            "  ]\n"
            "}");
}

TEST(GenerateConfig, BlocksOfAllNestingsAreWritten) {
  const Block inside = block({attribute("x", Is::Optional)});
  const Block schema =
      block({}, {blocks("g", Nesting::Group, inside), blocks("m", Nesting::Map, inside),
                 blocks("o", Nesting::Single, inside), blocks("p", Nesting::Single, inside),
                 blocks("s", Nesting::Set, inside)});
  EXPECT_EQ(generated(schema, "m \"k\" { x = 1 }\no { x = 2 }\ns { x = 3 }\ns { x = 4 }"),
            "resource \"thing\" \"a\" {\n"
            "  g {\n"
            "    x = null\n"
            "  }\n"
            "  m \"k\" {\n"
            "    x = \"1\"\n"
            "  }\n"
            "  o {\n"
            "    x = \"2\"\n"
            "  }\n"
            "  s {\n"
            "    x = \"3\"\n"
            "  }\n"
            "  s {\n"
            "    x = \"4\"\n"
            "  }\n"
            "}");
}

TEST(GenerateConfig, UnknownPartsAreNull) {
  const Block schema = block({attribute("a", Is::Optional)});
  EXPECT_EQ(generated(schema, "a = unknown"), "resource \"thing\" \"a\" {\n  a = null\n}");
}

TEST(GenerateConfig, ArgumentsAreWhatTheWrittenBlockSets) {
  Block schema = block({attribute("made", Is::Computed), attribute("name", Is::Required),
                        attribute("old", Is::Optional), attribute("secret", Is::Optional)});
  schema.attributes[2].deprecated = true;
  schema.attributes[3].sensitive = true;
  const value::Value arguments = generated_arguments(
      {"thing", "a", ""}, schema, object(schema, "name = \"n\"\nold = \"o\"\nsecret = \"s\""),
      syntax::MapScope({}));
  EXPECT_TRUE(raw_equal(arguments, object(schema, "name = \"n\"")));
}

TEST(GenerateConfig, AConfigurationOfTheProviderIsWrittenAsItIs) {
  Attribute old = attribute("old", Is::Optional);
  old.deprecated = true;
  Block gone = block({attribute("a", Is::Optional)});
  gone.deprecated = true;
  const Block schema =
      block({attribute("id", Is::OptionalComputed), attribute("made", Is::Computed),
             attribute("name", Is::Optional), old, attribute("size", Is::OptionalComputed),
             sensitive(attribute("secret", Is::Optional))},
            {blocks("gone", Nesting::List, gone)});
  const GeneratedResource resource{"thing", "a", "", true};
  EXPECT_EQ(generated_config(resource, schema,
                             object(schema, "id = 1\nold = 2\nsecret = 3\ngone {\n  a = 4\n}")),
            "resource \"thing\" \"a\" {\n"
            "  id     = \"1\"\n"
            "  name   = null\n"
            "  old    = \"2\"\n"
            "  secret = null # sensitive\n"
            "  gone {\n"
            "    a = \"4\"\n"
            "  }\n"
            "}");
  EXPECT_EQ(generated_config(resource, schema, object(schema, "name = \"n\"")),
            "resource \"thing\" \"a\" {\n"
            "  name   = \"n\"\n"
            "  secret = null # sensitive\n"
            "}");
}

TEST(GenerateConfig, AFileSaysWhereItsBlocksComeFrom) {
  EXPECT_EQ(generated_entry("resource \"a\" \"b\" {\n}", "i-\"1\""),
            "\n# __generated__ by OpenTofu from \"i-\\\"1\\\"\"\nresource \"a\" \"b\" {\n}\n");
  EXPECT_EQ(generated_entry("x", ""), "\n# __generated__ by OpenTofu\nx\n");
  EXPECT_TRUE(generated_file_header().starts_with("# __generated__ by OpenTofu\n"));
}

}  // namespace
}  // namespace tofu::schema
