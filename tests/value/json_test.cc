#include "value/json.h"

#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

#include "tests/value/make.h"
#include "tests/value/random_value.h"
#include "tests/value/show.h"
#include "value/size_limit.h"

namespace tofu::value {
namespace {

std::string parsed(std::string_view text) {
  const auto result = parse_json(text);
  return result ? show(*result) : "error";
}

struct Row {
  std::string text;
  std::string expected;
};

// Every row was tried with OpenTofu's jsondecode.
TEST(ParseJson, ReadsWhatGoReads) {
  for (const Row& row : std::vector<Row>{
           {"null", "null(any)"},
           {" \t\r\n[1, true ,\"a\",null]\n", R"([1, true, "a", null(any)])"},
           {R"({"b":1,"a":{"x":[]}})", "{a={x=[]}, b=1}"},
           {"{}", "{}"},
           {"-0", "-0"},
           {"1E+5", "100000"},
           {"0.1", "0.1"},
           {"123456789012345678901234567890", "123456789012345678901234567890"},
           {"1e1000000000", "+Inf"},
           {R"("\"\\\/\b\f\n\r\t\u0041\u00e9")", R"("\"\\/\b\f\n\r\tAé")"},
           {R"("\ud83d\ude00")", R"("😀")"},
           {R"("\u0000")", R"("\x00")"},
           {"\"\x7f\"", R"("\x7f")"},
           {R"("e\u0301")", R"("é")"},  // normalized
           // broken text becomes U+FFFD
           {R"("\ud800")", R"("�")"},
           {R"("\ud800\u0041")", R"("�A")"},
           {R"("\ud83d\ud83d\ude00")", R"("�😀")"},
           {R"("\udc00")", R"("�")"},
           {"\"\xff\xfe\"", R"("��")"},
           {"\"a\xe2\x82z\"", R"("a��z")"},
           {"\"\xed\xa0\x80\"", R"("���")"},
           {"\"\xc0\x80\"", R"("��")"},
           // of two properties the last counts, if the types agree
           {R"({"a":1,"b":0,"a":2})", "{a=2, b=0}"},
           // a closing bracket behind the document is taken for its end
           {"1]", "1"},
           {"{} }", "{}"},
           {"[]]garbage", "[]"},
       }) {
    EXPECT_EQ(parsed(row.text), row.expected) << row.text;
  }
}

TEST(ParseJson, RefusesWhatGoRefuses) {
  for (const std::string& text : std::vector<std::string>{
           "",
           "  ",
           "nul",
           "nullx",
           "tru",
           "True",
           "NaN",
           "Infinity",
           "+1",
           "01",
           "-01",
           "-",
           "1.",
           ".5",
           "1.e5",
           "1e",
           "1e+",
           "0x10",
           "1 2",
           "1,2",
           "[1]x",
           "[",
           "{",
           "[1",
           "[1,",
           "[1,]",
           "[,1]",
           "[1 2]",
           "[1}",
           "[1:2]",
           "{\"a\"",
           "{\"a\":",
           "{\"a\":1",
           "{\"a\":1,}",
           "{,}",
           "{\"a\" 1}",
           "{\"a\"::1}",
           "{:1}",
           "{1:2}",
           "{null:1}",
           "{\"a\":1]",
           "{\"a\":1 \"b\":2}",
           "\"a",
           "\"\\x\"",
           "\"\\u12\"",
           "\"\\",
           "\"\n\"",
           "\"\x01\"",
           "'a'",
           "\v1",
           "1\v",
           std::string("1\0", 2),
           std::string("\0", 1),
           "\xef\xbb\xbf[]",
           "// no\n1",
           "{\"a\":1,\"a\":\"x\"}",
           "{\"a\":null,\"a\":1}",
           "{\"e\\u0301\":1}",
           "1e99999999999",
       }) {
    EXPECT_EQ(parsed(text), "error") << text;
  }
}

TEST(ParseJson, SaysWhere) {
  EXPECT_EQ(parse_json("[1,\n x]").error().what,
            R"(found "x" where a value is expected, at byte 5)");
  EXPECT_EQ(parse_json("[1").error().what,
            "the text ends where a comma or ] is expected, at byte 2");
}

TEST(ParseJson, DepthIsLimited) {
  const auto nested = [](int depth) {
    return std::string(static_cast<std::size_t>(depth), '[') +
           std::string(static_cast<std::size_t>(depth), ']');
  };
  const auto deepest = parse_json(nested(kMaxJsonNesting));
  ASSERT_TRUE(deepest);
  EXPECT_EQ(to_json(*deepest).value(), nested(kMaxJsonNesting));
  EXPECT_FALSE(to_json(*deepest, Type::dynamic()));
  EXPECT_FALSE(parse_json(nested(kMaxJsonNesting + 2)));
  EXPECT_FALSE(parse_json(std::string(1'000'000, '[')));
  EXPECT_FALSE(parse_json(nested(200'000), Type::dynamic()));
}

TEST(ParseJson, ManyObjectsOfOneShapeShareTheirType) {
  const auto result = parse_json(R"([{"a":1,"b":"x"},{"b":"y","a":2},{"a":"3","b":"z"}])");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->plain().items()[0].type(), result->plain().items()[1].type());
  EXPECT_NE(result->plain().items()[0].type(), result->plain().items()[2].type());
  EXPECT_EQ(show(result->plain().items()[1]), R"({a=2, b="y"})");
}

struct TypedRow {
  const char* text;
  const char* type;
  const char* expected;
};

TEST(ParseJsonAsType, ReadsByTheType) {
  for (const TypedRow& row : std::vector<TypedRow>{
           {"null", R"("string")", "null(string)"},
           {"\"1.50\"", R"("number")", "1.5"},
           {"1.50", R"("string")", R"("1.50")"},
           {"true", R"("string")", R"("true")"},
           {"\"0\"", R"("bool")", "false"},
           {"[1,1]", R"(["set","number"])", "set(number)[1]"},
           {"[]", R"(["list","bool"])", "list(bool)[]"},
           {"[null]", R"(["list","bool"])", "list(bool)[null(bool)]"},
           {R"({"k":"v"})", R"(["map","string"])", R"(map(string){k="v"})"},
           {R"([1,"a"])", R"(["tuple",["number","string"]])", R"([1, "a"])"},
           {R"({"b":1})", R"(["object",{"a":"string","b":"string"}])",
            R"({a=null(string), b="1"})"},
           {R"({"value":["a"],"type":["list","string"]})", R"("dynamic")", R"(list(string)["a"])"},
           {R"({"type":"number","value":"1"})", R"("dynamic")", "1"},
           {"null", R"("dynamic")", "null(any)"},
           {R"([{"value":1,"type":"number"},null])", R"(["list","dynamic"])",
            "list(number)[1, null(number)]"},
           {R"({"a":{"value":1,"type":"number"}})", R"(["object",{"a":"dynamic"}])", "{a=1}"},
       }) {
    const auto result = parse_json(row.text, type_of(row.type));
    EXPECT_EQ(result ? show(*result) : "error: " + to_string(result.error()), row.expected)
        << row.text;
  }
}

TEST(ParseJsonAsType, SaysWhichPartIsWrong) {
  for (const TypedRow& row : std::vector<TypedRow>{
           {R"([1,"x"])", R"(["list","number"])", "element 1: a number is required"},
           {R"({"a":[true]})", R"(["object",{"a":["list","number"]}])",
            R"(attribute "a": element 0: a number is required)"},
           {R"({"k":{}})", R"(["map","string"])", R"(element "k": a string is required)"},
           {R"({"z":1})", R"(["object",{}])", R"(no attribute "z" is expected)"},
           {"[1]", R"(["tuple",["number","number"]])", "the tuple has fewer than 2 elements"},
           {"[1,2]", R"(["tuple",["number"]])", "the tuple has more than 1 element"},
           {"1", R"("dynamic")", "an object with a value and its type is required"},
           {R"({"value":1})", R"("dynamic")", "a value of any type lacks its type"},
           {R"({"type":"bool"})", R"("dynamic")", "a value of any type lacks its value"},
           {R"([{"value":1,"type":"number"},{"value":"a","type":"string"}])",
            R"(["list","dynamic"])", "the elements must all have one type"},
           {"[1", R"(["list","number"])",
            "the text ends where a comma or ] is expected, at byte 2"},
           {"1 1", R"("number")", R"(found "1" where the end of the text is expected, at byte 2)"},
       }) {
    const auto result = parse_json(row.text, type_of(row.type));
    ASSERT_FALSE(result) << row.text;
    EXPECT_EQ(to_string(result.error()), row.expected) << row.text;
  }
}

TEST(ParseJsonAsType, TypesInsideTypesAreLimited) {
  std::string text = "1";
  for (int i = 0; i < 1'000; ++i) text = R"({"type":"dynamic","value":)" + text + "}";
  EXPECT_FALSE(parse_json(text, Type::dynamic()));
}

TEST(ToJson, WritesAsGoDoes) {
  const Value all = object({
      {"list", Value::list(Type::number(), {num(1), dec("0.1"), dec("-0"), dec("1e21")})},
      {"map", Value::map(Type::string(), {{"<k>", Value::null(Type::string())}})},
      {"set", Value::set(Type::string(), {str("b"), str("a")})},
      {"text", str("<&>\"\\/\b\f\n\r\t\x01\x7f é😀 \xe2\x80\xa8\xe2\x80\xa9")},
      {"tuple", tuple({Value::boolean(false), Value::null()})},
  });
  EXPECT_EQ(
      to_json(all).value(),
      R"({"list":[1,0.1,-0,1000000000000000000000],"map":{"\u003ck\u003e":null},"set":["a","b"],)"
      R"("text":"\u003c\u0026\u003e\"\\/\b\f\n\r\t\u0001)"
      "\x7f"
      R"( é😀 \u2028\u2029","tuple":[false,null]})");
}

TEST(ToJson, LargeWholeNumbersPrintAsTheirPrecisionHasThem) {
  EXPECT_EQ(to_json(Value::number(Number::from_double(1152921504606846976.0))).value(),
            "1152921504606847000");
  EXPECT_EQ(to_json(dec("1152921504606846976")).value(), "1152921504606846976");
  EXPECT_EQ(to_json(num(INT64_MIN)).value(), "-9223372036854775808");
}

TEST(ToJson, APartOfAnyTypeBringsItsType) {
  const Value v = object({{"a", Value::list(Type::string(), {str("x")})}, {"b", Value::null()}});
  EXPECT_EQ(to_json(v, type_of(R"(["object",{"a":"dynamic","b":"dynamic"}])")).value(),
            R"({"a":{"value":["x"],"type":["list","string"]},"b":null})");
  EXPECT_EQ(to_json(Value::null(Type::string()), Type::dynamic()).value(),
            R"({"value":null,"type":"string"})");
}

TEST(ToJson, ConvertsToTheType) {
  EXPECT_EQ(to_json(tuple({num(1)}), type_of(R"(["list","string"])")).value(), R"(["1"])");
  EXPECT_FALSE(to_json(tuple({num(1)}), type_of(R"(["map","string"])")));
}

TEST(ToJson, WhatCannotBeWrittenIsNamed) {
  const auto problem = [](const Value& v) { return to_string(to_json(v).error()); };
  const Marks deprecated = Marks::deprecated({"module.x.y", "old", false});
  EXPECT_EQ(problem(object({{"a", tuple({sensitive(num(1))})}})),
            R"(attribute "a": element 0: the value is marked, so it cannot be written as JSON)");
  EXPECT_EQ(problem(str("x").with_marks(deprecated)),
            "the value is marked, so it cannot be written as JSON");
  EXPECT_EQ(problem(Value::map(Type::string(), {{"k", Value::unknown(Type::string())}})),
            R"(element "k": the value is not known yet, so it cannot be written as JSON)");
  EXPECT_EQ(problem(Value::number(Number::infinity())), "JSON has no infinity");
  const Type capsule = Type::capsule("type");
  EXPECT_FALSE(to_json(Value::capsule(capsule, std::make_shared<int>(1))));
  EXPECT_FALSE(to_json(Value::null(capsule), Type::dynamic()));
}

TEST(JsonProblem, IsThatOfTheFinishedValue) {
  const Value infinite = Value::number(Number::infinity());
  const Value open = object({{"a", Value::unknown(Type::number())}, {"b", sensitive(num(1))}});
  EXPECT_FALSE(json_problem(open));
  const auto problem = json_problem(object({{"x", sensitive(tuple({open, infinite}))}}));
  ASSERT_TRUE(problem);
  EXPECT_EQ(to_string(*problem), R"(attribute "x": element 1: JSON has no infinity)");
  // Each part counts as often as it occurs.
  const Value text = Value::string(std::string(kMaxTextSize / 8, 'a'));
  EXPECT_TRUE(json_problem(tuple(std::vector<Value>(9, text))));
}

TEST(JsonTypes, RoundTrip) {
  for (const char* json : {
           R"("dynamic")",
           R"(["list",["set",["map","bool"]]])",
           R"(["tuple",["string","number"]])",
           R"(["tuple",[]])",
           R"(["object",{}])",
           R"(["object",{"a":"string","b":["object",{"c":"bool"},["c"]]},["b"]])",
       }) {
    EXPECT_EQ(type_to_json(type_of(json)), json);
  }
  EXPECT_EQ(type_to_json(type_of(R"( [ "object" , {"b":"bool","a":"bool","b":"string"} ] )")),
            R"(["object",{"a":"bool","b":"string"}])");
  EXPECT_EQ(type_to_json(type_of(R"(["tuple",null])")), R"(["tuple",[]])");
}

TEST(JsonTypes, RefuseWhatIsNone) {
  for (const std::string& json : std::vector<std::string>{
           "",
           "null",
           "1",
           R"("text")",
           R"(["list"])",
           R"(["list","string","string"])",
           R"(["list",{}])",
           R"(["what","string"])",
           R"(["object",["a"]])",
           R"(["object",{"a":"string"},["b"]])",
           R"(["tuple",["string",]])",
           R"("string" x)",
           R"({"list":"string"})",
           std::string(100'000, '['),
       }) {
    EXPECT_FALSE(parse_json_type(json)) << json.substr(0, 50);
  }
  std::string deep = "\"string\"";
  for (int i = 0; i < 1'100; ++i) deep = "[\"list\"," + deep + "]";
  EXPECT_FALSE(parse_json_type(deep));
}

TEST(Json, KnownValuesRoundTripWithTheirType) {
  std::mt19937 random(1);
  for (int i = 0; i < 2'000; ++i) {
    const Value v = random_value(random, {.unknown = false});
    const auto text = to_json(v, v.type());
    ASSERT_TRUE(text) << show(v);
    const auto back = parse_json(*text, v.type());
    ASSERT_TRUE(back) << *text;
    EXPECT_TRUE(raw_equal(*back, v)) << show(v) << "\n" << show(*back);

    const auto wrapped = to_json(v, Type::dynamic());
    ASSERT_TRUE(wrapped) << show(v);
    const auto unwrapped = parse_json(*wrapped, Type::dynamic());
    ASSERT_TRUE(unwrapped) << *wrapped;
    EXPECT_TRUE(raw_equal(*unwrapped, v)) << *wrapped;
  }
}

}  // namespace
}  // namespace tofu::value
