// What becomes of plans, on a mock provider: the order of operations, what is kept after
// failures and interrupts, and what providers are given.
#include <algorithm>
#include <atomic>
#include <gmock/gmock.h>
#include <thread>

#include "base/file.h"
#include "base/temporary_directory.h"
#include "state/journal.h"
#include "state/journal_writer.h"
#include "tests/engine/run_fixture.h"

namespace tofu::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;
using value::Value;

class ApplyRun : public EngineRun {
 protected:
  static std::string thing(std::string_view name, std::string_view rest = {}) {
    return fmt::format("resource \"mock_thing\" \"{0}\" {{\n  name = \"{0}\"\n  {1}\n}}\n", name,
                       rest);
  }
  // `name` depends on `other`, in a zone.
  static std::string after_thing(std::string_view name, std::string_view other,
                                 std::string_view rest = {}) {
    return thing(name, fmt::format("labels = {{ needs = mock_thing.{}.id }}\n  {}", other, rest));
  }
  // Calls since this was asked for last.
  std::vector<std::string> new_calls(std::string_view word) {
    const auto all = cloud_.calls();
    std::vector<std::string> out;
    for (; seen_ < all.size(); ++seen_) {
      if (all[seen_].starts_with(word)) out.push_back(all[seen_]);
    }
    return out;
  }
  // Of the calls that change something, since this was asked for last.
  std::vector<std::string> new_changes() {
    const auto all = cloud_.calls();
    std::vector<std::string> out;
    for (; seen_ < all.size(); ++seen_) {
      if (all[seen_].starts_with("apply") || all[seen_].starts_with("destroy")) {
        out.push_back(all[seen_]);
      }
    }
    return out;
  }

 private:
  std::size_t seen_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Schedules, ApplyRun, ::testing::ValuesIn(kSchedules));

TEST_P(ApplyRun, MakesWhatIsNeededFirstAndDestroysItLast) {
  const std::string text = thing("a") + after_thing("b", "a") + after_thing("c", "b");
  make(text);
  EXPECT_THAT(new_changes(),
              ElementsAre("apply mock_thing a", "apply mock_thing b", "apply mock_thing c"));
  EXPECT_THAT(objects(), ElementsAre("mock_thing.a a", "mock_thing.b b", "mock_thing.c c"));
  destroy(text);
  EXPECT_THAT(new_changes(),
              ElementsAre("destroy mock_thing c", "destroy mock_thing b", "destroy mock_thing a"));
  EXPECT_THAT(objects(), IsEmpty());
  EXPECT_THAT(outside(), IsEmpty());
}

TEST_P(ApplyRun, ValuesOfThePlanGoAsTheyAreMade) {
  const std::string text =
      thing("a") + after_thing("b", "a") + "output \"b\" {\n  value = mock_thing.b.name\n}\n";
  make(text);
  EXPECT_TRUE(change("mock_thing.a")->after.is_null());
  EXPECT_TRUE(change("mock_thing.b")->after.is_null());
  EXPECT_THAT(objects(), ElementsAre("mock_thing.a a", "mock_thing.b b"));
  EXPECT_EQ(state_.outputs.at("b").value.plain().as_string(), "b");
  destroy(text);
  EXPECT_TRUE(change("mock_thing.a")->before.is_null());
}

TEST_P(ApplyRun, ValuesOfWhatWasNotMadeStayInThePlan) {
  plan(thing("a"));
  cloud_.script.apply = [](const providers::ApplyRequest& request, providers::ApplyAnswer& answer) {
    answer.object = request.prior;
    answer.problems.push_back(providers::problem("Refused", "create"));
  };
  apply();
  EXPECT_EQ(after("mock_thing.a", "name"), "a");
}

TEST_P(ApplyRun, WithoutConfigurationTheStateKnowsTheOrderOfDestroying) {
  make(thing("a") + after_thing("b", "a") + after_thing("c", "b"));
  new_changes();
  make("");
  EXPECT_THAT(new_changes(),
              ElementsAre("destroy mock_thing c", "destroy mock_thing b", "destroy mock_thing a"));
}

TEST_P(ApplyRun, AnObjectThatCannotBeDestroyedHoldsUpOnlyItsOwnReplacement) {
  const std::string_view counted = "count = 2\n  secret = count.index\n  zone = ";
  make(thing("a", fmt::format("{}\"x\"", counted)));
  cloud_.script.apply = [this](const providers::ApplyRequest& request,
                               providers::ApplyAnswer& answer) {
    if (!request.planned.is_null() || providers::text_of(request.prior, "secret") != "0") return;
    cloud_.put(providers::text_of(request.prior, "id"), request.prior);
    answer.object = request.prior;
    answer.problems.push_back(providers::problem("Refused", "destroy"));
  };
  plan(thing("a", fmt::format("{}\"y\"", counted)));
  apply();
  EXPECT_THAT(shown(), ElementsAre(HasSubstr("Refused")));
  EXPECT_THAT(objects(), ElementsAre("mock_thing.a[0] a", "mock_thing.a[1] a"));
  EXPECT_THAT(outside(), SizeIs(2));
  cloud_.script.apply = {};
  plan(thing("a", fmt::format("{}\"y\"", counted)));
  EXPECT_THAT(changes(), ElementsAre(HasSubstr("replace mock_thing.a[0]")));
}

TEST_P(ApplyRun, AReplacementDestroysThenCreates) {
  const auto text = [&](std::string_view zone) {
    return thing("a", fmt::format("zone = \"{}\"", zone)) + after_thing("b", "a");
  };
  make(text("x"));
  new_changes();
  make(text("y"));
  EXPECT_THAT(new_changes(),
              ElementsAre("destroy mock_thing a", "apply mock_thing a", "apply mock_thing b"));
  EXPECT_THAT(outside(), ElementsAre("a", "b"));
}

TEST_P(ApplyRun, CreatingFirstDestroysWhenTheUsersHaveChanged) {
  const auto text = [&](std::string_view zone) {
    return thing("a", fmt::format("zone = \"{}\"", zone)) +
           after_thing("b", "a", "lifecycle { create_before_destroy = true }");
  };
  make(text("x"));
  new_changes();
  make(text("y"));
  EXPECT_THAT(new_changes(),
              ElementsAre("apply mock_thing a", "apply mock_thing b", "destroy mock_thing a"));
  EXPECT_THAT(objects(), ElementsAre("mock_thing.a a", "mock_thing.b b"));
  EXPECT_THAT(outside(), ElementsAre("a", "b"));
  EXPECT_TRUE(object("mock_thing.a")->create_before_destroy());
}

TEST_P(ApplyRun, AFailureKeepsWhatSucceededAndEndsWhatDepends) {
  cloud_.fail("apply mock_thing b");
  plan(thing("a") + after_thing("b", "a") + after_thing("c", "b") + thing("d"));
  apply();
  EXPECT_THAT(shown(), ElementsAre(HasSubstr("Mock failure")));
  EXPECT_THAT(objects(), ElementsAre("mock_thing.a a", "mock_thing.d d"));
  EXPECT_THAT(outside(), ElementsAre("a", "d"));
  EXPECT_THAT(calls("apply mock_thing c"), IsEmpty());
}

TEST_P(ApplyRun, WhatWasLeftOfAFailedCreationIsTaintedAndReplacedNextTime) {
  cloud_.script.apply = [&](const providers::ApplyRequest& request,
                            providers::ApplyAnswer& answer) {
    if (!request.planned.is_null()) {
      answer.problems.push_back(providers::problem("Half made", "The rest did not work."));
    }
  };
  plan(thing("a"));
  apply();
  EXPECT_THAT(shown(), ElementsAre("main.tf:1 Half made"));
  EXPECT_THAT(objects(), ElementsAre("mock_thing.a a tainted"));
  cloud_.script.apply = {};
  plan(thing("a"));
  EXPECT_THAT(changes(), ElementsAre("replace mock_thing.a (replace_because_tainted)"));
  apply();
  EXPECT_THAT(objects(), ElementsAre("mock_thing.a a"));
  EXPECT_THAT(outside(), ElementsAre("a"));
}

TEST_P(ApplyRun, AFailedUpdateKeepsWhatTheProviderSays) {
  make(thing("a"));
  cloud_.script.apply = [&](const providers::ApplyRequest& request,
                            providers::ApplyAnswer& answer) {
    answer.object = providers::with_attribute(request.prior, "old_name", Value::string("half"));
    answer.problems.push_back(providers::problem("Half done", "The rest did not work."));
  };
  plan(thing("a", "labels = { k = \"v\" }"));
  apply();
  EXPECT_THAT(objects(), ElementsAre("mock_thing.a a"));
  EXPECT_THAT(std::string(object("mock_thing.a")->attributes()), HasSubstr("half"));
}

TEST_P(ApplyRun, AFailedDestructionKeepsTheObject) {
  make(thing("a") + after_thing("b", "a"));
  cloud_.fail("destroy mock_thing b");
  plan_destroy(thing("a") + after_thing("b", "a"));
  apply();
  EXPECT_THAT(shown(), ElementsAre(HasSubstr("Mock failure")));
  EXPECT_THAT(objects(), ElementsAre("mock_thing.a a", "mock_thing.b b"));
  EXPECT_THAT(calls("destroy mock_thing a"), IsEmpty());
  EXPECT_THAT(object("mock_thing.b")->dependencies(),
              ElementsAre(addrs::config_of(instance("mock_thing.a"))));
}

TEST_P(ApplyRun, AnOldObjectThatCouldNotBeDestroyedIsDeposedAndGoesNextTime) {
  const auto text = [&](std::string_view zone) {
    return thing(
        "a", fmt::format("zone = \"{}\"\n  lifecycle {{ create_before_destroy = true }}", zone));
  };
  make(text("x"));
  cloud_.fail("destroy mock_thing a");
  plan(text("y"));
  apply();
  EXPECT_THAT(objects(), ElementsAre("mock_thing.a a", "mock_thing.a a deposed"));
  EXPECT_THAT(outside(), ElementsAre("a", "a"));
  cloud_.stop_failing();
  plan(text("y"));
  EXPECT_THAT(changes(), ElementsAre("delete mock_thing.a deposed"));
  apply();
  EXPECT_THAT(shown(), IsEmpty());
  EXPECT_THAT(objects(), ElementsAre("mock_thing.a a"));
  EXPECT_THAT(outside(), ElementsAre("a"));
}

// OpenTofu asks no configuration about what was left over.
TEST_P(ApplyRun, WhatWasDeposedGoesAlthoughItsResourceDependsOnWhatIsExcluded) {
  const std::string first = "lifecycle { create_before_destroy = true }";
  make(thing("a") + after_thing("b", "a", "zone = \"x\"\n  " + first));
  const std::string text = thing("a") + after_thing("b", "a", "zone = \"y\"\n  " + first);
  plan(text);
  cloud_.fail("destroy mock_thing b");
  apply();
  ASSERT_THAT(objects(), ElementsAre("mock_thing.a a", "mock_thing.b b", "mock_thing.b b deposed"));
  cloud_.stop_failing();

  PlanOptions options;
  diag::Diagnostics none;
  options.excludes = {*addrs::parse_text("mock_thing.a", addrs::parse_target, none)};
  plan(text, options);
  EXPECT_THAT(changes(), ElementsAre("delete mock_thing.b deposed"));
  apply();
  EXPECT_THAT(shown(), IsEmpty());
  EXPECT_THAT(objects(), ElementsAre("mock_thing.a a", "mock_thing.b b"));
}

TEST_P(ApplyRun, AFailedReplacementThatCreatesFirstKeepsTheOldObject) {
  const auto text = [&](std::string_view zone) {
    return thing(
        "a", fmt::format("zone = \"{}\"\n  lifecycle {{ create_before_destroy = true }}", zone));
  };
  make(text("x"));
  cloud_.fail("apply mock_thing a");
  plan(text("y"));
  apply();
  EXPECT_THAT(shown(), ElementsAre(HasSubstr("Mock failure")));
  EXPECT_THAT(objects(), ElementsAre("mock_thing.a a"));
  EXPECT_THAT(std::string(object("mock_thing.a")->attributes()), HasSubstr("\"x\""));
}

TEST_P(ApplyRun, DeferredDataIsReadWithWhatIsKnownByThen) {
  make(thing("a") +
       "data \"mock_list\" \"l\" {\n  prefix = \"a\"\n  depends_on = [mock_thing.a]\n}\n" +
       "resource \"mock_item\" \"i\" { name = data.mock_list.l.ids[0] }\n");
  EXPECT_THAT(objects(), ElementsAre("data.mock_list.l ", "mock_item.i id-1", "mock_thing.a a"));
}

TEST_P(ApplyRun, ArgumentsAreValidatedOnceTheyAreKnown) {
  cloud_.script.validate = [](const Value& config, providers::Answer& answer) {
    if (providers::text_of(config, "name") == "id-1") {
      answer.problems.push_back(providers::problem("Not this name", "It is an id."));
    }
  };
  plan(thing("a") + "resource \"mock_thing\" \"b\" { name = mock_thing.a.id }\n");
  EXPECT_THAT(shown(), IsEmpty());
  apply();
  EXPECT_THAT(shown(), ElementsAre(HasSubstr("Not this name")));
  EXPECT_THAT(objects(), ElementsAre("mock_thing.a a"));
}

TEST_P(ApplyRun, NoMoreCallsAtATimeThanAllowed) {
  parallelism_ = 3;
  std::atomic<int> now = 0;
  std::atomic<int> most = 0;
  const auto during = [&] {
    const int running = ++now;
    for (int seen = most; running > seen && !most.compare_exchange_weak(seen, running);) {
    }
    std::this_thread::yield();
    --now;
  };
  cloud_.script.apply = [&](const providers::ApplyRequest&, providers::ApplyAnswer&) { during(); };
  cloud_.script.plan = [&](const providers::PlanRequest&, providers::PlanAnswer&) { during(); };
  cloud_.script.read = [&](const providers::ReadRequest&, providers::ReadAnswer&) { during(); };
  const std::string text = thing("a", "count = 60") + thing("b", "count = 60");
  make(text);
  destroy(text);
  EXPECT_LE(most, 3);
  EXPECT_THAT(objects(), IsEmpty());
}

TEST_P(ApplyRun, AnInterruptEndsWhatWasBegunAndBeginsNothingMore) {
  cloud_.script.apply = [&](const providers::ApplyRequest& request, providers::ApplyAnswer&) {
    if (providers::text_of(request.planned, "name") == "a") stop_.request_stop();
  };
  plan(thing("a") + after_thing("b", "a") + after_thing("c", "b"));
  apply();
  EXPECT_THAT(shown(), ElementsAre("- execution halted"));
  EXPECT_THAT(objects(), ElementsAre("mock_thing.a a"));
  EXPECT_THAT(outside(), ElementsAre("a"));
  EXPECT_THAT(calls("stop"), Not(IsEmpty()));
  EXPECT_THAT(calls("apply mock_thing b"), IsEmpty());
}

TEST_P(ApplyRun, AnInterruptBetweenInstancesLeavesTheRest) {
  std::atomic<int> made = 0;
  parallelism_ = 1;
  cloud_.script.apply = [&](const providers::ApplyRequest&, providers::ApplyAnswer&) {
    if (++made == 5) stop_.request_stop();
  };
  plan(thing("a", "count = 500"));
  apply();
  EXPECT_THAT(shown(), ElementsAre("- execution halted"));
  EXPECT_EQ(made, 5);
  EXPECT_EQ(objects().size(), 5U);
  EXPECT_EQ(outside().size(), 5U);
}

TEST_P(ApplyRun, AnInterruptOfTheLastOperationLeavesNothingUndone) {
  cloud_.script.apply = [&](const providers::ApplyRequest&, providers::ApplyAnswer&) {
    stop_.request_stop();
  };
  make(thing("a") + "output \"o\" {\n  value = mock_thing.a.name\n}\n");
  EXPECT_THAT(objects(), ElementsAre("mock_thing.a a"));
  EXPECT_TRUE(state_.outputs.contains("o"));
}

TEST_P(ApplyRun, AnInterruptedDestructionDestroysNothingMore) {
  parallelism_ = 1;
  make(thing("a", "count = 20"));
  cloud_.script.apply = [&](const providers::ApplyRequest&, providers::ApplyAnswer&) {
    stop_.request_stop();
  };
  plan_destroy(thing("a", "count = 20"));
  apply();
  EXPECT_THAT(shown(), ElementsAre("- execution halted"));
  EXPECT_EQ(objects().size(), 19U);
  EXPECT_EQ(outside().size(), 19U);
}

TEST_P(ApplyRun, AnInterruptLeavesDeferredReadsUndone) {
  cloud_.script.apply = [&](const providers::ApplyRequest&, providers::ApplyAnswer&) {
    stop_.request_stop();
  };
  plan(thing("a") + "data \"mock_list\" \"l\" { prefix = mock_thing.a.id }\n");
  EXPECT_THAT(shown(), IsEmpty());
  events_.clear();
  apply();
  EXPECT_THAT(shown(), ElementsAre("- execution halted"));
  EXPECT_THAT(events_.all(), ElementsAre("start create mock_thing.a", "end create mock_thing.a"));
}

TEST_P(ApplyRun, AnInterruptedPlanIsAnError) {
  make(thing("a", "count = 20"));
  parallelism_ = 1;
  cloud_.script.read = [&](const providers::ReadRequest&, providers::ReadAnswer&) {
    stop_.request_stop();
  };
  plan(thing("a", "count = 20") + after_thing("b", "a[0]"));
  EXPECT_THAT(shown(), ElementsAre("- execution halted"));
  EXPECT_TRUE(planned_->plan.errored);
}

TEST_P(ApplyRun, TellsOfEachOperationWhenItBeginsAndEnds) {
  make(thing("a", "zone = \"x\"") + after_thing("b", "a"));
  EXPECT_THAT(events_.all(), ElementsAre("start create mock_thing.a", "end create mock_thing.a",
                                         "start create mock_thing.b", "end create mock_thing.b"));
  events_.clear();
  make(thing("a", "zone = \"y\"") + after_thing("b", "a"));
  const auto all = events_.all();
  const std::vector<std::string> applied(all.end() - 6, all.end());
  EXPECT_THAT(applied, ElementsAre("start delete mock_thing.a", "end delete mock_thing.a",
                                   "start create mock_thing.a", "end create mock_thing.a",
                                   "start update mock_thing.b", "end update mock_thing.b"));
  EXPECT_THAT(std::vector(all.begin(), all.end() - 6),
              UnorderedElementsAre("start refresh mock_thing.a", "end refresh mock_thing.a",
                                   "start refresh mock_thing.b", "end refresh mock_thing.b"));
  events_.clear();
  cloud_.fail("destroy mock_thing b");
  plan_destroy(thing("a") + after_thing("b", "a"));
  events_.clear();
  apply();
  EXPECT_THAT(events_.all(), ElementsAre("start delete mock_thing.b", "fail delete mock_thing.b"));
}

TEST_P(ApplyRun, PrivateDataComesBackWithItsObject) {
  std::mutex mutex;
  std::vector<std::string> seen;
  const auto see = [&](std::string what) {
    const std::lock_guard lock(mutex);
    seen.push_back(std::move(what));
  };
  cloud_.script.plan = [&](const providers::PlanRequest& request, providers::PlanAnswer& answer) {
    see("plan " + request.prior_private + request.planned_private);
    answer.planned_private = "planned";
  };
  cloud_.script.apply = [&](const providers::ApplyRequest& request,
                            providers::ApplyAnswer& answer) {
    see("apply " + request.planned_private);
    answer.private_data = "kept";
  };
  cloud_.script.read = [&](const providers::ReadRequest& request, providers::ReadAnswer& answer) {
    see("read " + request.private_data);
    answer.private_data = "read";
  };
  make(thing("a"));
  EXPECT_THAT(seen, ElementsAre("plan ", "plan planned", "apply planned"));
  EXPECT_EQ(object("mock_thing.a")->fields().private_data, "kept");
  seen.clear();
  make(thing("a", "labels = { k = \"v\" }"));
  EXPECT_THAT(seen, ElementsAre("read kept", "plan read", "plan readplanned", "apply planned"));
  seen.clear();
  destroy(thing("a"));  // which begins with a plan of the configuration
  EXPECT_THAT(seen, ElementsAre("read kept", "plan read", "plan read", "apply planned"));
}

TEST_P(ApplyRun, AnIdentityComesBackWithItsObject) {
  const auto identity = [](std::string_view text) {
    return Value::object({{"arn", Value::string(text)}});
  };
  std::mutex mutex;
  std::vector<std::string> seen;
  const auto see = [&](std::string_view what, const Value& given) {
    const std::lock_guard lock(mutex);
    seen.push_back(
        fmt::format("{} {}", what, given.is_null() ? "-" : providers::text_of(given, "arn")));
  };
  cloud_.script.plan = [&](const providers::PlanRequest& request, providers::PlanAnswer& answer) {
    see("plan", request.prior_identity);
    answer.planned_identity = identity("planned");
  };
  cloud_.script.apply = [&](const providers::ApplyRequest& request,
                            providers::ApplyAnswer& answer) {
    see("apply", request.planned_identity);
    answer.identity = identity("made");
  };
  cloud_.script.read = [&](const providers::ReadRequest& request, providers::ReadAnswer& answer) {
    see("read", request.identity);
    answer.identity = identity("read");
  };
  make(thing("a"));
  EXPECT_THAT(seen, ElementsAre("plan -", "plan -", "apply planned"));
  EXPECT_EQ(object("mock_thing.a")->fields().identity, R"({"arn":"made"})");
  seen.clear();
  plan(thing("a", "labels = { k = \"v\" }"));
  EXPECT_EQ(providers::text_of(change("mock_thing.a")->details->identity_before, "arn"), "read");
  EXPECT_EQ(providers::text_of(change("mock_thing.a")->details->identity_after, "arn"), "planned");
  apply();
  EXPECT_THAT(seen, ElementsAre("read made", "plan read", "plan read", "apply planned"));
}

TEST_P(ApplyRun, WriteOnlyArgumentsReachTheProviderAndNothingElse) {
  std::mutex mutex;
  std::vector<std::string> seen;
  cloud_.script.apply = [&](const providers::ApplyRequest& request, providers::ApplyAnswer&) {
    const std::lock_guard lock(mutex);
    seen.push_back(providers::text_of(request.config, "token") + "," +
                   providers::text_of(request.planned, "token"));
  };
  make(thing("a", "token = \"hush\""));
  EXPECT_THAT(seen, ElementsAre("hush,"));
  EXPECT_THAT(std::string(object("mock_thing.a")->attributes()), Not(HasSubstr("hush")));
  // That another value is given cannot be seen.
  plan(thing("a", "token = \"another\""));
  EXPECT_THAT(changes(), IsEmpty());
}

TEST_P(ApplyRun, TheProviderCanAskForAReplacementBecauseOfAWriteOnlyArgument) {
  make(thing("a", "token = \"hush\""));
  cloud_.script.plan = [](const providers::PlanRequest& request, providers::PlanAnswer& answer) {
    if (!request.prior.is_null()) {
      answer.requires_replace = {value::Path().with_attribute("token")};
    }
  };
  plan(thing("a", "token = \"another\""));
  EXPECT_THAT(changes(), SizeIs(1));
  EXPECT_THAT(changes()[0], HasSubstr("replace mock_thing.a"));
}

TEST_P(ApplyRun, OutputsAndChecksAreKept) {
  make(thing("a") + R"(
    output "id" { value = mock_thing.a.id }
    check "c" {
      assert {
        condition     = mock_thing.a.name == "a"
        error_message = "Another name."
      }
    }
  )");
  EXPECT_EQ(state_.outputs.at("id").value.plain().as_string(), "id-1");
  ASSERT_EQ(state_.checks.size(), 1U);
  EXPECT_EQ(state_.checks[0].status, state::CheckStatus::Pass);
  destroy(thing("a") + "output \"id\" { value = mock_thing.a.id }\n");
  EXPECT_TRUE(state_.outputs.empty());
}

TEST_P(ApplyRun, APreconditionThatFailsDoesNotKeepAnythingFromBeingDestroyed) {
  const auto text = [&](std::string_view condition) {
    return "variable \"v\" { default = true }\n" +
           thing("a", fmt::format("lifecycle {{\n    precondition {{\n      condition = {}\n      "
                                  "error_message = \"No.\"\n    }}\n  }}",
                                  condition));
  };
  make(text("var.v"));
  plan_destroy(text("!var.v"));
  EXPECT_FALSE(planned_->plan.errored);
  apply();
  EXPECT_FALSE(diags_.has_errors());
  EXPECT_THAT(objects(), IsEmpty());
  EXPECT_THAT(outside(), IsEmpty());
}

TEST_P(ApplyRun, AFailedPostconditionKeepsTheObjectAndEndsWhatDepends) {
  const std::string text =
      thing("a",
            "lifecycle {\n    postcondition {\n      condition = self.id == \"x\"\n      "
            "error_message = \"No.\"\n    }\n  }") +
      after_thing("b", "a");
  plan(text);
  EXPECT_THAT(shown(), IsEmpty()) << "the id is not known yet";
  apply();
  EXPECT_THAT(shown(), ElementsAre(HasSubstr("Resource postcondition failed")));
  EXPECT_THAT(objects(), ElementsAre("mock_thing.a a"));
}

TEST_P(ApplyRun, InstancesOfAModuleAreMadeSideBySideAndInOrderInside) {
  write("./m", thing("a") + after_thing("b", "a"));
  const std::string text = "module \"m\" {\n  count  = 10\n  source = \"./m\"\n}\n";
  make(text);
  EXPECT_THAT(objects(), SizeIs(20));
  destroy(text);
  const auto all = cloud_.calls();
  EXPECT_EQ(std::ranges::count(all, "destroy mock_thing b"), 10);
  EXPECT_THAT(objects(), IsEmpty());
  EXPECT_THAT(outside(), IsEmpty());
}

TEST_P(ApplyRun, AResourceThatWasBegunAndHasNothingKeepsAnEmptyEntry) {
  const auto entry = [&](std::string_view name) {
    const state::Resource* found =
        state_.resource(addrs::resource_of(instance(fmt::format("mock_thing.{}", name))));
    return found == nullptr ? "none" : found->empty() ? "empty" : "has something";
  };
  const std::string rule =
      "lifecycle {\n    precondition {\n      condition = mock_thing.a.id == \"\"\n      "
      "error_message = \"never\"\n    }\n  }";
  plan(thing("a") + thing("refused", rule) + after_thing("late", "refused") + thing("failed"));
  cloud_.fail("apply mock_thing failed");
  apply();
  EXPECT_STREQ(entry("a"), "has something");
  EXPECT_STREQ(entry("refused"), "empty");
  EXPECT_STREQ(entry("late"), "none");    // it was never begun
  EXPECT_STREQ(entry("failed"), "none");  // the provider said that there is nothing
}

// As in OpenTofu, which finds out the instances only of what something with work refers to.
TEST_P(ApplyRun, AResourceWithoutInstancesKeepsAnEmptyEntryOnlyIfTheRunFailed) {
  const auto has_entry = [&](std::string_view name) {
    const auto address = addrs::resource_of(instance(fmt::format("mock_thing.{}", name)));
    return state_.resource(address) != nullptr;
  };
  const std::string text = thing("used", "count = 0") + thing("unused", "count = 0") +
                           thing("a", "depends_on = [mock_thing.used]") +
                           "output \"o\" {\n  value = mock_thing.unused[*].id\n}\n";
  plan(text + thing("failed"));
  cloud_.fail("apply mock_thing failed");
  apply();
  EXPECT_TRUE(has_entry("used"));
  EXPECT_FALSE(has_entry("unused"));
  EXPECT_TRUE(has_entry("a"));

  cloud_.stop_failing();
  make(text + thing("more"));
  EXPECT_FALSE(has_entry("used"));
  EXPECT_TRUE(has_entry("a"));
  state_ = {};
  make(text);
  EXPECT_FALSE(has_entry("used"));
  EXPECT_TRUE(has_entry("a"));
}

TEST_P(ApplyRun, WhatCannotBeDestroyedIsReportedWithoutAPlace) {
  make(thing("a"));
  plan_destroy(thing("a"));
  cloud_.fail("destroy mock_thing a");
  apply();
  ASSERT_THAT(diags_.items(), SizeIs(1));
  EXPECT_FALSE(diags_.items().front().subject);
  EXPECT_THAT(objects(), ElementsAre("mock_thing.a a"));
}

// What the journal of applying `text` has: "intent ADDRESS" and "done ADDRESS", in order of
// addresses.
std::vector<std::string> journal_records(const std::string& path) {
  std::vector<std::string> out;
  const auto bytes = base::read_file(path);
  const state::Journal journal = state::read_journal(bytes.value(), state::no_encryption());
  for (const state::JournalRecord& record : journal.records) {
    if (const auto* intent = std::get_if<state::JournalIntent>(&record)) {
      out.push_back("intent " + intent->address.to_string());
    } else if (const auto* done = std::get_if<state::JournalDone>(&record)) {
      out.push_back("done " + done->address.to_string());
    }
  }
  std::ranges::sort(out);
  return out;
}

TEST_P(ApplyRun, NobodyWaitsForTheDiskWhereNothingExistsOutsideOfTheState) {
  const std::string recorded = "resource \"terraform_data\" \"r\" {\n  input = 1\n}\n";
  const std::string provisioned =
      "resource \"terraform_data\" \"p\" {\n  input = 1\n  provisioner \"local-exec\" {\n    "
      "command = \"true\"\n  }\n}\n";
  // Needs both others, so that all their records are on disk before it begins.
  const std::string real = thing("t", "depends_on = [terraform_data.r, terraform_data.p]");
  const auto directory = base::TemporaryDirectory::make(::testing::TempDir(), "tofu-journal-");
  ASSERT_TRUE(directory);
  const std::string path = directory->path() + "/journal";
  auto journal = state::JournalWriter::create(path, {}, state::no_encryption());
  ASSERT_TRUE(journal);
  plan(recorded + provisioned + real);
  apply(journal->get());
  EXPECT_THAT(shown(), IsEmpty());
  EXPECT_THAT(journal_records(path),
              ElementsAre("done mock_thing.t", "done terraform_data.p", "done terraform_data.r",
                          "intent mock_thing.t", "intent terraform_data.p"));
}

}  // namespace
}  // namespace tofu::engine
