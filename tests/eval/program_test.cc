#include "eval/program.h"

#include <gmock/gmock.h>

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

}  // namespace
}  // namespace tofu::eval
