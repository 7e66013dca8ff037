#include "value/convert.h"

#include <gtest/gtest.h>
#include <vector>

#include "tests/value/make.h"
#include "tests/value/show.h"
#include "value/path.h"

namespace tofu::value {
namespace {

Value strings(std::vector<Value> items) { return Value::list(Type::string(), std::move(items)); }

Value unknown(std::string_view type, const Refinements& known) {
  return Value::unknown(type_of(type)).refined(known);
}

Refinements not_null() {
  Refinements known;
  known.not_null = true;
  return known;
}

Refinements length(std::uint64_t from, std::optional<std::uint64_t> to, bool sure = false) {
  Refinements known;
  known.not_null = sure;
  known.length_min = from;
  known.length_max = to;
  return known;
}

struct Row {
  const char* name;
  Value from;
  const char* to;
  std::string expected;  // as show() has it, or "error: …"
};

std::string outcome(const Row& row) {
  const auto result = convert(row.from, type_of(row.to));
  return result ? show(*result) : "error: " + to_string(result.error());
}

void expect_rows(const std::vector<Row>& rows) {
  for (const Row& row : rows) EXPECT_EQ(outcome(row), row.expected) << row.name;
}

// Recorded from OpenTofu 1.12.6, like all rows here: errors in our own words.
TEST(Convert, Primitives) {
  expect_rows({
      {"a number prints all its digits", dec("123456789012345678901234567890.5"), R"("string")",
       R"("123456789012345678901234567890.5")"},
      {"never an exponent", dec("1e21"), R"("string")", R"("1000000000000000000000")"},
      {"a bool", Value::boolean(true), R"("string")", R"("true")"},
      {"digits", str("-5.25"), R"("number")", "-5.25"},
      {"an exponent", str("1e3"), R"("number")", "1000"},
      {"infinity", str("Inf"), R"("number")", "+Inf"},
      {"space is no digit", str(" 1"), R"("number")", "error: a number is required"},
      {"hexadecimal", str("0x1"), R"("number")", "error: a number is required"},
      {"nothing", str(""), R"("number")", "error: a number is required"},
      {"true", str("true"), R"("bool")", "true"},
      {"one is true", str("1"), R"("bool")", "true"},
      {"zero is false", str("0"), R"("bool")", "false"},
      {"capitals get a hint", str("TRUE"), R"("bool")",
       R"(error: a bool is required, which as a string is "true" in lower case)"},
      {"other words", str("yes"), R"("bool")", "error: a bool is required"},
      {"a number is no bool", num(1), R"("bool")", "error: bool required, not number"},
      {"a bool is no number", Value::boolean(true), R"("number")",
       "error: number required, not bool"},
      {"anything goes", str("x"), R"("dynamic")", R"("x")"},
      {"a list is no string", strings({}), R"("string")",
       "error: string required, not list of string"},
  });
}

TEST(Convert, NullsAndUnknownsTakeTheTargetsType) {
  expect_rows({
      {"null of any type", Value::null(), R"(["list","string"])", "null(list(string))"},
      {"any inside is taken from the source", Value::null(type_of(R"(["list","bool"])")),
       R"(["list","dynamic"])", "null(list(bool))"},
      {"optional attributes are dropped", Value::null(), R"(["object",{"a":"string"},["a"]])",
       "null({a=string})"},
      {"a tuple's members are unified", Value::null(type_of(R"(["tuple",["bool","string"]])")),
       R"(["set","dynamic"])", "null(set(string))"},
      {"unknown number", unknown(R"("number")", not_null()), R"("string")",
       "unknown(string, not null)"},
      {"what only numbers have is lost", Value::unknown(Type::number()).refined([] {
         Refinements known;
         known.lower = Bound{Number(1), true};
         return known;
       }()),
       R"("string")", "unknown(string)"},
      {"a list keeps its length", unknown(R"(["list","number"])", length(2, 5)),
       R"(["list","string"])", "unknown(list(string), length 2..5)"},
      {"a set may shrink to one", unknown(R"(["list","number"])", length(2, 5)),
       R"(["set","string"])", "unknown(set(string), length 1..5)"},
      {"a tuple's length is known", Value::unknown(type_of(R"(["tuple",["bool","bool"]])")),
       R"(["list","bool"])", "unknown(list(bool), length 2..2)"},
      {"and if it cannot be null, it is a list",
       unknown(R"(["tuple",["bool","bool"]])", not_null()), R"(["list","bool"])",
       "list(bool)[unknown(bool), unknown(bool)]"},
      {"a tuple as a set", Value::unknown(type_of(R"(["tuple",["bool","bool"]])")),
       R"(["set","bool"])", "unknown(set(bool), length 1..2)"},
      {"an object's attributes as a map",
       Value::unknown(type_of(R"(["object",{"a":"bool","b":"bool"}])")), R"(["map","bool"])",
       "unknown(map(bool), length 2..2)"},
      {"unknown of any type", Value::unknown(), R"("bool")", "unknown(bool)"},
      {"a set that may still shrink has no list yet",
       Value::set(Type::string(), {str("a"), Value::unknown(Type::string())}),
       R"(["list","string"])", "unknown(list(string))"},
  });
}

TEST(Convert, Collections) {
  const Value set = Value::set(Type::string(), {str("b"), str("a")});
  const Value map = Value::map(Type::string(), {{"a", str("1")}, {"b", str("2")}});
  expect_rows({
      {"elements one by one", strings({str("1"), Value::null(Type::string())}),
       R"(["list","number"])", "list(number)[1, null(number)]"},
      {"the one that fails is named", strings({str("1"), str("x")}), R"(["list","number"])",
       "error: element 1: a number is required"},
      {"list to set", strings({str("b"), str("a"), str("b")}), R"(["set","string"])",
       R"(set(string)["a", "b"])"},
      {"elements may fall together", strings({str("1"), str("1.0")}), R"(["set","number"])",
       "set(number)[1]"},
      {"set to list", set, R"(["list","string"])", R"(list(string)["a", "b"])"},
      {"set to any list", set, R"(["list","dynamic"])", R"(list(string)["a", "b"])"},
      {"map to map", map, R"(["map","number"])", "map(number){a=1, b=2}"},
      {"map keys are named", Value::map(Type::string(), {{"k", str("x")}}), R"(["map","number"])",
       R"(error: element "k": a number is required)"},
      {"an empty list takes the wanted type", strings({}), R"(["list","number"])",
       "list(number)[]"},
      {"but rather none than any", strings({}), R"(["list","dynamic"])", "list(string)[]"},
      {"any deeper down stays any", Value::list(type_of(R"(["map","string"])"), {}),
       R"(["list",["map","dynamic"]])", "list(map(any))[]"},
      {"list to map", strings({}), R"(["map","string"])", "error: map of string required"},
  });
}

TEST(Convert, TuplesToCollections) {
  expect_rows({
      {"a common type is found", tuple({num(1), str("a"), Value::boolean(true)}),
       R"(["list","dynamic"])", R"(list(string)["1", "a", "true"])"},
      {"none is found", tuple({num(1), Value::boolean(true)}), R"(["list","dynamic"])",
       "error: the elements of a list must all have one type"},
      {"null joins in", tuple({num(1), Value::null()}), R"(["list","dynamic"])",
       "list(number)[1, null(number)]"},
      {"only nulls", tuple({Value::null(), Value::null()}), R"(["list","dynamic"])",
       "list(any)[null(any), null(any)]"},
      {"none at all", tuple({}), R"(["list","dynamic"])", "list(any)[]"},
      {"a set drops duplicates", tuple({str("1"), num(1)}), R"(["set","dynamic"])",
       R"(set(string)["1"])"},
      {"a set of numbers", tuple({num(10), num(9)}), R"(["set","number"])", "set(number)[9, 10]"},
      {"objects with the same names", tuple({object({{"a", num(1)}}), object({{"a", str("x")}})}),
       R"(["list","dynamic"])", R"(list({a=string})[{a="1"}, {a="x"}])"},
      {"objects with different names become maps",
       tuple({object({{"a", num(1)}}), object({{"b", str("x")}})}), R"(["list","dynamic"])",
       R"(list(map(string))[map(string){a="1"}, map(string){b="x"}])"},
      {"tuples of equal length stay tuples", tuple({tuple({num(1)}), tuple({str("a")})}),
       R"(["list","dynamic"])", R"(list([string])[["1"], ["a"]])"},
      {"tuples of different lengths become lists",
       tuple({tuple({num(1)}), tuple({num(2), num(3)})}), R"(["list","dynamic"])",
       "list(list(number))[list(number)[1], list(number)[2, 3]]"},
      {"each element chooses, then all agree",
       tuple({tuple({num(1)}), tuple({str("a"), str("b")})}), R"(["list",["list","dynamic"]])",
       R"(list(list(string))[list(string)["1"], list(string)["a", "b"]])"},
      {"tuple to tuple", tuple({num(1), str("2")}), R"(["tuple",["string","number"]])",
       R"(["1", 2])"},
      {"lengths must agree", tuple({num(1)}), R"(["tuple",["string","number"]])",
       "error: tuple required"},
      {"the misfit is named", tuple({num(1), tuple({})}), R"(["list","string"])",
       "error: element 1: string required, not tuple"},
  });
}

TEST(Convert, ObjectsAndMaps) {
  const Value map = Value::map(Type::string(), {{"a", str("1")}, {"z", str("2")}});
  expect_rows({
      {"further attributes are dropped", object({{"a", num(1)}, {"b", num(2)}}),
       R"(["object",{"a":"string"}])", R"({a="1"})"},
      {"optional ones become null", object({{"a", num(1)}}),
       R"(["object",{"a":"number","b":["list","string"]},["b"]])", "{a=1, b=null(list(string))}"},
      {"required ones are missed", object({}), R"(["object",{"a":"number","b":"bool","c":"bool"}])",
       R"(error: attributes "a", "b" and "c" are required)"},
      {"one is missed", object({}), R"(["object",{"a":"number"}])",
       R"(error: attribute "a" is required)"},
      {"the misfit is named", object({{"a", tuple({})}}), R"(["object",{"a":"number"}])",
       R"(error: attribute "a": number required, not tuple)"},
      {"so is one that fails", object({{"a", tuple({str("1"), str("x")})}}),
       R"(["object",{"a":["list","number"]}])",
       R"(error: attribute "a": element 1: a number is required)"},
      {"any stays what it is", object({{"a", tuple({num(1)})}}), R"(["object",{"a":"dynamic"}])",
       "{a=[1]}"},
      {"object to map", object({{"a", num(1)}, {"b", str("x")}}), R"(["map","dynamic"])",
       R"(map(string){a="1", b="x"})"},
      {"object to map without a common type", object({{"a", num(1)}, {"b", tuple({})}}),
       R"(["map","dynamic"])", "error: the elements of a map must all have one type"},
      {"empty object to map", object({}), R"(["map","dynamic"])", "map(any){}"},
      {"maps inside agree afterwards",
       object({{"x", object({{"a", num(1)}})}, {"y", object({{"b", str("s")}})}}),
       R"(["map",["map","dynamic"]])",
       R"(map(map(string)){x=map(string){a="1"}, y=map(string){b="s"}})"},
      {"map to object", map, R"(["object",{"a":"number","b":"bool"},["b"]])",
       "{a=1, b=null(bool)}"},
      {"map to object without a required key", map, R"(["object",{"b":"string"}])",
       R"(error: the map lacks the key "b", which is required)"},
      {"an optional attribute nothing could become, absent", map,
       R"(["object",{"a":"string","b":["list","string"]},["b"]])",
       R"({a="1", b=null(list(string))})"},
      {"the same, present", map, R"(["object",{"a":["list","string"]},["a"]])",
       R"(error: the map's elements do not match attribute "a": list of string required, not string)"},
  });
}

TEST(Convert, MarksStayWhereTheyWere) {
  const Marks deprecated = Marks::deprecated({"module.x.y", "old", false});
  expect_rows({
      {"on the whole", sensitive(num(1)), R"("string")", R"(sensitive("1"))"},
      {"inside a list", tuple({sensitive(num(1)), num(2)}), R"(["list","string"])",
       R"(list(string)[sensitive("1"), "2"])"},
      {"a set gathers them", tuple({sensitive(num(1)), num(2)}), R"(["set","string"])",
       R"(sensitive(set(string)["1", "2"]))"},
      {"unknown", sensitive(Value::unknown(Type::number())), R"("string")",
       "sensitive(unknown(string))"},
      {"on a whole object", object({{"a", num(1)}}).with_marks(deprecated),
       R"(["object",{"a":"string"}])", R"(deprecated({a="1"}))"},
      {"deep inside", object({{"a", tuple({sensitive(str("1"))})}}),
       R"(["object",{"a":["list","number"]}])", "{a=list(number)[sensitive(1)]}"},
      {"a null attribute loses its own", object({{"a", sensitive(Value::null(Type::number()))}}),
       R"(["object",{"a":"string"}])", "{a=null(string)}"},
      {"a null map element keeps it", object({{"a", sensitive(Value::null(Type::number()))}}),
       R"(["map","string"])", "map(string){a=sensitive(null(string))}"},
  });
}

TEST(Convert, WhatFitsComesBackAsTheSameNode) {
  const Value list = strings({str("some longer text"), str("b")});
  const Value nested = object({{"a", list}, {"b", tuple({list})}});
  for (const char* to : {R"(["list","string"])", R"(["list","dynamic"])", R"("dynamic")"}) {
    const auto same = convert(list, type_of(to));
    ASSERT_TRUE(same) << to;
    EXPECT_EQ(same->plain().items().data(), list.plain().items().data()) << to;
  }
  const auto same =
      convert(nested, type_of(R"(["object",{"a":["list","dynamic"],"b":"dynamic"},["a"]])"));
  ASSERT_TRUE(same);
  EXPECT_EQ(same->plain().items().data(), nested.plain().items().data());
}

TEST(Convert, DepthIsLimited) {
  const auto nested = [](Value v, std::uint32_t levels) {
    for (std::uint32_t i = 0; i < levels; ++i) v = tuple({v});
    return v;
  };
  const auto lists = [](std::uint32_t levels) {
    Type type = Type::string();
    for (std::uint32_t i = 0; i < levels; ++i) type = Type::list(type);
    return type;
  };
  const auto result = convert(nested(num(1), kMaxTypeNesting), lists(kMaxTypeNesting));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->type(), lists(kMaxTypeNesting));

  const Value number = nested(num(1), 9'000);
  const Value text = nested(str("a"), 9'000);
  EXPECT_FALSE(convert(number, lists(9'000)));
  EXPECT_FALSE(convert(tuple({number, text}), Type::list(Type::dynamic())));
  EXPECT_TRUE(convert(tuple({number, number}), Type::list(Type::dynamic())));
  EXPECT_FALSE(mismatch_message(number.type(), text.type()).empty());
}

TEST(CanConvert, SafetyDecides) {
  struct Pair {
    const char* from;
    const char* to;
    bool safe;
    bool unsafe;
  };
  for (const Pair& pair : std::vector<Pair>{
           {R"("number")", R"("string")", true, true},
           {R"("string")", R"("number")", false, true},
           {R"("string")", R"("string")", true, true},
           {R"("dynamic")", R"("string")", false, true},
           {R"("string")", R"("dynamic")", true, true},
           {R"("bool")", R"("number")", false, false},
           {R"(["list","string"])", R"(["set","string"])", false, true},
           {R"(["set","string"])", R"(["list","string"])", true, true},
           {R"(["map","string"])", R"(["object",{"a":"string"}])", false, true},
           {R"(["object",{"a":"string"}])", R"(["map","string"])", true, true},
           {R"(["object",{"a":"string","b":"bool"}])", R"(["object",{"a":"string"}])", true, true},
           {R"(["tuple",["string","number"]])", R"(["list","number"])", false, true},
           {R"(["tuple",["string"]])", R"(["set","string"])", true, true},
           {R"(["list","string"])", R"(["tuple",["string"]])", false, false},
       }) {
    EXPECT_EQ(can_convert(type_of(pair.from), type_of(pair.to), Safety::SafeOnly), pair.safe)
        << pair.from << " to " << pair.to;
    EXPECT_EQ(can_convert(type_of(pair.from), type_of(pair.to), Safety::AllowUnsafe), pair.unsafe)
        << pair.from << " to " << pair.to;
  }
}

TEST(CanConvert, ACapsuleIsOnlyEverItself) {
  const Type capsule = Type::capsule("type");
  EXPECT_TRUE(can_convert(capsule, capsule, Safety::SafeOnly));
  EXPECT_TRUE(can_convert(capsule, Type::dynamic(), Safety::SafeOnly));
  EXPECT_FALSE(can_convert(capsule, Type::string(), Safety::AllowUnsafe));
  EXPECT_FALSE(can_convert(Type::string(), capsule, Safety::AllowUnsafe));
}

TEST(MismatchMessage, NamesTheInnermostMisfit) {
  struct Case {
    const char* got;
    const char* want;
    const char* message;
  };
  for (const Case& c : std::vector<Case>{
           {R"(["list","string"])", R"(["map","string"])", "map of string required"},
           {R"(["list",["list","bool"]])", R"(["list",["list","number"]])",
            "the list's element type does not match: the list's element type does not match: "
            "number required, not bool"},
           {R"(["object",{"a":"bool"}])", R"(["list","dynamic"])",
            "list of any single type required"},
           {R"(["object",{"a":["tuple",[]]}])", R"(["map","string"])",
            "element \"a\": string required, not tuple"},
           {R"("string")", R"(["object",{}])", "object required, not string"},
           {R"(["tuple",[]])", R"(["object",{}])", "object required, not tuple"},
       }) {
    EXPECT_EQ(mismatch_message(type_of(c.got), type_of(c.want)), c.message);
  }
}

}  // namespace
}  // namespace tofu::value
