// What runs write into their journals, and what becomes of them when a journal cannot be
// written, a provider stops in the middle of a call, or we have a bug.
//
// A provisioner that copies the journal sees it as a run leaves it that is killed there.
#include <algorithm>
#include <atomic>
#include <gmock/gmock.h>
#include <optional>

#include "base/check.h"
#include "base/file.h"
#include "base/temporary_directory.h"
#include "state/journal.h"
#include "state/journal_writer.h"
#include "state/recovery.h"
#include "tests/engine/run_fixture.h"
#include "tests/state/full_disk.h"

namespace tofu::engine {
namespace {

using providers::ApplyAnswer;
using providers::ApplyRequest;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

class ApplyJournal : public EngineRun {
 protected:
  static std::string thing(std::string_view name, std::string_view rest = {}) {
    return fmt::format("resource \"mock_thing\" \"{0}\" {{\n  name = \"{0}\"\n  {1}\n}}\n", name,
                       rest);
  }
  static std::string replaced_first(std::string_view zone, std::string_view rest = {}) {
    return thing("a",
                 fmt::format("zone = \"{}\"\n  lifecycle {{ create_before_destroy = true }}\n  {}",
                             zone, rest));
  }
  // A provisioner that keeps the journal as it is when it runs.
  std::string copies(std::string_view name, std::string_view rest = {}) {
    return fmt::format(
        "provisioner \"local-exec\" {{\n    command = \"cp {0}/journal {0}/{1}\"\n    {2}\n  }}\n",
        directory_->path(), name, rest);
  }

  void SetUp() override {
    auto made = base::TemporaryDirectory::make(::testing::TempDir(), "tofu-journal-");
    ASSERT_TRUE(made);
    directory_.emplace(std::move(*made));
  }
  std::string path(std::string_view name) const {
    return fmt::format("{}/{}", directory_->path(), name);
  }
  // Plans and applies with a journal, which stays.
  void run(const std::string& text, const PlanOptions& options = {}) {
    plan(text, options);
    EXPECT_THAT(shown(), IsEmpty());
    if (state_.lineage.empty()) state_.lineage = "l";
    before_ = state_;
    std::remove(path("journal").c_str());
    auto journal = state::JournalWriter::create(
        path("journal"), {.lineage = before_.lineage, .serial = before_.serial},
        state::no_encryption());
    ASSERT_TRUE(journal);
    apply(journal->get());
  }
  void run_destroy(const std::string& text) {
    PlanOptions options;
    options.mode = plans::Mode::Destroy;
    run(text, options);
  }
  state::Journal journal_in(std::string_view name) const {
    const auto bytes = base::read_file(path(name));
    EXPECT_TRUE(bytes) << name;
    return state::read_journal(bytes ? *bytes : "", state::no_encryption());
  }
  state::Recovery recovered(std::string_view name) const {
    return state::recover(&before_, journal_in(name));
  }
  std::vector<std::string> details() const {
    std::vector<std::string> out;
    for (const diag::Diagnostic& each : diags_.items()) out.push_back(each.detail);
    return out;
  }
  // The provider dies when it is asked to apply this, or its answer makes no sense.
  void lose(std::string name) {
    cloud_.script.apply = [name](const ApplyRequest& request, ApplyAnswer& answer) {
      const bool deletes = request.planned.is_null();
      if (providers::text_of(deletes ? request.prior : request.planned, "name") != name) return;
      answer.object = request.prior;
      answer.problems.push_back({diag::Severity::Error, "Gone", "The plugin is gone.", {}});
      answer.is_lost = true;
    };
  }

  std::optional<base::TemporaryDirectory> directory_;
  state::State before_;
};

INSTANTIATE_TEST_SUITE_P(Schedules, ApplyJournal, ::testing::ValuesIn(kSchedules));

std::string text_of(const std::vector<state::HalfProvisioned>& all) {
  std::string text;
  for (const state::HalfProvisioned& each : all) {
    text += fmt::format("{} {};", state::action_word(each.action), each.address.to_string());
  }
  return text;
}

TEST_P(ApplyJournal, AKillInAProvisionerLeavesTheObjectTainted) {
  const std::string text = thing("a", copies("first") + copies("second")) +
                           "resource \"terraform_data\" \"r\" {\n  " + copies("third") + "}\n";
  run(text);
  EXPECT_THAT(shown(), IsEmpty());
  for (const char* name : {"first", "second", "third"}) {
    const auto address =
        instance(name == std::string("third") ? "terraform_data.r" : "mock_thing.a");
    const state::Recovery recovery = recovered(name);
    EXPECT_THAT(text_of(recovery.half_provisioned),
                HasSubstr("create " + address.to_string() + ";"))
        << name;
    const state::Object* object = recovery.state.object(address);
    ASSERT_NE(object, nullptr) << name;
    EXPECT_EQ(object->status(), state::ObjectStatus::Tainted) << name;
    EXPECT_THAT(recovery.in_flight, IsEmpty()) << name;
  }
  const state::Recovery at_the_end = recovered("journal");
  EXPECT_THAT(at_the_end.half_provisioned, IsEmpty());
  EXPECT_EQ(at_the_end.state.object(instance("mock_thing.a"))->status(),
            state::ObjectStatus::Ready);
  EXPECT_THAT(objects(), Contains("mock_thing.a a"));
}

TEST_P(ApplyJournal, AKillInADestroyProvisionerLeavesTheObjectToBeDestroyed) {
  const std::string text = thing("a", copies("first", "when = destroy")) +
                           "resource \"terraform_data\" \"r\" {\n  " +
                           copies("second", "when = destroy") + "}\n";
  make(text);
  run_destroy(text);
  EXPECT_THAT(shown(), IsEmpty());
  EXPECT_THAT(objects(), IsEmpty());
  for (const char* name : {"first", "second"}) {
    const bool is_first = name == std::string("first");
    const auto address = instance(is_first ? "mock_thing.a" : "terraform_data.r");
    const state::Recovery recovery = recovered(name);
    EXPECT_THAT(text_of(recovery.half_provisioned),
                HasSubstr("delete " + address.to_string() + ";"));
    const state::Object* object = recovery.state.object(address);
    ASSERT_NE(object, nullptr);
    EXPECT_EQ(object->status(), state::ObjectStatus::Ready);
  }
  EXPECT_THAT(recovered("journal").half_provisioned, IsEmpty());
}

TEST_P(ApplyJournal, AKillInAProvisionerOfASuccessorLeavesBothObjects) {
  make(replaced_first("x"));
  run(replaced_first("y", copies("first")));
  const state::Recovery recovery = recovered("first");
  const auto address = instance("mock_thing.a");
  EXPECT_EQ(recovery.state.object(address)->status(), state::ObjectStatus::Tainted);
  EXPECT_THAT(recovery.recovered, SizeIs(2)) << "the deposed object and its successor";
}

TEST_P(ApplyJournal, OperationsAreReportedAndRecordedOnlyWhenTheyHaveTheirPlace) {
  std::atomic<int> running = 0;
  std::atomic<int> most = 0;
  std::atomic<std::size_t> most_in_flight = 0;
  events_.watch = [&](const std::string& sentence) {
    if (sentence.find("refresh") != std::string::npos) return;
    if (sentence.starts_with("end ")) --running;
    if (!sentence.starts_with("start ")) return;
    const int now = ++running;
    for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
    }
  };
  cloud_.script.apply = [&](const ApplyRequest&, ApplyAnswer&) {
    const std::size_t now = recovered("journal").in_flight.size();
    for (std::size_t seen = most_in_flight;
         now > seen && !most_in_flight.compare_exchange_weak(seen, now);) {
    }
  };
  const std::string text = thing("a", "count = 12") + thing("b", "zone = mock_thing.a[3].id");
  for (const unsigned parallelism : {1U, 3U}) {
    parallelism_ = parallelism;
    most = 0;
    most_in_flight = 0;
    run(text);
    EXPECT_THAT(shown(), IsEmpty());
    run(thing("a", "count = 12\nzone = \"other\"") + thing("b"));
    EXPECT_THAT(shown(), IsEmpty());
    run_destroy(text);
    EXPECT_THAT(shown(), IsEmpty());
    EXPECT_THAT(objects(), IsEmpty());
    EXPECT_EQ(running, 0);
    EXPECT_GE(most, 1);
    EXPECT_LE(most, static_cast<int>(parallelism));
    EXPECT_GE(most_in_flight, 1U);
    EXPECT_LE(most_in_flight, parallelism);
  }
}

TEST_P(ApplyJournal, ProvisionersRunInThePlaceOfTheirOperation) {
  const std::string text = thing(
      "a", "count = 3\n" + copies("first") + copies("second") + copies("third", "when = destroy"));
  parallelism_ = 1;
  std::atomic<int> running = 0;
  std::atomic<int> most = 0;
  events_.watch = [&](const std::string& sentence) {
    if (sentence.find("refresh") != std::string::npos) return;
    if (sentence.starts_with("end ")) --running;
    if (sentence.starts_with("start ")) most = std::max<int>(most, ++running);
  };
  run(text);
  EXPECT_THAT(shown(), IsEmpty());
  run_destroy(text);
  EXPECT_THAT(shown(), IsEmpty());
  EXPECT_THAT(objects(), IsEmpty());
  EXPECT_EQ(most, 1);
}

TEST_P(ApplyJournal, WhatWaitsForAPlaceAtAnInterruptIsNotBegun) {
  parallelism_ = 1;
  const std::string text = thing("a", "count = 8");
  cloud_.script.apply = [&](const ApplyRequest&, ApplyAnswer&) { stop_.request_stop(); };
  run(text);
  EXPECT_THAT(shown(), ElementsAre("- execution halted"));
  EXPECT_THAT(calls("apply"), SizeIs(1));
  EXPECT_THAT(events_.all(), SizeIs(2));  // of the one that began
  EXPECT_THAT(objects(), SizeIs(1));
  const auto is_intent = [](const state::JournalRecord& record) {
    return std::holds_alternative<state::JournalIntent>(record);
  };
  EXPECT_EQ(std::ranges::count_if(journal_in("journal").records, is_intent), 1);
  EXPECT_THAT(recovered("journal").in_flight, IsEmpty());
  cloud_.script.apply = {};
  stop_ = {};
  run(text);
  EXPECT_THAT(shown(), IsEmpty());
  EXPECT_THAT(objects(), SizeIs(8));
}

TEST_P(ApplyJournal, AFailedProvisionerIsNoUnfinishedOne) {
  run(thing("a", "provisioner \"local-exec\" {\n    command = \"false\"\n  }\n"));
  EXPECT_THAT(shown(), ElementsAre(HasSubstr("local-exec provisioner error")));
  EXPECT_THAT(objects(), ElementsAre("mock_thing.a a tainted"));
  const state::Recovery recovery = recovered("journal");
  EXPECT_THAT(recovery.half_provisioned, IsEmpty());
  EXPECT_EQ(recovery.state.object(instance("mock_thing.a"))->status(),
            state::ObjectStatus::Tainted);
}

TEST_P(ApplyJournal, CutAnywhereTheOldObjectIsCurrentUntilItsSuccessorIsBegun) {
  make(replaced_first("x"));
  run(replaced_first("y"));
  EXPECT_THAT(shown(), IsEmpty());
  const std::string bytes = *base::read_file(path("journal"));
  const auto address = instance("mock_thing.a");
  for (std::size_t length = 0; length <= bytes.size(); ++length) {
    const state::Recovery recovery = state::recover(
        &before_,
        state::read_journal(std::string_view(bytes).substr(0, length), state::no_encryption()));
    if (recovery.state.object(address) != nullptr) continue;
    ASSERT_THAT(recovery.in_flight, SizeIs(1)) << length;
    EXPECT_EQ(recovery.in_flight[0].action, state::Action::Create) << length;
    EXPECT_THAT(recovery.recovered, SizeIs(2)) << "it has a key of its own";
  }
}

TEST_P(ApplyJournal, AResultThatCannotBeRecordedFailsItsRowAndWhatDependsOnIt) {
  std::optional<state::FullDisk> full;
  cloud_.script.apply = [&](const ApplyRequest&, ApplyAnswer&) { full.emplace(); };
  run(thing("a") + thing("b", "depends_on = [mock_thing.a]") +
      "output \"o\" {\n  value = mock_thing.b.id\n}\noutput \"p\" {\n  value = "
      "mock_thing.a.id\n}\n");
  full.reset();
  EXPECT_THAT(shown(), ElementsAre("- Cannot write the journal"));
  EXPECT_THAT(calls("apply"), ElementsAre("apply mock_thing a"));
  EXPECT_THAT(objects(), ElementsAre("mock_thing.a a")) << "the state has it all the same";
  EXPECT_TRUE(state_.outputs.empty());
  EXPECT_THAT(events_.all(), Contains("fail create mock_thing.a"));
}

TEST_P(ApplyJournal, NothingBeginsThatCannotBeRecorded) {
  std::optional<state::FullDisk> full;
  events_.watch = [&](const std::string& sentence) {
    if (sentence == "end create mock_thing.a") full.emplace();
  };
  run(thing("a") + thing("b", "depends_on = [mock_thing.a]") +
      "resource \"terraform_data\" \"r\" {\n  input = mock_thing.b.id\n}\n" +
      "output \"o\" {\n  value = mock_thing.b.id\n}\n");
  full.reset();
  EXPECT_THAT(shown(), ElementsAre("- Cannot write the journal"));
  EXPECT_THAT(calls("apply"), ElementsAre("apply mock_thing a"));
  EXPECT_THAT(objects(), ElementsAre("mock_thing.a a"));
  EXPECT_TRUE(state_.outputs.empty());
}

TEST_P(ApplyJournal, AReplacementThatCannotBeRecordedLeavesTheOldObject) {
  make(thing("z"));
  make(thing("z") + replaced_first("x", "depends_on = [mock_thing.z]"));
  std::optional<state::FullDisk> full;
  cloud_.script.apply = [&](const ApplyRequest&, ApplyAnswer&) { full.emplace(); };
  run(thing("z", "labels = { k = \"v\" }") + replaced_first("y", "depends_on = [mock_thing.z]"));
  full.reset();
  EXPECT_THAT(objects(), UnorderedElementsAre("mock_thing.a a", "mock_thing.z z"));
  EXPECT_THAT(outside(), UnorderedElementsAre("a", "z"));
}

TEST_P(ApplyJournal, ProvisionersDoNotRunUnrecorded) {
  std::optional<state::FullDisk> full;
  cloud_.script.apply = [&](const ApplyRequest&, ApplyAnswer&) { full.emplace(); };
  run(thing("a", copies("first")));
  full.reset();
  EXPECT_THAT(shown(), ElementsAre("- Cannot write the journal"));
  EXPECT_THAT(objects(), ElementsAre("mock_thing.a a tainted"));
  EXPECT_EQ(*base::file_kind(path("first")), base::FileKind::Missing);
}

TEST_P(ApplyJournal, ALostCreationIsInFlightAndSaysHowToImport) {
  lose("a");
  run(thing("a") + thing("b", "depends_on = [mock_thing.a]"));
  EXPECT_THAT(details(), ElementsAre(AllOf(HasSubstr("The plugin is gone."),
                                           HasSubstr("may exist without being in the state"),
                                           HasSubstr("tofu import 'mock_thing.a' ID"))));
  EXPECT_THAT(objects(), IsEmpty());
  const state::Recovery recovery = recovered("journal");
  ASSERT_THAT(recovery.in_flight, SizeIs(1));
  EXPECT_EQ(recovery.in_flight[0].address.to_string(), "mock_thing.a");
  EXPECT_EQ(recovery.in_flight[0].action, state::Action::Create);
}

TEST_P(ApplyJournal, LostUpdatesAndDestructionsKeepTheObjectsAsTheyWere) {
  make(thing("a") + thing("b"));
  lose("a");
  run(thing("a", "labels = { k = \"v\" }") + thing("b"));
  EXPECT_THAT(details(), ElementsAre(HasSubstr("may or may not be changed")));
  ASSERT_THAT(recovered("journal").in_flight, SizeIs(1));
  EXPECT_EQ(recovered("journal").in_flight[0].action, state::Action::Update);
  EXPECT_THAT(objects(), ElementsAre("mock_thing.a a", "mock_thing.b b"));

  lose("b");
  run_destroy(thing("a") + thing("b"));
  EXPECT_THAT(details(), ElementsAre(HasSubstr("may or may not be destroyed")));
  ASSERT_THAT(recovered("journal").in_flight, SizeIs(1));
  EXPECT_EQ(recovered("journal").in_flight[0].action, state::Action::Delete);
  EXPECT_THAT(objects(), ElementsAre("mock_thing.b b"));
}

TEST_P(ApplyJournal, ALostSuccessorLeavesTheOldObjectInItsPlace) {
  make(replaced_first("x"));
  lose("a");
  run(replaced_first("y"));
  EXPECT_THAT(details(), ElementsAre(AllOf(HasSubstr("tofu state rm 'mock_thing.a'"),
                                           HasSubstr("tofu import 'mock_thing.a' ID"))));
  EXPECT_THAT(objects(), ElementsAre("mock_thing.a a"));
  EXPECT_THAT(std::string(object("mock_thing.a")->attributes()), HasSubstr("\"x\""));
  const state::Recovery recovery = recovered("journal");
  EXPECT_FALSE(recovery.changed);
  EXPECT_THAT(recovery.in_flight, SizeIs(1));
}

TEST_P(ApplyJournal, AnAnswerThatDoesNotFitTheSchemaIsALostCall) {
  cloud_.script.apply = [](const ApplyRequest&, ApplyAnswer& answer) {
    answer.object = value::Value::string("no");
  };
  run(thing("a"));
  EXPECT_THAT(shown(),
              ElementsAre("main.tf:1 Provider returned invalid result object after apply"));
  EXPECT_THAT(details(), ElementsAre(HasSubstr("tofu import 'mock_thing.a' ID")));
  EXPECT_THAT(recovered("journal").in_flight, SizeIs(1));
}

TEST_P(ApplyJournal, ABugInOneInstanceFailsItAndWhatDependsOnIt) {
  cloud_.script.apply = [](const ApplyRequest& request, ApplyAnswer&) {
    if (providers::text_of(request.planned, "name") == "m1") base::broken_promise("by a test");
  };
  plan("resource \"mock_thing\" \"m\" {\n  count = 3\n  name = \"m${count.index}\"\n}\n" +
       thing("after", "depends_on = [mock_thing.m]") + thing("other"));
  EXPECT_THROW(apply(), base::InternalError);
  EXPECT_THAT(calls("apply"),
              AllOf(Contains("apply mock_thing m0"), Contains("apply mock_thing m2"),
                    Contains("apply mock_thing other"), Not(Contains("apply mock_thing after"))));
}

TEST_P(ApplyJournal, ABugInOneInstanceOfAReplacementFailsWhatDependsOnIt) {
  const auto text = [&](std::string_view zone) {
    return fmt::format(
               "resource \"mock_thing\" \"m\" {{\n  count = 2\n  name = \"m${{count.index}}\"\n  "
               "zone = \"{}\"\n}}\n",
               zone) +
           thing("after",
                 fmt::format("depends_on = [mock_thing.m]\n  labels = {{ k = \"{}\" }}", zone));
  };
  make(text("x"));
  cloud_.script.apply = [](const ApplyRequest& request, ApplyAnswer&) {
    const bool creates = request.prior.is_null();
    if (creates && providers::text_of(request.planned, "name") == "m1") {
      base::broken_promise("by a test");
    }
  };
  plan(text("y"));
  const std::size_t before = calls("apply mock_thing after").size();
  EXPECT_THROW(apply(), base::InternalError);
  EXPECT_THAT(calls("apply mock_thing after"), SizeIs(before));
  EXPECT_THAT(calls("apply mock_thing m0"), SizeIs(2));
}

TEST_P(ApplyJournal, PostconditionsAreJudgedAfterFailures) {
  const std::string rule =
      "lifecycle {\n    postcondition {\n      condition = self.id == \"never\"\n      "
      "error_message = \"Not as it should be.\"\n    }\n  }\n";
  run(thing("a", rule + "provisioner \"local-exec\" {\n    command = \"false\"\n  }\n"));
  EXPECT_THAT(shown(), UnorderedElementsAre(HasSubstr("local-exec provisioner error"),
                                            HasSubstr("Resource postcondition failed")));
  EXPECT_THAT(objects(), ElementsAre("mock_thing.a a tainted"));
  ASSERT_THAT(state_.checks, SizeIs(1));
  EXPECT_EQ(state_.checks[0].status, state::CheckStatus::Fail);

  state_ = {};
  cloud_.fail("apply mock_thing a");
  run(thing("a", rule));
  EXPECT_THAT(shown(), ElementsAre(HasSubstr("Mock failure"))) << "there is nothing to judge";
}

}  // namespace
}  // namespace tofu::engine
