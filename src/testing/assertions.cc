#include "testing/assertions.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <string>
#include <utility>

#include "addrs/reference.h"
#include "eval/conditions.h"
#include "eval/expressions.h"
#include "eval/shape.h"
#include "schema/consistency.h"
#include "syntax/analysis.h"
#include "syntax/shown.h"
#include "syntax/shown_difference.h"
#include "value/convert.h"
#include "value/marks.h"

namespace tofu::testing {

namespace {

using plans::TestStatus;
using value::Type;
using value::Value;

class AssertionScope final : public syntax::Scope {
 public:
  explicit AssertionScope(const Judged& judged)
      : judged_(judged), root_(judged.root), variables_(judged.variables) {}

  // Whether every name has a value. Names that have none are reported, also where `try`
  // would not mind.
  bool check(const syntax::Expr& expr, diag::Diagnostics& diags) const;

  std::optional<Resolved> resolve(const syntax::Traversal& traversal,
                                  diag::Diagnostics& diags) const override;
  std::optional<Resolved> resolve_element(
      const syntax::Traversal& traversal, const Value& key,
      std::span<const syntax::TraversalStep> after) const override {
    return is_ours(traversal) ? std::nullopt : root_.resolve_element(traversal, key, after);
  }
  const syntax::Function* function(std::string_view name) const override {
    return root_.function(name);
  }
  const syntax::ImportedSymbols* symbols() const override { return root_.symbols(); }
  std::vector<std::string_view> function_names() const override { return root_.function_names(); }
  bool is_interrupted() const override { return root_.is_interrupted(); }

 private:
  bool is_ours(const syntax::Traversal& traversal) const;
  std::optional<Resolved> output(const addrs::OutputValue& address, diag::SourceRange place,
                                 diag::Diagnostics& diags) const;

  const Judged& judged_;
  const eval::ModuleScope& root_;
  const RunVariables& variables_;
};

// Whether the name means something here that it does not mean in the module.
bool AssertionScope::is_ours(const syntax::Traversal& traversal) const {
  if (traversal.root == "output" || traversal.root == "check" || traversal.root == "run") {
    return true;
  }
  if (traversal.root != "var" || traversal.steps.empty()) return false;
  const syntax::TraversalStep& name = traversal.steps.front();
  return name.key == nullptr && root_.module().variables.find(name.name) == nullptr;
}

std::optional<syntax::Scope::Resolved> AssertionScope::output(const addrs::OutputValue& address,
                                                              diag::SourceRange place,
                                                              diag::Diagnostics& diags) const {
  const config::Output* output = root_.module().outputs.find(address.name);
  if (output == nullptr) {
    diags.error("Reference to undeclared output")
        .detail(fmt::format("The module has no output {:?}.", address.name))
        .at(place);
    return std::nullopt;
  }
  const eval::Evaluation& evaluation = root_.evaluation();
  const eval::ModuleRows& rows = evaluation.program.modules[0];
  Value v = evaluation.values.of({}, {rows.first.index + rows.shape->row_of(output)});
  // Outputs are as the state has them: what is not known yet is null there, and what was not
  // evaluated is as it was.
  if (v.unmarked().wholly_known()) return Resolved{std::move(v), 1};
  const auto stored = judged_.before.outputs.find(address.name);
  if (!judged_.is_all_evaluated && v.unmarked().is_unknown() &&
      stored != judged_.before.outputs.end()) {
    return Resolved{stored->second.value, 1};
  }
  const value::Marks marks = v.deep_marks();
  return Resolved{schema::unknown_as_null(v.deep_unmarked()).with_marks(marks), 1};
}

std::optional<syntax::Scope::Resolved> AssertionScope::resolve(const syntax::Traversal& traversal,
                                                               diag::Diagnostics& diags) const {
  if (!is_ours(traversal)) return root_.resolve(traversal, diags);
  const auto reference = addrs::parse_test_reference(traversal, root_.module(), diags);
  if (!reference) return std::nullopt;
  if (const auto* address = std::get_if<addrs::OutputValue>(&reference->subject)) {
    return output(*address, reference->range, diags);
  }
  if (const auto* address = std::get_if<addrs::InputVariable>(&reference->subject)) {
    const std::size_t before = diags.error_count();
    auto v = variables_.undeclared(address->name, diags);
    if (v) return Resolved{std::move(*v), 1};
    if (diags.error_count() == before) return root_.resolve(traversal, diags);
    return std::nullopt;
  }
  if (std::holds_alternative<addrs::Run>(reference->subject)) {
    return variables_.scope().resolve(traversal, diags);
  }
  diags.error("Reference to a check")
      .detail("A check has no value. It can be named in expect_failures only.")
      .at(reference->range);
  return std::nullopt;
}

bool AssertionScope::check(const syntax::Expr& expr, diag::Diagnostics& diags) const {
  const std::size_t before = diags.error_count();
  for (const syntax::Traversal* traversal : syntax::variables(expr)) {
    if (!is_ours(*traversal)) {
      const std::size_t errors = diags.error_count();
      root_.report_unparsed(*traversal, diags);
      if (diags.error_count() == errors) root_.check_static(*traversal, diags);
      if (diags.error_count() == errors && traversal->root == "ephemeral") {
        diags.error("Ephemeral resource in an assertion")
            .detail("When a run has ended, its ephemeral objects are closed: they have no values.")
            .at(traversal->range);
      }
      if (diags.error_count() != errors) continue;
    }
    (void)resolve(*traversal, diags);
  }
  for (const syntax::CallExpr* call : syntax::calls(expr)) root_.check_function(*call, diags);
  return diags.error_count() == before;
}

TestStatus judge(const syntax::Condition& rule, const AssertionScope& scope,
                 diag::Diagnostics& diags) {
  const syntax::Expr& condition = *rule.condition;
  const std::size_t before = diags.error_count();
  const bool is_named = scope.check(condition, diags);
  if (!scope.check(*rule.error_message, diags) || !is_named) return TestStatus::Error;
  const auto said = syntax::evaluate(*rule.error_message, &scope, diags);
  const std::string message =
      said ? eval::message_text(*rule.error_message, *said, scope, diags) : std::string();
  const auto given = syntax::evaluate(condition, &scope, diags);
  if (diags.error_count() != before) return TestStatus::Error;
  const auto refuse = [&](std::string why, bool shows_unknown) {
    diags.error("Invalid condition of an assertion")
        .detail(std::move(why))
        .at(condition.range)
        .values(syntax::shown_values(condition, &scope, {.unknown = shows_unknown}));
    return TestStatus::Error;
  };
  const Value plain = given->unmarked();
  if (plain.is_null()) return refuse("A condition must be true or false, not null.", false);
  if (plain.is_unknown()) {
    return refuse(
        "The condition depends on something that is known only after apply. Use a run that "
        "applies, or give the value with an override.",
        true);
  }
  const auto truth = value::convert(plain, Type::boolean());
  if (!truth) {
    return refuse(
        fmt::format("A condition must be true or false: {}.", value::to_string(truth.error())),
        false);
  }
  if (truth->plain().as_bool()) return TestStatus::Pass;
  diags.error("Test assertion failed")
      .detail(message.empty() ? "The condition does not hold. Its message cannot be shown."
                              : message)
      .at(condition.range)
      .values(syntax::shown_values(condition, &scope))
      .difference(syntax::shown_difference(condition, &scope));
  return TestStatus::Fail;
}

}  // namespace

TestStatus judge_assertions(const std::vector<syntax::Condition>& asserts, const Judged& judged,
                            diag::Diagnostics& diags) {
  const AssertionScope scope(judged);
  TestStatus worst = TestStatus::Pass;
  for (const syntax::Condition& rule : asserts) {
    if (!eval::is_whole(rule)) continue;
    if (judged.warnings != nullptr) {
      judged.warnings->warn_of_uses(*rule.condition, diags);
      judged.warnings->warn_of_uses(*rule.error_message, diags);
    }
    worst = std::max(worst, judge(rule, scope, diags));
  }
  return worst;
}

}  // namespace tofu::testing
