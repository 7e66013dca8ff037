#include "value/defaults.h"

#include <gtest/gtest.h>

#include "tests/value/make.h"
#include "tests/value/show.h"

namespace tofu::value {
namespace {

// object({ a = optional(string, "x"), b = optional(number) })
Defaults of_object() {
  Defaults defaults;
  defaults.type = type_of(R"(["object",{"a":"string","b":"number"},["a","b"]])");
  defaults.attribute_defaults["a"] = str("x");
  return defaults;
}

Defaults around(std::string_view type, std::string name, Defaults inside) {
  Defaults defaults;
  defaults.type = type_of(type);
  defaults.children[std::move(name)] = std::make_unique<Defaults>(std::move(inside));
  return defaults;
}

constexpr const char* kListOf = R"(["list",["object",{"a":"string","b":"number"},["a","b"]]])";

std::string applied(const Defaults& defaults, const Value& v) {
  return show(apply_defaults(defaults, v));
}

TEST(Defaults, FillWhatIsMissingOrNull) {
  const Defaults defaults = of_object();
  EXPECT_EQ(applied(defaults, object({})), R"({a="x"})");
  EXPECT_EQ(applied(defaults, object({{"a", Value::null()}})), R"({a="x"})");
  EXPECT_EQ(applied(defaults, object({{"a", str("y")}, {"z", num(1)}})), R"({a="y", z=1})");
  EXPECT_EQ(applied(defaults, object({{"a", sensitive(Value::null())}})), R"({a="x"})");
}

TEST(Defaults, LeaveNullAndUnknownObjectsAlone) {
  const Defaults defaults = of_object();
  EXPECT_EQ(applied(defaults, Value::null(defaults.type.without_optional_attributes())),
            "null({a=string, b=number})");
  EXPECT_EQ(applied(defaults, Value::unknown()), "unknown(any)");
}

TEST(Defaults, AnUnknownWithADefaultIsNeverNull) {
  const Defaults defaults = of_object();
  EXPECT_EQ(applied(defaults, object({{"a", Value::unknown(Type::string())}})),
            "{a=unknown(string, not null)}");
  EXPECT_EQ(applied(defaults, object({{"a", Value::unknown()}})), "{a=unknown(any)}");
  EXPECT_EQ(applied(defaults, object({{"a", sensitive(Value::unknown(Type::string()))}})),
            "{a=sensitive(unknown(string, not null))}");
}

TEST(Defaults, KeepMarks) {
  EXPECT_EQ(applied(of_object(), sensitive(object({}))), R"(sensitive({a="x"}))");
}

TEST(Defaults, ReachIntoCollections) {
  const Defaults lists = around(kListOf, "", of_object());
  EXPECT_EQ(applied(lists, tuple({object({}), object({{"a", str("y")}})})),
            R"([{a="x"}, {a="y"}])");
  EXPECT_EQ(applied(lists, Value::list(type_of(R"(["object",{}])"), {object({})})),
            R"(list({a=string})[{a="x"}])");
  EXPECT_EQ(applied(lists, Value::list(type_of(R"(["object",{}])"), {})), "list({})[]");
  EXPECT_EQ(applied(lists, Value::set(type_of(R"(["map","string"])"),
                                      {Value::map(Type::string(), {{"b", str("1")}})})),
            R"(set(map(string))[map(string){a="x", b="1"}])");

  const Defaults maps = around(R"(["map",["object",{"a":"string"},["a"]]])", "", of_object());
  EXPECT_EQ(applied(maps, object({{"k", object({})}})), R"({k={a="x"}})");
  EXPECT_EQ(applied(maps, Value::map(type_of(R"(["object",{}])"), {{"k", object({})}})),
            R"(map({a=string}){k={a="x"}})");
}

TEST(Defaults, ReachIntoTuplesByPosition) {
  const Defaults defaults =
      around(R"(["tuple",["string",["object",{"a":"string"},["a"]]]])", "1", of_object());
  EXPECT_EQ(applied(defaults, tuple({object({}), object({})})), R"([{}, {a="x"}])");
}

TEST(Defaults, AreFilledThemselves) {
  Defaults defaults =
      around(R"(["object",{"o":["object",{"a":"string"},["a"]]},["o"]])", "o", of_object());
  defaults.attribute_defaults["o"] = object({});
  EXPECT_EQ(applied(defaults, object({})), R"({o={a="x"}})");
}

TEST(Defaults, TurnAMapIntoAnObjectIfTheyDoNotFitIt) {
  Defaults defaults = of_object();
  defaults.attribute_defaults["a"] = tuple({});
  EXPECT_EQ(applied(defaults, Value::map(Type::string(), {{"b", str("1")}})), R"({a=[], b="1"})");
  EXPECT_EQ(applied(of_object(), Value::map(Type::string(), {{"b", str("1")}})),
            R"(map(string){a="x", b="1"})");
}

TEST(Defaults, WhatHasAnotherShapeIsLeftToTheConversion) {
  EXPECT_EQ(applied(of_object(), str("no object")), R"("no object")");
}

}  // namespace
}  // namespace tofu::value
