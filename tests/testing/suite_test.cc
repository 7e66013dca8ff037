#include "tests/testing/suite_fixture.h"

namespace tofu::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kThing = R"(
variable "name" {
  default = "web"
}
resource "mock_thing" "a" {
  name = var.name
}
output "id" {
  value = mock_thing.a.id
}
output "name" {
  value = mock_thing.a.name
}
)";

TEST_F(Suite, AnAssertionThatHoldsPassesAndWhatWasMadeIsDestroyed) {
  EXPECT_THAT(rows(kThing, R"(
run "one" {
  assert {
    condition     = output.name == "web" && mock_thing.a.name == var.name
    error_message = "wrong"
  }
}
)"),
              ElementsAre("file a.tftest.hcl pass", "run one pass", "ended pass 1 0 0 0"));
  EXPECT_THAT(cloud_.things(), IsEmpty());
  EXPECT_THAT(cloud_.calls(), Contains(HasSubstr("apply mock_thing web")));
}

TEST_F(Suite, AFailedAssertionIsToldInTheAuthorsWordsAndHoldsNothingUp) {
  EXPECT_THAT(
      rows(kThing, R"(
run "one" {
  command = plan
  assert {
    condition     = output.name == "other"
    error_message = "it is ${output.name}"
  }
}
run "two" {
  command = plan
}
)"),
      ElementsAre("file a.tftest.hcl fail", "run one fail",
                  "error Test assertion failed: it is web", "run two pass", "ended fail 1 1 0 0"));
}

TEST_F(Suite, TheMessageOfAnAssertionIsToldWithoutTheBlanksAroundIt) {
  rows(kThing, R"(
run "one" {
  command = plan
  assert {
    condition     = output.name == "other"
    error_message = "\n  it is ${output.name}\n\n"
  }
}
)");
  EXPECT_EQ(sink_.runs.at(0).problems.items()[0].detail, "it is web");
}

TEST_F(Suite, AFailedAssertionShowsTheValuesOfWhatItNames) {
  rows(kThing, R"(
run "one" {
  command = plan
  assert {
    condition     = output.name == "other"
    error_message = "no"
  }
}
)");
  const auto& values = sink_.runs.at(0).problems.items()[0].values;
  ASSERT_EQ(values.size(), 1U);
  EXPECT_EQ(values[0].traversal + " " + values[0].statement, "output.name is \"web\"");
}

TEST_F(Suite, AConditionThatIsNotKnownYetIsAnErrorAndSkipsTheRest) {
  EXPECT_THAT(rows(kThing, R"(
run "one" {
  command = plan
  assert {
    condition     = mock_thing.a.id == "x"
    error_message = "no"
  }
}
run "two" {
}
)"),
              Contains("ended error 0 0 1 1"));
}

TEST_F(Suite, VariablesOfARunWinOverItsFileAndThatOverTheOutside) {
  outside_.texts["name"] = "outside";
  const std::string asserts = R"(
  command = plan
  assert {
    condition     = output.name == "never"
    error_message = output.name
  }
}
)";
  const auto all = rows(kThing, "run \"outside\" {" + asserts);
  EXPECT_THAT(all, Contains("error Test assertion failed: outside"));
  sink_ = {};
  EXPECT_THAT(rows(kThing, "variables {\n name = \"file\"\n}\nrun \"file\" {" + asserts),
              Contains("error Test assertion failed: file"));
  sink_ = {};
  EXPECT_THAT(rows(kThing,
                   "variables {\n name = \"file\"\n}\nrun \"run\" {\n  variables {\n    name = "
                   "\"run\"\n  }" +
                       asserts),
              Contains("error Test assertion failed: run"));
}

TEST_F(Suite, ARunCanNameTheOutputsOfTheLatestApplyBeforeIt) {
  EXPECT_THAT(rows(kThing, R"(
run "first" {
}
run "second" {
  variables {
    name = "${run.first.name}-again"
  }
  assert {
    condition     = output.name == "web-again"
    error_message = output.name
  }
}
)"),
              Contains("ended pass 2 0 0 0"));
}

TEST_F(Suite, AVariableWithoutAValueIsAnErrorOfTheRun) {
  EXPECT_THAT(rows("variable \"v\" {\n}\n", "run \"one\" {\n  command = plan\n}\n"),
              Contains(HasSubstr("error No value for a required variable")));
}

constexpr const char* kRules = R"(
variable "n" {
  type    = number
  default = 1
  validation {
    condition     = var.n > 0
    error_message = "n must be positive"
  }
}
check "even" {
  assert {
    condition     = var.n % 2 == 0
    error_message = "n is odd"
  }
}
)";

TEST_F(Suite, AnExpectedFailureIsNoneAndAMissingOneIs) {
  EXPECT_THAT(
      rows(kRules, R"(
run "fails" {
  command = plan
  variables {
    n = -2
  }
  expect_failures = [var.n]
}
run "holds" {
  command = plan
  variables {
    n = 2
  }
  expect_failures = [var.n]
}
)"),
      ElementsAre("file a.tftest.hcl error", "run fails pass", "run holds error",
                  HasSubstr("error Expected failure did not happen"), "ended error 1 0 1 0"));
}

TEST_F(Suite, AFailedCheckIsAnErrorUnlessItIsExpected) {
  EXPECT_THAT(rows(kRules, R"(
run "expected" {
  expect_failures = [check.even]
}
run "not" {
}
)"),
              ElementsAre("file a.tftest.hcl error", "run expected pass", "run not error",
                          HasSubstr("n is odd"), "ended error 1 0 1 0"));
}

TEST_F(Suite, AMockedProviderIsNeverAsked) {
  EXPECT_THAT(rows(kThing, R"(
mock_provider "mock" {
  mock_resource "mock_thing" {
    defaults = {
      id = "made-up"
    }
  }
}
run "planned" {
  command = plan
  assert {
    condition     = output.id == "made-up"
    error_message = output.id
  }
}
run "applied" {
  assert {
    condition     = mock_thing.a.id == "made-up" && length(mock_thing.a.zone) >= 4
    error_message = "${mock_thing.a.id} ${mock_thing.a.zone}"
  }
}
)"),
              ElementsAre("file a.tftest.hcl pass", "run planned pass", "run applied pass",
                          "ended pass 2 0 0 0"));
  EXPECT_THAT(cloud_.calls(), IsEmpty());
}

TEST_F(Suite, MockedValuesCanWaitForTheApply) {
  EXPECT_THAT(rows(kThing, R"(
mock_provider "mock" {
  override_during = apply
}
run "planned" {
  command = plan
  assert {
    condition     = mock_thing.a.id == "made-up"
    error_message = "x"
  }
}
)"),
              Contains("run planned error"));
  sink_ = {};
  EXPECT_THAT(rows(kThing, R"(
mock_provider "mock" {
  mock_resource "mock_thing" {
    override_during = apply
    defaults = {
      id = "made-up"
    }
  }
}
run "applied" {
  assert {
    condition     = output.id == "made-up"
    error_message = output.id
  }
}
)"),
              Contains("run applied pass"));
}

TEST_F(Suite, RunsWithTheSameProvidersShareOneProgram) {
  std::string test = "mock_provider \"mock\" {\n}\n";
  for (int i = 0; i < 20; ++i) test += fmt::format("run \"r{}\" {{\n}}\n", i);
  EXPECT_THAT(rows(kThing, test), Contains("ended pass 20 0 0 0"));
  EXPECT_EQ(compilations_, 1U);
}

TEST_F(Suite, AnOverriddenResourceIsWhatTheTestSaysAndTheRestIsReal) {
  EXPECT_THAT(rows(R"(
resource "mock_thing" "a" {
  name = "a"
}
resource "mock_thing" "b" {
  name = mock_thing.a.id
}
)",
                   R"(
override_resource {
  target = mock_thing.a
  values = {
    id = "overridden"
  }
}
run "one" {
  assert {
    condition     = mock_thing.b.name == "overridden"
    error_message = mock_thing.b.name
  }
}
)"),
              Contains("ended pass 1 0 0 0"));
  EXPECT_THAT(cloud_.calls(), Contains(HasSubstr("apply mock_thing overridden")));
  EXPECT_THAT(cloud_.calls(), ::testing::Not(Contains("apply mock_thing a")));
}

TEST_F(Suite, OfAnOverriddenModuleOnlyTheGivenOutputsExist) {
  write("./m", R"(
resource "mock_thing" "in" {
  name = "in"
}
output "v" {
  value = mock_thing.in.id
}
output "w" {
  value = "w"
}
)");
  EXPECT_THAT(rows(R"(
module "m" {
  source = "./m"
}
output "v" {
  value = module.m.v
}
output "w" {
  value = module.m.w
}
)",
                   R"(
run "one" {
  override_module {
    target  = module.m
    outputs = {
      v = "given"
    }
  }
  assert {
    condition     = output.v == "given" && output.w == null
    error_message = "${output.v}"
  }
}
)"),
              Contains("ended pass 1 0 0 0"));
  EXPECT_THAT(cloud_.calls(), IsEmpty());
}

TEST_F(Suite, RunsAboutAnotherModuleHaveAStateOfTheirOwn) {
  write("./setup", "output \"made\" {\n  value = \"by setup\"\n}\n");
  EXPECT_THAT(rows(kThing, R"(
run "setup" {
  module {
    source = "./setup"
  }
}
run "main" {
  variables {
    name = run.setup.made
  }
  assert {
    condition     = output.name == "by setup"
    error_message = output.name
  }
}
)"),
              Contains("ended pass 2 0 0 0"));
}

TEST_F(Suite, WhatCannotBeDestroyedIsReportedAndKeptAndChangesNoVerdict) {
  cloud_.script.apply = [](const providers::ApplyRequest& request, providers::ApplyAnswer& answer) {
    if (!request.planned.is_null()) return;
    answer.problems.push_back(providers::problem("Stuck", "It stays."));
    answer.object = request.prior;
  };
  EXPECT_THAT(rows(kThing, "run \"one\" {\n}\n"),
              ElementsAre("file a.tftest.hcl pass", "run one pass", "error Stuck: It stays.",
                          "left mock_thing.a", "ended pass 1 0 0 0"));
  EXPECT_EQ(kept_.size(), 1U);
}

TEST_F(Suite, AfterAnInterruptNothingNewBeginsButEverythingIsCleanedUp) {
  sink_.watch = [this](const plans::TestProgress&) { stop_.request_stop(); };
  EXPECT_THAT(
      rows(kThing, "run \"one\" {\n}\nrun \"two\" {\n}\n"),
      ElementsAre("file a.tftest.hcl pass", "run one pass", "run two skip", "ended pass 1 0 0 1"));
  EXPECT_THAT(cloud_.things(), IsEmpty());
}

TEST_F(Suite, ParallelRunsWithStatesOfTheirOwnAllEnd) {
  std::string test = "test {\n  parallel = true\n}\n";
  for (int i = 0; i < 8; ++i) {
    test += fmt::format(
        "run \"r{0}\" {{\n  state_key = \"k{0}\"\n  variables {{\n    name = \"n{0}\"\n  }}\n  "
        "assert {{\n    condition = output.name == \"n{0}\"\n    error_message = \"x\"\n  }}\n}}\n",
        i);
  }
  EXPECT_THAT(rows(kThing, test), Contains("ended pass 8 0 0 0"));
  EXPECT_THAT(cloud_.things(), IsEmpty());
}

}  // namespace
}  // namespace tofu::testing
