// Whole commands in memory: from the command line to what is printed.
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/commands/test_session.h"

namespace tofu::commands {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kState = R"({
  "version": 4, "terraform_version": "1.12.6", "serial": 1, "lineage": "l", "outputs": {},
  "resources": [{
    "mode": "managed", "type": "terraform_data", "name": "a",
    "provider": "provider[\"terraform.io/builtin/terraform\"]",
    "instances": [{"schema_version": 0, "attributes": {"id": "1"}}]
  }]
})";

TEST(WholeCommand, PrintsIntoMemory) {
  TestSession session;
  EXPECT_EQ(session.run({"version"}), 0);
  EXPECT_THAT(session.out, HasSubstr("\non linux_amd64\n"));
  EXPECT_EQ(session.err, "");
}

TEST(WholeCommand, ReadsStandardInputFromMemory) {
  TestSession session("a=1\n");
  EXPECT_EQ(session.run({"fmt", "-"}), 0);
  EXPECT_EQ(session.out, "a = 1\n");
}

TEST(WholeCommand, AWrongFlagIsAnErrorThatNamesTheHelp) {
  TestSession session;
  EXPECT_EQ(session.run({"fmt", "-chekc"}), 1);
  EXPECT_THAT(session.err, HasSubstr("Did you mean -check?"));
  EXPECT_THAT(session.err, HasSubstr("tofu fmt -help"));
  EXPECT_EQ(session.out, "");
}

TEST(WholeCommand, TheConsoleEvaluatesWhatIsPipedIn) {
  TestSession session("1 + var.a\n");
  TestSession::write("main.tf", "variable \"a\" {}\n");
  EXPECT_EQ(session.run({"console", "-var", "a=1", "-var=a=2"}), 0);
  EXPECT_EQ(session.out, "3\n");
}

TEST(WholeCommand, ValuesOfVariablesAreReadInTheOrderOfTheCommandLine) {
  TestSession session("var.a\n");
  TestSession::write("main.tf", "variable \"a\" {}\n");
  TestSession::write("a.vars", "a = \"file\"\n");
  EXPECT_EQ(session.run({"console", "-var=a=\"option\"", "-var-file=a.vars"}), 0);
  EXPECT_EQ(session.out, "\"file\"\n");
}

TEST(WholeCommand, AnAnswerIsOneLine) {
  TestSession session("no\nyes\n");
  TestSession::write("terraform.tfstate", kState);
  EXPECT_EQ(session.run({"state", "replace-provider", "terraform.io/builtin/terraform", "x/y"}), 0);
  EXPECT_THAT(session.out, HasSubstr("No changes were made."));
}

TEST(WholeCommand, AStopEndsAPromptWithoutAnAnswer) {
  TestSession session("");
  TestSession::write("terraform.tfstate", kState);
  session.cancellation.request_stop();
  EXPECT_EQ(session.run({"state", "replace-provider", "terraform.io/builtin/terraform", "x/y"}), 1);
  EXPECT_THAT(session.err, HasSubstr("Approval required"));
  EXPECT_EQ(TestSession::read("terraform.tfstate"), kState);
}

TEST(WholeCommand, FixNeedsApprovalToWriteThroughALink) {
  TestSession session;
  std::filesystem::create_directories("proj");
  std::filesystem::create_directories("shared");
  TestSession::write("proj/main.tf",
                     "variable \"old\" {\n  default     = 1\n  deprecated  = \"x\"\n"
                     "  replaced_by = var.new\n}\nvariable \"new\" {\n  default = 1\n}\n");
  TestSession::write("shared/values", "old = 2\n");
  std::filesystem::create_symlink("../shared/values", "proj/terraform.tfvars");
  EXPECT_EQ(session.run({"fix", "-input=false", "proj"}), 1);
  EXPECT_THAT(session.err, AllOf(HasSubstr("Approval required"), HasSubstr("terraform.tfvars")));
  EXPECT_EQ(TestSession::read("shared/values"), "old = 2\n");
  EXPECT_EQ(session.run({"fix", "-auto-approve", "proj"}), 0);
  EXPECT_EQ(TestSession::read("proj/terraform.tfvars"), "new = 2\n");
}

class Lines final : public base::LogSink {
 public:
  void write(base::LogLevel, std::string_view text) override { all += std::string(text) + "\n"; }
  std::string all;
};

TEST(WholeCommand, TheLogHasNoValueOfAVariableOptionOrState) {
  TestSession session;
  Lines lines;
  session.log = base::Log(lines, base::LogLevel::Trace);
  TestSession::write("main.tf", "variable \"a\" {}\n");
  TestSession::write("terraform.tfstate", kState);
  session.environment.variables["TF_VAR_a"] = "hush";
  EXPECT_EQ(session.run({"state", "rm", "-var=a=hush", "-backup", "hush", "terraform_data.a"}), 0);
  EXPECT_THAT(lines.all, AllOf(HasSubstr("Command: state rm; options: -var -backup -no-color\n"),
                               HasSubstr("Locking the state for state-rm"),
                               HasSubstr("Locked the state"), Not(HasSubstr("hush"))));
}

}  // namespace
}  // namespace tofu::commands
