#include "views/diff_text.h"

#include <gtest/gtest.h>

#include "tests/views/diff_fixture.h"

namespace tofu::views {
namespace {

Value object(std::vector<Attr> attributes) { return Value::object(std::move(attributes)); }

// What is expected here was printed by OpenTofu 1.12.6 for the same change.

TEST(DiffText, AttributesAreAlignedAndUnknownOnesAreKnownAfterApply) {
  const auto schema =
      block_of({attribute("id", Type::string()), attribute("input", Type::number())});
  EXPECT_EQ(block_text(Value::null(schema.implied_type()),
                       object({{"id", Value::unknown(Type::string())}, {"input", num(1)}}), schema),
            "{\n"
            "      + id    = (known after apply)\n"
            "      + input = 1\n"
            "    }");
}

TEST(DiffText, UnchangedAttributesAreCountedButForTheOnesThatNameTheObject) {
  const auto schema = block_of({attribute("a", Type::number()), attribute("b", Type::number()),
                                attribute("c", Type::number()), attribute("id", Type::string())});
  EXPECT_EQ(
      block_text(object({{"a", num(1)}, {"b", num(1)}, {"c", num(1)}, {"id", str("x")}}),
                 object({{"a", num(1)}, {"b", num(2)}, {"c", num(1)}, {"id", str("x")}}), schema),
      "{\n"
      "      ~ b  = 1 -> 2\n"
      "        id = \"x\"\n"
      "        # (2 unchanged attributes hidden)\n"
      "    }");
}

TEST(DiffText, AnEmptyStringOfABlockIsNone) {
  const auto schema = block_of({attribute("text", Type::string())});
  EXPECT_EQ(block_text(object({{"text", str("x")}}), object({{"text", str("")}}), schema),
            "{\n"
            "      - text = \"x\" -> null\n"
            "    }");
}

TEST(DiffText, WhatGoesIsSaidToBecomeNullAtItsEnd) {
  const auto schema = block_of({attribute("list", Type::list(Type::string()))});
  EXPECT_EQ(block_text(object({{"list", strings({str("a")})}}), Value::null(schema.implied_type()),
                       schema),
            "{\n"
            "      - list = [\n"
            "          - \"a\",\n"
            "        ] -> null\n"
            "    }");
}

TEST(DiffText, AReplacementIsNotedWhereItIsForced) {
  const auto schema = block_of({attribute("a", Type::string()), attribute("b", Type::string())});
  EXPECT_EQ(block_text(object({{"a", str("x")}, {"b", str("x")}}),
                       object({{"a", str("y")}, {"b", Value::unknown(Type::string())}}), schema,
                       {value::Path{}.with_attribute("a"), value::Path{}.with_attribute("b")}),
            "{\n"
            "      ~ a = \"x\" -> \"y\" # forces replacement\n"
            "      ~ b = \"x\" # forces replacement -> (known after apply) # forces replacement\n"
            "    }");
}

TEST(DiffText, ListsShowTheNeighborsOfAChange) {
  EXPECT_EQ(dynamic_text(strings({str("a"), str("b"), str("c"), str("d"), str("e"), str("f")}),
                         strings({str("a"), str("b"), str("c"), str("D"), str("e"), str("f")})),
            "[\n"
            "        # (2 unchanged elements hidden)\n"
            "        \"c\",\n"
            "      - \"d\",\n"
            "      + \"D\",\n"
            "        \"e\",\n"
            "        # (1 unchanged element hidden)\n"
            "    ]");
}

TEST(DiffText, SetsShowWhatWentThenWhatCameThenTheCount) {
  const auto schema = block_of({attribute("s", Type::set(Type::string()))});
  const auto set = [](std::vector<Value> items) {
    return Value::set(Type::string(), std::move(items));
  };
  EXPECT_EQ(block_text(object({{"s", set({str("a"), str("b"), str("z")})}}),
                       object({{"s", set({str("a"), str("c"), str("z")})}}), schema),
            "{\n"
            "      ~ s = [\n"
            "          - \"b\",\n"
            "          + \"c\",\n"
            "            # (2 unchanged elements hidden)\n"
            "        ]\n"
            "    }");
}

TEST(DiffText, MapKeysAreAlwaysQuotedAndAttributeNamesOnlyIfTheyMustBe) {
  const auto schema = block_of(
      {attribute("m", Type::map(Type::string())),
       attribute("o", Type::object({{"a-b", Type::string()}, {"with space", Type::string()}}))});
  EXPECT_EQ(
      block_text(Value::null(schema.implied_type()),
                 object({{"m", Value::map(Type::string(), {{"key", str("v")}, {"k", str("w")}})},
                         {"o", object({{"a-b", str("x")}, {"with space", str("y")}})}}),
                 schema),
      "{\n"
      "      + m = {\n"
      "          + \"k\"   = \"w\"\n"
      "          + \"key\" = \"v\"\n"
      "        }\n"
      "      + o = {\n"
      "          + a-b          = \"x\"\n"
      "          + \"with space\" = \"y\"\n"
      "        }\n"
      "    }");
}

TEST(DiffText, AValueOfAnotherKindShowsBothSides) {
  EXPECT_EQ(dynamic_text(num(1), strings({str("a")})),
            "1 -> [\n"
            "      + \"a\",\n"
            "    ]");
}

TEST(DiffText, TextOfSeveralLinesIsComparedLineByLine) {
  EXPECT_EQ(dynamic_text(str("one\ntwo\nthree\n"), str("one\n2\nthree\n")),
            "<<-EOT\n"
            "        one\n"
            "      - two\n"
            "      + 2\n"
            "        three\n"
            "    EOT");
}

TEST(DiffText, LinesOfTextCannotDriveTheTerminal) {
  EXPECT_EQ(dynamic_text(Value::null(), str("a\x1b[2Jb\nc")),
            "<<-EOT\n"
            "        a\u241b[2Jb\n"
            "        c\n"
            "    EOT");
}

TEST(DiffText, JsonInAStringIsComparedAsWhatItSays) {
  EXPECT_EQ(dynamic_text(str(R"({"a":1,"b":[1,2]})"), str(R"({"a":2,"b":[1,2]})")),
            "jsonencode(\n"
            "      ~ {\n"
            "          ~ a = 1 -> 2\n"
            "            # (1 unchanged attribute hidden)\n"
            "        }\n"
            "    )");
}

TEST(DiffText, JsonThatOnlyLooksDifferentIsSaidToChangeInWhiteSpace) {
  EXPECT_EQ(dynamic_text(str(R"({"a":1})"), str(R"({ "a": 1 })")),
            "jsonencode( # whitespace changes\n"
            "        {\n"
            "            a = 1\n"
            "        }\n"
            "    )");
}

TEST(DiffText, NumbersInJsonAreComparedAsTheyAreWritten) {
  EXPECT_EQ(dynamic_text(str("[1.0]"), str("[1]")),
            "jsonencode(\n"
            "      ~ [\n"
            "          - 1.0,\n"
            "          + 1,\n"
            "        ]\n"
            "    )");
}

TEST(DiffText, JsonNestedTooDeeplyIsText) {
  const std::string deep = std::string(5000, '[') + std::string(5000, ']');
  EXPECT_EQ(dynamic_text(Value::null(), str(deep)), "\"" + deep + "\"");
}

TEST(DiffText, SensitiveValuesAreNotShown) {
  EXPECT_EQ(dynamic_text(secret(str("hidden-before")), secret(str("hidden-after"))),
            "(sensitive value)");
}

TEST(DiffText, SensitiveValuesAreShownWhereThatIsAskedFor) {
  DiffTextOptions options;
  options.show_sensitive = true;
  EXPECT_EQ(dynamic_text(secret(str("a")), secret(str("b")), options), "\"a\" -> \"b\"");
}

TEST(DiffText, WhatBecomesSensitiveHasAWarningAboveIt) {
  const auto schema = block_of({attribute("a", Type::string())});
  const std::string text =
      block_text(object({{"a", str("x")}}), object({{"a", secret(str("x"))}}), schema);
  EXPECT_TRUE(text.starts_with("{\n      # Warning: ")) << text;
  EXPECT_TRUE(text.ends_with("\n      ~ a = (sensitive value)\n    }")) << text;
}

TEST(DiffText, AnAttributeThatTheSchemaCallsSensitiveIsCoveredInEachElementOfASet) {
  auto hidden = attribute("secret", Type::string());
  hidden.sensitive = true;
  const auto schema =
      block_of({nested("n", schema::Nesting::Set, {attribute("a", Type::string()), hidden})});
  const Type element = Type::object({{"a", Type::string()}, {"secret", Type::string()}});
  const Value set = Value::set(element, {object({{"a", str("x")}, {"secret", str("y")}})});
  EXPECT_EQ(block_text(Value::null(schema.implied_type()), object({{"n", set}}), schema),
            "{\n"
            "      + n = [\n"
            "          + {\n"
            "              + a      = \"x\"\n"
            "              + secret = (sensitive value)\n"
            "            },\n"
            "        ]\n"
            "    }");
}

TEST(DiffText, BlocksFollowAttributesAfterAnEmptyLine) {
  const auto inner = block_of({attribute("x", Type::number())});
  const auto schema =
      block_of({attribute("a", Type::number())}, {nested_block("b", schema::Nesting::List, inner)});
  const auto list = [](std::vector<Value> items) {
    return Value::list(Type::object({{"x", Type::number()}}), std::move(items));
  };
  EXPECT_EQ(
      block_text(
          object({{"a", num(1)}, {"b", list({object({{"x", num(1)}}), object({{"x", num(2)}})})}}),
          object({{"a", num(1)}, {"b", list({object({{"x", num(1)}}), object({{"x", num(3)}})})}}),
          schema),
      "{\n"
      "        # (1 unchanged attribute hidden)\n"
      "\n"
      "      ~ b {\n"
      "          ~ x = 2 -> 3\n"
      "        }\n"
      "\n"
      "        # (1 unchanged block hidden)\n"
      "    }");
}

TEST(DiffText, ASensitiveBlockHasAnExplanationInsteadOfItsContents) {
  const auto inner = block_of({attribute("x", Type::string())});
  const auto schema = block_of({}, {nested_block("b", schema::Nesting::Single, inner)});
  const std::string text =
      block_text(Value::null(schema.implied_type()),
                 object({{"b", secret(object({{"x", str("hidden-text")}}))}}), schema);
  EXPECT_EQ(text.find("hidden-text"), std::string::npos);
  EXPECT_TRUE(text.starts_with("{\n      + b {\n          # ")) << text;
}

TEST(DiffText, AWriteOnlyAttributeGoesWithTheBlockAroundIt) {
  auto written = attribute("w", Type::string());
  written.write_only = true;
  const auto schema = block_of({attribute("a", Type::number()), written});
  const Value none = Value::null(Type::string());
  EXPECT_EQ(block_text(object({{"a", num(1)}, {"w", none}}), object({{"a", num(2)}, {"w", none}}),
                       schema),
            "{\n"
            "      ~ a = 1 -> 2\n"
            "      ~ w = (write-only attribute)\n"
            "    }");
}

TEST(DiffText, WithoutSymbolsThereIsNoColumnForThem) {
  const auto schema = block_of({attribute("a", Type::list(Type::number()))});
  const Value v = object({{"a", Value::list(Type::number(), {num(1)})}});
  DiffTextOptions options;
  options.hide_symbols = true;
  options.show_unchanged = true;
  EXPECT_EQ(block_text(v, v, schema, {}, options),
            "{\n"
            "    a = [\n"
            "        1,\n"
            "    ]\n"
            "}");
}

TEST(DiffText, AColumnIsAsWideAsItsLongestKeyInBytes) {
  const auto schema = block_of({attribute(
      "o",
      Type::object({{"é", Type::number()}, {"ab", Type::number()}, {"ééé", Type::number()}}))});
  EXPECT_EQ(
      block_text(Value::null(schema.implied_type()),
                 object({{"o", object({{"é", num(1)}, {"ab", num(2)}, {"ééé", num(3)}})}}), schema),
      "{\n"
      "      + o = {\n"
      "          + ab     = 2\n"
      "          + é      = 1\n"
      "          + ééé    = 3\n"
      "        }\n"
      "    }");
}

}  // namespace
}  // namespace tofu::views
