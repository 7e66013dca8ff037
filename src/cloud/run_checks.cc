#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <utility>
#include <vector>

#include "cloud/run_parts.h"

namespace tofu::cloud {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kFirstPause(200);
constexpr milliseconds kMaxPause(3000);
constexpr std::uint64_t kMaxPolicyLogSize = std::uint64_t{16} << 20;

bool has_failed(const Resource& run) {
  const std::string status = run.text("status");
  return status == "canceled" || status == "errored";
}

Step fail(const RunContext& context, const Resource& run, std::string detail) {
  context.diags.error("The run failed")
      .detail(fmt::format("{} See {}", detail, run_page(context, run.id)));
  return Step::Failed;
}

void tell_lines(const RunContext& context, std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    context.sink.line(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
}

// Of a stage with what was asked for with it.
struct Stage {
  Resource stage;
  std::vector<Resource> results;
  std::vector<Resource> evaluations;
};

ApiResult<Stage> read_stage(const RunContext& context, const std::string& id) {
  auto document = context.service.api().get("task-stages/" + path_part(id),
                                            {{"include", "task_results,policy_evaluations"}});
  if (!document) return document.error();
  if (document->data.size() != 1) return Refusal{0, "the answer is not one resource"};
  Stage stage{std::move(document->data.front()), {}, {}};
  for (Resource& each : document->included) {
    if (each.type == "task-results")
      stage.results.push_back(std::move(each));
    else if (each.type == "policy-evaluations")
      stage.evaluations.push_back(std::move(each));
  }
  return stage;
}

void tell_results(const RunContext& context, const Stage& stage) {
  const auto passed = std::ranges::count_if(
      stage.results, [](const Resource& each) { return each.text("status") == "passed"; });
  if (!stage.results.empty()) {
    context.sink.note(fmt::format("{} of {} tasks passed", passed, stage.results.size()));
  }
  for (const Resource& each : stage.results) {
    const std::string status = each.text("status");
    const std::string level = each.text("workspace-task-enforcement-level");
    context.sink.line(
        fmt::format("  {}: {}{}", each.text("task-name"), status,
                    status == "passed" || level.empty() ? std::string() : " (" + level + ")"));
    for (const std::string& more : {each.text("message"), each.text("url")}) {
      if (!more.empty()) context.sink.line("    " + more);
    }
  }
  for (const Resource& each : stage.evaluations) {
    context.sink.line(fmt::format("  Policies: {}", each.text("status")));
  }
}

std::string heading_of(std::string_view stage) {
  if (stage == "pre_plan") return "Tasks before the plan";
  if (stage == "post_plan") return "Tasks after the plan";
  return "Tasks before the apply";
}

// A user with the permission may override the failed tasks or policies of a stage.
Step override_stage(const RunContext& context, Resource& run, const Stage& stage) {
  if (!context.order.may_ask || context.order.goal == RunOrder::Goal::Plan) {
    return fail(context, run,
                "A policy check failed, and input is disabled, so it cannot be overridden.");
  }
  const Question question{.text = "Do you want to override the failed policy check?",
                          .explain = "Only 'override' will be accepted to override.",
                          .word = "override",
                          .is_open = [](const Resource& now) {
                            return now.text("status") == "post_plan_awaiting_decision" ||
                                   now.text("status") == "policy_override";
                          }};
  switch (decide(context, run, question)) {
    case Decision::Given: break;
    case Decision::Elsewhere: return Step::Done;
    case Decision::Refused: return fail(context, run, "A policy was not met.");
    case Decision::Stopped: return Step::Stopped;
    case Decision::Failed: return Step::Failed;
  }
  const auto overridden = context.service.api().act(
      fmt::format("task-stages/{}/actions/override", path_part(stage.stage.id)), "{}");
  return overridden ? Step::Done : refuse(context, "Overriding the policy", overridden.error());
}

}  // namespace

Step show_stage(const RunContext& context, Resource& run, std::string_view name) {
  std::string id;
  for (const std::string& each : run.all_related("task-stages")) {
    const auto found = read_stage(context, each);
    if (!found) return refuse(context, "Reading tasks of the run", found.error());
    if (found->stage.text("stage") == name) id = each;
  }
  if (id.empty()) return Step::Done;
  context.sink.heading(heading_of(name));
  Pauses pauses(kFirstPause, kMaxPause);
  while (pauses.wait(context.stop)) {
    const auto stage = read_stage(context, id);
    if (!stage) return refuse(context, "Reading tasks of the run", stage.error());
    const std::string status = stage->stage.text("status");
    if (status == "pending" || status == "running") continue;
    if (status == "unreachable") {
      context.sink.note("They are skipped.");
      return Step::Done;
    }
    tell_results(context, *stage);
    if (status == "passed") return Step::Done;
    if (status != "awaiting_override") {
      return fail(context, run, fmt::format("The tasks of this stage ended as {:?}.", status));
    }
    const Step step = override_stage(context, run, *stage);
    if (step != Step::Done) return step;
  }
  return Step::Stopped;
}

Step show_costs(const RunContext& context, const Resource& run) {
  const std::string id = run.related("cost-estimate");
  if (id.empty()) return Step::Done;
  Pauses pauses(kFirstPause, kMaxPause);
  bool was_reported = false;
  while (pauses.wait(context.stop)) {
    const auto costs = context.service.api().read("cost-estimates/" + path_part(id));
    if (!costs) return refuse(context, "Reading the cost estimate", costs.error());
    const std::string status = costs->text("status");
    if (status != "finished" && has_failed(run)) return Step::Done;
    if (!std::exchange(was_reported, true)) context.sink.heading("Cost estimation");
    if (status == "pending" || status == "queued") continue;
    if (status == "finished") {
      std::string change = costs->text("delta-monthly-cost");
      const bool is_less = change.starts_with('-');
      if (is_less) change.erase(0, 1);
      context.sink.line(fmt::format("Resources: {} of {} estimated",
                                    costs->number("matched-resources-count"),
                                    costs->number("resources-count")));
      context.sink.line(fmt::format("           ${}/mo {}${}", costs->text("proposed-monthly-cost"),
                                    is_less ? "-" : "+", change));
      return Step::Done;
    }
    if (status == "skipped_due_to_targeting") {
      context.sink.note("A plan made with -target has none.");
      return Step::Done;
    }
    if (status == "errored") {
      context.sink.note("It failed.");
      return Step::Done;
    }
    return fail(context, run, fmt::format("The cost estimate ended as {:?}.", status));
  }
  return Step::Stopped;
}

namespace {

Step read_policy(const RunContext& context, const std::string& id, Resource& check) {
  Pauses pauses(kFirstPause, kMaxPause);
  while (true) {
    auto found = context.service.api().read("policy-checks/" + path_part(id));
    if (!found) return refuse(context, "Reading the policy check", found.error());
    check = std::move(*found);
    const std::string status = check.text("status");
    if (status != "pending" && status != "queued") return Step::Done;
    if (!pauses.wait(context.stop)) return Step::Stopped;
  }
}

Step override_policy(const RunContext& context, Resource& run, const Resource& check) {
  const bool can_override = context.order.goal == RunOrder::Goal::Apply &&
                            check.flag("actions", "is-overridable") &&
                            check.flag("permissions", "can-override");
  if (!can_override) return fail(context, run, "A policy was not met.");
  if (!context.order.is_approved) {
    if (!context.order.may_ask) {
      return fail(context, run,
                  "A policy check failed, and input is disabled, so it cannot be overridden.");
    }
    const Question question{
        .text = "Do you want to override the soft failed policy check?",
        .explain = "Only 'override' will be accepted to override.",
        .word = "override",
        .is_open = [](const Resource& now) { return now.text("status") == "policy_override"; }};
    switch (decide(context, run, question)) {
      case Decision::Given: break;
      case Decision::Elsewhere: return Step::Done;
      case Decision::Refused: return fail(context, run, "A policy was not met.");
      case Decision::Stopped: return Step::Stopped;
      case Decision::Failed: return Step::Failed;
    }
  }
  const auto overridden = context.service.api().act(
      fmt::format("policy-checks/{}/actions/override", path_part(check.id)), "{}");
  return overridden ? Step::Done : refuse(context, "Overriding the policy", overridden.error());
}

}  // namespace

Step show_policies(const RunContext& context, Resource& run) {
  for (const std::string& id : run.all_related("policy-checks")) {
    Resource check;
    if (const Step step = read_policy(context, id, check); step != Step::Done) return step;
    const std::string status = check.text("status");
    if (has_failed(run) && status == "unreachable") continue;
    context.sink.heading(check.text("scope") == "workspace" ? "Policy check of the workspace"
                                                            : "Policy check of the organization");
    const auto text = context.service.api().fetch(
        fmt::format("policy-checks/{}/output", path_part(id)), kMaxPolicyLogSize);
    if (!text) return refuse(context, "Reading the policy check", text.error());
    tell_lines(context, *text);
    if (status == "passed" || status == "overridden") continue;
    if (status != "soft_failed") {
      return fail(context, run, fmt::format("The policy check ended as {:?}.", status));
    }
    if (const Step step = override_policy(context, run, check); step != Step::Done) return step;
  }
  return Step::Done;
}

}  // namespace tofu::cloud
