#include "views/plan_text.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "tests/views/plan_fixture.h"

namespace tofu::views {
namespace {

using plans::Action;
using plans::ActionReason;
using testing::HasSubstr;
using testing::Not;

std::string text_of(const plans::Plan& plan) {
  return plan_text(plan, schema::builtin_schemas(), {});
}

TEST(PlanText, ShowsWhatWillBeCreated) {
  plans::Plan plan;
  plan.changes.push_back(data_change(plan, "a", Action::Create, no_object(), new_data_object(1)));
  const std::string text = text_of(plan);
  EXPECT_THAT(text, HasSubstr("OpenTofu will perform the following actions:\n"
                              "\n"
                              "  # terraform_data.a will be created\n"
                              "  + resource \"terraform_data\" \"a\" {\n"
                              "      + id     = (known after apply)\n"
                              "      + input  = 1\n"
                              "      + output = (known after apply)\n"
                              "    }\n"
                              "\n"
                              "Plan: 1 to add, 0 to change, 0 to destroy.\n"));
  EXPECT_THAT(text, HasSubstr("OpenTofu used the selected providers to generate the following "
                              "execution\nplan. "));
  EXPECT_THAT(text, HasSubstr("  + create\n"));
  EXPECT_THAT(text, Not(HasSubstr("  - destroy\n")));
}

// The texts of a long plan are made by several threads.
TEST(PlanText, ShowsALongPlanInOrder) {
  constexpr int kCount = 2000;
  plans::Plan plan;
  for (int i = kCount - 1; i >= 0; --i) {
    plan.changes.push_back(data_change(plan, "a", Action::Create, no_object(), new_data_object(i),
                                       {}, addrs::InstanceKey(std::int64_t{i})));
  }
  const std::string text = text_of(plan);
  std::size_t at = 0;
  for (int i = 0; i < kCount; ++i) {
    const std::string number = std::to_string(i);
    at = text.find("# terraform_data.a[" + number + "] will be created\n", at);
    ASSERT_NE(at, std::string::npos) << i;
    at = text.find("+ input  = " + number + "\n", at);
    ASSERT_NE(at, std::string::npos) << i;
  }
  EXPECT_THAT(text.substr(at), HasSubstr("Plan: 2000 to add, 0 to change, 0 to destroy.\n"));
}

// Fewer long texts than short ones are in memory at a time.
TEST(PlanText, IsGivenInPiecesOfSomeLength) {
  constexpr int kCount = 600;
  plans::Plan plan;
  const std::string letters(100'000, 'x');
  for (int i = 0; i < kCount; ++i) {
    const Value object = data_object(Value::unknown(Type::string()),
                                     str(std::to_string(i) + letters), Value::unknown());
    plan.changes.push_back(data_change(plan, "a", Action::Create, no_object(), object, {},
                                       addrs::InstanceKey(std::int64_t{i})));
  }
  std::size_t longest = 0;
  std::string text;
  write_plan_text(plan, schema::builtin_schemas(), {}, [&](std::string_view piece) {
    longest = std::max(longest, piece.size());
    text += piece;
  });
  EXPECT_LT(longest, std::size_t{2} << 20);
  std::size_t at = 0;
  for (int i = 0; i < kCount; ++i) {
    at = text.find("= \"" + std::to_string(i) + "xxx", at);
    ASSERT_NE(at, std::string::npos) << i;
  }
}

struct HeaderCase {
  std::string name;
  Action action;
  ActionReason reason;
  std::string expected;
};

class HeaderTest : public testing::TestWithParam<HeaderCase> {};

TEST_P(HeaderTest, SaysWhatHappensAndWhy) {
  plans::Plan plan;
  auto change = data_change(plan, "a", GetParam().action, data_object(1), data_object(2), {},
                            addrs::InstanceKey(std::int64_t{3}));
  change.reason = GetParam().reason;
  plan.changes.push_back(std::move(change));
  EXPECT_THAT(text_of(plan), HasSubstr("\n" + GetParam().expected));
}

INSTANTIATE_TEST_SUITE_P(
    Headers, HeaderTest,
    testing::Values(
        HeaderCase{"update", Action::Update, ActionReason::None,
                   "  # terraform_data.a[3] will be updated in-place\n  ~ resource"},
        HeaderCase{"replace", Action::DeleteThenCreate, ActionReason::ReplaceBecauseCannotUpdate,
                   "  # terraform_data.a[3] must be replaced\n-/+ resource"},
        HeaderCase{"create_first", Action::CreateThenDelete, ActionReason::ReplaceByRequest,
                   "  # terraform_data.a[3] will be replaced, as requested\n+/- resource"},
        HeaderCase{"tainted", Action::DeleteThenCreate, ActionReason::ReplaceBecauseTainted,
                   "  # terraform_data.a[3] is tainted, so it must be replaced\n-/+ resource"},
        HeaderCase{"triggered", Action::DeleteThenCreate, ActionReason::ReplaceByTriggers,
                   "  # terraform_data.a[3] will be replaced due to changes in "
                   "replace_triggered_by\n-/+ resource"},
        HeaderCase{"forget_then_create", Action::ForgetThenCreate, ActionReason::None,
                   "  # terraform_data.a[3] must be replaced - older instance will not be "
                   "destroyed (lifecycle.destroy = false)\n  ./+ resource"},
        HeaderCase{"count_index", Action::Delete, ActionReason::DeleteBecauseCountIndex,
                   "  # terraform_data.a[3] will be destroyed\n"
                   "  # (because index [3] is out of range for count)\n  - resource"},
        HeaderCase{"repetition", Action::Delete, ActionReason::DeleteBecauseWrongRepetition,
                   "  # terraform_data.a[3] will be destroyed\n"
                   "  # (because resource does not use count)\n  - resource"},
        HeaderCase{"no_config", Action::Delete, ActionReason::DeleteBecauseNoResourceConfig,
                   "  # terraform_data.a[3] will be destroyed\n"
                   "  # (because terraform_data.a is not in configuration)\n  - resource"},
        HeaderCase{"read", Action::Read, ActionReason::ReadBecauseConfigUnknown,
                   "  # terraform_data.a[3] will be read during apply\n"
                   "  # (config refers to values not yet known)\n <= resource"},
        HeaderCase{"forget", Action::Forget, ActionReason::ForgotBecauseLifecycleDestroyInConfig,
                   "  # terraform_data.a[3] will be removed from the OpenTofu state but will not "
                   "be destroyed \n (because lifecycle.destroy = false is set in the "
                   "configuration)\n  . resource"}),
    [](const auto& row) { return row.param.name; });

TEST(PlanText, TellsWhereAMovedAndAnImportedObjectComesFrom) {
  plans::Plan plan;
  plans::ChangeDetails moved;
  moved.previous = data_address("old");
  plan.changes.push_back(
      data_change(plan, "a", Action::NoOp, data_object(1), data_object(1), moved));
  plan.changes.push_back(
      data_change(plan, "b", Action::Update, data_object(1), data_object(2), moved));
  plans::ChangeDetails imported;
  imported.importing = plans::Importing{"i-1"};
  plan.changes.push_back(
      data_change(plan, "c", Action::NoOp, data_object(1), data_object(1), imported));
  const std::string text = text_of(plan);
  EXPECT_THAT(text,
              HasSubstr("  # terraform_data.old has moved to terraform_data.a\n    resource"));
  EXPECT_THAT(text, HasSubstr("  # terraform_data.b will be updated in-place\n"
                              "  # (moved from terraform_data.old)\n"));
  EXPECT_THAT(text, HasSubstr("  # terraform_data.c will be imported\n"
                              "  # (imported from \"i-1\")\n"
                              "    resource \"terraform_data\" \"c\" {\n"
                              "        id     = \"x\"\n"
                              "        input  = 1\n"
                              "        output = 1\n"
                              "    }\n"));
  EXPECT_THAT(text, HasSubstr("Plan: 1 to import, 0 to add, 1 to change, 0 to destroy.\n"));
}

TEST(PlanText, AForgottenObjectHasNoColumnForSymbols) {
  plans::Plan plan;
  plan.changes.push_back(data_change(plan, "a", Action::Forget, data_object(1), no_object()));
  const std::string text = text_of(plan);
  EXPECT_THAT(text, HasSubstr("  . resource \"terraform_data\" \"a\" {\n"
                              "    id     = \"x\"\n"
                              "    input  = 1\n"
                              "    output = 1\n"
                              "}\n"));
  EXPECT_THAT(text, HasSubstr("Plan: 0 to add, 0 to change, 0 to destroy, 1 to forget.\n"));
}

TEST(PlanText, ADeposedObjectIsNamed) {
  plans::Plan plan;
  plans::ChangeDetails details;
  details.deposed = "12345678";
  plan.changes.push_back(
      data_change(plan, "a", Action::Delete, data_object(1), no_object(), details));
  EXPECT_THAT(text_of(plan),
              HasSubstr("  # terraform_data.a (deposed object 12345678) will be destroyed\n"
                        "  # (left over from a partially-failed replacement of this instance)\n"));
}

TEST(PlanText, OutputsComeLastAndAreAligned) {
  plans::Plan plan;
  plan.outputs.push_back({.name = "gone", .action = Action::Delete, .before = str("x")});
  plan.outputs.push_back({.name = "a", .action = Action::Create, .after = num(1)});
  plan.outputs.push_back(
      {.name = "same", .action = Action::NoOp, .before = num(1), .after = num(1)});
  plan.outputs.push_back(
      {.name = "s", .action = Action::Create, .sensitive = true, .after = str("hidden")});
  EXPECT_THAT(text_of(plan), HasSubstr("Changes to Outputs:\n"
                                       "  + a    = 1\n"
                                       "  - gone = \"x\" -> null\n"
                                       "  + s    = (sensitive value)\n"));
}

TEST(PlanText, NothingToDoHasALineThatProgramsLookFor) {
  plans::Plan plan;
  plan.changes.push_back(data_change(plan, "a", Action::NoOp, data_object(1), data_object(1)));
  EXPECT_THAT(text_of(plan),
              HasSubstr("\nNo changes. Your infrastructure matches the configuration.\n"));
  plan.mode = plans::Mode::RefreshOnly;
  EXPECT_THAT(text_of(plan),
              HasSubstr("\nNo changes. Your infrastructure still matches the configuration.\n"));
  plan.mode = plans::Mode::Destroy;
  EXPECT_THAT(text_of(plan), HasSubstr("\nNo changes. No objects need to be destroyed.\n"));
}

TEST(PlanText, DriftIsShownWhereItMatters) {
  plans::Plan plan;
  plan.drift.push_back(data_change(plan, "a", Action::Update, data_object(1), data_object(2)));
  plan.changes.push_back(data_change(plan, "b", Action::Create, no_object(), new_data_object(2)));
  EXPECT_THAT(text_of(plan), Not(HasSubstr("terraform_data.a has changed")));

  plan.relevant.push_back({data_address("a"), value::Path{}.with_attribute("output")});
  EXPECT_THAT(text_of(plan), HasSubstr("Note: Objects have changed outside of OpenTofu\n"));
  EXPECT_THAT(text_of(plan), HasSubstr("  # terraform_data.a has changed\n"
                                       "  ~ resource \"terraform_data\" \"a\" {\n"
                                       "        id     = \"x\"\n"
                                       "      ~ output = 1 -> 2\n"
                                       "        # (1 unchanged attribute hidden)\n"
                                       "    }\n"));
}

TEST(PlanText, DriftThatNothingDependsOnIsNotShownWhereNothingIsPlanned) {
  plans::Plan plan;
  plan.drift.push_back(data_change(plan, "a", Action::Update, data_object(1), data_object(2)));
  plan.changes.push_back(data_change(plan, "a", Action::NoOp, data_object(2), data_object(2)));
  plan.relevant.push_back({data_address("a"), value::Path{}.with_attribute("output")});
  EXPECT_THAT(text_of(plan), Not(HasSubstr("has changed")));
  EXPECT_THAT(text_of(plan), HasSubstr("No changes."));
}

TEST(PlanText, ARefreshOnlyPlanShowsAllDrift) {
  plans::Plan plan;
  plan.mode = plans::Mode::RefreshOnly;
  plan.drift.push_back(data_change(plan, "a", Action::Delete, data_object(1), no_object()));
  const std::string text = text_of(plan);
  EXPECT_THAT(text, HasSubstr("  # terraform_data.a has been deleted\n"));
  EXPECT_THAT(text, Not(HasSubstr("No changes.")));
}

TEST(PlanText, ALongPlanEndsWithAnOverview) {
  plans::Plan plan;
  for (std::int64_t i = 0; i < 30; ++i) {
    plan.changes.push_back(data_change(plan, "many", Action::Create, no_object(),
                                       new_data_object(i), {}, addrs::InstanceKey(i)));
  }
  EXPECT_THAT(text_of(plan), Not(HasSubstr("Overview of this plan\n\nTo be destroyed:\n")));
  EXPECT_THAT(text_of(plan), HasSubstr("Overview of this plan\n\nTo be created:\n"
                                       "  + terraform_data.many (30 instances)\n"));
}

TEST(PlanText, WithoutASchemaTheValuesDecide) {
  plans::Plan plan;
  plans::ResourceChange change;
  change.resource = plan.addresses.resource({}, {addrs::ResourceMode::Managed, "x_y", "z"},
                                            addrs::default_provider("x"));
  change.action = Action::Create;
  change.after = Value::object({{"a", num(1)}});
  plan.changes.push_back(std::move(change));
  EXPECT_THAT(text_of(plan), HasSubstr("  + resource \"x_y\" \"z\" {\n      + a = 1\n    }\n"));
}

}  // namespace
}  // namespace tofu::views
