// An interrupt ends long evaluations.
#include <gtest/gtest.h>

#include "syntax/map_scope.h"
#include "tests/syntax/evaluated.h"

namespace tofu::syntax {
namespace {

// How many times the scope was asked, and what was reported.
struct Outcome {
  int looks = 0;
  std::vector<std::string> errors;
  bool has_value = false;
};

Outcome interrupted_after(int looks, std::string_view text) {
  std::vector<value::Value> items;
  for (int i = 0; i < 2000; ++i) items.push_back(value::Value::number(value::Number(i)));
  const value::Type element = value::Type::number();
  Outcome out;
  const MapScope scope({{"many", value::Value::list(element, std::move(items))}}, {}, {},
                       [&] { return ++out.looks > looks; });
  diag::SourceMap sources;
  diag::Diagnostics diags;
  const auto file = parse_expression(sources, sources.add("test", std::string(text)), diags);
  out.has_value = evaluate(*file->expr, &scope, diags).has_value();
  for (const diag::Diagnostic& each : diags.items()) out.errors.push_back(each.summary);
  return out;
}

TEST(Interrupt, EndsNestedLoopsWithOneError) {
  for (const std::string_view text :
       {"[for a in many : [for b in many : [for c in many : c]]]",
        "{for a in many : a => {for b in many : b => [for c in many : c]}}",
        R"("%{for a in many}%{for b in many}%{for c in many}x%{endfor}%{endfor}%{endfor}")"}) {
    const Outcome out = interrupted_after(3, text);
    EXPECT_EQ(out.errors, std::vector<std::string>{"Evaluation interrupted"}) << text;
    EXPECT_EQ(out.looks, 4) << text;
    EXPECT_FALSE(out.has_value) << text;
  }
}

TEST(Interrupt, LeavesShortExpressionsAlone) {
  const Outcome out = interrupted_after(0, "[many[0], many[1] + 1]");
  EXPECT_TRUE(out.errors.empty());
  EXPECT_TRUE(out.has_value);
}

}  // namespace
}  // namespace tofu::syntax
