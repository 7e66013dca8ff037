#include "eval/program.h"

#include <array>
#include <gmock/gmock.h>

#include "eval/bindings.h"
#include "tests/eval/in_memory.h"

namespace tofu::eval {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Compile = InMemory;

TEST_F(Compile, ACycleIsToldOnceAndWhole) {
  EXPECT_THAT(problems_of("locals {\n  a = local.b\n  b = local.c\n  c = local.a\n}\n"),
              ElementsAre("- Circular references"));
  EXPECT_THAT(diags_.items()[0].detail,
              HasSubstr("\n  local.a\n  needs local.b\n  needs local.c\n  needs local.a"));
}

TEST_F(Compile, ACycleMayGoThroughAModule) {
  write("./m", "variable \"in\" {}\noutput \"out\" {\n  value = var.in\n}\n");

  EXPECT_THAT(problems_of("module \"m\" {\n  source = \"./m\"\n  in = module.m.out\n}\n"),
              ElementsAre("- Circular references"));
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
              ElementsAre("main.tf:1 Required argument missing", "main.tf:3 Unsupported argument"));
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
      if (why == Why::Inside) continue;
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

  EXPECT_THAT(waits_of(program, "terraform_data.x"),
              ElementsAre("local.said: depends_on", "local.many: repetition",
                          "terraform_data.old: lifecycle", "local.used: body",
                          "local.run: provisioners", "local.held: conditions"));
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
