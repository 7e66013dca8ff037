#include "value/msgpack.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "tests/value/make.h"
#include "tests/value/random_value.h"
#include "tests/value/show.h"
#include "value/path.h"

namespace tofu::value {
namespace {

std::string hex(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return text;
}

std::string unhex(std::string_view text) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    bytes.push_back(static_cast<char>(std::stoi(std::string(text.substr(i, 2)), nullptr, 16)));
  }
  return bytes;
}

std::string decoded(std::string_view bytes, std::string_view type) {
  const auto result = parse_msgpack(unhex(bytes), type_of(type));
  return result ? show(*result) : "error: " + to_string(result.error());
}

Refinements not_null() {
  Refinements known;
  known.not_null = true;
  return known;
}

struct Encoded {
  const char* name;
  Value v;
  const char* bytes;
};

// The bytes are those that go-cty's msgpack package writes.
TEST(Msgpack, WritesTheShortestForms) {
  Refinements string = not_null();
  string.prefix = "abc-";
  Refinements number;
  number.lower = Bound{Number(1), true};
  number.upper = Bound{Number::from_double(2.5), false};
  Refinements list = not_null();
  list.length_min = 2;
  list.length_max = 300;
  for (const Encoded& row : std::vector<Encoded>{
           {"null", Value::null(Type::string()), "c0"},
           {"true", Value::boolean(true), "c3"},
           {"zero", num(0), "00"},
           {"127", num(127), "7f"},
           {"128", num(128), "cc80"},
           {"256", num(256), "cd0100"},
           {"65536", num(65536), "ce00010000"},
           {"2^32", num(4294967296), "cf0000000100000000"},
           {"-1", num(-1), "ff"},
           {"-32", num(-32), "e0"},
           {"-33", num(-33), "d0df"},
           {"-128", num(-128), "d080"},
           {"-129", num(-129), "d1ff7f"},
           {"-32769", num(-32769), "d2ffff7fff"},
           {"least", num(INT64_MIN), "d38000000000000000"},
           {"greatest", num(INT64_MAX), "cf7fffffffffffffff"},
           {"beyond is text", dec("9223372036854775808"),
            "b339323233333732303336383534373735383038"},
           {"negative zero", dec("-0"), "00"},
           {"a half", dec("0.5"), "cb3fe0000000000000"},
           {"a tenth has no exact double", dec("0.1"), "a3302e31"},
           {"a double's tenth", Value::number(Number::from_double(0.1)), "cb3fb999999999999a"},
           {"infinity", Value::number(Number::infinity()), "cb7ff0000000000000"},
           {"text", str("a"), "a161"},
           {"a list", Value::list(Type::number(), {num(1)}), "9101"},
           {"a set", Value::set(Type::string(), {str("b"), str("a")}), "92a161a162"},
           {"a map", Value::map(Type::boolean(), {{"k", Value::boolean(false)}}), "81a16bc2"},
           {"an object", object({{"b", num(2)}, {"a", tuple({})}}), "82a16190a16202"},
           {"unknown", Value::unknown(Type::string()), "d40000"},
           {"not null", Value::unknown(Type::boolean()).refined(not_null()), "c7030c8101c2"},
           {"prefix", Value::unknown(Type::string()).refined(string), "c7090c8201c202a46162632d"},
           {"bounds", Value::unknown(Type::number()).refined(number),
            "c7110c82039201c30492cb4004000000000000c2"},
           {"length", Value::unknown(Type::list(Type::string())).refined(list),
            "c7090c8301c2050206cd012c"},
       }) {
    const auto bytes = to_msgpack(row.v, row.v.type());
    ASSERT_TRUE(bytes) << row.name;
    EXPECT_EQ(hex(*bytes), row.bytes) << row.name;
  }
}

TEST(Msgpack, LongThingsGetLongHeaders) {
  const auto head = [](const Value& v) {
    return hex(to_msgpack(v, v.type()).value().substr(0, 5));
  };
  EXPECT_EQ(head(str(std::string(31, 'x'))), "bf78787878");
  EXPECT_EQ(head(str(std::string(32, 'x'))), "d920787878");
  EXPECT_EQ(head(str(std::string(256, 'x'))), "da01007878");
  EXPECT_EQ(head(str(std::string(65536, 'x'))), "db00010000");
  EXPECT_EQ(head(Value::list(Type::number(), std::vector<Value>(15, num(1)))), "9f01010101");
  EXPECT_EQ(head(Value::list(Type::number(), std::vector<Value>(16, num(1)))), "dc00100101");
  EXPECT_EQ(head(Value::list(Type::number(), std::vector<Value>(65536, num(1)))), "dd00010000");
}

TEST(Msgpack, APartOfAnyTypeBringsItsType) {
  const auto bytes = to_msgpack(object({{"a", num(1)}, {"b", Value::null()}}),
                                type_of(R"(["object",{"a":"dynamic","b":"dynamic"}])"));
  ASSERT_TRUE(bytes);
  EXPECT_EQ(hex(*bytes),
            "82a16192c408226e756d62657222"
            "01"
            "a162c0");
  EXPECT_EQ(hex(to_msgpack(Value::unknown(Type::boolean()), Type::dynamic()).value()),
            "92c40622626f6f6c22d40000");
  EXPECT_EQ(hex(to_msgpack(Value::unknown(), Type::dynamic()).value()), "d40000");
}

TEST(Msgpack, ALongPrefixIsCutWhereItIsSafe) {
  Refinements known;
  known.prefix = std::string(300, 'x');
  const Value v = Value::unknown(Type::string()).refined(known);
  const auto back = parse_msgpack(to_msgpack(v, v.type()).value(), v.type());
  ASSERT_TRUE(back);
  EXPECT_EQ(back->plain().refinements().prefix, std::string(254, 'x'));
}

TEST(Msgpack, MarksAndCapsulesAreRefused) {
  const Value list = Value::list(Type::string(), {str("a"), sensitive(str("b"))});
  const auto marked = to_msgpack(list, list.type());
  ASSERT_FALSE(marked);
  EXPECT_EQ(to_string(marked.error()),
            "element 1: the value is marked, so it cannot be sent to a provider");
  const Value capsule = Value::capsule(Type::capsule("type"), std::make_shared<int>(1));
  EXPECT_FALSE(to_msgpack(capsule, capsule.type()));
  EXPECT_FALSE(to_msgpack(capsule, Type::dynamic()));
}

struct Decoded {
  const char* bytes;
  const char* type;
  const char* expected;
};

TEST(Msgpack, ReadsEveryWidth) {
  for (const Decoded& row : std::vector<Decoded>{
           {"05", R"("number")", "5"},
           {"d105dc", R"("number")", "1500"},
           {"d2ffffffff", R"("number")", "-1"},
           {"cfffffffffffffffff", R"("number")", "18446744073709551615"},
           {"ca3fc00000", R"("number")", "1.5"},
           {"cbfff0000000000000", R"("number")", "-Inf"},
           {"a131", R"("number")", "1"},
           {"c40131", R"("number")", "1"},
           {"d90161", R"("string")", R"("a")"},
           {"da000161", R"("string")", R"("a")"},
           {"db0000000161", R"("string")", R"("a")"},
           {"c50001ff", R"("string")", R"("�")"},
           {"dc000101", R"(["list","number"])", "list(number)[1]"},
           {"dd0000000101", R"(["set","number"])", "set(number)[1]"},
           {"de0001a16101", R"(["map","number"])", "map(number){a=1}"},
           {"df00000001a16101", R"(["object",{"a":"number"}])", "{a=1}"},
           {"c0", R"(["object",{"a":"number"}])", "null({a=number})"},
           {"c0", R"("dynamic")", "null(any)"},
           {"92c40822737472696e6722a178", R"("dynamic")", R"("x")"},
           {"92a822737472696e6722a178", R"("dynamic")", R"("x")"},
       }) {
    EXPECT_EQ(decoded(row.bytes, row.type), row.expected) << row.bytes;
  }
}

TEST(Msgpack, ReadsUnknowns) {
  for (const Decoded& row : std::vector<Decoded>{
           {"d40000", R"("string")", "unknown(string)"},
           {"c70000", R"("string")", "unknown(string)"},
           {"d47f01", R"("string")", "unknown(string)"},
           {"c7030c8101c2", R"("string")", "unknown(string, not null)"},
           {"c7030c8101c3", R"("string")", "null(string)"},
           {"c7030c8101c2", R"("dynamic")", "unknown(any)"},
           {"c7070c8201c203920"
            "1c3",
            R"("number")", "unknown(number, not null, >= 1)"},
           {"c70b0c8301c2039201c3049201c3", R"("number")", "1"},
           {"c7070c8301c205020602", R"(["list","bool"])",
            "list(bool)[unknown(bool), unknown(bool)]"},
           {"c7070c8301c205000600", R"(["map","bool"])", "map(bool){}"},
           {"c7060c8263a16101c2ff", R"("string")", "unknown(string, not null)"},
           {"c7060c8263a16101c2", R"("string")", "unknown(string, not null)"},
       }) {
    EXPECT_EQ(decoded(row.bytes, row.type), row.expected) << row.bytes;
  }
}

TEST(Msgpack, RefusesBrokenUnknowns) {
  for (const Decoded& row : std::vector<Decoded>{
           {"d500"
            "0000",
            R"("string")", "error: the extension is not known"},
           {"c7020c9101", R"("string")", "error: the extension of an unknown value holds no map"},
           {"c7030c8101c0", R"("string")", "error: the refinement of being null is no bool"},
           {"c7040c8102a161", R"("number")", "error: only a string can have a prefix"},
           {"c7040c8102a1ff", R"("string")", "error: the refinement of a prefix is no string"},
           {"c7030c810501", R"("string")",
            "error: only a collection can have bounds of its length"},
           {"c7030c8105ff", R"(["list","bool"])",
            "error: the bound of a length is no whole number"},
           {"c7050c8205050601", R"(["list","bool"])",
            "error: the refinements of an unknown value disagree"},
           {"c7090c82039205c3049201c3", R"("number")",
            "error: the refinements of an unknown value disagree"},
           {"c7030c810301", R"("number")",
            "error: the bound of a number is no pair of number and bool"},
       }) {
    EXPECT_EQ(decoded(row.bytes, row.type), row.expected) << row.bytes;
  }
}

TEST(Msgpack, RefusesWhatDoesNotFit) {
  for (const Decoded& row : std::vector<Decoded>{
           {"", R"("string")", "error: the data ends early"},
           {"a5", R"("string")", "error: string is required"},
           {"c1", R"("string")", "error: string is required"},
           {"01", R"("bool")", "error: bool is required"},
           {"cb7ff8000000000000", R"("number")", "error: number is required"},
           {"a178", R"("number")", "error: number is required"},
           {"92a16101", R"(["list","string"])", "error: element 1: string is required"},
           {"8101c3", R"(["map","bool"])", "error: a key of a map is not a string"},
           {"81a16bc0", R"(["object",{"a":"bool"}])", R"(error: no attribute "k" is expected)"},
           {"80", R"(["object",{"a":"bool"}])",
            "error: an object with 1 attribute is required, not with 0"},
           {"82a161c2a161c2", R"(["object",{"a":"bool","b":"bool"}])",
            R"(error: attribute "a" is given twice)"},
           {"9101", R"(["tuple",[]])", "error: a tuple of 0 elements is required, not of 1"},
           {"9101", R"("dynamic")", "error: a value of any type is a pair of type and value"},
           {"92a16101", R"("dynamic")", R"(error: a type is a string or an array, at byte 0)"},
       }) {
    EXPECT_EQ(decoded(row.bytes, row.type), row.expected) << row.bytes;
  }
}

TEST(Msgpack, ADeclaredLengthCostsNothing) {
  EXPECT_FALSE(parse_msgpack(unhex("ddffffffff"), Type::list(Type::string())));
  EXPECT_FALSE(parse_msgpack(unhex("dfffffffff"), Type::map(Type::string())));
  EXPECT_FALSE(parse_msgpack(unhex("dbffffffff61"), Type::string()));
  EXPECT_FALSE(parse_msgpack(unhex("c9ffffffff0c"), Type::string()));
  EXPECT_FALSE(implied_msgpack_type(unhex("ddffffffff")));
  // A refined length must not make a list of that many elements either.
  EXPECT_TRUE(parse_msgpack(unhex("c7170c8301c205cf0fffffffffffffff06cf0fffffffffffffff"),
                            Type::list(Type::string())));
}

TEST(Msgpack, DepthIsLimited) {
  std::string dynamic;
  for (int i = 0; i < 100'000; ++i)
    dynamic += unhex(
        "92c409"
        "2264796e616d696322");
  EXPECT_FALSE(parse_msgpack(dynamic, Type::dynamic()));
  std::string nested(100'000, '\x91');
  nested += '\x01';
  EXPECT_FALSE(implied_msgpack_type(nested));
}

TEST(ImpliedMsgpackType, FollowsTheData) {
  const auto implied = [](std::string_view bytes) {
    const auto type = implied_msgpack_type(unhex(bytes));
    return type ? show(*type) : "error";
  };
  EXPECT_EQ(implied("c0"), "any");
  EXPECT_EQ(implied("d40000"), "any");
  EXPECT_EQ(implied("c2"), "bool");
  EXPECT_EQ(implied("ff"), "number");
  EXPECT_EQ(implied("cb3fe0000000000000"), "number");
  EXPECT_EQ(implied("a161"), "string");
  EXPECT_EQ(implied("9201a161"), "[number, string]");
  EXPECT_EQ(implied("82a16201a161c3"), "{a=bool, b=number}");
  EXPECT_EQ(implied("80"), "{}");
  EXPECT_EQ(implied("c40161"), "error");
  EXPECT_EQ(implied("0101"), "error");
  EXPECT_EQ(implied("9201"), "error");
  EXPECT_EQ(implied("810101"), "error");
}

TEST(Msgpack, EveryValueRoundTrips) {
  std::mt19937 random(2);
  for (int i = 0; i < 1'000; ++i) {
    const Value v = random_value(random, {});
    for (const Type type : {v.type(), Type::dynamic()}) {
      const auto bytes = to_msgpack(v, type);
      ASSERT_TRUE(bytes) << show(v);
      const auto back = parse_msgpack(*bytes, type);
      ASSERT_TRUE(back) << show(v) << " " << to_string(back.error());
      EXPECT_TRUE(raw_equal(*back, v)) << show(v) << "\n" << show(*back);
      for (std::size_t cut = 0; cut < bytes->size(); ++cut) {
        EXPECT_FALSE(parse_msgpack(std::string_view(*bytes).substr(0, cut), type)) << show(v);
      }
    }
  }
}

// A list, since a tuple or an object of other values is of another type.
Value of_texts(std::string_view a, std::string_view b) {
  return object({{"a", str(a)}, {"list", Value::list(Type::string(), {str("same"), str(b)})}});
}

TEST(Msgpack, SharesWhatIsAlikeWithWhatWasThere) {
  const Value before = of_texts("one text", "two");
  const Value changed = of_texts("one text", "three");
  const auto bytes = to_msgpack(changed, changed.type());

  const auto read = parse_msgpack(*bytes, changed.type(), std::span(&before, 1));

  ASSERT_TRUE(read.ok());
  EXPECT_TRUE(raw_equal(*read, changed));
  const Plain& object = read->plain();
  EXPECT_TRUE(object.find("a")->is_same(*before.plain().find("a")));
  const auto items = object.find("list")->plain().items();
  const auto items_before = before.plain().find("list")->plain().items();
  EXPECT_TRUE(items[0].is_same(items_before[0]));
  EXPECT_FALSE(items[1].is_same(items_before[1]));
}

TEST(Msgpack, AnObjectThatIsTheSameIsTheOneThatWasThere) {
  const std::vector<Value> alike = {object({{"a", str("other")}, {"b", num(2)}}),
                                    object({{"a", str("text")}, {"b", num(2)}})};
  const auto bytes = to_msgpack(alike[1], alike[1].type());

  const auto read = parse_msgpack(*bytes, alike[1].type(), alike);

  ASSERT_TRUE(read.ok());
  EXPECT_TRUE(read->is_same(alike[1]));
}

// Whatever it is compared with, the same comes out.
TEST(Msgpack, WhatItIsComparedWithMakesNoDifference) {
  std::mt19937 random(7);
  std::vector<Value> made;
  for (int i = 0; i < 300; ++i) made.push_back(random_value(random, {}));
  for (std::size_t i = 0; i < made.size(); ++i) {
    const auto bytes = to_msgpack(made[i], made[i].type());
    if (!bytes) continue;
    const auto alone = parse_msgpack(*bytes, made[i].type());
    const std::vector<Value> alike = {random_value(random, made[i].type(), {}), made[i]};
    const auto compared = parse_msgpack(*bytes, made[i].type(), alike);
    ASSERT_EQ(alone.ok(), compared.ok());
    if (!alone) continue;
    EXPECT_TRUE(raw_equal(*alone, *compared)) << show(*alone);
  }
}

}  // namespace
}  // namespace tofu::value
