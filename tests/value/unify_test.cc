#include <gtest/gtest.h>
#include <vector>

#include "tests/value/make.h"
#include "tests/value/show.h"
#include "value/convert.h"

namespace tofu::value {
namespace {

std::string common(std::string_view tuple_of_types, Safety safety) {
  const Type types = type_of(tuple_of_types);
  const auto result = unify(types.elements(), safety);
  return result ? show(*result) : "none";
}

struct Row {
  const char* types;
  const char* safe;
  const char* unsafe;
};

TEST(Unify, FindsTheTypeThatAllBecome) {
  for (const Row& row : std::vector<Row>{
           {R"(["tuple",["string"]])", "string", "string"},
           {R"(["tuple",["number","string"]])", "string", "string"},
           {R"(["tuple",["bool","number"]])", "none", "none"},
           {R"(["tuple",["bool","number","string"]])", "string", "string"},
           {R"(["tuple",["dynamic","string"]])", "any", "string"},
           {R"(["tuple",["dynamic","dynamic"]])", "any", "any"},
           {R"(["tuple",["string",["list","string"]]])", "none", "none"},
           {R"(["tuple",["string",["list","string"],"dynamic"]])", "any", "any"},
           // collections
           {R"(["tuple",[["list","string"],["list","number"]]])", "list(string)", "list(string)"},
           {R"(["tuple",[["list","string"],["set","string"]]])", "list(string)", "list(string)"},
           {R"(["tuple",[["list","number"],["set","string"]]])", "none", "list(number)"},
           {R"(["tuple",[["list","string"],["map","string"]]])", "none", "none"},
           {R"(["tuple",[["map","string"],"dynamic"]])", "any", "any"},
           // tuples
           {R"(["tuple",[["tuple",["string"]],["tuple",["number"]]]])", "[string]", "[string]"},
           {R"(["tuple",[["tuple",["string","bool"]],["tuple",["number"]]]])", "list(string)",
            "list(string)"},
           {R"(["tuple",[["tuple",["bool"]],["tuple",["number"]]]])", "none", "none"},
           {R"(["tuple",[["tuple",[]],["tuple",["number"]]]])", "list(number)", "list(number)"},
           {R"(["tuple",[["tuple",[]],["list","number"]]])", "list(number)", "list(number)"},
           {R"(["tuple",[["tuple",["number","bool"]],["list","string"]]])", "list(string)",
            "list(string)"},
           {R"(["tuple",[["tuple",["number"]],"dynamic"]])", "any", "any"},
           {R"(["tuple",[["tuple",["number"]],["set","string"]]])", "set(string)", "set(string)"},
           // objects
           {R"(["tuple",[["object",{"a":"string"}],["object",{"a":"bool"}]]])", "{a=string}",
            "{a=string}"},
           {R"(["tuple",[["object",{"a":"string"}],["object",{"b":"bool"}]]])", "map(string)",
            "map(string)"},
           {R"(["tuple",[["object",{"a":"number"}],["object",{"a":"bool"}]]])", "none", "none"},
           {R"(["tuple",[["object",{"a":["tuple",[]]}],["object",{"a":"dynamic"}]]])", "{a=any}",
            "{a=any}"},
           {R"(["tuple",[["object",{"a":"number"}],["map","string"]]])", "map(string)",
            "map(string)"},
           {R"(["tuple",[["object",{}],["map","string"]]])", "map(string)", "map(string)"},
           {R"(["tuple",[["object",{"a":"number"}],["tuple",["number"]]]])", "none", "none"},
           {R"(["tuple",[["map","dynamic"],["object",{"a":"string","b":["list","string"]}]]])",
            "none", "{a=string, b=list(string)}"},
       }) {
    EXPECT_EQ(common(row.types, Safety::SafeOnly), row.safe) << "safe: " << row.types;
    EXPECT_EQ(common(row.types, Safety::AllowUnsafe), row.unsafe) << "unsafe: " << row.types;
  }
}

TEST(Unify, NothingUnifiesToNothing) { EXPECT_EQ(unify({}, Safety::AllowUnsafe), std::nullopt); }

TEST(UnifyValues, ConvertsEachValue) {
  const std::vector<Value> values{num(1), sensitive(str("a")), Value::unknown(Type::boolean())};
  const auto result = unify_values(values, Safety::AllowUnsafe);
  ASSERT_TRUE(result.has_value());
  ASSERT_TRUE(result->ok());
  const Unified& all = result->value();
  EXPECT_EQ(all.type, Type::string());
  EXPECT_EQ(show(all.values[0]), R"("1")");
  EXPECT_EQ(show(all.values[1]), R"(sensitive("a"))");
  EXPECT_EQ(show(all.values[2]), "unknown(string)");
}

TEST(UnifyValues, StructuresBesideAnyWaitForIt) {
  const std::vector<Value> values{tuple({num(1)}), Value::unknown()};
  const auto result = unify_values(values, Safety::AllowUnsafe);
  ASSERT_TRUE(result.has_value());
  ASSERT_TRUE(result->ok());
  EXPECT_EQ(show(result->value().values[0]), "unknown(any)");
}

TEST(UnifyValues, AValueMayRefuse) {
  const std::vector<Value> values{Value::list(Type::number(), {num(1)}),
                                  Value::set(Type::string(), {str("x")})};
  const auto result = unify_values(values, Safety::AllowUnsafe);
  ASSERT_TRUE(result.has_value());
  ASSERT_FALSE(result->ok());
  EXPECT_EQ(to_string(result->error()), "element 0: a number is required");
}

}  // namespace
}  // namespace tofu::value
