#include "plans/events.h"

#include <numeric>
#include <utility>

namespace tofu::plans {

namespace {

ChangeNotice notice_of(const Addresses& addresses, const ResourceChange& change) {
  ChangeNotice notice;
  notice.address = addresses.instance(change.resource, change.key);
  notice.action = change.action;
  notice.reason = change.reason;
  if (change.details) {
    notice.previous = change.details->previous;
    notice.importing = change.details->importing;
    notice.generated_config = change.details->generated_config;
  }
  return notice;
}

// Whether a plan says anything about this change.
bool is_told(const Plan& plan, const ResourceChange& change) {
  const auto mode = plan.addresses[change.resource].resource.mode;
  if (mode == addrs::ResourceMode::Ephemeral) return false;
  if (mode == addrs::ResourceMode::Data && change.action == Action::Delete) return false;
  return change.action != Action::NoOp || change.previous() != nullptr ||
         change.importing() != nullptr;
}

}  // namespace

std::vector<Event> events_of(const Plan& plan) {
  std::vector<Event> events;
  for (const std::uint32_t i : display_order(plan.addresses, plan.drift)) {
    const ResourceChange& change = plan.drift[i];
    // An object that was only moved is listed among the planned changes, unless there are none.
    if (change.action == Action::NoOp && plan.mode != Mode::RefreshOnly) continue;
    events.emplace_back(DriftFound{notice_of(plan.addresses, change)});
  }
  // In the order of the plan: what others need comes first, and what is destroyed comes in
  // the order in which that will happen.
  for (const ResourceChange& change : plan.changes) {
    if (is_told(plan, change))
      events.emplace_back(ChangePlanned{notice_of(plan.addresses, change)});
  }
  events.emplace_back(ChangeSummary{Operation::Plan, count_changes(plan)});
  if (!plan.deferrals.empty()) events.emplace_back(ResourcesDeferred{plan.deferrals});
  if (plan.reads) events.emplace_back(ReadsCounted{*plan.reads});
  if (!plan.outputs.empty()) {
    OutputsPlanned outputs;
    for (const OutputChange& output : plan.outputs) {
      outputs.outputs.push_back({output.name, output.action, output.sensitive});
    }
    events.emplace_back(std::move(outputs));
  }
  return events;
}

}  // namespace tofu::plans
