#include "plans/plan_codec.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <utility>

#include "tests/plans/whole_plan.h"

namespace tofu::plans {
namespace {

using value::Marks;
using value::Type;
using value::Value;

void expect_same(const ResourceChange& a, const Plan& in_a, const ResourceChange& b,
                 const Plan& in_b) {
  EXPECT_EQ(in_a.addresses.instance(a.resource, a.key), in_b.addresses.instance(b.resource, b.key));
  EXPECT_EQ(in_a.addresses[a.provider], in_b.addresses[b.provider]);
  EXPECT_EQ(a.action, b.action);
  EXPECT_EQ(a.reason, b.reason);
  EXPECT_TRUE(value::raw_equal(a.before, b.before));
  EXPECT_TRUE(value::raw_equal(a.after, b.after));
  ASSERT_EQ(a.details == nullptr, b.details == nullptr);
  if (a.details == nullptr) return;
  EXPECT_EQ(a.details->previous, b.details->previous);
  EXPECT_EQ(a.details->deposed, b.details->deposed);
  EXPECT_EQ(a.details->replace_paths, b.details->replace_paths);
  ASSERT_TRUE(b.details->importing.has_value());
  EXPECT_EQ(a.details->importing->id, b.details->importing->id);
  EXPECT_EQ(a.details->generated_config, b.details->generated_config);
  EXPECT_TRUE(value::raw_equal(a.details->identity_after, b.details->identity_after));
  EXPECT_EQ(a.details->identity_version, b.details->identity_version);
  EXPECT_EQ(a.details->private_data, b.details->private_data);
}

TEST(PlanCodec, ReadsWhatWasWritten) {
  const Plan plan = whole_plan();
  diag::Diagnostics diags;

  const auto read = decode_plan(encode_plan(plan), diags);

  ASSERT_TRUE(read.has_value());
  EXPECT_TRUE(diags.empty());
  ASSERT_EQ(read->changes.size(), 1U);
  expect_same(plan.changes[0], plan, read->changes[0], *read);
  ASSERT_EQ(read->drift.size(), 1U);
  expect_same(plan.drift[0], plan, read->drift[0], *read);
  ASSERT_EQ(read->outputs.size(), 1U);
  EXPECT_TRUE(value::raw_equal(read->outputs[0].after, plan.outputs[0].after));
  EXPECT_TRUE(read->outputs[0].sensitive);
  ASSERT_EQ(read->relevant.size(), 1U);
  EXPECT_EQ(read->relevant[0].attribute, plan.relevant[0].attribute);
  ASSERT_EQ(read->checks.size(), 1U);
  EXPECT_EQ(read->checks[0].address, plan.checks[0].address);
  EXPECT_EQ(read->checks[0].instances[0].problems, plan.checks[0].instances[0].problems);
  ASSERT_EQ(read->variables.size(), 1U);
  EXPECT_TRUE(value::raw_equal(read->variables[0].value, plan.variables[0].value));
  EXPECT_EQ(read->mode, plan.mode);
  EXPECT_EQ(read->targets, plan.targets);
  EXPECT_EQ(read->excludes, plan.excludes);
  EXPECT_EQ(read->replace, plan.replace);
  EXPECT_EQ(read->timestamp, plan.timestamp);
  EXPECT_EQ(read->reads, plan.reads);
  EXPECT_EQ(read->deferrals, plan.deferrals);
  EXPECT_EQ(read->complete, plan.complete);
  EXPECT_EQ(read->applyable, plan.applyable);
  EXPECT_EQ(read->rows, plan.rows);
  ASSERT_TRUE(read->order.has_value());
  EXPECT_EQ(read->order->program, plan.order->program);
  EXPECT_EQ(read->order->rows, plan.order->rows);
  EXPECT_EQ(read->order->steps, plan.order->steps);
  EXPECT_EQ(read->order->rows_with_steps, plan.order->rows_with_steps);
  EXPECT_EQ(read->order->waits.begin, plan.order->waits.begin);
  EXPECT_EQ(read->order->waits.edges, plan.order->waits.edges);
  EXPECT_EQ(read->order->forgets, plan.order->forgets);
}

TEST(PlanCodec, AnErroredPlanHasNoOrder) {
  Plan plan = whole_plan();
  plan.order.reset();
  diag::Diagnostics diags;

  const auto read = decode_plan(encode_plan(plan), diags);

  ASSERT_TRUE(read.has_value());
  EXPECT_FALSE(read->order.has_value());
}

// Before plans had orders, deferrals and counts of reads, nothing stood in the place of these.
TEST(PlanCodec, ReadsPlansOfEarlierVersions) {
  for (const std::uint8_t version : {1, 2}) {
    Plan plan = whole_plan();
    plan.order.reset();
    plan.reads.reset();
    plan.deferrals.clear();
    std::string bytes = encode_plan(plan);
    // The last eight bytes say where the list of types begins; the bytes before that are no order,
    // no deferrals and no counts.
    const std::size_t number = bytes.size() - 8;
    std::size_t place = 0;
    for (std::size_t i = number; i < bytes.size(); ++i) {
      place = place << 8 | static_cast<unsigned char>(bytes[i]);
    }
    const std::size_t fewer = 4U - version;
    ASSERT_GE(place & 0xff, fewer) << "the last byte can be that much less";
    bytes.back() = static_cast<char>(bytes.back() - static_cast<char>(fewer));
    bytes.erase(place - fewer, fewer);
    ASSERT_EQ(bytes[0], 3);
    bytes[0] = static_cast<char>(version);
    diag::Diagnostics diags;

    const auto read = decode_plan(std::move(bytes), diags);

    ASSERT_TRUE(read.has_value());
    EXPECT_EQ(read->timestamp, plan.timestamp);
    EXPECT_FALSE(read->order.has_value());
    EXPECT_FALSE(read->reads.has_value());
    EXPECT_TRUE(read->deferrals.empty());
  }
}

TEST(PlanCodec, AnOrderNamesOnlyWhatExists) {
  const auto can_be_read = [](auto change) {
    Plan plan = whole_plan();
    change(plan);
    diag::Diagnostics diags;
    return decode_plan(encode_plan(plan), diags).has_value();
  };
  EXPECT_TRUE(can_be_read([](Plan&) {}));
  EXPECT_FALSE(can_be_read([](Plan& plan) { plan.rows.resources[0] = 3; }));
  EXPECT_FALSE(can_be_read([](Plan& plan) { plan.order->rows_with_steps = {3}; }));
  EXPECT_FALSE(can_be_read([](Plan& plan) { plan.order->rows_with_steps = {}; }));
  EXPECT_FALSE(can_be_read([](Plan& plan) { plan.order->steps[0].subject = 3; }));
  EXPECT_FALSE(can_be_read([](Plan& plan) { plan.order->steps[1].subject = 1; }));
  EXPECT_FALSE(can_be_read([](Plan& plan) { plan.order->steps.pop_back(); }));
  EXPECT_FALSE(can_be_read([](Plan& plan) { plan.order->waits.edges[0] = 9; }));
  EXPECT_FALSE(can_be_read([](Plan& plan) { plan.order->forgets = {1}; }));
}

TEST(PlanCodec, OrdersOfManyLikeStepsAreSmall) {
  Plan plan = whole_plan();
  plan.changes.resize(10'000);
  const std::size_t before = [&] {
    const auto order = std::exchange(plan.order, {});
    const std::size_t size = encode_plan(plan).size();
    plan.order = order;
    return size;
  }();
  ExecutionOrder& order = *plan.order;
  for (std::uint32_t i = 0; i < 10'000; ++i) {
    order.steps.push_back({StepKind::Destroy, i});
    order.waits.edges.insert(order.waits.edges.end(), {3, 9 + i});
    order.waits.close();
  }
  EXPECT_LT(encode_plan(plan).size() - before, 10'000U * 5 + 1000);
}

TEST(PlanCodec, WhatWasReadIsWrittenTheSame) {
  const std::string bytes = encode_plan(whole_plan());
  diag::Diagnostics diags;

  EXPECT_EQ(encode_plan(*decode_plan(bytes, diags)), bytes);
}

TEST(PlanCodec, GivesLargePlansInPieces) {
  Plan plan = whole_plan();
  plan.changes[0].after = Value::object({{"text", Value::string(std::string(1'000'000, 'x'))}});
  plan.drift[0].after = plan.changes[0].after;
  std::string bytes;
  std::size_t longest = 0;
  encode_plan(plan, [&](std::string_view piece) {
    bytes += piece;
    longest = std::max(longest, piece.size());
  });
  EXPECT_EQ(bytes, encode_plan(plan));
  EXPECT_LT(longest, 1'500'000U);  // never two of the values
}

TEST(PlanCodec, WhatIsReadStaysWhenTheBytesBeforeAreGivenBack) {
  Plan plan = whole_plan();
  for (const char letter : {'x', 'y'}) {
    plan.changes[0].before = Value::string(std::string(5'000'000, letter));
    plan.drift.push_back(std::move(plan.changes[0]));
    plan.changes[0] = std::move(whole_plan().changes[0]);
  }
  const std::string bytes = encode_plan(plan);
  diag::Diagnostics diags;

  const auto read = decode_plan(bytes, diags);

  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(encode_plan(*read), bytes);
}

TEST(PlanCodec, TextsThatAChangeKeepsAreHeldOnce) {
  Plan plan = whole_plan();
  const Value text = Value::string(std::string(1000, 'x'));
  plan.changes[0].before = Value::object({{"number", Value::integer(1)}, {"text", text}});
  plan.changes[0].after = Value::object({{"number", Value::integer(2)}, {"text", text}});
  diag::Diagnostics diags;

  const auto read = decode_plan(encode_plan(plan), diags);

  ASSERT_TRUE(read.has_value());
  const ResourceChange& change = read->changes[0];
  EXPECT_TRUE(value::raw_equal(change.after, plan.changes[0].after));
  EXPECT_TRUE(change.before.plain().find("text")->is_same(*change.after.plain().find("text")));
}

TEST(PlanCodec, EveryByteThatIsMissingOrAddedIsAnError) {
  const std::string bytes = encode_plan(whole_plan());
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    diag::Diagnostics diags;
    EXPECT_EQ(decode_plan(bytes.substr(0, length), diags), std::nullopt) << length;
    EXPECT_TRUE(diags.has_errors());
  }
  diag::Diagnostics diags;
  EXPECT_EQ(decode_plan(bytes + '\0', diags), std::nullopt);
}

TEST(PlanCodec, AnyOtherByteIsAnErrorOrAPlanThatCanBeWritten) {
  const std::string bytes = encode_plan(whole_plan());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    for (const int change : {1, 0x80, 0xff}) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(damaged[i] ^ change);
      diag::Diagnostics diags;
      const auto read = decode_plan(damaged, diags);
      EXPECT_EQ(read.has_value(), !diags.has_errors());
      if (!read) continue;
      diag::Diagnostics none;
      EXPECT_TRUE(decode_plan(encode_plan(*read), none).has_value()) << i;
    }
  }
}

}  // namespace
}  // namespace tofu::plans
