#include "eval/imports.h"

#include <gmock/gmock.h>

#include "tests/eval/in_memory.h"

namespace tofu::eval {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using value::Value;

class NoValues final : public Values {
 public:
  Value of(ModuleInstanceId, ObjectId) const override { return Value::unknown(); }
  Value of_call(ModuleInstanceId, config::ModuleId) const override { return Value::unknown(); }
  std::optional<Value> of_output(ModuleInstanceId, ObjectId, const Value*) const override {
    return std::nullopt;
  }
};

class Imports : public InMemory {
 protected:
  // "address from id" for each object that the import block in `text` is about.
  std::vector<std::string> imported(std::string text) {
    write(".", "resource \"terraform_data\" \"x\" {\n  count = 3\n}\n" + std::move(text));
    const Program program = compiled();
    const NoValues values;
    const RunInfo facts;
    Deprecations deprecations(*program.tree, DeprecationLevel::None);
    const Evaluation evaluation{program, values, functions(), facts, deprecations};
    const config::Import& import = program.node({0}).module->imports[0];
    const ModuleScope names(evaluation, InstanceScope(config::ModuleId{0}));
    std::vector<std::string> out;
    for (const InstanceScope& instance_scope :
         evaluate_import_elements(import, names, diags_).standings) {
      const ModuleScope inside(evaluation, instance_scope);
      const auto to = evaluate_import_target(import, inside, diags_);
      const auto id = evaluate_import_id(import, inside, diags_);
      if (to && id)
        out.push_back(to->to_string() + " from " + std::string(id->unmarked().as_string()));
    }
    return out;
  }
};

TEST_F(Imports, OneObjectBecomesTheInstanceThatIsNamed) {
  EXPECT_THAT(imported("import {\n  to = terraform_data.x[0]\n  id = \"i-1\"\n}\n"),
              ElementsAre("terraform_data.x[0] from i-1"));
}

TEST_F(Imports, KeysAreEvaluatedForEachElement) {
  EXPECT_THAT(imported("import {\n  for_each = { a = 1, b = 2 }\n"
                       "  to = terraform_data.x[each.value]\n  id = \"i-${each.key}\"\n}\n"),
              ElementsAre("terraform_data.x[1] from i-a", "terraform_data.x[2] from i-b"));
}

TEST_F(Imports, AKeyThatIsNotKnownYetNamesNoInstance) {
  EXPECT_THAT(imported("variable \"k\" {}\n"
                       "import {\n  to = terraform_data.x[var.k]\n  id = \"i-1\"\n}\n"),
              IsEmpty());
  EXPECT_EQ(diags_.items()[0].summary, "Invalid key in an import address");
}

}  // namespace
}  // namespace tofu::eval
