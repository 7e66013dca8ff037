#include "schema/marks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

Value secret(const Value& v) { return v.with_marks(Marks::sensitive()); }
Value text(std::string_view t) { return Value::string(t); }
Path at(std::string name) { return Path().with_attribute(std::move(name)); }

std::vector<std::string> places(const Unmarked& unmarked) {
  std::vector<std::string> texts;
  for (const PathMarks& one : unmarked.marks) {
    texts.push_back((one.marks.is_sensitive() ? "sensitive" : "other") + to_string(one.path));
  }
  return texts;
}

const Value kMixed = Value::object(
    {{"a", secret(text("x"))},
     {"l", Value::list(Type::string(), {text("x"), secret(text("y"))})},
     {"m", secret(Value::map(Type::string(), {{"k", secret(text("x"))}, {"n", text("y")}}))},
     {"n", secret(Value::null(Type::string()))},
     {"s", Value::set(Type::string(), {secret(text("x")), text("y")})},
     {"t", Value::tuple({Value::object({{"b", secret(Value::unknown(Type::string()))}}),
                         text("z").with_marks(Marks::ephemeral())})}});

TEST(Unmark, GivesEveryMarkWithItsPath) {
  const Unmarked unmarked = unmark(kMixed);

  EXPECT_THAT(places(unmarked),
              ElementsAre("sensitive.a", "sensitive.l[1]", "sensitive.m", "sensitive.m[\"k\"]",
                          "sensitive.n", "sensitive.s", "sensitive.t[0].b", "other.t[1]"));
  EXPECT_EQ(plain_text(unmarked.value), plain_text(kMixed.deep_unmarked()));
}

TEST(Unmark, AMarkOfTheWholeHasAnEmptyPath) {
  EXPECT_THAT(places(unmark(secret(text("x")))), ElementsAre("sensitive"));
}

TEST(Unmark, AValueWithoutMarksIsReturnedAsItIs) {
  const Value plain = Value::tuple({text("some"), text("text")});
  const Unmarked unmarked = unmark(plain);
  EXPECT_TRUE(unmarked.value.is_same(plain));
  EXPECT_THAT(unmarked.marks, IsEmpty());
}

TEST(Mark, PutsBackWhatWasTakenOff) {
  const Unmarked unmarked = unmark(kMixed);
  EXPECT_EQ(plain_text(mark(unmarked.value, unmarked.marks)), plain_text(kMixed));
}

TEST(Mark, AddsToMarksThatAreThere) {
  const Value half = text("x").with_marks(Marks::ephemeral());
  EXPECT_EQ(plain_text(mark(half, std::vector<PathMarks>{{{}, Marks::sensitive()}})),
            "ephemeral(sensitive(\"x\"))");
  EXPECT_EQ(plain_text(mark(kMixed, unmark(kMixed).marks)), plain_text(kMixed));
}

TEST(Mark, PathsThatLeadNowhereAreLeftOut) {
  const Value v = Value::object({{"a", text("x")},
                                 {"l", Value::list(Type::string(), {text("y")})},
                                 {"n", Value::null(Type::list(Type::string()))},
                                 {"s", Value::set(Type::string(), {text("z")})}});
  const Marks marks = Marks::sensitive();
  const std::vector<PathMarks> nowhere = {{at("b"), marks},
                                          {at("a").with_attribute("c"), marks},
                                          {at("l").with_index(Value::integer(1)), marks},
                                          {at("l").with_index(Value::integer(-1)), marks},
                                          {at("l").with_index(text("0")), marks},
                                          {at("n").with_index(Value::integer(0)), marks},
                                          {at("s").with_index(text("y")), marks}};
  EXPECT_TRUE(mark(v, nowhere).plain().find("a")->is_same(*v.plain().find("a")));
  EXPECT_FALSE(mark(v, nowhere).contains_marks());
}

TEST(Mark, MarksInsideASetAreMarksOfTheSet) {
  const Value element = Value::object({{"a", text("x")}});
  const Value v = Value::object({{"s", Value::set(element.type(), {element})}});
  EXPECT_EQ(
      plain_text(mark(v, std::vector<PathMarks>{{at("s").with_index(element).with_attribute("a"),
                                                 Marks::sensitive()}})),
      "{s = sensitive(set(object({a=string}))[{a = \"x\"}])}");
}

TEST(Mark, ReachesManyItemsOfOneContainerInAnyOrder) {
  std::vector<Value> items(1000, text("x"));
  std::vector<PathMarks> marks;
  for (int i = 999; i >= 0; i -= 2) {
    marks.push_back({at("l").with_index(Value::integer(i)), Marks::sensitive()});
  }
  const Value marked =
      mark(Value::object({{"l", Value::list(Type::string(), std::move(items))}}), marks);
  for (std::size_t i = 0; i < 1000; ++i) {
    EXPECT_EQ(marked.plain().find("l")->plain().items()[i].is_marked(), i % 2 == 1);
  }
}

TEST(Mark, DepthOfAValueCostsNoStack) {
  Value deep = secret(text("x"));
  for (int i = 0; i < 100'000; ++i) deep = Value::tuple({std::move(deep)});
  const Unmarked unmarked = unmark(deep);
  ASSERT_EQ(unmarked.marks.size(), 1u);
  EXPECT_EQ(unmarked.marks[0].path.steps.size(), 100'000u);
  EXPECT_TRUE(mark(unmarked.value, unmarked.marks).contains_marks());
}

TEST(TouchesSensitive, WhatEnclosesAndWhatIsInsideCounts) {
  const std::vector<PathMarks> marks = {{at("a").with_attribute("b"), Marks::sensitive()},
                                        {at("e"), Marks::ephemeral()}};
  EXPECT_TRUE(touches_sensitive(marks, at("a")));
  EXPECT_TRUE(touches_sensitive(marks, at("a").with_attribute("b")));
  EXPECT_TRUE(touches_sensitive(marks, at("a").with_attribute("b").with_attribute("c")));
  EXPECT_FALSE(touches_sensitive(marks, at("a").with_attribute("c")));
  EXPECT_FALSE(touches_sensitive(marks, at("e")));
}

TEST(SchemaMarks, SensitiveAttributesAreMarkedAtEveryDepth) {
  const std::vector<Attribute> parts = {attribute("open", Is::Optional),
                                        sensitive(attribute("secret", Is::Optional))};
  const Block schema = block(
      parts, {blocks("l", Nesting::List, block(parts)), blocks("s", Nesting::Set, block(parts))});
  const SchemaMarks marks(schema);
  const Value v = object(schema, "open = 1\nl { secret = unknown }\ns { secret = 2 }");

  EXPECT_EQ(plain_text(marks.apply(v)),
            "{l = list(object({open=string,secret=string}))[{open = null(string), "
            "secret = sensitive(unknown(string))}], open = \"1\", "
            "s = sensitive(set(object({open=string,secret=string}))[{open = null(string), "
            "secret = \"2\"}]), secret = sensitive(null(string))}");
  EXPECT_EQ(plain_text(mark(v, marks.of(v))), plain_text(marks.apply(v)));
}

TEST(SchemaMarks, MarksOfTheAuthorStay) {
  const Block schema =
      block({attribute("a", Is::Optional), sensitive(attribute("b", Is::Optional))});
  const Value v =
      mark(object(schema, "a = 1\nb = 2"),
           std::vector<PathMarks>{{at("a"), Marks::sensitive()}, {at("b"), Marks::ephemeral()}});
  EXPECT_EQ(plain_text(SchemaMarks(schema).apply(v)),
            "{a = sensitive(\"1\"), b = ephemeral(sensitive(\"2\"))}");
}

TEST(SchemaMarks, AnEphemeralBlockIsEphemeralAsAWhole) {
  Block schema = block({attribute("a", Is::Optional)});
  schema.ephemeral = true;
  EXPECT_EQ(plain_text(SchemaMarks(schema).apply(object(schema, "a = 1"))),
            "ephemeral({a = \"1\"})");
}

TEST(SchemaMarks, ASchemaThatSaysNothingReturnsTheValueAsItIs) {
  const Block schema = block({attribute("a", Is::Optional)});
  const SchemaMarks marks(schema);
  const Value v = object(schema, "a = 1");
  EXPECT_TRUE(marks.empty());
  EXPECT_TRUE(marks.apply(v).is_same(v));
}

TEST(WithoutWriteOnly, WriteOnlyArgumentsAreNullInsteadOfKept) {
  const std::vector<Attribute> parts = {attribute("a", Is::Optional),
                                        write_only(attribute("w", Is::Optional))};
  const Block schema =
      block({attribute("a", Is::Optional), write_only(attribute("w", Is::Optional)),
             nested("n", Is::Optional, Nesting::Map, parts)},
            {blocks("l", Nesting::List, block(parts))});
  const Selection write_only = write_only_attributes(schema);
  const Value v =
      object(schema, "a = 1\nw = 2\nn = { k = { a = 3, w = 4 } }\nl {\na = 5\nw = 6\n}");

  EXPECT_EQ(plain_text(without_write_only(write_only, v)),
            plain_text(object(schema, "a = 1\nn = { k = { a = 3 } }\nl { a = 5 }")));
  const Value kept = object(schema, "a = 1\nl { a = 5 }");
  EXPECT_TRUE(without_write_only(write_only, kept).is_same(kept));
}

}  // namespace
}  // namespace tofu::schema
