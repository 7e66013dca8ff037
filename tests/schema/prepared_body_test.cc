#include "schema/prepared_body.h"

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "syntax/map_scope.h"
#include "syntax/parser.h"
#include "tests/syntax/plain_text.h"

namespace tofu::schema {
namespace {

using value::Type;
using value::Value;

Attribute attribute(std::string name, Type type) {
  Attribute out;
  out.name = std::move(name);
  out.type = type;
  out.optional = true;
  return out;
}

// Two attributes, one of any type, and blocks "b" with an attribute each.
Block thing_schema() {
  auto inside = std::make_shared<Block>();
  inside->attributes = {attribute("a", Type::string())};
  Block schema;
  schema.attributes = {attribute("any", Type::dynamic()), attribute("text", Type::string())};
  NestedBlock nested;
  nested.name = "b";
  nested.block = std::move(inside);
  nested.nesting = Nesting::List;
  nested.max_items = 2;
  schema.blocks = {std::move(nested)};
  return schema;
}

// A body with all that has to outlive it.
class Prepared {
 public:
  explicit Prepared(std::string text)
      : file_(syntax::parse_file(sources_, sources_.add("test.tf", std::move(text)), diags_)),
        body_(file_->body(), layouts_.of(schema_)) {}

  const PreparedBody& body() const { return body_; }
  std::string with(const Value& x) const {
    diag::Diagnostics diags;
    const Value made = body_.evaluate(syntax::MapScope({{"x", x}}), diags);
    return diags.has_errors() ? std::to_string(diags.error_count()) + " errors"
                              : syntax::plain_text(made);
  }

 private:
  Block schema_ = thing_schema();
  Layouts layouts_;
  diag::SourceMap sources_;
  diag::Diagnostics diags_;
  std::unique_ptr<const syntax::File> file_;
  PreparedBody body_;
};

TEST(PreparedBody, WhatIsWrittenOutNeedsNoScope) {
  const Prepared prepared("text = 1\nany = [true, { a = \"x\" }]\nb {\n  a = \"y\"\n}\n");

  EXPECT_TRUE(prepared.body().is_constant());
  EXPECT_EQ(prepared.with(Value::null()),
            R"({any = [true, {a = "x"}], b = list(object({a=string}))[{a = "y"}], text = "1"})");
}

TEST(PreparedBody, OneReadingServesManyScopes) {
  const Prepared prepared("text = x\nany = x\nb {\n  a = \"${x}!\"\n}\n");

  EXPECT_FALSE(prepared.body().is_constant());
  EXPECT_EQ(prepared.with(Value::integer(1)),
            R"({any = 1, b = list(object({a=string}))[{a = "1!"}], text = "1"})");
  EXPECT_EQ(prepared.with(Value::string("s")),
            R"({any = "s", b = list(object({a=string}))[{a = "s!"}], text = "s"})");
}

TEST(PreparedBody, MistakesAreReportedForEachEvaluation) {
  const Prepared prepared("text = []\nnope = 1\n");

  EXPECT_FALSE(prepared.body().is_constant());
  EXPECT_EQ(prepared.with(Value::null()), "2 errors");
  EXPECT_EQ(prepared.with(Value::null()), "2 errors");
}

TEST(PreparedBody, TooManyBlocksAreCountedAfterExpansion) {
  const Prepared prepared("dynamic \"b\" {\n  for_each = x\n  content {}\n}\n");
  const auto tuple = [](std::size_t size) {
    return Value::tuple(std::vector<Value>(size, Value::integer(0)));
  };

  EXPECT_EQ(prepared.with(tuple(0)),
            "{any = null, b = list(object({a=string}))[], text = null(string)}");
  EXPECT_EQ(prepared.with(tuple(3)), "1 errors");
}

TEST(PreparedBody, DynamicBlocksOfATypeThatIsNotThereAreReported) {
  EXPECT_EQ(Prepared("dynamic \"c\" {\n  for_each = []\n  content {}\n}\n").with(Value::null()),
            "1 errors");
  EXPECT_EQ(Prepared("dynamic \"text\" {\n  for_each = []\n  content {}\n}\n").with(Value::null()),
            "1 errors");
}

TEST(PreparedBody, IsEvaluatedByManyThreadsAtOnce) {
  const Prepared prepared(
      "any = x\ndynamic \"b\" {\n  for_each = [x]\n  content {\n"
      "    a = b.value\n  }\n}\n");
  std::vector<std::string> made(4);
  std::vector<std::thread> threads;
  for (std::size_t thread = 0; thread < made.size(); ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < 200; ++i) made[thread] = prepared.with(Value::integer(i));
    });
  }
  for (std::thread& thread : threads) thread.join();

  for (const std::string& last : made) {
    EXPECT_EQ(last,
              R"({any = 199, b = list(object({a=string}))[{a = "199"}], text = null(string)})");
  }
}

}  // namespace
}  // namespace tofu::schema
