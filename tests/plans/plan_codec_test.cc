#include "plans/plan_codec.h"

#include <gtest/gtest.h>
#include <memory>
#include <string>

namespace tofu::plans {
namespace {

using value::Marks;
using value::Type;
using value::Value;

const addrs::Provider kProvider = addrs::builtin_provider("terraform");

Value object(Value input) {
  return Value::object(
      {{"id", Value::unknown(Type::string()).refined_not_null()}, {"input", std::move(input)}});
}

// One of everything a plan can have.
Plan whole_plan() {
  Plan plan;
  const ModuleId module =
      plan.addresses.module(addrs::ModuleInstance{}.child("m", addrs::InstanceKey("k.\"x")));
  ResourceChange change;
  change.resource = plan.addresses.resource(
      module, {addrs::ResourceMode::Managed, "terraform_data", "a"}, kProvider);
  change.provider = plan.addresses.provider({{{}, kProvider, "west"}, addrs::InstanceKey("p")});
  change.key = addrs::InstanceKey(3);
  change.action = Action::CreateThenDelete;
  change.reason = ActionReason::ReplaceByRequest;
  change.before = Value::object({{"id", Value::string("i")}, {"input", Value::null()}});
  change.after = object(
      Value::tuple({Value::integer(1), Value::string("secret").with_marks(Marks::sensitive())}));
  ChangeDetails details;
  details.previous = addrs::AbsResourceInstance{
      {}, {{addrs::ResourceMode::Managed, "terraform_data", "old"}, addrs::InstanceKey("z")}};
  details.deposed = "00000001";
  details.replace_paths = {
      value::Path().with_attribute("input").with_index(Value::integer(0)),
  };
  details.importing = Importing{"id"};
  details.generated_config = "resource {}\n";
  details.identity_after = Value::object({{"n", Value::integer(1)}});
  details.identity_version = 2;
  details.private_data = std::string("\0\xff", 2);
  change.details = std::make_unique<const ChangeDetails>(std::move(details));
  plan.changes.push_back(std::move(change));

  ResourceChange same;
  same.resource = plan.addresses.resource(
      {}, {addrs::ResourceMode::Data, "terraform_remote_state", "r"}, kProvider);
  same.provider = plan.addresses.provider({{{}, kProvider}});
  same.before = same.after = object(Value::boolean(true));
  plan.drift.push_back(std::move(same));

  plan.outputs.push_back({"o", Action::Create, true, Value::null(), Value::unknown()});
  plan.relevant.push_back(
      {{{}, {{addrs::ResourceMode::Managed, "t", "n"}}}, value::Path().with_attribute("x")});
  plan.checks.push_back({addrs::ConfigCheck{{}, {"c"}},
                         CheckStatus::Fail,
                         {{addrs::AbsCheck{{}, {"c"}}, CheckStatus::Fail, {"no"}}}});
  plan.variables.push_back({"v", Value::string("x").with_marks(Marks::sensitive())});
  plan.mode = Mode::RefreshOnly;
  plan.targets.push_back(addrs::ModuleInstance{}.child("m"));
  plan.excludes.push_back(addrs::AbsResource{{}, {addrs::ResourceMode::Managed, "t", "n"}});
  plan.replace.push_back({{}, {{addrs::ResourceMode::Managed, "t", "n"}, addrs::InstanceKey(0)}});
  plan.timestamp = "2026-01-02T03:04:05Z";
  plan.complete = false;
  plan.applyable = true;
  return plan;
}

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
  EXPECT_EQ(read->complete, plan.complete);
  EXPECT_EQ(read->applyable, plan.applyable);
}

TEST(PlanCodec, WhatWasReadIsWrittenTheSame) {
  const std::string bytes = encode_plan(whole_plan());
  diag::Diagnostics diags;

  EXPECT_EQ(encode_plan(*decode_plan(bytes, diags)), bytes);
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
