// Whole commands in memory: from the command line to what is printed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/commands/test_world.h"

namespace tofu::commands {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr const char* kState = R"({
  "version": 4, "terraform_version": "1.12.6", "serial": 1, "lineage": "l", "outputs": {},
  "resources": [{
    "mode": "managed", "type": "terraform_data", "name": "a",
    "provider": "provider[\"terraform.io/builtin/terraform\"]",
    "instances": [{"schema_version": 0, "attributes": {"id": "1"}}]
  }]
})";

TEST(WholeCommand, PrintsIntoMemory) {
  TestWorld world;
  EXPECT_EQ(world.run({"version"}), 0);
  EXPECT_THAT(world.out, HasSubstr("\non linux_amd64\n"));
  EXPECT_EQ(world.err, "");
}

TEST(WholeCommand, ReadsStandardInputFromMemory) {
  TestWorld world("a=1\n");
  EXPECT_EQ(world.run({"fmt", "-"}), 0);
  EXPECT_EQ(world.out, "a = 1\n");
}

TEST(WholeCommand, AWrongFlagIsAnErrorFollowedByTheHelp) {
  TestWorld world;
  EXPECT_EQ(world.run({"fmt", "-chekc"}), 1);
  EXPECT_THAT(world.err, HasSubstr("Did you mean -check?"));
  EXPECT_THAT(world.out, StartsWith("Usage: tofu "));
}

TEST(WholeCommand, TheConsoleEvaluatesWhatIsPipedIn) {
  TestWorld world("1 + var.a\n");
  TestWorld::write("main.tf", "variable \"a\" {}\n");
  EXPECT_EQ(world.run({"console", "-var", "a=1", "-var=a=2"}), 0);
  EXPECT_EQ(world.out, "3\n");
}

TEST(WholeCommand, ValuesOfVariablesAreReadInTheOrderOfTheCommandLine) {
  TestWorld world("var.a\n");
  TestWorld::write("main.tf", "variable \"a\" {}\n");
  TestWorld::write("a.vars", "a = \"file\"\n");
  EXPECT_EQ(world.run({"console", "-var=a=\"option\"", "-var-file=a.vars"}), 0);
  EXPECT_EQ(world.out, "\"file\"\n");
}

TEST(WholeCommand, AnAnswerIsOneLine) {
  TestWorld world("no\nyes\n");
  TestWorld::write("terraform.tfstate", kState);
  EXPECT_EQ(world.run({"state", "replace-provider", "terraform.io/builtin/terraform", "x/y"}), 0);
  EXPECT_THAT(world.out, HasSubstr("Nothing was changed."));
}

TEST(WholeCommand, AStopEndsAPromptWithoutAnAnswer) {
  TestWorld world("");
  TestWorld::write("terraform.tfstate", kState);
  world.interrupts.request_stop();
  EXPECT_EQ(world.run({"state", "replace-provider", "terraform.io/builtin/terraform", "x/y"}), 1);
  EXPECT_THAT(world.err, HasSubstr("No answer"));
  EXPECT_EQ(TestWorld::read("terraform.tfstate"), kState);
}

class Lines final : public base::LogSink {
 public:
  void write(base::LogLevel, std::string_view text) override { all += std::string(text) + "\n"; }
  std::string all;
};

TEST(WholeCommand, TheLogHasNoValueOfAVariableOptionOrState) {
  TestWorld world;
  Lines lines;
  world.log = base::Log(lines, base::LogLevel::Trace);
  TestWorld::write("main.tf", "variable \"a\" {}\n");
  TestWorld::write("terraform.tfstate", kState);
  world.environment.variables["TF_VAR_a"] = "hush";
  EXPECT_EQ(world.run({"state", "rm", "-var=a=hush", "-backup", "hush", "terraform_data.a"}), 0);
  EXPECT_THAT(lines.all, AllOf(HasSubstr("Command: state rm; options: -var -backup -no-color\n"),
                               HasSubstr("Locking the state for state-rm"),
                               HasSubstr("Locked the state"), Not(HasSubstr("hush"))));
}

}  // namespace
}  // namespace tofu::commands
