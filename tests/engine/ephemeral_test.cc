// Ephemeral resources in whole runs: opened where they are needed, renewed, closed, and kept
// nowhere.
#include <condition_variable>
#include <gmock/gmock.h>

#include "engine/ephemerals.h"
#include "tests/engine/run_fixture.h"

namespace tofu::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Not;
using ::testing::UnorderedElementsAre;
using value::Value;

class EphemeralRun : public EngineRun {
 protected:
  // The password of a lease goes into a write-only argument.
  static constexpr const char* kUsed = R"(
    ephemeral "mock_lease" "l" { for = "db" }
    resource "mock_thing" "a" {
      name  = "a"
      token = ephemeral.mock_lease.l.password
    }
  )";
};

INSTANTIATE_TEST_SUITE_P(Schedules, EphemeralRun, ::testing::ValuesIn(kSchedules));

TEST_P(EphemeralRun, IsOpenedAndClosedInThePlanAndAgainInTheApply) {
  std::string given;
  cloud_.script.apply = [&](const providers::ApplyRequest& request, providers::ApplyAnswer&) {
    given = providers::text_of(request.config, "token");
  };
  plan(kUsed);
  EXPECT_THAT(shown(), IsEmpty());
  EXPECT_LT(when("open mock_lease db"), when("plan mock_thing a"));
  EXPECT_LT(when("plan mock_thing a"), when("close mock_lease db"));
  EXPECT_EQ(calls("open").size(), 1U);

  apply();

  EXPECT_THAT(shown(), IsEmpty());
  EXPECT_EQ(calls("open").size(), 2U);
  EXPECT_EQ(calls("close").size(), 2U);
  EXPECT_EQ(cloud_.calls().back(), "close mock_lease db");
  EXPECT_EQ(given, "pw-db");
  EXPECT_THAT(objects(), ElementsAre("mock_thing.a a"));
}

TEST_P(EphemeralRun, NothingOfItIsInThePlanOrTheState) {
  plan(kUsed);
  EXPECT_THAT(changes(), ElementsAre("create mock_thing.a"));
  EXPECT_EQ(planned_->plan.changes.size(), 1U);
  for (const plans::ResourceChange& change : planned_->plan.changes) {
    EXPECT_FALSE(change.after.deep_marks().is_ephemeral());
    EXPECT_EQ(after("mock_thing.a", "token"), "(null)");
  }
  apply();
  EXPECT_THAT(std::string(object("mock_thing.a")->attributes()), Not(HasSubstr("pw-db")));
  EXPECT_THAT(object("mock_thing.a")->fields().sensitive_paths,
              ElementsAre(value::Path().with_attribute("secret")));
  EXPECT_EQ(state_.resource_count(), 1U);
}

TEST_P(EphemeralRun, TellsOfOpeningAndClosing) {
  plan(kUsed);
  EXPECT_THAT(
      events_.all(),
      ElementsAre("start open ephemeral.mock_lease.l", "end open ephemeral.mock_lease.l",
                  "start close ephemeral.mock_lease.l", "end close ephemeral.mock_lease.l"));
}

TEST_P(EphemeralRun, UnknownConfigurationDefersOpeningToTheApply) {
  const char* text = R"(
    resource "mock_thing" "a" { name = "a" }
    ephemeral "mock_lease" "l" { for = mock_thing.a.id }
    resource "mock_thing" "b" {
      name  = "b"
      token = ephemeral.mock_lease.l.password
    }
  )";
  plan(text);
  EXPECT_THAT(shown(), IsEmpty());
  EXPECT_THAT(calls("open"), IsEmpty());
  EXPECT_THAT(calls("close"), IsEmpty());
  EXPECT_THAT(events_.all(), ElementsAre("defer ephemeral.mock_lease.l, unknown"));
  EXPECT_THAT(changes(), ElementsAre("create mock_thing.a", "create mock_thing.b"));
  apply();
  EXPECT_THAT(shown(), IsEmpty());
  EXPECT_THAT(calls("open"), ElementsAre("open mock_lease id-1"));
  EXPECT_THAT(calls("close"), ElementsAre("close mock_lease id-1"));
  EXPECT_LT(when("apply mock_thing b"), when("close mock_lease id-1"));
}

TEST_P(EphemeralRun, ChangesThatItDependsOnDeferItToo) {
  plan(R"(
    resource "mock_thing" "a" { name = "a" }
    ephemeral "mock_lease" "l" {
      for        = "db"
      depends_on = [mock_thing.a]
    }
    resource "mock_thing" "b" {
      name  = "b"
      token = ephemeral.mock_lease.l.password
    }
  )");
  EXPECT_THAT(shown(), IsEmpty());
  EXPECT_THAT(events_.all(), ElementsAre("defer ephemeral.mock_lease.l, pending"));
  apply();
  EXPECT_THAT(calls("open"), ElementsAre("open mock_lease db"));
  EXPECT_LT(when("apply mock_thing a"), when("open mock_lease db"));
}

TEST_P(EphemeralRun, EveryInstanceIsOpenedAndClosed) {
  make(R"(
    ephemeral "mock_lease" "l" {
      for_each = toset(["x", "y", "z"])
      for      = each.key
    }
    ephemeral "mock_lease" "n" {
      count = 2
      for   = "n${count.index}"
    }
    resource "mock_thing" "a" {
      for_each = toset(["x", "y", "z"])
      name     = each.key
      token    = "${ephemeral.mock_lease.l[each.key].password}${ephemeral.mock_lease.n[1].password}"
    }
  )");
  std::vector<std::string> all;
  for (const char* name : {"n0", "n1", "x", "y", "z"}) {
    all.insert(all.end(), 2, fmt::format("close mock_lease {}", name));
  }
  EXPECT_THAT(calls("close"), ::testing::UnorderedElementsAreArray(all));
  EXPECT_THAT(objects(), ElementsAre(R"(mock_thing.a["x"] x)", R"(mock_thing.a["y"] y)",
                                     R"(mock_thing.a["z"] z)"));
}

TEST_P(EphemeralRun, ConfiguresAProviderAndStaysOpenWhileThatIsUsed) {
  const char* text = R"(
    ephemeral "mock_lease" "l" { for = "db" }
    provider "mock" {
      alias  = "p"
      region = ephemeral.mock_lease.l.password
    }
    resource "mock_thing" "a" {
      provider = mock.p
      name     = "a"
    }
  )";
  std::vector<std::string> regions;
  std::mutex mutex;
  cloud_.script.configure = [&](const Value& config, providers::Answer&) {
    const std::lock_guard lock(mutex);
    regions.push_back(providers::text_of(config, "region"));
  };
  make(text);
  EXPECT_THAT(regions, UnorderedElementsAre("", "pw-db", "", "pw-db"));
  EXPECT_EQ(cloud_.calls().back(), "close mock_lease db");

  // The object of a resource that is not declared any more needs the provider, too.
  const std::string rest(text, std::string_view(text).find("resource"));
  const std::size_t before = cloud_.calls().size();
  plan(rest);
  EXPECT_THAT(shown(), IsEmpty());
  EXPECT_THAT(changes(), ElementsAre("delete mock_thing.a (delete_because_no_resource_config)"));
  apply();
  EXPECT_THAT(shown(), IsEmpty());
  const auto all = cloud_.calls();
  std::vector<std::string> order;
  for (std::size_t i = before; i < all.size(); ++i) {
    if (all[i].starts_with("configure")) continue;
    order.push_back(all[i].substr(0, all[i].find(' ')));
  }
  EXPECT_THAT(order, ElementsAre("open", "read", "plan", "close", "open", "destroy", "close"));
}

TEST_P(EphemeralRun, IsOpenedForDestroyingWhereAProviderNeedsIt) {
  const char* text = R"(
    ephemeral "mock_lease" "l" { for = "db" }
    ephemeral "mock_lease" "other" { for = "other" }
    provider "mock" {
      alias  = "p"
      region = ephemeral.mock_lease.l.password
    }
    resource "mock_thing" "a" {
      provider = mock.p
      name     = "a"
      token    = ephemeral.mock_lease.other.password
    }
  )";
  make(text);
  plan_destroy(text);
  EXPECT_THAT(shown(), IsEmpty());
  const std::size_t before = cloud_.calls().size();
  apply();
  EXPECT_THAT(shown(), IsEmpty());
  const auto all = cloud_.calls();
  EXPECT_THAT(std::vector(all.begin() + static_cast<std::ptrdiff_t>(before), all.end()),
              Not(::testing::Contains("open mock_lease other")));
  EXPECT_EQ(all.back(), "close mock_lease db");
  EXPECT_THAT(objects(), IsEmpty());
}

TEST_P(EphemeralRun, ApplyOpensOnlyWhatSomethingNeeds) {
  const std::string unused = R"(
    ephemeral "mock_lease" "unused" { for = "unused" }
    locals { never = ephemeral.mock_lease.unused.password }
  )";
  plan(unused + kUsed);
  EXPECT_THAT(calls("open"), UnorderedElementsAre("open mock_lease unused", "open mock_lease db"));
  apply();
  EXPECT_EQ(calls("open").size(), 3U);
  // What does not change does not need its arguments.
  plan(unused + kUsed + "output \"o\" { value = 1 }\n");
  EXPECT_THAT(changes(), IsEmpty());
  const std::size_t before = calls("open").size();
  apply();
  EXPECT_EQ(calls("open").size(), before);
}

TEST_P(EphemeralRun, ApplyOpensNothingForOutputsAlone) {
  const std::string lease = "ephemeral \"mock_lease\" \"l\" { for = \"db\" }\n";
  const std::string direct =
      "output \"o\" { value = ephemeralasnull(ephemeral.mock_lease.l.password) }\n";
  plan(lease + direct);
  EXPECT_EQ(calls("open").size(), 1U);
  apply();
  EXPECT_THAT(shown(), IsEmpty());
  EXPECT_EQ(calls("open").size(), 1U);
  // As in OpenTofu, what stands between the two needs it.
  plan(lease + "locals { p = ephemeralasnull(ephemeral.mock_lease.l.password) }\n" +
       "output \"o\" { value = local.p }\n");
  apply();
  EXPECT_EQ(calls("open").size(), 3U);
}

TEST_P(EphemeralRun, IsClosedAfterSomethingThatUsesItFailed) {
  cloud_.fail("apply mock_thing a");
  plan(kUsed);
  apply();
  EXPECT_THAT(shown(), ElementsAre(HasSubstr("Mock failure")));
  EXPECT_EQ(cloud_.calls().back(), "close mock_lease db");
  EXPECT_EQ(calls("close").size(), 2U);
}

TEST_P(EphemeralRun, WhatCouldNotBeOpenedIsNotClosedAndEndsWhatNeedsIt) {
  cloud_.fail("open mock_lease db");
  plan(kUsed);
  EXPECT_THAT(shown(), ElementsAre(HasSubstr("Mock failure")));
  EXPECT_THAT(calls("close"), IsEmpty());
  EXPECT_THAT(calls("plan"), IsEmpty());
}

TEST_P(EphemeralRun, AWrongAnswerIsRefusedAndStillClosed) {
  cloud_.script.open = [](const Value& config, providers::OpenAnswer& answer) {
    answer.result =
        providers::with_attribute(config, "password", Value::unknown(value::Type::string()));
  };
  plan(kUsed);
  EXPECT_THAT(shown(), ElementsAre("- Provider produced invalid object"));
  EXPECT_EQ(calls("close").size(), 1U);

  cloud_.script.open = [](const Value& config, providers::OpenAnswer& answer) {
    answer.result = Value::null(config.type());
  };
  plan(kUsed);
  EXPECT_THAT(shown(), ElementsAre("- Provider produced null object"));

  cloud_.script.open = [](const Value&, providers::OpenAnswer& answer) {
    answer.result = Value::string("a text");
  };
  plan(kUsed);
  EXPECT_THAT(shown(), ElementsAre("- Provider produced invalid object"));
  EXPECT_EQ(calls("close").size(), 3U);
}

TEST_P(EphemeralRun, AFailureToCloseIsReportedWithItsPlace) {
  cloud_.fail("close mock_lease db");
  plan(kUsed);
  EXPECT_THAT(shown(), ElementsAre("main.tf:2 Mock failure"));
  EXPECT_TRUE(planned_->plan.errored);
}

TEST_P(EphemeralRun, ConditionsAreCheckedBeforeAndAfterOpening) {
  const auto with = [](const char* lifecycle) {
    return fmt::format(R"(
      variable "v" {{ default = true }}
      ephemeral "mock_lease" "l" {{
        for = "db"
        lifecycle {{
          {}
        }}
      }}
      resource "mock_thing" "a" {{
        name  = "a"
        token = ephemeral.mock_lease.l.password
      }}
    )",
                       lifecycle);
  };
  plan(with(R"(precondition {
            condition     = !var.v
            error_message = "Not so."
          })"));
  EXPECT_THAT(shown(), ElementsAre(HasSubstr("Resource precondition failed")));
  EXPECT_THAT(calls("open"), IsEmpty());
  EXPECT_THAT(calls("plan"), IsEmpty());

  plan(with(R"(postcondition {
            condition     = self.password == "another"
            error_message = "Not so."
          })"));
  EXPECT_THAT(shown(), ElementsAre(HasSubstr("Resource postcondition failed")));
  EXPECT_THAT(calls("open"), ElementsAre("open mock_lease db"));
  EXPECT_THAT(calls("close"), ElementsAre("close mock_lease db"));
  EXPECT_THAT(calls("plan"), IsEmpty());
}

TEST_P(EphemeralRun, IsClosedAfterAnInterrupt) {
  cloud_.script.plan = [&](const providers::PlanRequest&, providers::PlanAnswer&) {
    stop_.request_stop();
  };
  plan(kUsed);
  EXPECT_EQ(cloud_.calls().back(), "close mock_lease db");
}

TEST_P(EphemeralRun, WhatAnotherOneNeedsIsClosedAfterIt) {
  plan(R"(
    ephemeral "mock_lease" "first" { for = "first" }
    provider "mock" {
      alias  = "p"
      region = ephemeral.mock_lease.first.password
    }
    ephemeral "mock_lease" "second" {
      provider = mock.p
      for      = "second"
    }
  )");
  EXPECT_THAT(calls("close"), ElementsAre("close mock_lease second", "close mock_lease first"));
}

// A provider's answers to applying wait until the lease was renewed so often.
TEST_P(EphemeralRun, IsRenewedForAsLongAsItIsOpen) {
  std::mutex mutex;
  std::condition_variable changed;
  int renewals = 0;
  cloud_.script.open = [](const Value&, providers::OpenAnswer& answer) { answer.renew_at = 0; };
  cloud_.script.renew = [&](const providers::PrivateData& data, providers::RenewAnswer& answer) {
    const std::lock_guard lock(mutex);
    answer.private_data = data + "+";
    if (++renewals % 3 != 0) answer.renew_at = 0;
    changed.notify_all();
  };
  const auto renewed = [&](int times) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return renewals == times; });
  };
  cloud_.script.plan = [&](const providers::PlanRequest&, providers::PlanAnswer&) { renewed(3); };
  plan(kUsed);
  EXPECT_THAT(shown(), IsEmpty());
  EXPECT_THAT(calls("renew"),
              ElementsAre("renew mock_lease db", "renew mock_lease db+", "renew mock_lease db++"));
  EXPECT_THAT(calls("close"), ElementsAre("close mock_lease db+++"));
  EXPECT_THAT(events_.all(), IsSupersetOf({"start renew ephemeral.mock_lease.l",
                                           "end renew ephemeral.mock_lease.l"}));
  cloud_.script.plan = {};
  cloud_.script.apply = [&](const providers::ApplyRequest&, providers::ApplyAnswer&) {
    renewed(6);
  };
  apply();
  EXPECT_THAT(shown(), IsEmpty());
  EXPECT_EQ(calls("renew").size(), 6U);
}

TEST_P(EphemeralRun, AFailureToRenewIsReportedAtTheEndAndItIsClosedWithWhatWasSaidLast) {
  std::mutex mutex;
  std::condition_variable changed;
  bool was_renewed = false;
  cloud_.fail("renew mock_lease db");
  cloud_.script.open = [](const Value&, providers::OpenAnswer& answer) { answer.renew_at = 0; };
  cloud_.script.renew = [&](const providers::PrivateData&, providers::RenewAnswer& answer) {
    const std::lock_guard lock(mutex);
    answer.private_data = "last";
    was_renewed = true;
    changed.notify_all();
  };
  cloud_.script.plan = [&](const providers::PlanRequest&, providers::PlanAnswer&) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return was_renewed; });
  };
  plan(kUsed);
  EXPECT_THAT(shown(), ElementsAre("main.tf:2 Mock failure"));
  EXPECT_THAT(calls("close"), ElementsAre("close mock_lease last"));
}

TEST_P(EphemeralRun, TargetsLeaveOutWhatIsNotNeeded) {
  PlanOptions options;
  diag::Diagnostics none;
  options.targets = {*addrs::parse_text("mock_thing.b", addrs::parse_target, none)};
  const std::string text = std::string(kUsed) + "resource \"mock_thing\" \"b\" { name = \"b\" }\n";
  plan(text, options);
  EXPECT_THAT(changes(), ElementsAre("create mock_thing.b"));
  apply();
  EXPECT_THAT(shown(), IsEmpty());
  EXPECT_THAT(calls("open"), IsEmpty());
  EXPECT_THAT(objects(), ElementsAre("mock_thing.b b"));
}

TEST_P(EphemeralRun, TargetsTakeAlongWhatTheyNeed) {
  PlanOptions options;
  diag::Diagnostics none;
  options.targets = {*addrs::parse_text("mock_thing.a", addrs::parse_target, none)};
  plan(kUsed, options);
  apply();
  EXPECT_THAT(shown(), IsEmpty());
  EXPECT_THAT(objects(), ElementsAre("mock_thing.a a"));
  const auto dependencies = object("mock_thing.a")->dependencies();
  ASSERT_EQ(dependencies.size(), 1U);
  EXPECT_EQ(dependencies[0].to_string(), "ephemeral.mock_lease.l");
}

TEST_P(EphemeralRun, AValueThatIsKeptCannotBeEphemeralWhateverChoseIt) {
  // Which element it is is not known before the plan.
  plan(R"(
    ephemeral "mock_lease" "l" { for = "db" }
    variable "key" { default = "x" }
    locals { both = { x = ephemeral.mock_lease.l.password, y = "plain" } }
    resource "mock_thing" "a" { name = local.both[var.key] }
  )");
  EXPECT_THAT(shown(), ElementsAre("main.tf:5 Ephemeral value used in non-ephemeral context"));
}

// The provider answers only after the run has stopped waiting.
TEST(Ephemerals, AProviderThatDoesNotCloseInTimeIsGivenUp) {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<providers::Problem> told;
  providers::MockCloud cloud;
  cloud.script.close = [&](const providers::PrivateData&, providers::Answer&) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return !told.empty(); });
  };
  const auto provider = providers::make_mock(cloud);
  EventLog events;
  Ticker ticker(events, base::system_runtime());
  Ephemerals ephemerals(events, ticker, std::chrono::milliseconds(0));
  const auto id =
      ephemerals.keep({instance("ephemeral.mock_lease.l"), *provider, "db", std::nullopt});
  ephemerals.close(id, [&](std::vector<providers::Problem> problems) {
    const std::lock_guard lock(mutex);
    told = std::move(problems);
    changed.notify_all();
  });
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].summary, "Ephemeral resource was not closed in time");
  EXPECT_THAT(events.all(), ElementsAre("start close ephemeral.mock_lease.l"));
}

TEST(Ephemerals, WhatIsStillOpenAtTheEndIsClosed) {
  providers::MockCloud cloud;
  const auto provider = providers::make_mock(cloud);
  EventLog events;
  Ticker ticker(events, base::system_runtime());
  {
    Ephemerals ephemerals(events, ticker);
    ephemerals.keep({instance("ephemeral.mock_lease.a"), *provider, "a", std::nullopt});
    ephemerals.keep({instance("ephemeral.mock_lease.b"), *provider, "b", std::nullopt});
  }
  EXPECT_THAT(cloud.calls(), UnorderedElementsAre("close mock_lease a", "close mock_lease b"));
}

}  // namespace
}  // namespace tofu::engine
