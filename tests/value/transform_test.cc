#include <gtest/gtest.h>

#include "tests/value/make.h"
#include "value/operations.h"

namespace tofu::value {
namespace {

PathResult<Value> shout(void* context, const Path& path, const Value& v) {
  static_cast<std::vector<std::string>*>(context)->push_back(to_string(path));
  if (v.kind() == Kind::String) return str(std::string(v.plain().as_string()) + "!");
  return v;
}

TEST(Transform, ChangesLeavesFirstAndBuildsTheRest) {
  std::vector<std::string> visited;
  const Value root = object({{"a", tuple({str("x"), num(1)})}, {"b", num(2)}});
  const Value result = *transform(root, shout, &visited);
  EXPECT_TRUE(raw_equal(result, object({{"a", tuple({str("x!"), num(1)})}, {"b", num(2)}})));
  EXPECT_EQ(visited, (std::vector<std::string>{".a[0]", ".a[1]", ".a", ".b", ""}));
}

TEST(Transform, KeepsMarksAndSharesWhatDidNotChange) {
  std::vector<std::string> visited;
  const Value same = Value::list(Type::number(), {num(1)}).with_marks(Marks::sensitive());
  const Value root =
      tuple({same, Value::map(Type::string(), {{"k", str("v")}}).with_marks(Marks::ephemeral())});
  const Value result = *transform(root, shout, &visited);
  EXPECT_TRUE(result.plain().items()[0].is_same(same));
  EXPECT_TRUE(
      raw_equal(result.plain().items()[1],
                Value::map(Type::string(), {{"k", str("v!")}}).with_marks(Marks::ephemeral())));
}

TEST(Transform, MayChangeTypes) {
  const auto to_text = [](void*, const Path&, const Value& v) -> PathResult<Value> {
    if (v.kind() == Kind::Number) return str(v.plain().as_number().to_string());
    return v;
  };
  const Value result = *transform(Value::list(Type::number(), {num(1), num(2)}), to_text, nullptr);
  EXPECT_EQ(result.type(), Type::list(Type::string()));
}

TEST(Transform, StopsAtAnError) {
  const auto refuse = [](void*, const Path& path, const Value& v) -> PathResult<Value> {
    if (v.is_null()) return PathError{path, "no nulls here"};
    return v;
  };
  const auto result = transform(tuple({num(1), tuple({Value::null()})}), refuse, nullptr);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(to_string(result.error().path), "[1][0]");
}

TEST(Transform, GoesAsDeepAsTheValue) {
  Value v = str("x");
  for (int i = 0; i < 100'000; ++i) v = tuple({v});
  const auto same = [](void*, const Path&, const Value& part) -> PathResult<Value> { return part; };
  EXPECT_TRUE(transform(v, same, nullptr)->is_same(v));
}

}  // namespace
}  // namespace tofu::value
