// Evaluating expressions in tests, with every function and some unknown values.
//
// Names: unk.string, unk.number, unk.bool, unk.list (of strings), unk.set (of
// strings), unk.map (of strings), unk.tuple (a string and a number), unk.object
// (with a string a), unk.any, and unk.subnet (a string that starts with
// "subnet-"); secret.* are the same as known.* but sensitive, key.* ephemeral.
#pragma once

#include <gtest/gtest.h>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "diag/diagnostic.h"
#include "diag/source.h"
#include "functions/table.h"
#include "syntax/eval.h"
#include "syntax/map_scope.h"
#include "syntax/parser.h"
#include "value/value.h"

namespace tofu::functions {

// What an expression gave: a value, or where its first error points.
struct Evaluated {
  std::optional<value::Value> value;
  std::size_t place = std::string::npos;  // in bytes
  std::string message;                    // summary and detail
  std::string shown;  // of all errors: their details, and the values beside them
};

class Evaluation {
 public:
  Evaluation() : table_(environment()), scope_(values(), finder()) {}

  Evaluated run(std::string_view text) {
    const diag::FileId file = sources_.add("test", std::string(text));
    diag::Diagnostics diags;
    files_.push_back(syntax::parse_expression(sources_, file, diags));
    Evaluated result;
    if (!diags.has_errors()) result.value = evaluate(*files_.back()->expr, &scope_, diags);
    for (const diag::Diagnostic& problem : diags.items()) {
      result.shown += problem.detail;
      for (const diag::ShownValue& each : problem.values) {
        result.shown += each.traversal + each.statement;
      }
    }
    for (const diag::Diagnostic& problem : diags.items()) {
      if (problem.severity != diag::Severity::Error) continue;
      if (problem.subject) result.place = problem.subject->begin;
      result.message = problem.summary + ": " + problem.detail;
      break;
    }
    return result;
  }

 private:
  using Value = value::Value;
  using Type = value::Type;

  static Environment environment() {
    Environment environment;
    environment.working_directory = "/";
    environment.console = true;
    return environment;
  }

  static syntax::MapScope::Values values() {
    const Type string = Type::string();
    const Type members[] = {string, Type::number()};
    value::Refinements start;
    start.prefix = "subnet-";
    const Value unknowns = Value::object({
        {"any", Value::unknown()},
        {"bool", Value::unknown(Type::boolean())},
        {"list", Value::unknown(Type::list(string))},
        {"map", Value::unknown(Type::map(string))},
        {"number", Value::unknown(Type::number())},
        {"object", Value::unknown(Type::object({{"a", string}}))},
        {"set", Value::unknown(Type::set(string))},
        {"string", Value::unknown(string)},
        {"subnet", Value::unknown(string).refined(start)},
        {"tuple", Value::unknown(Type::tuple(members))},
    });
    const auto knowns = [&](value::Marks marks) {
      const Value text = Value::string("text");
      return Value::object({
          {"list", Value::list(string, {text}).with_marks(marks)},
          {"map", Value::map(string, {{"a", text}}).with_marks(marks)},
          {"number", Value::integer(7).with_marks(marks)},
          {"string", text.with_marks(marks)},
      });
    };
    return {{"unk", unknowns},
            {"known", knowns({})},
            {"secret", knowns(value::Marks::sensitive())},
            {"key", knowns(value::Marks::ephemeral())},
            {"old", knowns(value::Marks::deprecated({"module.a.b", "use c", false}))}};
  }

  syntax::MapScope::FindFunction finder() {
    return [this](std::string_view name) { return table_.find(name); };
  }

  diag::SourceMap sources_;
  Table table_;
  syntax::MapScope scope_;
  std::vector<std::unique_ptr<syntax::File>> files_;  // errors point into them
};

// Both expressions give the very same value, with type and marks.
struct SameRow {
  std::string_view expression;
  std::string_view same_as;
};

inline void expect_same(std::initializer_list<SameRow> rows) {
  Evaluation evaluation;
  for (const auto& [expression, same_as] : rows) {
    const Evaluated got = evaluation.run(expression);
    const Evaluated want = evaluation.run(same_as);
    ASSERT_TRUE(got.value.has_value()) << expression << " failed: " << got.message;
    ASSERT_TRUE(want.value.has_value()) << same_as << " failed: " << want.message;
    EXPECT_TRUE(raw_equal(*got.value, *want.value)) << expression << " is not " << same_as;
  }
}

// Each expression fails, and the error points at what stands between « and ».
inline void expect_faults(std::initializer_list<std::string_view> marked_expressions) {
  constexpr std::string_view kOpen = "«";
  constexpr std::string_view kClose = "»";
  Evaluation evaluation;
  for (const std::string_view marked : marked_expressions) {
    std::string text(marked);
    const std::size_t begin = text.find(kOpen);
    text.erase(begin, kOpen.size());
    const std::size_t end = text.find(kClose);
    text.erase(end, kClose.size());
    const Evaluated got = evaluation.run(text);
    EXPECT_FALSE(got.value.has_value()) << marked << " has no error";
    EXPECT_TRUE(begin <= got.place && got.place < end)
        << marked << ": " << got.message << " at " << got.place;
  }
}

}  // namespace tofu::functions
