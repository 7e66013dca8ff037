#include "testing/mock_values.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tofu::testing {
namespace {

using schema::Attribute;
using value::Type;
using value::Value;

Attribute computed(std::string name, Type type) {
  Attribute made;
  made.name = std::move(name);
  made.type = type;
  made.computed = true;
  return made;
}

class MockValuesTest : public ::testing::Test {
 protected:
  MockValuesTest() {
    Attribute name;
    name.name = "name";
    name.type = Type::string();
    name.required = true;
    Attribute note = computed("note", Type::string());
    note.optional = true;
    Attribute plain = note;
    plain.name = "plain";
    plain.computed = false;
    schema_.attributes = {
        name,
        note,
        plain,
        computed("id", Type::string()),
        computed("size", Type::number()),
        computed("on", Type::boolean()),
        computed("tags", Type::map(Type::string())),
        computed("any", Type::dynamic()),
        computed("at", Type::object({{"x", Type::number()}, {"y", Type::string()}}))};
  }

  // As a provider's schema has them.
  void SetUp() override { std::ranges::sort(schema_.attributes, {}, &Attribute::name); }

  Value composed(Value given = Value::null(), Value note = Value::null(Type::string())) {
    problems_.clear();
    const Value config = Value::object({{"name", Value::string("n")}, {"note", std::move(note)}});
    return MockValues("t_thing", known_).compose(schema_, config, given, problems_);
  }

  schema::Block schema_;
  Known known_ = Known::Now;
  std::vector<providers::Problem> problems_;
};

TEST_F(MockValuesTest, WhatTheProviderWouldComputeIsMadeUpByType) {
  const Value v = composed();
  EXPECT_THAT(problems_, ::testing::IsEmpty());
  const auto part = [&](std::string_view name) { return *v.plain().find(name); };
  EXPECT_EQ(part("name").plain().as_string(), "n");
  EXPECT_TRUE(part("plain").is_null());
  EXPECT_THAT(std::string(part("id").plain().as_string()),
              ::testing::MatchesRegex("[a-zA-Z0-9]{4,15}"));
  EXPECT_TRUE(raw_equal(part("size"), Value::integer(0)));
  EXPECT_TRUE(raw_equal(part("on"), Value::boolean(false)));
  EXPECT_EQ(part("tags").plain().size(), 0U);
  EXPECT_TRUE(part("any").is_null());
  EXPECT_TRUE(raw_equal(*part("at").plain().find("x"), Value::integer(0)));
}

TEST_F(MockValuesTest, TheSameTypeGetsTheSameTextEveryTime) {
  EXPECT_TRUE(raw_equal(composed(), composed()));
}

TEST_F(MockValuesTest, GivenValuesAreConverted) {
  const Value v = composed(Value::object({{"id", Value::integer(7)}}));
  EXPECT_EQ(v.plain().find("id")->plain().as_string(), "7");
}

TEST_F(MockValuesTest, WhatTheConfigurationSaysCannotBeGiven) {
  composed(Value::object({{"note", Value::string("given")}}), Value::string("said"));
  EXPECT_EQ(problems_.size(), 1U);
}

TEST_F(MockValuesTest, OnlyComputedAttributesThatExistCanBeGiven) {
  composed(Value::object({{"plain", Value::string("x")}}));
  EXPECT_EQ(problems_.size(), 1U);
  composed(Value::object({{"nope", Value::string("x")}}));
  EXPECT_EQ(problems_.size(), 1U);
  composed(Value::object({{"size", Value::string("many")}}));
  EXPECT_EQ(problems_.size(), 1U);
}

TEST_F(MockValuesTest, ValuesThatWaitAreUnknownButKeepTheirTypes) {
  known_ = Known::AfterApply;
  const Value v = composed();
  EXPECT_TRUE(v.plain().find("id")->is_unknown());
  EXPECT_EQ(v.plain().find("id")->type(), Type::string());
  EXPECT_EQ(v.plain().find("name")->plain().as_string(), "n");
}

}  // namespace
}  // namespace tofu::testing
