#include "schema/decode.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "schema/provider.h"
#include "syntax/map_scope.h"
#include "syntax/parser.h"
#include "tests/syntax/plain_text.h"

namespace tofu::schema {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using value::Type;
using value::Value;

Attribute attribute(std::string name, Type type, bool required = false) {
  Attribute out;
  out.name = std::move(name);
  out.type = type;
  out.required = required;
  out.optional = !required;
  return out;
}

NestedBlock nested(std::string name, Nesting nesting, std::uint64_t min = 0,
                   std::uint64_t max = 0) {
  auto block = std::make_shared<Block>();
  block->attributes = {attribute("a", Type::string())};
  NestedBlock out;
  out.name = std::move(name);
  out.block = std::move(block);
  out.nesting = nesting;
  out.min_items = min;
  out.max_items = max;
  return out;
}

// Decodes `text`; the value and the lines of all errors.
struct Decoded {
  std::string text;
  std::vector<std::uint32_t> error_lines;
};

Decoded decode_text(std::string text, const Block& schema) {
  diag::SourceMap sources;
  diag::Diagnostics diags;
  const diag::FileId id = sources.add("test.tf", std::move(text));
  const auto file = syntax::parse_file(sources, id, diags);
  const syntax::MapScope scope({{"names", Value::tuple({Value::string("x"), Value::string("y")})},
                                {"later", Value::unknown(Type::list(Type::string()))}});
  const Value v = decode(file->body(), schema, scope, diags);
  Decoded out{syntax::plain_text(v), {}};
  for (const diag::Diagnostic& d : diags.items()) {
    out.error_lines.push_back(sources.position(d.subject->file, d.subject->begin).line);
  }
  return out;
}

TEST(Decode, AttributesAreConvertedAndMissingOnesAreNull) {
  Block schema;
  schema.attributes = {attribute("a", Type::string()), attribute("b", Type::number())};

  const Decoded decoded = decode_text("a = 1\n", schema);

  EXPECT_EQ(decoded.text, "{a = \"1\", b = null(number)}");
  EXPECT_THAT(decoded.error_lines, IsEmpty());
}

TEST(Decode, EveryMistakeIsReportedAtItsPlace) {
  Block schema;
  schema.attributes = {attribute("a", Type::number()), attribute("r", Type::string(), true)};

  const Decoded decoded = decode_text("a = \"x\"\nz = 1\n", schema);

  // What is missing is reported where the body starts.
  EXPECT_THAT(decoded.error_lines, ::testing::UnorderedElementsAre(1, 2, 1));
}

TEST(Decode, ListBlocksKeepTheirOrder) {
  Block schema;
  schema.blocks = {nested("b", Nesting::List)};

  EXPECT_EQ(decode_text("b {\n  a = 2\n}\nb {\n  a = 1\n}\n", schema).text,
            "{b = list(object({a=string}))[{a = \"2\"}, {a = \"1\"}]}");
}

TEST(Decode, ASingleBlockIsAnObjectOrNull) {
  Block schema;
  schema.blocks = {nested("b", Nesting::Single)};

  EXPECT_EQ(decode_text("b {\n  a = 1\n}\n", schema).text, "{b = {a = \"1\"}}");
  EXPECT_EQ(decode_text("", schema).text, "{b = null(object({a=string}))}");
  EXPECT_THAT(decode_text("b {}\nb {}\n", schema).error_lines, ElementsAre(2));
}

TEST(Decode, AGroupIsThereEvenWithoutItsBlock) {
  Block schema;
  schema.blocks = {nested("b", Nesting::Group)};

  EXPECT_EQ(decode_text("", schema).text, "{b = {a = null(string)}}");
}

TEST(Decode, MapBlocksAreFoundByTheirLabel) {
  Block schema;
  schema.blocks = {nested("b", Nesting::Map)};

  EXPECT_EQ(decode_text("b \"k\" {\n  a = 1\n}\n", schema).text,
            "{b = map(object({a=string})){k = {a = \"1\"}}}");
  EXPECT_THAT(decode_text("b \"k\" {}\nb \"k\" {}\n", schema).error_lines, ElementsAre(2));
}

TEST(Decode, NumbersOfBlocksAreChecked) {
  Block schema;
  schema.blocks = {nested("b", Nesting::List, 1, 1)};

  EXPECT_THAT(decode_text("b {}\nb {}\n", schema).error_lines, ElementsAre(2));
  EXPECT_EQ(decode_text("", schema).error_lines.size(), 1U);
}

TEST(Decode, DynamicBlocksAreExpanded) {
  Block schema;
  schema.blocks = {nested("b", Nesting::List)};

  const Decoded decoded = decode_text(
      "dynamic \"b\" {\n  for_each = names\n  content {\n    a = b.value\n  }\n}\n", schema);

  EXPECT_EQ(decoded.text, "{b = list(object({a=string}))[{a = \"x\"}, {a = \"y\"}]}");
}

// A schema as the older SDK makes it.
Block with_objects() {
  Block schema;
  schema.attributes = {
      attribute("list", Type::list(Type::object({{"a", Type::string()}, {"n", Type::number()}}))),
      attribute("set", Type::set(Type::object({{"a", Type::string()}})), true)};
  return schema;
}

TEST(Decode, ArgumentsThatAreObjectsMayBeWrittenAsBlocks) {
  const Decoded decoded = decode_text(
      "list {\n  a = names[0]\n}\nlist {\n  n = \"2\"\n}\nset {\n  a = 1\n}\n", with_objects());

  EXPECT_EQ(decoded.text,
            "{list = list(object({a=string,n=number}))[{a = \"x\", n = null(number)}, "
            "{a = null(string), n = 2}], set = set(object({a=string}))[{a = \"1\"}]}");
  EXPECT_THAT(decoded.error_lines, IsEmpty());
}

TEST(Decode, ArgumentsMayBeWrittenAsDynamicBlocks) {
  const auto with = [](std::string_view elements) {
    return decode_text(fmt::format("dynamic \"list\" {{\n  for_each = {}\n  content {{\n    a = "
                                   "list.value\n  }}\n}}\nset = []\n",
                                   elements),
                       with_objects())
        .text;
  };
  EXPECT_THAT(with("names"), ::testing::HasSubstr("[{a = \"x\", n = null(number)}, {a = \"y\""));
  EXPECT_THAT(with("[]"), ::testing::StartsWith("{list = null(list"));
}

TEST(Decode, AnArgumentIsWrittenInOneWayOnly) {
  EXPECT_THAT(decode_text("list = []\nlist {\n}\nset = []\n", with_objects()).error_lines,
              ElementsAre(2));
  Block schema = with_objects();
  schema.attributes.push_back(attribute("z", Type::map(Type::object({{"a", Type::string()}}))));
  // No older SDK makes such a map.
  EXPECT_THAT(decode_text("list {\n}\nset = []\n", schema).error_lines, ElementsAre(1));
}

TEST(Decode, TooManyDynamicBlocksAreReportedAtTheirContent) {
  Block schema;
  schema.blocks = {nested("b", Nesting::List, 0, 1)};
  EXPECT_THAT(
      decode_text("dynamic \"b\" {\n  for_each = names\n  content {\n  }\n}\n", schema).error_lines,
      ElementsAre(3));
}

TEST(Decode, AnUnknownNumberOfBlocksIsUnknown) {
  Block schema;
  schema.blocks = {nested("b", Nesting::List, 1)};

  const Decoded decoded = decode_text(
      "dynamic \"b\" {\n  for_each = later\n  content {\n    a = b.value\n  }\n}\n", schema);

  EXPECT_EQ(decoded.text, "{b = unknown(list(object({a=string})))}");
  EXPECT_THAT(decoded.error_lines, IsEmpty());
}

TEST(Variables, IteratorsOfDynamicBlocksDoNotCount) {
  Block schema;
  schema.attributes = {attribute("a", Type::string())};
  schema.blocks = {nested("b", Nesting::List)};
  diag::SourceMap sources;
  diag::Diagnostics diags;
  const diag::FileId id = sources.add("test.tf",
                                      "a = one\ndynamic \"b\" {\n  for_each = two\n  content {\n   "
                                      " a = \"${b.value}${three}\"\n  }\n}\n");
  const auto file = syntax::parse_file(sources, id, diags);

  std::vector<std::string> names;
  for (const syntax::Traversal* traversal : uses(file->body(), schema).variables) {
    names.emplace_back(traversal->root);
  }

  EXPECT_THAT(names, ElementsAre("one", "two", "three"));
}

TEST(Builtin, TerraformDataHasItsAttributes) {
  const Block& block = builtin_terraform().resources.at("terraform_data").block;

  EXPECT_NE(block.attribute("triggers_replace"), nullptr);
  EXPECT_TRUE(block.attribute("id")->computed);
  EXPECT_EQ(block.attribute("nonsense"), nullptr);
}

std::string call(const std::string& name, const Value& argument) {
  const auto result =
      syntax::call(builtin_terraform().functions.at(name), std::span<const Value>(&argument, 1));
  return result ? syntax::plain_text(*result) : "error: " + result.error().what;
}

TEST(Builtin, ExpressionsAreWrittenAsTheFormatterWould) {
  const Value v = Value::object({{"a", Value::tuple({Value::integer(1), Value::string("q\n${")})},
                                 {"long", Value::null()},
                                 {"x y", Value::object({})}});

  EXPECT_EQ(call("encode_expr", v),
            R"("{\n  a     = [1, \"q\\n$${\"]\n  long  = null\n  \"x y\" = {}\n}")");
}

TEST(Builtin, VariablesFilesAreWrittenAndReadBack) {
  const Value v = Value::object({{"a", Value::integer(1)}, {"bcd", Value::string("x")}});

  EXPECT_EQ(call("encode_tfvars", v), R"("a   = 1\nbcd = \"x\"\n")");
  EXPECT_EQ(call("decode_tfvars", Value::string("a = 1\nbcd = \"x\"\n")), "{a = 1, bcd = \"x\"}");
  EXPECT_THAT(call("decode_tfvars", Value::string("a = \n")), ::testing::StartsWith("error: "));
  EXPECT_THAT(call("encode_tfvars", Value::object({{"a b", Value::integer(1)}})),
              ::testing::StartsWith("error: "));
}

TEST(Schema, ACopyThatIsChangedImpliesATypeOfItsOwn) {
  Block block;
  block.attributes = {attribute("a", Type::string())};
  const Type type = block.implied_type();
  Block copy = block;
  copy.attributes.push_back(attribute("b", Type::number()));
  EXPECT_EQ(type.attributes().size(), 1U);
  EXPECT_EQ(copy.implied_type().attributes().size(), 2U);
  copy = block;
  EXPECT_EQ(copy.implied_type(), type);
  EXPECT_EQ(block.implied_type(), type);
}

}  // namespace
}  // namespace tofu::schema
