#include "engine/saved_order.h"

#include <functional>
#include <gmock/gmock.h>
#include <utility>
#include <vector>

#include "engine/program_rows.h"
#include "plans/plan_codec.h"
#include "tests/engine/run_fixture.h"

namespace tofu::engine {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Ne;

constexpr const char* kTwo =
    "resource \"mock_thing\" \"a\" {\n  name = \"a\"\n}\n"
    "resource \"mock_thing\" \"b\" {\n  name = mock_thing.a.name\n}\n";

class SavedOrder : public EngineRun {
 protected:
  // A plan that destroys two things, of which b needs a.
  void plan_to_destroy_two() {
    make(kTwo);
    plan_destroy(kTwo);
    ASSERT_TRUE(planned_->plan.order.has_value());
  }
  // The order that the plan has after `change` and after it is completed.
  plans::ExecutionOrder completed_after(const std::function<void(plans::Plan&)>& change) {
    change(planned_->plan);
    EXPECT_TRUE(complete_order(program(), *planned_, diags_));
    return *planned_->plan.order;
  }
  static bool are_same(const plans::ExecutionOrder& a, const plans::ExecutionOrder& b) {
    return a.program == b.program && a.rows == b.rows && a.steps == b.steps &&
           a.rows_with_steps == b.rows_with_steps && a.waits.begin == b.waits.begin &&
           a.waits.edges == b.waits.edges && a.forgets == b.forgets;
  }
};

TEST_P(SavedOrder, APlanIsAppliedByTheOrderOfItsFile) {
  plan_to_destroy_two();
  auto read = plans::decode_plan(plans::encode_plan(planned_->plan), diags_);
  ASSERT_TRUE(read.has_value());
  const plans::ExecutionOrder saved = *read->order;
  planned_->plan = std::move(*read);

  ASSERT_TRUE(complete_order(program(), *planned_, diags_));
  EXPECT_TRUE(are_same(*planned_->plan.order, saved));
  apply();

  EXPECT_THAT(shown(), IsEmpty());
  EXPECT_THAT(outside(), IsEmpty());
}

// A further edge is one that the order computed now would not have.
TEST_P(SavedOrder, AnOrderThatFitsStaysAsItIs) {
  plan_to_destroy_two();
  plans::ExecutionOrder& order = *planned_->plan.order;
  const std::size_t edges = order.waits.edges.size();
  order.steps.push_back({plans::StepKind::Barrier, 0});
  order.waits.edges.push_back(order.rows);
  order.waits.close();

  EXPECT_EQ(completed_after([](plans::Plan&) {}).waits.edges.size(), edges + 1);
}

TEST_P(SavedOrder, AnOrderThatDoesNotFitIsComputedAnew) {
  plan_to_destroy_two();
  const plans::ExecutionOrder good = *planned_->plan.order;
  const auto is_mended = [&](const std::function<void(plans::Plan&)>& change) {
    const bool ok = are_same(completed_after(change), good);
    planned_->plan.order = good;
    return ok;
  };
  EXPECT_TRUE(is_mended([](plans::Plan& plan) { plan.order.reset(); }));
  EXPECT_TRUE(is_mended([](plans::Plan& plan) { plan.order.reset(), plan.rows = {}; }));
  EXPECT_TRUE(is_mended([](plans::Plan& plan) { plan.order->program ^= 1; }));
  EXPECT_TRUE(is_mended([](plans::Plan& plan) { ++plan.order->rows; }));
  EXPECT_TRUE(is_mended([](plans::Plan& plan) {
    std::swap(plan.rows.resources[0], plan.rows.resources[1]);
  })) << "other rows";
  EXPECT_TRUE(is_mended([](plans::Plan& plan) {
    plan.order->steps.clear();
    plan.order->waits = {};
  })) << "nothing is destroyed";
  EXPECT_TRUE(is_mended([](plans::Plan& plan) {
    for (plans::Step& step : plan.order->steps) {
      if (step.kind == plans::StepKind::Destroy) step.subject = 0;
    }
  })) << "one object is destroyed twice";
  EXPECT_TRUE(is_mended([](plans::Plan& plan) {
    plans::ExecutionOrder& order = *plan.order;
    const auto next = order.rows + static_cast<std::uint32_t>(order.steps.size());
    for (const std::uint32_t other : {next + 1, next}) {
      order.steps.push_back({plans::StepKind::Barrier, 0});
      order.waits.edges.push_back(other);
      order.waits.close();
    }
  })) << "a cycle";
}

TEST_P(SavedOrder, ResultsOfRulesAreBoundToTheRowsThatHaveThem) {
  plan(
      "variable \"v\" {\n  default = 1\n  validation {\n    condition = var.v > 0\n"
      "    error_message = \"No.\"\n  }\n}\n"
      "resource \"mock_thing\" \"a\" {\n  name = \"a\"\n  lifecycle {\n    precondition {\n"
      "      condition = var.v > 0\n      error_message = \"No.\"\n    }\n  }\n}\n"
      "output \"o\" {\n  value = 1\n  precondition {\n    condition = var.v > 0\n"
      "    error_message = \"No.\"\n  }\n}\n"
      "check \"c\" {\n  assert {\n    condition = var.v > 0\n    error_message = \"No.\"\n  "
      "}\n}\n");
  plans::Plan& plan = planned_->plan;
  ASSERT_EQ(plan.checks.size(), 4U);
  const std::vector<std::uint32_t> rows = plan.rows.checks;

  EXPECT_THAT(rows, Each(Ne(plans::BoundRows::kNone)));
  EXPECT_EQ(bound_checks(program(), plan.checks), rows);
  std::swap(plan.rows.checks[0], plan.rows.checks[1]);
  ASSERT_TRUE(complete_order(program(), *planned_, diags_));
  EXPECT_EQ(plan.rows.checks, rows);
  apply();
  EXPECT_THAT(shown(), IsEmpty());
}

TEST_P(SavedOrder, RowsThatAreMadeInStepsAreExpandedBefore) {
  make(kTwo);
  PlanOptions options;
  options.replace = {instance("mock_thing.a")};
  plan(kTwo, options);
  ASSERT_TRUE(planned_->plan.order.has_value());
  const plans::ExecutionOrder good = *planned_->plan.order;
  ASSERT_FALSE(good.rows_with_steps.empty());
  const auto damaged = [&](plans::StepKind from, plans::StepKind to) {
    return completed_after([&](plans::Plan& plan) {
      plan.order = good;
      for (plans::Step& step : plan.order->steps) {
        if (step.kind == from) step = {to, 0};
      }
    });
  };
  EXPECT_TRUE(are_same(completed_after([](plans::Plan&) {}), good));
  EXPECT_TRUE(are_same(damaged(plans::StepKind::Expand, plans::StepKind::Barrier), good));
  EXPECT_TRUE(are_same(damaged(plans::StepKind::Rest, plans::StepKind::Barrier), good));
  EXPECT_TRUE(are_same(damaged(plans::StepKind::Make, plans::StepKind::Barrier), good));
  apply();
  EXPECT_THAT(shown(), IsEmpty());
  EXPECT_THAT(outside(), ElementsAre("a", "a"));
}

INSTANTIATE_TEST_SUITE_P(Schedules, SavedOrder, ::testing::Values(Schedule{1, 0}, Schedule{2, 0}));

}  // namespace
}  // namespace tofu::engine
