#include "state/recovery.h"

#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <vector>

#include "tests/state/journal_samples.h"

namespace tofu::state {
namespace {

using journals::address;
using journals::done;
using journals::Ended;
using journals::frames_of;
using journals::intent;
using journals::joined;
using journals::journal_of;
using journals::kBegin;
using journals::kProvider;
using journals::kTime;
using journals::object;
using journals::provisioning;

State before() {
  State state;
  state.lineage = "l";
  state.serial = 4;
  state.set_object(address("x.old"), "", object("old"), kProvider);
  return state;
}

TEST(Recovery, RecordsCompleteTheStateTheyBeganWith) {
  const State state = before();
  const Recovery recovery =
      recover(&state, journal_of({intent("x.a", Action::Create), done("x.a", object("1")),
                                  intent("x.old", Action::Delete), done("x.old", Object()),
                                  JournalOutput{"o", Output{value::Value::integer(1)}},
                                  intent("x.b", Action::Create)}));

  EXPECT_EQ(recovery.verdict, Verdict::Apply);
  EXPECT_TRUE(recovery.changed);
  EXPECT_EQ(recovery.state.serial, 5);
  EXPECT_EQ(recovery.recovered, (std::vector<std::string>{"x.a", "x.old"}));
  EXPECT_NE(recovery.state.object(address("x.a")), nullptr);
  EXPECT_EQ(recovery.state.object(address("x.old")), nullptr);
  EXPECT_TRUE(recovery.state.outputs.contains("o"));
  ASSERT_EQ(recovery.in_flight.size(), 1);
  EXPECT_EQ(recovery.in_flight[0].address.to_string(), "x.b");
  EXPECT_EQ(recovery.in_flight[0].action, Action::Create);
  EXPECT_EQ(recovery.in_flight[0].since, "2026-01-02T03:04:05Z");
}

TEST(Recovery, NamesInstancesInTheOrderOfTheirNumbers) {
  const State state = before();
  const Recovery recovery =
      recover(&state, journal_of({done("x.c[10]", object("10")), done("x.c[2]", object("2"))}));
  EXPECT_EQ(recovery.recovered, (std::vector<std::string>{"x.c[2]", "x.c[10]"}));
}

TEST(Recovery, AStateThatTheRunStoredOnItsWayIsCompletedToo) {
  State state = before();
  state.serial = 5;
  state.set_object(address("x.a"), "", object("1"), kProvider);
  const JournalSaving saving{5, content_digest(state)};
  const Journal journal = journal_of({done("x.a", object("1")), saving, done("x.b", object("2"))});
  const Recovery recovery = recover(&state, journal);
  EXPECT_EQ(recovery.verdict, Verdict::Apply);
  EXPECT_EQ(recovery.recovered, std::vector<std::string>{"x.b"});

  state.set_object(address("x.c"), "", object("somebody else's"), kProvider);
  EXPECT_EQ(recover(&state, journal).verdict, Verdict::Offer);
}

TEST(Recovery, ANewerStateThatHasItAllNeedsNothing) {
  State state = before();
  const Journal journal = journal_of({done("x.a", object("0")), done("x.a", object("1"))});
  State recovered = recover(&state, journal).state;
  const Recovery again = recover(&recovered, journal);
  EXPECT_EQ(again.verdict, Verdict::Contained);
  EXPECT_FALSE(again.changed);
  EXPECT_EQ(again.state.serial, recovered.serial);
}

TEST(Recovery, AnotherHistoryIsAConflictThatNamesBoth) {
  const Journal journal = journal_of({done("x.a", object("1"))});
  State state = before();
  state.lineage = "other";
  const Recovery other = recover(&state, journal);
  EXPECT_EQ(other.verdict, Verdict::Conflict);
  EXPECT_NE(other.conflict.find("\"other\""), std::string::npos);
  EXPECT_NE(other.conflict.find("\"l\""), std::string::npos);

  state = before();
  state.serial = 3;  // a backup was put back
  EXPECT_EQ(recover(&state, journal).verdict, Verdict::Conflict);
  EXPECT_EQ(recover(nullptr, journal).verdict, Verdict::Conflict);
  EXPECT_EQ(recover(nullptr, journal).recovered, std::vector<std::string>{"x.a"});
}

std::vector<std::string> with_effect(const Recovery& recovery, Effect effect) {
  std::vector<std::string> subjects;
  for (const ObjectEffect& one : recovery.effects) {
    if (one.effect == effect) subjects.push_back(one.subject);
  }
  return subjects;
}

TEST(Recovery, NewerStateKeepsItsObjectsAndIsOfferedThoseItDoesNotKnow) {
  State state = before();
  state.serial = 9;
  state.set_object(address("x.b"), "", object("newer"), kProvider);
  state.set_object(address("x.c"), "00000001", object("deposed since"), kProvider);
  const Journal journal =
      journal_of({done("x.a", object("1")), done("x.b", object("stale")), done("x.old", Object()),
                  done("x.c", object("deposed since")), intent("x.b", Action::Update),
                  intent("x.d", Action::Create), JournalOutput{"o", std::nullopt}});
  const Recovery recovery = recover(&state, journal);

  EXPECT_EQ(recovery.verdict, Verdict::Offer);
  EXPECT_EQ(recovery.recovered, std::vector<std::string>{"x.a"});
  EXPECT_EQ(with_effect(recovery, Effect::Keep), (std::vector<std::string>{"x.b", "x.old"}));
  EXPECT_EQ(recovery.state.object(address("x.b"))->attributes(), "{\"id\":\"newer\"}");
  EXPECT_NE(recovery.state.object(address("x.old")), nullptr);
  EXPECT_EQ(recovery.state.object(address("x.c")), nullptr);
  EXPECT_EQ(recovery.state.serial, 10);
  ASSERT_EQ(recovery.in_flight.size(), 1);
  EXPECT_EQ(recovery.in_flight[0].address.to_string(), "x.d");
}

TEST(Recovery, NewerStateThatKnowsEveryObjectEndsTheJournal) {
  State state = before();
  state.serial = 9;
  const Recovery recovery =
      recover(&state, journal_of({done("x.old", object("stale")), done("x.gone", Object())}));
  EXPECT_EQ(recovery.verdict, Verdict::Contained);
  EXPECT_FALSE(recovery.changed);
  EXPECT_EQ(recovery.state.object(address("x.old"))->attributes(), "{\"id\":\"old\"}");
}

TEST(Recovery, ObjectsOfAnotherLineageAreNeverReplaced) {
  State state = before();
  state.lineage = "other";
  const Recovery recovery =
      recover(&state, journal_of({done("x.a", object("1")), done("x.old", object("theirs"))}));
  EXPECT_EQ(recovery.verdict, Verdict::Conflict);
  EXPECT_TRUE(recovery.is_other_lineage);
  EXPECT_EQ(with_effect(recovery, Effect::Add), std::vector<std::string>{"x.a"});
  EXPECT_EQ(with_effect(recovery, Effect::Keep), std::vector<std::string>{"x.old"});
  EXPECT_EQ(recovery.state.object(address("x.old"))->attributes(), "{\"id\":\"old\"}");
}

TEST(Recovery, OlderStateIsShownWhatTheJournalChanges) {
  State state = before();
  state.serial = 3;
  state.set_object(address("x.gone"), "", object("1"), kProvider);
  const Recovery recovery =
      recover(&state, journal_of({done("x.old", object("newer")), done("x.gone", Object())}));
  EXPECT_EQ(recovery.verdict, Verdict::Conflict);
  EXPECT_EQ(with_effect(recovery, Effect::Update), std::vector<std::string>{"x.old"});
  EXPECT_EQ(with_effect(recovery, Effect::Remove), std::vector<std::string>{"x.gone"});
}

TEST(Recovery, TheStateARunEndedWithContainsItsJournal) {
  State state = before();
  const Journal journal =
      journal_of({intent("x.a", Action::Create), done("x.a", object("1")), done("x.old", Object()),
                  JournalOutput{"o", Output{value::Value::integer(1)}}});
  EXPECT_FALSE(contains_run(state, journal));
  State ended = recover(&state, journal).state;
  EXPECT_TRUE(contains_run(ended, journal));
  ended.outputs.clear();
  EXPECT_FALSE(contains_run(ended, journal));
  ended = recover(&state, journal).state;
  ended.lineage = "other";
  EXPECT_FALSE(contains_run(ended, journal));
  EXPECT_FALSE(contains_run(ended, Journal{}));
}

TEST(Recovery, TheEndOfARunThatItsJournalLacksIsContained) {
  const State state = before();
  // Nothing more could be written after each of these.
  const std::vector<std::vector<JournalRecord>> beginnings = {
      {intent("x.a", Action::Create), done("x.a", object("1")),
       provisioning("x.a", Action::Create)},
      {done("x.a", object("1")), done("x.old", object("old"), "00000001"), done("x.old", Object()),
       intent("x.old", Action::Create)},
      {done("x.a", object("1")), done("x.old", Object())},
  };
  State ended = before();
  ended.serial = 5;
  ended.set_object(address("x.a"), "", object("1"), kProvider);
  for (const auto& records : beginnings) {
    EXPECT_TRUE(contains_run(ended, journal_of(records)));
    State older = ended;
    older.remove_object(address("x.a"), "");
    older.set_object(address("x.b"), "", object("2"), kProvider);
    auto more = records;
    more.push_back(done("x.b", object("other")));
    EXPECT_FALSE(contains_run(older, journal_of(more)));
  }
}

TEST(Recovery, WhatPlanningHasMovedIsWhereItIs) {
  const State from = before();
  State to = before();
  to.remove_object(address("x.old"), "");
  to.set_object(address("x.moved"), "", object("old"), kProvider);
  to.set_object(address("x.moved"), "00000001", object("deposed"), kProvider);
  to.set_object(address("data.x.d"), "", object("d"), kProvider);
  EXPECT_TRUE(changed_objects(from, from).empty());
  const auto records = changed_objects(from, to);
  ASSERT_EQ(records.size(), 3u);
  const Recovery recovery = recover(&from, journal_of(records));
  EXPECT_EQ(recovery.state.object(address("x.old")), nullptr);
  EXPECT_EQ(*recovery.state.object(address("x.moved")), object("old"));
  EXPECT_EQ(*recovery.state.object(address("x.moved"), "00000001"), object("deposed"));

  // An object that takes the place of one that moves on.
  State shifted = to;
  shifted.set_object(address("x.old"), "", object("other"), kProvider);
  const Recovery both = recover(&from, journal_of(changed_objects(from, shifted)));
  EXPECT_EQ(*both.state.object(address("x.old")), object("other"));
  EXPECT_EQ(*both.state.object(address("x.moved")), object("old"));
}

TEST(Recovery, TheLargestSerialIsNotPassed) {
  State state = before();
  JournalBegin begin = kBegin;
  begin.serial = state.serial = std::numeric_limits<std::uint64_t>::max();
  const Journal journal{.records = {begin, done("x.a", object("1"))}};
  EXPECT_EQ(recover(&state, journal).state.serial, state.serial);
}

TEST(Recovery, TheFirstRunOfAWorkspaceIsRecoveredWithoutAState) {
  JournalBegin begin = kBegin;
  begin.is_new = true;
  begin.serial = 0;
  const Journal journal{.records = {begin, done("x.a", object("1"))}};
  const Recovery recovery = recover(nullptr, journal);
  EXPECT_EQ(recovery.verdict, Verdict::Apply);
  EXPECT_EQ(recovery.state.lineage, "l");
  EXPECT_EQ(recovery.state.serial, 1);
}

TEST(Recovery, ARunThatEndedOrDidNothingNeedsNothing) {
  const State state = before();
  EXPECT_EQ(recover(&state, journal_of({done("x.a", object("1")), JournalEnd{5}})).verdict,
            Verdict::Nothing);
  EXPECT_EQ(recover(&state, Journal{}).verdict, Verdict::Nothing);
  const Recovery begun = recover(&state, journal_of({}));
  EXPECT_EQ(begun.verdict, Verdict::Apply);
  EXPECT_FALSE(begun.changed);
  EXPECT_EQ(begun.state.serial, 4);
}

TEST(Recovery, ADeposedObjectAndItsSuccessorAreTwoObjects) {
  const State state = before();
  const Recovery recovery =
      recover(&state, journal_of({done("x.old", object("old"), "00000001"), done("x.old", Object()),
                                  intent("x.old", Action::Create), done("x.old", object("new"))}));
  EXPECT_EQ(recovery.state.object(address("x.old"))->attributes(), "{\"id\":\"new\"}");
  EXPECT_EQ(recovery.state.object(address("x.old"), "00000001")->attributes(), "{\"id\":\"old\"}");
  EXPECT_TRUE(recovery.in_flight.empty());
}

TEST(Recovery, AnObjectWithUnfinishedProvisionersIsTainted) {
  const State state = before();
  const Recovery recovery = recover(
      &state, journal_of({intent("x.a", Action::Create), done("x.a", object("1")),
                          provisioning("x.a", Action::Create), intent("x.b", Action::Create),
                          done("x.b", object("2")), provisioning("x.b", Action::Create),
                          provisioning("x.b", Action::Create, Ended::Yes)}));
  EXPECT_EQ(recovery.state.object(address("x.a"))->status(), ObjectStatus::Tainted);
  EXPECT_EQ(recovery.state.object(address("x.b"))->status(), ObjectStatus::Ready);
  ASSERT_EQ(recovery.half_provisioned.size(), 1u);
  EXPECT_EQ(recovery.half_provisioned[0].address.to_string(), "x.a");
  EXPECT_EQ(recovery.half_provisioned[0].action, Action::Create);
  EXPECT_EQ(recovery.half_provisioned[0].since, kTime);
  EXPECT_TRUE(recovery.in_flight.empty());
}

// A provider may have been asked to create a successor first, to update or to destroy first.
TEST(Recovery, ADamagedRecordHidesNoObjectThatWasDisplaced) {
  const State state = before();
  const std::vector<JournalRecord> displacing = {done("x.old", object("old"), "00000001"),
                                                 done("x.old", Object()),
                                                 intent("x.old", Action::Create)};
  const JournalRecord created = done("x.old", object("new"));
  std::vector<std::string> frames = frames_of({kBegin});
  frames.push_back(*frame_records(displacing, no_encryption()));
  frames.push_back(*frame_records({&created, 1}, no_encryption()));
  JournalChain chain;
  for (std::string& frame : frames) chain.link(frame);
  const std::string bytes = joined(frames);
  const std::size_t second = journal_head().size() + frames[0].size();
  for (std::size_t at = second; at < bytes.size(); ++at) {
    std::string damaged = bytes;
    damaged[at] ^= 1;
    const Recovery recovery = recover(&state, read_journal(damaged, no_encryption()));
    EXPECT_EQ(*recovery.state.object(address("x.old"), "00000001"), object("old")) << at;
    if (at < second + frames[1].size()) {
      EXPECT_EQ(*recovery.state.object(address("x.old")), object("new")) << at;
    } else {
      EXPECT_EQ(recovery.in_flight.size(), 1u) << at;
    }
  }
  frames.erase(frames.begin() + 1);
  const Recovery without = recover(&state, read_journal(joined(frames), no_encryption()));
  EXPECT_NE(without.state.object(address("x.old"), "00000001"), nullptr);

  const JournalRecord updated =
      done("x.old", Object(ObjectFields{.attributes = "{\"id\":\"old\",\"name\":\"newer\"}"}));
  frames = frames_of({kBegin, intent("x.old", Action::Update), updated});
  frames.erase(frames.begin() + 1);
  const Recovery update = recover(&state, read_journal(joined(frames), no_encryption()));
  EXPECT_EQ(update.state.object(address("x.old"), "00000001"), nullptr);
  EXPECT_EQ(*update.state.object(address("x.old")), std::get<JournalDone>(updated).object);
}

TEST(Recovery, AFailedProvisionerIsSettledByWhatIsStoredOfTheObject) {
  const State state = before();
  const Recovery recovery =
      recover(&state, journal_of({done("x.a", object("1")), provisioning("x.a", Action::Create),
                                  done("x.a", object("1").with_status(ObjectStatus::Tainted))}));
  EXPECT_EQ(recovery.state.object(address("x.a"))->status(), ObjectStatus::Tainted);
  EXPECT_TRUE(recovery.half_provisioned.empty());
}

TEST(Recovery, AnObjectWithUnfinishedDestroyProvisionersIsStillThere) {
  const State state = before();
  const Recovery recovery = recover(&state, journal_of({provisioning("x.old", Action::Delete)}));
  EXPECT_FALSE(recovery.changed);
  EXPECT_EQ(*recovery.state.object(address("x.old")), object("old"));
  ASSERT_EQ(recovery.half_provisioned.size(), 1u);
  EXPECT_EQ(recovery.half_provisioned[0].action, Action::Delete);
}

TEST(Recovery, ALostCallIsInFlightSinceItsIntent) {
  const State state = before();
  const Recovery recovery = recover(
      &state, journal_of({intent("x.a", Action::Create),
                          JournalLost{address("x.a"), "", kProvider, Action::Create, "later"},
                          JournalLost{address("x.b"), "", kProvider, Action::Update, "later"}}));
  ASSERT_EQ(recovery.in_flight.size(), 2u);
  EXPECT_EQ(recovery.in_flight[0].since, kTime);
  EXPECT_EQ(recovery.in_flight[1].address.to_string(), "x.b");
  EXPECT_EQ(recovery.in_flight[1].since, "later");
}

TEST(Recovery, AJournalWithoutItsBeginningBelongsToNoState) {
  const State state = before();
  auto frames = frames_of({kBegin, done("x.a", object("1"))});
  frames.front().back() ^= 1;
  const Recovery recovery = recover(&state, read_journal(joined(frames), no_encryption()));
  EXPECT_EQ(recovery.verdict, Verdict::Conflict);
  EXPECT_EQ(recover(nullptr, read_journal(joined(frames), no_encryption())).verdict,
            Verdict::Conflict);
}

// The plan moved an object, and the record that says so is damaged.
TEST(Recovery, ADamagedMoveLeavesNoObjectAtTwoAddressesUnasked) {
  const State state = before();
  const auto now = [](const std::string& attributes) {
    return Object(ObjectFields{.attributes = attributes});
  };
  const std::vector<JournalRecord> moving = {done("x.old", Object()), done("x.new", object("old"))};
  const auto damaged = [&](std::vector<JournalRecord> later) {
    std::vector<std::string> frames = frames_of({kBegin});
    frames.push_back(*frame_records(moving, no_encryption()));
    frames.back().back() ^= 1;
    JournalChain chain;
    for (std::string& frame : frames) chain.link(frame);
    for (const JournalRecord& record : later) {
      frames.push_back(*frame_records({&record, 1}, no_encryption()));
      chain.link(frames.back());
    }
    return read_journal(joined(frames), no_encryption());
  };
  const JournalRecord updated = done("x.new", now("{\"id\":\"old\",\"name\":\"newer\"}"));

  const Journal journal = damaged({intent("x.new", Action::Update), updated});
  ASSERT_TRUE(journal.damage);
  const Recovery recovery = recover(&state, journal);
  EXPECT_EQ(recovery.verdict, Verdict::Conflict);
  EXPECT_TRUE(recovery.is_ambiguous);
  EXPECT_NE(recovery.conflict.find("x.new"), std::string::npos) << recovery.conflict;
  EXPECT_NE(recovery.conflict.find("tofu state rm 'x.old'"), std::string::npos);
  // With the user's confirmation the result has both, and reports that.
  EXPECT_NE(recovery.state.object(address("x.old")), nullptr);
  EXPECT_NE(recovery.state.object(address("x.new")), nullptr);

  // What has no id may be any object of its type.
  State without = before();
  without.set_object(address("x.old"), "", now("{\"name\":\"a\"}"), kProvider);
  const Recovery unnamed = recover(&without, damaged({done("x.new", now("{\"name\":\"b\"}"))}));
  EXPECT_TRUE(unnamed.is_ambiguous);

  // These were not moved there: another object, a new one, one with a recorded old address.
  for (const auto& later : std::vector<std::vector<JournalRecord>>{
           {done("x.new", object("other"))},
           {intent("x.new", Action::Create), done("x.new", object("old"))},
           {updated, done("x.old", object("successor"))},
           {done("x.old", now("{\"id\":\"old\",\"name\":\"newer\"}"))}}) {
    const Recovery clear = recover(&state, damaged(later));
    EXPECT_EQ(clear.verdict, Verdict::Apply);
    EXPECT_FALSE(clear.is_ambiguous);
  }

  // An intact journal is followed.
  auto records = moving;
  records.push_back(updated);
  EXPECT_EQ(recover(&state, journal_of(records)).verdict, Verdict::Apply);
}

}  // namespace
}  // namespace tofu::state
