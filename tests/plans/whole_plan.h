// One of everything that a plan can have: for tests of what keeps, shows or reads plans.
//
// What is in it makes no sense together and need not: a reader is to get each part back,
// and to survive if some of its bytes are others.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "plans/plan.h"

namespace tofu::plans {

inline value::Value changed_object(value::Value input) {
  using value::Type;
  using value::Value;
  return Value::object(
      {{"id", Value::unknown(Type::string()).refined_not_null()}, {"input", std::move(input)}});
}

inline Plan whole_plan() {
  using value::Marks;
  using value::Value;
  const addrs::Provider provider = addrs::builtin_provider("terraform");
  Plan plan;
  const ModuleId module =
      plan.addresses.module(addrs::ModuleInstance{}.child("m", addrs::InstanceKey("k.\"x")));
  ResourceChange change;
  change.resource = plan.addresses.resource(
      module, {addrs::ResourceMode::Managed, "terraform_data", "a"}, provider);
  change.provider = plan.addresses.provider({{{}, provider, "west"}, addrs::InstanceKey("p")});
  change.key = addrs::InstanceKey(3);
  change.action = Action::CreateThenDelete;
  change.reason = ActionReason::ReplaceByRequest;
  change.before = Value::object({{"id", Value::string("i")}, {"input", Value::null()}});
  change.after = changed_object(
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
      {}, {addrs::ResourceMode::Data, "terraform_remote_state", "r"}, provider);
  same.provider = plan.addresses.provider({{{}, provider}});
  same.before = same.after = changed_object(Value::boolean(true));
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
  plan.reads = ObjectReads{3, 997};
  plan.deferrals = {{{{{"m"}}, {addrs::ResourceMode::Managed, "terraform_data", "later"}},
                     DeferralReason::DeferredPrerequisite}};
  plan.timestamp = "2026-01-02T03:04:05Z";
  plan.rows = {{0, BoundRows::kNone}, {1, BoundRows::kNone}, {BoundRows::kNone, 2}, {2}};
  ExecutionOrder& order = plan.order.emplace();
  order.program = 0x1234567812345678;
  order.rows = 3;
  order.steps = {{StepKind::Expand, 1}, {StepKind::Make, 0},    {StepKind::Rest, 1},
                 {StepKind::Barrier},   {StepKind::Destroy, 0}, {StepKind::Forget}};
  order.rows_with_steps = {1};
  order.waits = base::Waits::of_lists(
      std::vector<std::vector<std::uint32_t>>{{4, 5}, {0}, {3}, {3}, {4, 5}, {6, 2}, {}});
  order.forgets = {0};
  plan.complete = false;
  plan.applyable = true;
  return plan;
}

}  // namespace tofu::plans
