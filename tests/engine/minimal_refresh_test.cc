// What a plan with a minimal refresh reads, on a mock provider that counts.
#include <gmock/gmock.h>

#include "addrs/text.h"
#include "tests/engine/run_fixture.h"

namespace tofu::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;
using value::Value;

class MinimalRefreshRun : public EngineRun {
 protected:
  static std::string thing(std::string_view name, std::string_view rest = {}) {
    return fmt::format("resource \"mock_thing\" \"{0}\" {{\n  name = \"{0}\"\n  {1}\n}}\n", name,
                       rest);
  }
  // Plans with a minimal refresh; reads() has the names of what that read, with repetitions.
  void plan_minimal(const std::string& text, PlanOptions options = {}) {
    before_ = calls("read ").size();
    events_.clear();
    options.minimal_refresh = true;
    plan(text, options);
  }
  std::vector<std::string> reads() const {
    std::vector<std::string> names;
    const auto all = calls("read ");
    for (std::size_t i = before_; i < all.size(); ++i) {
      const auto things = cloud_.things();
      const auto found = things.find(all[i].substr(std::string("read mock_thing ").size()));
      names.push_back(found == things.end() ? "gone" : providers::text_of(found->second, "name"));
    }
    return names;
  }
  void change_outside(std::string_view name, std::string_view attribute, std::string_view text) {
    for (const auto& [id, thing] : cloud_.things()) {
      if (providers::text_of(thing, "name") != name) continue;
      cloud_.put(id, providers::with_attribute(thing, attribute, Value::string(text)));
    }
  }

 private:
  std::size_t before_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Schedules, MinimalRefreshRun, ::testing::ValuesIn(kSchedules));

TEST_P(MinimalRefreshRun, OneChangeAmongManyReadsOneObject) {
  const auto text = [](std::string_view zone) {
    return fmt::format(
        "resource \"mock_thing\" \"many\" {{\n  count = 1000\n  name = \"n${{count.index}}\"\n"
        "  zone = count.index == 7 ? \"{}\" : \"x\"\n}}\n",
        zone);
  };
  make(text("x"));
  const std::size_t plans = calls("plan ").size();
  plan_minimal(text("y"));
  EXPECT_THAT(shown(), IsEmpty());
  EXPECT_THAT(reads(), ElementsAre("n7"));
  EXPECT_THAT(changes(), ElementsAre("replace mock_thing.many[7] (replace_because_cannot_update)"));
  EXPECT_EQ(planned_->plan.reads, (plans::ObjectReads{1, 999}));
  EXPECT_LT(calls("plan ").size() - plans, 1010U) << "the second round plans the change alone";
  apply();
  EXPECT_THAT(shown(), IsEmpty());
  plan_minimal(text("y"));
  EXPECT_THAT(changes(), IsEmpty());
  EXPECT_FALSE(planned_->plan.applyable);
  EXPECT_EQ(planned_->plan.reads, (plans::ObjectReads{0, 1000}));
}

TEST_P(MinimalRefreshRun, ReadsTheObjectsThatAChangeIsComputedFrom) {
  const auto text = [](std::string_view zone) {
    return thing("a") + thing("b", "labels = { a = mock_thing.a.id }") +
           "locals { b = mock_thing.b.zone }\n" +
           thing("c", fmt::format("labels = {{ b = local.b, z = \"{}\" }}", zone)) + thing("other");
  };
  make(text("x"));
  plan_minimal(text("y"));
  EXPECT_THAT(shown(), IsEmpty());
  EXPECT_THAT(reads(), UnorderedElementsAre("b", "c")) << "the zone of b does not come from a";
  EXPECT_THAT(changes(), ElementsAre("update mock_thing.c"));
}

TEST_P(MinimalRefreshRun, PlansAgainUntilNothingMoreChanges) {
  const auto text = [](std::string_view label) {
    return thing("a") +
           thing("b", "labels = { a = mock_thing.a.old_name == null ? \"\" : \"changed\" }") +
           thing("c", fmt::format("labels = {{ b = mock_thing.b.id, l = \"{}\" }}", label)) +
           thing("d", "old_name = \"d\"");
  };
  make(text("1"));
  change_outside("b", "old_name", "outside");
  change_outside("d", "old_name", "outside");
  plan_minimal(text("2"));
  EXPECT_THAT(shown(), IsEmpty());
  // c changes, so b is read; b has changed outside, so a is read.
  EXPECT_THAT(reads(), UnorderedElementsAre("a", "b", "c")) << "each of them once";
  EXPECT_THAT(changes(), ElementsAre("update mock_thing.b", "update mock_thing.c"));
  EXPECT_THAT(drift(), ElementsAre("update mock_thing.b")) << "d was not looked at";
  EXPECT_EQ(planned_->plan.reads, (plans::ObjectReads{3, 1}));
  apply();
  EXPECT_THAT(shown(), IsEmpty());
  plan(text("2"));
  EXPECT_THAT(changes(), ElementsAre("update mock_thing.d"));
}

TEST_P(MinimalRefreshRun, AnObjectThatIsGoneIsFoundWhereItWouldChange) {
  make(thing("a") + thing("b"));
  for (const auto& [id, object] : cloud_.things()) cloud_.remove(id);
  plan_minimal(thing("a", "labels = {}") + thing("b"));
  EXPECT_THAT(reads(), ElementsAre("gone"));
  EXPECT_THAT(changes(), ElementsAre("create mock_thing.a"));
  EXPECT_THAT(drift(), ElementsAre("delete mock_thing.a"));
}

TEST_P(MinimalRefreshRun, OnlyTheNamedInstanceOfADependencyIsRead) {
  const auto text = [](std::string_view label) {
    return "resource \"mock_thing\" \"many\" {\n  for_each = toset([\"x\", \"y\"])\n"
           "  name = each.key\n}\n" +
           thing("a",
                 fmt::format("labels = {{ i = mock_thing.many[\"y\"].id, l = \"{}\" }}", label));
  };
  make(text("1"));
  plan_minimal(text("2"));
  EXPECT_THAT(reads(), UnorderedElementsAre("a", "y"));
}

TEST_P(MinimalRefreshRun, ReplacedAndTaintedObjectsAreReadAndThoseThatGoAreNot) {
  make(thing("a") + thing("b") + thing("gone"));
  PlanOptions options;
  options.replace = {instance("mock_thing.a")};
  plan_minimal(thing("a") + thing("b"), options);
  EXPECT_THAT(reads(), ElementsAre("a"));
  EXPECT_THAT(changes(), ElementsAre("delete mock_thing.gone (delete_because_no_resource_config)",
                                     "replace mock_thing.a (replace_by_request)"));
  EXPECT_EQ(planned_->plan.reads, (plans::ObjectReads{1, 2}));
}

TEST_P(MinimalRefreshRun, DestroyingReadsNothing) {
  make(thing("a") + thing("b"));
  PlanOptions options;
  options.mode = plans::Mode::Destroy;
  plan_minimal(thing("a") + thing("b"), options);
  EXPECT_THAT(reads(), IsEmpty());
  EXPECT_THAT(changes(), ElementsAre("delete mock_thing.a", "delete mock_thing.b"));
  EXPECT_EQ(planned_->plan.reads, (plans::ObjectReads{0, 2}));
  apply();
  EXPECT_THAT(shown(), IsEmpty());
  EXPECT_THAT(outside(), IsEmpty());
}

TEST_P(MinimalRefreshRun, TargetsLimitWhatIsReadAndCounted) {
  const auto text = [](std::string_view label) {
    return thing("a", fmt::format("labels = {{ l = \"{}\" }}", label)) +
           thing("b", fmt::format("labels = {{ l = \"{}\" }}", label)) + thing("c");
  };
  make(text("1"));
  PlanOptions options;
  diag::Diagnostics none;
  options.targets = {*addrs::parse_text("mock_thing.a", addrs::parse_target, none)};
  plan_minimal(text("2"), options);
  EXPECT_THAT(reads(), ElementsAre("a"));
  EXPECT_EQ(planned_->plan.reads, (plans::ObjectReads{1, 0}));
}

TEST_P(MinimalRefreshRun, MovedObjectsAreNotReadForThat) {
  make(thing("a") + thing("b"));
  plan_minimal("resource \"mock_thing\" \"new\" {\n  name = \"a\"\n}\n" + thing("b") +
               "moved {\n  from = mock_thing.a\n  to = mock_thing.new\n}\n");
  EXPECT_THAT(shown(), IsEmpty());
  EXPECT_THAT(reads(), IsEmpty());
  EXPECT_THAT(changes(), ElementsAre("keep mock_thing.new from mock_thing.a"));
}

TEST_P(MinimalRefreshRun, ImportedObjectsAreReadOnce) {
  make(thing("a") + thing("b"));
  const auto things = cloud_.things();
  const std::string id = things.begin()->first;
  const std::string name = providers::text_of(things.begin()->second, "name");
  const std::string text = thing("a") + thing("b");
  state_ = {};
  const std::string block =
      fmt::format("import {{\n  to = mock_thing.{}\n  id = \"{}\"\n}}\n", name, id);
  plan_minimal(block + thing(name, "labels = { l = \"1\" }"));
  EXPECT_THAT(shown(), IsEmpty());
  EXPECT_THAT(reads(), ElementsAre(name));
  EXPECT_THAT(changes(), ElementsAre(fmt::format("update mock_thing.{} imported", name)));
}

TEST_P(MinimalRefreshRun, DataSourcesAreReadOnceForTheSameArguments) {
  const auto text = [](std::string_view label) {
    return thing("a", fmt::format("labels = {{ l = \"{}\" }}", label)) +
           "data \"mock_list\" \"l\" {\n  prefix = \"a\"\n}\n";
  };
  make(text("1"));
  const std::size_t before = calls("data ").size();
  plan_minimal(text("2"));
  EXPECT_THAT(shown(), IsEmpty());
  EXPECT_THAT(reads(), ElementsAre("a"));
  EXPECT_LE(calls("data ").size() - before, 1U);
}

TEST_P(MinimalRefreshRun, ErrorsOfTheLastRoundAreReportedOnce) {
  make(thing("a") + thing("b"));
  const std::string rule =
      "lifecycle {\n    precondition {\n      condition = mock_thing.b.name == \"\"\n"
      "      error_message = \"No.\"\n    }\n  }";
  plan_minimal(thing("a", "labels = {}\n  " + rule) + thing("b"));
  EXPECT_EQ(shown().size(), 1U);
  EXPECT_TRUE(planned_->plan.errored);
}

}  // namespace
}  // namespace tofu::engine
