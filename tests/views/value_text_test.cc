#include "views/value_text.h"

#include <gtest/gtest.h>

namespace tofu::views {
namespace {

using value::Type;
using value::Value;

TEST(ValueText, PrimitivesAreWrittenAsLiterals) {
  EXPECT_EQ(value_text(Value::boolean(true)), "true");
  EXPECT_EQ(value_text(Value::integer(-5)), "-5");
  EXPECT_EQ(value_text(Value::string("a\"b")), R"("a\"b")");
}

TEST(ValueText, NullsNameTheirType) {
  EXPECT_EQ(value_text(Value::null()), "null");
  EXPECT_EQ(value_text(Value::null(Type::string())), "tostring(null)");
  EXPECT_EQ(value_text(Value::null(Type::list(Type::number()))), "tolist(null) /* of number */");
  EXPECT_EQ(value_text(Value::null(Type::object({}))), "null /* object */");
}

TEST(ValueText, CollectionsNameTheirConversion) {
  EXPECT_EQ(value_text(Value::list(Type::number(), {Value::integer(1)})), "tolist([\n  1,\n])");
  EXPECT_EQ(value_text(Value::map(Type::boolean(), {})), "tomap({})");
}

TEST(ValueText, StructuresAreIndented) {
  const Value inner = Value::object({{"b", Value::tuple({Value::integer(1)})}});
  EXPECT_EQ(value_text(Value::object({{"a", inner}})),
            "{\n  \"a\" = {\n    \"b\" = [\n      1,\n    ]\n  }\n}");
}

TEST(ValueText, TextOverSeveralLinesIsAHeredoc) {
  EXPECT_EQ(value_text(Value::string("a\nb")), "<<EOT\na\nb\nEOT");
  EXPECT_EQ(value_text(Value::tuple({Value::string("a\nb")})), "[\n  <<-EOT\n  a\n  b\n  EOT,\n]");
}

TEST(ValueText, TheHeredocMarkerIsNoLineOfTheText) {
  EXPECT_EQ(value_text(Value::string("EOT\n EOT_ ")), "<<EOT__\nEOT\n EOT_ \nEOT__");
  EXPECT_EQ(value_text(Value::string("a\n\u00a0EOT")), "<<EOT_\na\n\u00a0EOT\nEOT_");
}

TEST(ValueText, SecretsAndUnknownsAreNamedNotShown) {
  EXPECT_EQ(value_text(Value::unknown(Type::string())), "(known after apply)");
  EXPECT_EQ(value_text(Value::string("x").with_marks(value::Marks::sensitive())),
            "(sensitive value)");
  EXPECT_EQ(value_text(Value::string("x").with_marks(value::Marks::ephemeral())),
            "(ephemeral value)");
}

TEST(ValueText, DeprecatedValuesAreShown) {
  const value::Marks marks = value::Marks::deprecated({"module.a.b", "old", false});
  EXPECT_EQ(value_text(Value::integer(1).with_marks(marks)), "1");
}

TEST(ValueText, WhatIsNestedVeryDeeplyIsCutOff) {
  Value deep = Value::integer(1);
  for (int i = 0; i < 50'000; ++i) deep = Value::tuple({deep});
  const std::string text = value_text(deep);
  EXPECT_NE(text.find("(nested too deeply to show)"), std::string::npos);
  EXPECT_LT(text.size(), 3'000'000U);
  EXPECT_NE(type_text(deep.type()).find("(nested too deeply to show)"), std::string::npos);
  Type lists = Type::string();
  for (int i = 0; i < 50'000; ++i) lists = Type::list(lists);
  EXPECT_NE(type_text(lists).find("(nested too deeply to show)"), std::string::npos);
}

TEST(TypeText, StructuresAreWrittenOverSeveralLines) {
  const Type object = Type::object({{"a", Type::string()}});
  EXPECT_EQ(type_text(object), "object({\n    a: string,\n})");
  EXPECT_EQ(type_text(Type::list(object)), "list(\n    object({\n        a: string,\n    }),\n)");
  EXPECT_EQ(type_text(Type::map(Type::list(Type::dynamic()))), "map(list(dynamic))");
  EXPECT_EQ(type_text(Type::tuple({})), "tuple([])");
}

}  // namespace
}  // namespace tofu::views
