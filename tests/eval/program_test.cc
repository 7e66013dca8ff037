#include "eval/program.h"

#include <array>
#include <gmock/gmock.h>

#include "eval/bindings.h"
#include "eval/shape.h"
#include "tests/eval/in_memory.h"

namespace tofu::eval {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Compile = InMemory;

TEST_F(Compile, ACycleIsToldOnceAndWhole) {
  EXPECT_THAT(problems_of("locals {\n  a = local.b\n  b = local.c\n  c = local.a\n}\n"),
              ElementsAre("- Cycle: local.a, local.b, local.c"));
  EXPECT_THAT(
      diags_.items()[0].detail,
      HasSubstr("\n  local.a\n  depends on local.b\n  depends on local.c\n  depends on local.a"));
}

TEST_F(Compile, ACycleMayGoThroughAModule) {
  write("./m", "variable \"in\" {}\noutput \"out\" {\n  value = var.in\n}\n");

  EXPECT_THAT(
      problems_of("module \"m\" {\n  source = \"./m\"\n  in = module.m.out\n}\n"),
      ElementsAre("- Cycle: module.m.var.in (argument), module.m.output.out, module.m.var.in"));
  EXPECT_THAT(diags_.items()[0].detail, HasSubstr("module.m.output.out"));
}

TEST_F(Compile, OutputsThatDoNotDependOnAnArgumentMayBePassedBack) {
  write("./m",
        "variable \"in\" {}\noutput \"one\" {\n  value = 1\n}\noutput \"two\" {\n  value = "
        "var.in\n}\n");

  EXPECT_THAT(problems_of("module \"m\" {\n  source = \"./m\"\n  in = module.m.one\n}\n"),
              IsEmpty());
}

TEST_F(Compile, ArgumentsOfACallHaveToFitTheModule) {
  write("./m", "variable \"needed\" {}\nvariable \"other\" {\n  default = 1\n}\n");

  EXPECT_THAT(problems_of("module \"m\" {\n  source = \"./m\"\n  more = 1\n}\n"),
              ElementsAre("main.tf:1 Missing required argument", "main.tf:3 Unsupported argument"));
}

TEST_F(Compile, FunctionsOfAProviderNeedARequirement) {
  EXPECT_THAT(problems_of("locals {\n  a = provider::terraform::encode_tfvars({})\n}\n"),
              ElementsAre("main.tf:2 Unknown function provider"));
}

TEST_F(Compile, RowsOfAModuleThatIsCalledTwiceStandThereTwice) {
  write("./m", "locals {\n  a = 1\n}\n");
  write(".", "module \"x\" {\n  source = \"./m\"\n}\nmodule \"y\" {\n  source = \"./m\"\n}\n");

  const Program program = compiled();

  EXPECT_EQ(program.modules.size(), 3U);
  EXPECT_EQ(program.modules[1].shape, program.modules[2].shape);
  EXPECT_EQ(describe(program, {program.modules[1].first.index + 1}), "module.x.local.a");
  EXPECT_EQ(describe(program, {program.modules[2].first.index + 1}), "module.y.local.a");
}

// "local.a: why" for everything that the object waits for but its module's start.
std::vector<std::string> waits_of(const Program& program, const std::string& name) {
  static constexpr std::array kWords = {"inside",    "repetition", "depends_on",
                                        "body",      "conditions", "provisioners",
                                        "lifecycle", "provider",   "import"};
  std::vector<std::string> out;
  for (std::uint32_t i = 0; i < program.objects.size(); ++i) {
    if (describe(program, {i}) != name) continue;
    for (std::uint32_t edge = program.waits.begin[i]; edge < program.waits.begin[i + 1]; ++edge) {
      const Why why = program.reasons[edge];
      if (why == Why::Impl) continue;
      out.push_back(describe(program, {program.waits.edges[edge]}) + ": " +
                    kWords[static_cast<std::size_t>(why)]);
    }
  }
  return out;
}

TEST_F(Compile, RowsSayWhyTheyWait) {
  write(
      ".",
      "locals {\n  many = 2\n  said = 1\n  used = 1\n  held = 1\n  run = 1\n  old = 1\n}\n"
      "resource \"terraform_data\" \"old\" {}\n"
      "resource \"terraform_data\" \"x\" {\n"
      "  count      = local.many\n"
      "  depends_on = [local.said]\n"
      "  input      = local.used\n"
      "  lifecycle {\n"
      "    replace_triggered_by = [terraform_data.old]\n"
      "    precondition {\n      condition = local.held == 1\n      error_message = \"no\"\n    }\n"
      "  }\n"
      "  provisioner \"local-exec\" {\n    command = local.run\n  }\n"
      "}\n");

  const Program program = compiled();

  EXPECT_THAT(
      waits_of(program, "terraform_data.x"),
      ElementsAre("local.said: depends_on", "local.many: repetition",
                  "terraform_data.old: lifecycle", "local.used: body", "local.run: provisioners",
                  "local.held: conditions", "provider.terraform: provider"));
}

TEST_F(Compile, AResourceWaitsForItsImports) {
  write("./m", "resource \"terraform_data\" \"x\" {\n  for_each = toset([\"a\"])\n}\n");
  write(".",
        "locals {\n  all = [\"a\"]\n  key = \"a\"\n  name = \"n\"\n}\n"
        "module \"m\" {\n  source = \"./m\"\n}\n"
        "import {\n  for_each = local.all\n  to = module.m.terraform_data.x[local.key]\n"
        "  id = local.name\n}\n");

  const Program program = compiled();

  EXPECT_THAT(waits_of(program, "import.module.m.terraform_data.x"),
              ElementsAre("local.key: body", "local.all: repetition", "local.name: body"));
  EXPECT_THAT(
      waits_of(program, "module.m.terraform_data.x"),
      ElementsAre("import.module.m.terraform_data.x: import", "provider.terraform: provider"));
}

TEST_F(Compile, AnImportMayNameWhatItIsFor) {
  EXPECT_THAT(problems_of("resource \"terraform_data\" \"x\" {}\n"
                          "import {\n  to = terraform_data.x\n  id = terraform_data.x.id\n}\n"),
              IsEmpty());
  EXPECT_THAT(
      problems_of("resource \"terraform_data\" \"x\" {}\nlocals {\n  a = terraform_data.x.id\n}\n"
                  "import {\n  to = terraform_data.x\n  id = local.a\n}\n"),
      ElementsAre("- Cycle: local.a, terraform_data.x, import.terraform_data.x"));
}

TEST_F(Compile, AProviderThatNobodyConfiguresHasAnEmptyConfigurationOfTheRootModule) {
  write("./m", "resource \"terraform_data\" \"inner\" {}\n");
  write(".", "resource \"terraform_data\" \"outer\" {}\nmodule \"m\" {\n  source = \"./m\"\n}\n");

  const Program program = compiled();

  ASSERT_EQ(program.implicit_providers.size(), 1U);
  const ObjectId last{static_cast<std::uint32_t>(program.objects.size() - 1)};
  EXPECT_EQ(describe(program, last), "provider.terraform");
  EXPECT_EQ(program.provider_address(last).to_string(),
            "provider[\"terraform.io/builtin/terraform\"]");
  EXPECT_TRUE(program.row(last).body);
  EXPECT_EQ(std::ranges::count(program.provider_configs, std::optional(last)), 2);
  EXPECT_EQ(program.order.size(), program.objects.size());
}

TEST_F(Compile, CallsOfFunctionsWaitForTheConfigurationOfTheirProvider) {
  write(".",
        "terraform {\n  required_providers {\n    own = {\n"
        "      source = \"terraform.io/builtin/terraform\"\n    }\n  }\n}\n"
        "provider \"own\" {}\n"
        "locals {\n  a = provider::own::encode_tfvars({})\n"
        "  b = provider::own::other::encode_tfvars({})\n}\n");

  const Program program = compiled();

  EXPECT_THAT(waits_of(program, "local.a"), ElementsAre("provider.own: provider"));
  // There is no such alias, so it is the provider as it is without a configuration's help.
  EXPECT_THAT(waits_of(program, "local.b"), ElementsAre("provider.own: provider"));
  const Shape& shape = *program.modules[0].shape;
  const FunctionUse* use = shape.function_use("provider::own::encode_tfvars");
  ASSERT_NE(use, nullptr);
  EXPECT_EQ(describe(program, program.modules[0].function_providers[use->provider]),
            "provider.own");
}

TEST_F(Compile, ResourcesCarryTheConfigurationOfTheirProvider) {
  write("./m", "resource \"terraform_data\" \"inner\" {}\n");
  write(".",
        "terraform {\n  required_providers {\n    terraform = {\n"
        "      source = \"terraform.io/builtin/terraform\"\n    }\n  }\n}\n"
        "provider \"terraform\" {}\n"
        "resource \"terraform_data\" \"outer\" {}\n"
        "module \"m\" {\n  source = \"./m\"\n}\n");

  const Program program = compiled();

  std::vector<std::string> found;
  for (std::uint32_t i = 0; i < program.objects.size(); ++i) {
    const auto& config = program.provider_configs[i];
    if (config) found.push_back(describe(program, {i}) + " by " + describe(program, *config));
  }
  EXPECT_THAT(found, ElementsAre("terraform_data.outer by provider.terraform",
                                 "module.m.terraform_data.inner by provider.terraform"));
}

}  // namespace
}  // namespace tofu::eval
