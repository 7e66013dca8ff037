#include "eval/module_scope.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <vector>

#include "eval/expressions.h"
#include "eval/repetition.h"
#include "eval/shape.h"
#include "tests/eval/in_memory.h"
#include "tests/syntax/plain_text.h"

namespace tofu::eval {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using value::Value;

// Values that remember what was asked of them.
class Asked final : public Values {
 public:
  explicit Asked(const Program& program) : program_(program) {}

  Value of(ModuleInstanceId module, ObjectId object) const override {
    return note(module, "all of " + describe(program_, object));
  }
  std::optional<Value> of_instance(ModuleInstanceId module, ObjectId object,
                                   const Value& key) const override {
    if (only_whole) return std::nullopt;
    return note(module, describe(program_, object) + "[" + syntax::plain_text(key) + "]");
  }
  Value of_call(ModuleInstanceId module, config::ModuleId called) const override {
    note(module, "all of " + program_.node(called).path.to_string());
    return Value::object({{"out", Value::string("whole")}});
  }
  std::optional<Value> of_output(ModuleInstanceId module, ObjectId output,
                                 const Value* key) const override {
    return note(module, describe(program_, output) +
                            (key == nullptr ? "" : " of " + syntax::plain_text(*key)));
  }

  bool only_whole = false;
  mutable std::vector<std::string> asked;

 private:
  Value note(ModuleInstanceId module, std::string what) const {
    asked.push_back(module.index == 0 ? what : fmt::format("{}: {}", module.index, what));
    return Value::object({{"id", Value::string("x")}, {"k", Value::object({{"id", Value()}})}});
  }

  const Program& program_;
};

class NamesTest : public InMemory {
 protected:
  // What evaluating the local `it` asks for, with each.key "k", in an instance of the root.
  std::vector<std::string> asked_for(const std::string& expression, std::uint32_t instance = 0) {
    write("./m", "output \"out\" {\n  value = 1\n}\n");
    write(".",
          "resource \"terraform_data\" \"one\" {}\n"
          "resource \"terraform_data\" \"many\" {\n  for_each = toset([\"k\"])\n}\n"
          "module \"one\" {\n  source = \"./m\"\n}\n"
          "module \"many\" {\n  source = \"./m\"\n  for_each = toset([\"k\"])\n}\n"
          "locals {\n  it = " +
              expression + "\n}\n");
    const Program program = compiled();
    const Asked values(program);
    const RunInfo facts;
    Deprecations deprecations(*program.tree, DeprecationLevel::None);
    const Evaluation evaluation{program, values, functions(), facts, deprecations};
    InstanceScope instance_scope({0}, {instance});
    instance_scope.each_key = Value::string("k");
    const ModuleScope names(evaluation, std::move(instance_scope));
    const syntax::Expr& expr = *program.node({0}).module->locals.find("it")->expr;
    (void)syntax::evaluate(expr, &names, diags_);
    EXPECT_FALSE(diags_.has_errors());
    return values.asked;
  }
};

TEST_F(NamesTest, OneInstanceIsFetchedAlone) {
  EXPECT_THAT(asked_for("terraform_data.many[\"k\"].id"),
              ElementsAre("terraform_data.many[\"k\"]"));
}

TEST_F(NamesTest, OneInstanceIsFetchedAloneByAKeyThatIsEvaluated) {
  EXPECT_THAT(asked_for("terraform_data.many[each.key].id"),
              ElementsAre("terraform_data.many[\"k\"]"));
  EXPECT_THAT(asked_for("terraform_data.many[lower(\"K\")]"),
              ElementsAre("terraform_data.many[\"k\"]"));
}

TEST_F(NamesTest, AWholeResourceIsFetchedForAnythingElse) {
  EXPECT_THAT(asked_for("terraform_data.one.id"), ElementsAre("all of terraform_data.one"));
  EXPECT_THAT(asked_for("keys(terraform_data.many)"), ElementsAre("all of terraform_data.many"));
}

TEST_F(NamesTest, OneOutputIsFetchedAlone) {
  EXPECT_THAT(asked_for("module.one.out"), ElementsAre("module.one.output.out"));
  EXPECT_THAT(asked_for("module.many[\"k\"].out"), ElementsAre("module.many.output.out of \"k\""));
  EXPECT_THAT(asked_for("module.many[each.key].out.id"),
              ElementsAre("module.many.output.out of \"k\""));
}

TEST_F(NamesTest, AWholeModuleIsFetchedForAnythingElse) {
  EXPECT_THAT(asked_for("keys(module.one)"), ElementsAre("all of module.one"));
  EXPECT_THAT(asked_for("[for m in [module.many] : m]"), ElementsAre("all of module.many"));
}

TEST_F(NamesTest, ValuesAreThoseOfTheModuleInstance) {
  EXPECT_THAT(asked_for("[terraform_data.one, module.one.out]", 7),
              ElementsAre("7: all of terraform_data.one", "7: module.one.output.out"));
}

class EnabledTest : public InMemory {
 protected:
  // The value of `expression` as an `enabled` argument, or the summary of its error.
  std::string enabled(const std::string& expression) {
    diags_ = {};
    write(".",
          "variable \"secret\" {\n  sensitive = true\n}\n"
          "variable \"later\" {\n  type = bool\n}\n"
          "locals {\n  it = " +
              expression + "\n}\n");
    const Program program = compiled();
    class Unknowns final : public Values {
     public:
      Value of(ModuleInstanceId, ObjectId) const override {
        return Value::unknown().with_marks(marks);
      }
      Value of_call(ModuleInstanceId, config::ModuleId) const override { return Value::unknown(); }
      std::optional<Value> of_output(ModuleInstanceId, ObjectId, const Value*) const override {
        return std::nullopt;
      }
      value::Marks marks;
    } values;
    if (expression == "var.secret") values.marks = value::Marks::sensitive();
    const RunInfo facts;
    Deprecations deprecations(*program.tree, DeprecationLevel::None);
    const Evaluation evaluation{program, values, functions(), facts, deprecations};
    const ModuleScope names(evaluation, InstanceScope(config::ModuleId{0}));
    const auto truth =
        evaluate_enabled(*program.node({0}).module->locals.find("it")->expr, names, diags_);
    return truth ? syntax::plain_text(*truth) : diags_.items()[0].summary;
  }
};

TEST_F(EnabledTest, IsABool) {
  EXPECT_EQ(enabled("true"), "true");
  EXPECT_EQ(enabled("\"false\""), "false");
  EXPECT_EQ(enabled("var.later"), "unknown(bool)");
}

TEST_F(EnabledTest, RefusesWhatIsNeitherTrueNorFalse) {
  EXPECT_EQ(enabled("null"), "Invalid enabled argument");
  EXPECT_EQ(enabled("\"maybe\""), "Invalid enabled argument");
  EXPECT_EQ(enabled("[]"), "Invalid enabled argument");
}

TEST_F(EnabledTest, RefusesSecretsBecauseTheInstanceWouldShowThem) {
  EXPECT_EQ(enabled("var.secret"), "Invalid enabled argument");
}

}  // namespace
}  // namespace tofu::eval
