// The rules of variables, outputs and conditions, with known values.
#include <gmock/gmock.h>
#include <map>
#include <string>
#include <utility>

#include "eval/conditions.h"
#include "eval/lifecycle.h"
#include "eval/outputs.h"
#include "eval/variables.h"
#include "tests/eval/in_memory.h"
#include "tests/syntax/plain_text.h"

namespace tofu::eval {
namespace {

using plans::CheckStatus;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using value::Value;

// What each row is, by its name; everything else is unknown.
class GivenValues final : public Values {
 public:
  explicit GivenValues(const Program& program) : program_(program) {}

  Value of(ModuleInstanceId, ObjectId object) const override {
    const auto found = given.find(describe(program_, object));
    return found == given.end() ? Value::unknown() : found->second;
  }
  Value of_call(ModuleInstanceId, config::ModuleId) const override { return Value::unknown(); }
  std::optional<Value> of_output(ModuleInstanceId, ObjectId, const Value*) const override {
    return std::nullopt;
  }

  std::map<std::string, Value> given;

 private:
  const Program& program_;
};

class RulesTest : public InMemory {
 protected:
  // A configuration with two variables that rules can use.
  void configure(const std::string& text) {
    diags_ = {};
    write(".", "variable \"n\" {}\nvariable \"later\" {}\n" + text);
    program_.emplace(compiled());
    values_.emplace(*program_);
    values_->given["var.n"] = Value::integer(1);
    deprecations_.emplace(*program_->tree, DeprecationLevel::None);
    evaluation_.emplace(Evaluation{*program_, *values_, functions(), facts_, *deprecations_});
  }
  const config::Module& module() const { return *program_->node({0}).module; }
  ModuleScope names() const {
    return ModuleScope(*evaluation_, InstanceScope(config::ModuleId{0}));
  }
  std::vector<std::string> summaries() const {
    std::vector<std::string> out;
    for (const diag::Diagnostic& each : diags_.items()) {
      out.push_back((each.severity == diag::Severity::Error ? "error: " : "warning: ") +
                    each.summary);
    }
    return out;
  }

  RunInfo facts_;
  std::optional<Program> program_;
  std::optional<GivenValues> values_;
  std::optional<Deprecations> deprecations_;
  std::optional<Evaluation> evaluation_;
};

std::string rule(std::string_view kind, std::string_view condition, std::string_view message) {
  return fmt::format("  {} {{\n    condition = {}\n    error_message = {}\n  }}\n", kind, condition,
                     message);
}

TEST_F(RulesTest, EachRuleHasAResult) {
  configure("check \"c\" {\n" + rule("assert", "var.n == 1", "\"no\"") +
            rule("assert", "var.n == 2", "\" has to be ${var.n + 1} \"") +
            rule("assert", "var.later", "\"no\"") + rule("assert", "[var.n]", "\"no\"") + "}\n");

  const auto results =
      evaluate_rules(module().checks.find("c")->asserts, addrs::CheckRuleKind::CheckAssertion,
                     names(), diag::Severity::Warning, diags_);

  ASSERT_EQ(results.size(), 4U);
  EXPECT_EQ(results[0].status, CheckStatus::Pass);
  EXPECT_EQ(results[1].status, CheckStatus::Fail);
  EXPECT_EQ(results[1].message, "has to be 2");
  EXPECT_EQ(results[2].status, CheckStatus::Unknown);
  EXPECT_EQ(results[3].status, CheckStatus::Error);
  EXPECT_THAT(summaries(), ElementsAre("warning: Check block assertion failed",
                                       "warning: Assertion cannot be checked yet",
                                       "error: Invalid condition result"));
}

TEST_F(RulesTest, SelfIsWhatTheScopeSays) {
  configure("resource \"terraform_data\" \"x\" {\n  lifecycle {\n" +
            rule("postcondition", "self.id == \"a\"", "\"is ${self.id}\"") + "  }\n}\n");
  const config::Resource& resource = *module().managed_resources.find("terraform_data.x");
  InstanceScope instance_scope{config::ModuleId{0}};
  instance_scope.self = &resource;
  instance_scope.self_value = Value::object({{"id", Value::string("b")}});

  const auto results =
      evaluate_rules(resource.postconditions, addrs::CheckRuleKind::ResourcePostcondition,
                     ModuleScope(*evaluation_, instance_scope), diag::Severity::Error, diags_);

  ASSERT_EQ(results.size(), 1U);
  EXPECT_EQ(results[0].message, "is b");
  EXPECT_THAT(summaries(), ElementsAre("error: Resource postcondition failed"));
}

TEST_F(RulesTest, ValidationsSeeTheValueThatIsGiven) {
  configure("variable \"v\" {\n" + rule("validation", "var.v > var.n", "\"more than ${var.n}\"") +
            rule("validation", "var.v != 0", "\"not ${var.later}\"") + "}\n");
  const config::Variable& variable = *module().variables.find("v");
  const auto results_with = [&](std::int64_t v, UnknownMessage unknown) {
    diags_ = {};
    const ModuleScope inside(*evaluation_, scope_to_validate(variable, Value::integer(v),
                                                             InstanceScope(config::ModuleId{0})));
    std::vector<CheckStatus> out;
    for (const RuleResult& each :
         evaluate_validations(variable, nullptr, inside, unknown, diags_)) {
      out.push_back(each.status);
    }
    return out;
  };

  EXPECT_THAT(results_with(2, UnknownMessage::Refused),
              ElementsAre(CheckStatus::Pass, CheckStatus::Pass));
  EXPECT_THAT(summaries(), IsEmpty());
  // The rules after one that does not hold may rely on it, so they are not looked at.
  EXPECT_THAT(results_with(0, UnknownMessage::Refused), ElementsAre(CheckStatus::Fail));
  EXPECT_THAT(summaries(), ElementsAre("error: Invalid value for variable"));
}

TEST_F(RulesTest, AVariableIsConvertedAndMarked) {
  configure(
      "variable \"v\" {\n  type = object({ a = number, b = optional(string, \"x\") })\n"
      "  sensitive = true\n}\n"
      "variable \"w\" {\n  default = 3\n  nullable = false\n}\n"
      "variable \"needed\" {\n  nullable = false\n}\n");
  const auto settle = [&](const char* name, Value v) {
    return settle_argument(*module().variables.find(name), std::move(v), {}, {}, diags_);
  };

  const auto v = settle("v", Value::object({{"a", Value::string("1")}}));
  ASSERT_TRUE(v);
  EXPECT_TRUE(v->marks().is_sensitive());
  EXPECT_EQ(syntax::plain_text(v->unmarked()), "{a = 1, b = \"x\"}");
  EXPECT_EQ(syntax::plain_text(*settle("w", Value())), "3");
  EXPECT_FALSE(settle("needed", Value()));
  EXPECT_FALSE(settle("w", Value::integer(1).with_marks(value::Marks::ephemeral())));
  EXPECT_THAT(summaries(), ElementsAre("error: Required variable not set",
                                       "error: Variable does not allow ephemeral value"));
}

TEST_F(RulesTest, AnOutputIsMarkedAsDeclared) {
  configure("output \"o\" {\n  value = var.n\n  sensitive = true\n" +
            rule("precondition", "var.n == 1", "\"no\"") + "}\n");

  const OutputResult result =
      evaluate_output(*module().outputs.find("o"), names(), diag::Severity::Error, diags_);

  ASSERT_TRUE(result.value);
  EXPECT_TRUE(result.value->marks().is_sensitive());
  ASSERT_EQ(result.preconditions.size(), 1U);
  EXPECT_EQ(result.preconditions[0].status, CheckStatus::Pass);
}

TEST_F(RulesTest, OnlyAnErrorKeepsAnOutputFromBeingEvaluated) {
  configure("output \"o\" {\n  value = var.n\n" + rule("precondition", "var.n == 2", "\"no\"") +
            "}\n");
  const config::Output& output = *module().outputs.find("o");

  EXPECT_TRUE(evaluate_output(output, names(), diag::Severity::Warning, diags_).value);
  EXPECT_FALSE(evaluate_output(output, names(), diag::Severity::Error, diags_).value);
}

TEST_F(RulesTest, PreventDestroyIsABool) {
  const auto prevents = [&](const std::string& text) {
    configure("resource \"terraform_data\" \"x\" {\n  lifecycle {\n" + text + "  }\n}\n");
    const auto v = evaluate_prevent_destroy(*module().managed_resources.find("terraform_data.x"),
                                            names(), diags_);
    return v ? syntax::plain_text(*v) : "error";
  };

  EXPECT_EQ(prevents(""), "false");
  EXPECT_EQ(prevents("prevent_destroy = var.n == 1\n"), "true");
  EXPECT_EQ(prevents("prevent_destroy = var.later\n"), "unknown(bool)");
  EXPECT_EQ(prevents("prevent_destroy = sensitive(true)\n"), "error");
}

}  // namespace
}  // namespace tofu::eval
