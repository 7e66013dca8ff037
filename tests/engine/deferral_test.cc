// What a plan leaves for a later run, on a mock provider.
#include <gmock/gmock.h>

#include "tests/engine/run_fixture.h"

namespace tofu::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class DeferralRun : public EngineRun {
 protected:
  static PlanOptions deferring() {
    PlanOptions options;
    options.allow_deferral = true;
    return options;
  }
  std::vector<std::string> deferred() const {
    std::vector<std::string> texts;
    for (const plans::Deferral& one : planned_->plan.deferrals) {
      texts.push_back(fmt::format("{} {}", one.resource.to_string(), plans::name_of(one.reason)));
    }
    return texts;
  }
};

INSTANTIATE_TEST_SUITE_P(Schedules, DeferralRun, ::testing::ValuesIn(kSchedules));

constexpr std::string_view kThings = R"(
  resource "mock_thing" "a" { name = "a" }
  resource "mock_thing" "many" {
    for_each = toset([mock_thing.a.id])
    name     = "of-${each.key}"
  }
  resource "mock_thing" "user" { name = join("", [for one in mock_thing.many : one.name]) }
  resource "mock_thing" "other" {
    name       = "other"
    depends_on = [mock_thing.a]
  }
)";

TEST_P(DeferralRun, UnknownInstancesAndWhatDependsOnThemComeWithTheNextRun) {
  const std::string text(kThings);
  plan(text, deferring());
  EXPECT_THAT(shown(), IsEmpty());
  EXPECT_THAT(changes(), ElementsAre("create mock_thing.a", "create mock_thing.other"));
  EXPECT_THAT(deferred(), ElementsAre("mock_thing.many instance_count_unknown",
                                      "mock_thing.user deferred_prereq"));
  EXPECT_TRUE(planned_->plan.applyable);
  EXPECT_FALSE(planned_->plan.complete);
  apply();
  EXPECT_THAT(shown(), IsEmpty());
  plan(text, deferring());
  EXPECT_THAT(changes(), ElementsAre("create mock_thing.many[\"id-1\"]", "create mock_thing.user"));
  EXPECT_THAT(deferred(), IsEmpty());
  EXPECT_TRUE(planned_->plan.complete);
  apply();
  plan(text);
  EXPECT_THAT(changes(), IsEmpty());
}

TEST_P(DeferralRun, WithoutTheOptionTheyAreErrors) {
  plan(std::string(kThings));
  EXPECT_THAT(shown(), ElementsAre("main.tf:4 Invalid for_each argument"));
  EXPECT_THAT(deferred(), IsEmpty());
}

TEST_P(DeferralRun, OtherErrorsStay) {
  plan(std::string(kThings) +
           "resource \"mock_thing\" \"wrong\" {\n  name = \"w\"\n  lifecycle {\n"
           "    precondition {\n      condition = mock_thing.other.name == \"\"\n"
           "      error_message = \"No.\"\n    }\n  }\n}\n",
       deferring());
  EXPECT_THAT(shown(), ElementsAre("main.tf:16 Resource precondition failed"));
  EXPECT_TRUE(planned_->plan.errored);
}

TEST_P(DeferralRun, AnObjectThatExistsIsReadOnceAndStays) {
  const std::string a = "resource \"mock_thing\" \"a\" {\n  name = \"a\"\n}\n";
  make(a + "resource \"mock_thing\" \"many\" {\n  count = 1\n  name = \"m\"\n}\n");
  const std::size_t before = calls("read ").size();
  plan(a + "resource \"mock_thing\" \"b\" {\n  name = \"b\"\n}\n"
           "resource \"mock_thing\" \"many\" {\n  count = length(mock_thing.b.id)\n"
           "  name = \"m\"\n}\n",
       deferring());
  EXPECT_THAT(shown(), IsEmpty());
  EXPECT_THAT(changes(), ElementsAre("create mock_thing.b"));
  EXPECT_THAT(deferred(), ElementsAre("mock_thing.many instance_count_unknown"));
  EXPECT_EQ(calls("read ").size() - before, 1U) << "that of a";
  apply();
  EXPECT_THAT(outside(), ElementsAre("a", "b", "m"));
}

TEST_P(DeferralRun, ResourcesOfAProviderThatIsNotKnownYetAreDeferred) {
  const std::string text = R"(
    resource "mock_thing" "a" { name = "a" }
    provider "mock" {
      alias  = "late"
      region = mock_thing.a.id
    }
    resource "mock_thing" "b" {
      provider = mock.late
      name     = "b"
    }
  )";
  plan(text);
  EXPECT_THAT(changes(), ElementsAre("create mock_thing.a", "create mock_thing.b"));
  plan(text, deferring());
  EXPECT_THAT(shown(), IsEmpty());
  EXPECT_THAT(changes(), ElementsAre("create mock_thing.a"));
  EXPECT_THAT(deferred(), ElementsAre("mock_thing.b provider_config_unknown"));
  apply();
  EXPECT_THAT(shown(), IsEmpty());
  plan(text, deferring());
  EXPECT_THAT(changes(), ElementsAre("create mock_thing.b"));
  EXPECT_THAT(deferred(), IsEmpty());
}

TEST_P(DeferralRun, WhatIsExcludedIsNotListed) {
  PlanOptions options = deferring();
  diag::Diagnostics none;
  options.excludes = {*addrs::parse_text("mock_thing.many", addrs::parse_target, none)};
  plan(std::string(kThings), options);
  EXPECT_THAT(shown(), IsEmpty());
  EXPECT_THAT(changes(), ElementsAre("create mock_thing.a", "create mock_thing.other"));
  EXPECT_THAT(deferred(), IsEmpty());
}

}  // namespace
}  // namespace tofu::engine
