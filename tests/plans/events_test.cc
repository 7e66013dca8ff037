#include "plans/events.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace tofu::plans {
namespace {

const addrs::Provider kProvider = addrs::builtin_provider("terraform");

void add(Plan& plan, std::vector<ResourceChange>& to, std::string name, Action action,
         ChangeDetails details = {}) {
  ResourceChange change;
  change.resource = plan.addresses.resource(
      {}, {addrs::ResourceMode::Managed, "terraform_data", std::move(name)}, kProvider);
  change.action = action;
  change.details = std::make_unique<ChangeDetails>(std::move(details));
  to.push_back(std::move(change));
}

std::vector<std::string> told(const Plan& plan) {
  std::vector<std::string> out;
  for (const Event& event : events_of(plan)) {
    if (const auto* drift = std::get_if<DriftFound>(&event)) {
      out.push_back("drift " + drift->change.address.object.resource.name);
    } else if (const auto* change = std::get_if<ChangePlanned>(&event)) {
      out.push_back("change " + change->change.address.object.resource.name);
    } else if (std::holds_alternative<ChangeSummary>(event)) {
      out.emplace_back("summary");
    } else if (std::holds_alternative<OutputsPlanned>(event)) {
      out.emplace_back("outputs");
    }
  }
  return out;
}

TEST(EventsOfAPlan, ComeAsDriftThenChangesThenTheirCountsThenOutputs) {
  Plan plan;
  add(plan, plan.drift, "a", Action::Update);
  add(plan, plan.changes, "c", Action::Create);
  add(plan, plan.changes, "b", Action::Update);
  plan.outputs.push_back({.name = "o", .action = Action::Create});
  EXPECT_EQ(told(plan),
            (std::vector<std::string>{"drift a", "change c", "change b", "summary", "outputs"}));
}

TEST(EventsOfAPlan, LeaveOutWhatStaysAsItIs) {
  Plan plan;
  add(plan, plan.changes, "same", Action::NoOp);
  ChangeDetails moved;
  moved.previous =
      addrs::AbsResourceInstance{{}, {{addrs::ResourceMode::Managed, "terraform_data", "old"}, {}}};
  add(plan, plan.changes, "moved", Action::NoOp, moved);
  ChangeDetails imported;
  imported.importing = Importing{"i-1"};
  add(plan, plan.changes, "imported", Action::NoOp, imported);
  EXPECT_EQ(told(plan), (std::vector<std::string>{"change moved", "change imported", "summary"}));
}

TEST(EventsOfAPlan, TellOfAMoveAsDriftOnlyIfNothingIsPlanned) {
  Plan plan;
  add(plan, plan.drift, "moved", Action::NoOp);
  EXPECT_EQ(told(plan), std::vector<std::string>{"summary"});
  plan.mode = Mode::RefreshOnly;
  EXPECT_EQ(told(plan), (std::vector<std::string>{"drift moved", "summary"}));
}

}  // namespace
}  // namespace tofu::plans
