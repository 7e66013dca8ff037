// Names and functions of every sort, for evaluating in tests and fuzz targets:
// known, unknown, refined, null, sensitive and ephemeral values, and functions
// that tell what they see of their arguments.
#pragma once

#include <algorithm>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "diag/diagnostic.h"
#include "syntax/eval.h"
#include "syntax/function.h"
#include "syntax/map_scope.h"
#include "value/value.h"

namespace tofu::syntax {

// u…: unknown; s…: sensitive; n…: null; otherwise what the letters stand for.
inline MapScope::Values test_values() {
  using value::Bound;
  using value::Number;
  using value::Type;
  using value::Value;
  const auto text = [](std::string_view t) { return Value::string(t); };
  const auto sensitive = [](const Value& v) { return v.with_marks(value::Marks::sensitive()); };
  const Type string = Type::string();
  const Type number = Type::number();
  const Type object = Type::object({{"a", string}, {"b", number}});
  const std::vector<Type> pair{string, number};
  const Value o = Value::object({{"a", text("x")}, {"b", Value::integer(2)}});
  const Value l = Value::list(string, {text("a"), text("b")});
  const Value row = Value::object({{"a", text("x")}});
  const Value other_row = Value::object({{"a", text("y")}});
  value::Refinements one_to_five;
  one_to_five.lower = Bound{Number(1), true};
  one_to_five.upper = Bound{Number(5), true};
  value::Refinements three_to_seven;
  three_to_seven.not_null = true;
  three_to_seven.lower = Bound{Number(3), false};
  three_to_seven.upper = Bound{Number(7), false};
  value::Refinements prefix;
  prefix.not_null = true;
  prefix.prefix = "ami-";
  value::Refinements two_to_four;
  two_to_four.not_null = true;
  two_to_four.length_min = 2;
  two_to_four.length_max = 4;
  return {
      {"any", Value::unknown()},
      {"ub", Value::unknown(Type::boolean())},
      {"un", Value::unknown(number)},
      {"us", Value::unknown(string)},
      {"ul", Value::unknown(Type::list(string))},
      {"um", Value::unknown(Type::map(string))},
      {"uo", Value::unknown(object)},
      {"ut", Value::unknown(Type::tuple(pair))},
      {"u15", Value::unknown(number).refined(one_to_five)},
      {"u37", Value::unknown(number).refined(three_to_seven)},
      {"upre", Value::unknown(string).refined(prefix)},
      {"ul2", Value::unknown(Type::list(string)).refined(two_to_four)},
      {"uon", Value::unknown(object).refined_not_null()},
      {"sany", sensitive(Value::unknown())},
      {"sub", sensitive(Value::unknown(Type::boolean()))},
      {"sun", sensitive(Value::unknown(number))},
      {"sul", sensitive(Value::unknown(Type::list(string)))},
      {"sn", sensitive(Value::integer(7))},
      {"ss", sensitive(text("secret"))},
      {"sb", sensitive(Value::boolean(true))},
      {"sf", sensitive(Value::boolean(false))},
      {"sl", sensitive(Value::list(string, {text("x"), text("y")}))},
      {"slp", Value::list(string, {sensitive(text("x")), text("y")})},
      {"sm", sensitive(Value::map(string, {{"k", text("x")}}))},
      {"so", sensitive(o)},
      {"sop", Value::object({{"a", sensitive(text("x"))}, {"b", Value::integer(2)}})},
      {"snull", sensitive(Value::null(string))},
      {"em", text("e").with_marks(value::Marks::ephemeral())},
      {"l", l},
      {"el", Value::list(string, {})},
      {"lu", Value::list(string, {text("a"), Value::unknown(string)})},
      {"lo", Value::list(row.type(), {row, other_row})},
      {"lob", Value::list(row.type(), {Value::object({{"a", Value::null(string)}}), other_row})},
      {"m", Value::map(string, {{"k", text("v")}, {"z", text("w")}})},
      {"s", Value::set(string, {text("b"), text("a")})},
      {"so1", Value::set(row.type(), {row})},
      {"o", o},
      {"t", Value::tuple({text("a"), Value::integer(1)})},
      {"ns", Value::null(string)},
      {"nn", Value::null(number)},
      {"nb", Value::null(Type::boolean())},
      {"nl", Value::null(Type::list(string))},
  };
}

// A function of one argument `v` that answers what it saw.
inline Function seeing(std::string name, Parameter parameter,
                       std::string (*saw)(const value::Value&)) {
  Function function;
  function.name = std::move(name);
  function.parameters = {std::move(parameter)};
  function.result_type = always(value::Type::string());
  function.body = [saw](Arguments arguments, value::Type) -> CallResult<value::Value> {
    return value::Value::string(saw(arguments[0]));
  };
  return function;
}

inline std::vector<Function> test_functions() {
  using value::Type;
  using value::Value;
  const auto what = [](const Value& v) -> std::string {
    if (v.is_marked()) return "marked";
    return v.is_null() ? "null" : v.is_unknown() ? "unknown" : "value";
  };
  const Type any = Type::dynamic();
  std::vector<Function> list;
  list.push_back(seeing("plain", {.name = "v", .type = any}, what));
  list.push_back(seeing("sees_null", {.name = "v", .type = any, .allow_null = true}, what));
  list.push_back(seeing("sees_unknown", {.name = "v", .type = any, .allow_unknown = true}, what));
  list.push_back(seeing("sees_any", {.name = "v", .type = any, .allow_dynamic = true}, what));
  list.push_back(seeing("sees_marks", {.name = "v", .type = any, .allow_marked = true}, what));
  Function same;
  same.name = "same";
  same.parameters = {{.name = "v", .type = Type::list(any)}};
  same.result_type = [](Arguments given) -> CallResult<Type> { return given[0].type(); };
  same.body = [](Arguments given, Type) -> CallResult<Value> { return given[0]; };
  list.push_back(same);
  Function joined;
  joined.name = "joined";
  joined.parameters = {{.name = "first", .type = Type::string()}};
  joined.variadic = Parameter{.name = "more", .type = Type::number(), .allow_dynamic = true};
  joined.result_type = always(Type::string());
  joined.result_not_null = true;
  joined.body = [](Arguments given, Type) -> CallResult<Value> {
    if (given[0].plain().as_string() == "fail") return CallError{"it was told to", std::nullopt};
    if (given[0].plain().as_string() == "argument") return argument_error(1, "not this one");
    return Value::string(std::string(given[0].plain().as_string()) +
                         std::to_string(given.size() - 1));
  };
  list.push_back(joined);
  Function attempt;
  attempt.name = "attempt";
  attempt.variadic = Parameter{.name = "expressions", .type = any};
  attempt.lazy = [](const LazyCall& call, diag::Diagnostics& diags) -> std::optional<Value> {
    for (std::size_t i = 0; i < call.size(); ++i) {
      diag::Diagnostics ignored;
      if (auto result = call.evaluate(i, ignored)) return result;
    }
    diags.error("Nothing works");
    return std::nullopt;
  };
  list.push_back(attempt);
  Function endless;
  endless.name = "endless";
  endless.result_type = always(Type::string());
  endless.body = [](Arguments, Type) -> CallResult<Value> { throw std::bad_alloc(); };
  list.push_back(endless);
  Function first;
  first.name = "first";
  first.parameters = {{.name = "expression", .type = any}};
  first.lazy = [](const LazyCall& call, diag::Diagnostics& diags) {
    return call.evaluate(0, diags);
  };
  list.push_back(first);
  Function inner;
  inner.name = "space::inner";
  inner.result_type = always(Type::string());
  inner.body = [](Arguments, Type) -> CallResult<Value> { return Value::string("inner"); };
  list.push_back(inner);
  return list;
}

// Keeps the functions that its scope finds.
class TestScope {
 public:
  TestScope() : TestScope(test_values()) {}
  explicit TestScope(MapScope::Values values)
      : scope_(
            std::move(values), [this](std::string_view name) { return find(name); },
            [this] { return names(); }) {}
  TestScope(const TestScope&) = delete;
  TestScope& operator=(const TestScope&) = delete;

  const Scope& operator*() const { return scope_; }
  const Scope* operator&() const { return &scope_; }

 private:
  const Function* find(std::string_view name) const {
    const auto found = std::ranges::find(functions_, name, &Function::name);
    return found == functions_.end() ? nullptr : &*found;
  }
  std::vector<std::string_view> names() const {
    std::vector<std::string_view> out;
    for (const Function& function : functions_) out.push_back(function.name);
    return out;
  }

  std::vector<Function> functions_ = test_functions();
  MapScope scope_;
};

}  // namespace tofu::syntax
