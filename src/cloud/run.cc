#include "cloud/run.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <utility>

#include "base/json_writer.h"
#include "cloud/packing.h"
#include "cloud/run_parts.h"
#include "cloud/saved_plan.h"

namespace tofu::cloud {

namespace {

using std::chrono::milliseconds;

constexpr unsigned kMaxPolls = 120;  // for what was uploaded to be taken

std::string variables_json(const std::vector<std::pair<std::string, std::string>>& variables) {
  std::string json;
  base::JsonWriter writer(json);
  writer.begin_array();
  for (const auto& [name, expression] : variables) {
    writer.begin_object();
    writer.field("key", std::string_view(name));
    writer.field("value", std::string_view(expression));
    writer.end_object();
  }
  writer.end_array();
  return json;
}

class Running {
 public:
  explicit Running(const RunContext& context) : context_(context), order_(context.order) {}

  RunResult plan_and_apply();
  RunResult apply_saved(const std::string& id);

 private:
  Api& api() { return context_.service.api(); }
  bool may_run();
  Step plan();
  Step apply(bool is_new);
  Step approve();
  base::Result<Packed> pack();
  Step upload(std::string& configuration);
  Step order(const std::string& configuration);
  Step tell_warnings();
  void show_plan();
  // Until the status of the run is none of these.
  Step wait_while(std::initializer_list<std::string_view> statuses);
  void stop();
  RunResult result(Step step);

  const RunContext& context_;
  const RunOrder& order_;
  Resource run_;
  bool was_applied_ = false;
  bool was_refused_ = false;
};

bool Running::may_run() {
  const auto fail = [&](std::string_view summary, const std::string& detail) {
    context_.diags.error(std::string(summary)).detail(detail);
    return false;
  };
  if (!context_.workspace.can_queue_run) {
    return fail("Runs are not allowed",
                fmt::format("The token does not give the right to make runs in the workspace {:?}.",
                            context_.workspace.name));
  }
  if (order_.goal == RunOrder::Goal::Plan) return true;
  if (!context_.workspace.can_apply) {
    return fail("Changes are not allowed",
                fmt::format("The token does not give the right to apply changes in the workspace "
                            "{:?}.",
                            context_.workspace.name));
  }
  if (!context_.workspace.is_connected_to_vcs) return true;
  return fail("Changes are made by version control only",
              fmt::format("The workspace {:?} is connected to a repository, and only the "
                          "repository's content is applied. Use \"tofu plan\" here.",
                          context_.workspace.name));
}

base::Result<Packed> Running::pack() {
  namespace fs = std::filesystem;
  const std::string& below = context_.workspace.working_directory;
  if (order_.directory.empty()) return pack_nothing(below);
  // The uploaded directory contains the working directory.
  const fs::path here = fs::path(order_.directory).lexically_normal();
  fs::path top = here;
  const fs::path relative = fs::path(below).lexically_normal().relative_path();
  if (!below.empty() && relative != ".") {
    auto end = here.end();
    bool fits = true;
    for (auto part = relative.end(); part != relative.begin();) {
      --part;
      if (part->empty()) continue;
      if (end == here.begin() || *--end != *part) {
        fits = false;
        break;
      }
      top = top.parent_path();
    }
    if (!fits) top = here;
    if (fits) {
      context_.sink.note(
          fmt::format("The workspace has the working directory {:?}, so that everything below {} "
                      "is uploaded, except what .terraformignore names.",
                      below, top.string()));
    }
  }
  return pack_directory(top.string());
}

Step Running::upload(std::string& configuration) {
  const auto packed = pack();
  if (!packed) return refuse(context_, "Packing the configuration", {0, packed.error().what});
  const bool only_plans = order_.goal == RunOrder::Goal::Plan && !order_.is_saved;
  Draft draft("configuration-versions");
  draft.set("auto-queue-runs", false).set("speculative", only_plans);
  if (order_.is_saved) draft.set("provisional", true);
  const auto made = api().create(
      fmt::format("workspaces/{}/configuration-versions", path_part(context_.workspace.id)),
      draft.json());
  if (!made) return refuse(context_, "Uploading the configuration", made.error());
  configuration = made->id;
  if (const auto sent = api().upload(made->text("upload-url"), packed->bytes); !sent) {
    return refuse(context_, "Uploading the configuration", sent.error());
  }
  Pauses pauses(milliseconds(100), milliseconds(1000));
  for (unsigned look = 0; look < kMaxPolls; ++look) {
    const auto now = api().read("configuration-versions/" + path_part(configuration));
    if (!now) return refuse(context_, "Uploading the configuration", now.error());
    const std::string status = now->text("status");
    if (status == "uploaded") return Step::Done;
    if (status == "errored") {
      return refuse(context_, "Uploading the configuration", {0, now->text("error-message")});
    }
    if (!pauses.wait(context_.stop)) return Step::Stopped;
  }
  return refuse(context_, "Uploading the configuration",
                {0, "the service does not say that it has taken it"});
}

Step Running::order(const std::string& configuration) {
  Draft draft("runs");
  draft.set("refresh", order_.refreshes);
  if (context_.service.settings().flavor == Flavor::Cloud) {
    draft.set("auto-apply", order_.is_approved).set("save-plan", order_.is_saved);
    if (!order_.variables.empty()) draft.set_json("variables", variables_json(order_.variables));
  }
  if (order_.is_destroy) draft.set("is-destroy", true);
  if (order_.is_refresh_only) draft.set("refresh-only", true);
  if (order_.generates_config) draft.set("allow-config-generation", true);
  if (!order_.targets.empty()) draft.set("target-addrs", order_.targets);
  if (!order_.replaced.empty()) draft.set("replace-addrs", order_.replaced);
  draft.relate("workspace", "workspaces", context_.workspace.id);
  draft.relate("configuration-version", "configuration-versions", configuration);
  auto made = api().create("runs", draft.json());
  if (!made) return refuse(context_, "Making the run", made.error());
  run_ = std::move(*made);
  context_.sink.note(
      fmt::format("To look at this run in a browser, visit:\n{}", run_page(context_, run_.id)));
  return Step::Done;
}

Step Running::tell_warnings() {
  const auto events = api().list(fmt::format("runs/{}/run-events", path_part(run_.id)));
  if (!events) return Step::Done;  // not every service has them
  for (const Resource& each : *events) {
    const std::string action = each.text("action");
    if (action == "changed_policy_enforcements" || action == "changed_task_enforcements" ||
        action == "ignored_policy_sets") {
      context_.sink.warning(each.text("description"));
    }
  }
  return Step::Done;
}

Step Running::wait_while(std::initializer_list<std::string_view> statuses) {
  Pauses pauses(milliseconds(100), milliseconds(3000));
  while (true) {
    if (const Step step = reload(context_, run_); step != Step::Done) return step;
    if (std::ranges::find(statuses, run_.text("status")) == statuses.end()) return Step::Done;
    if (!pauses.wait(context_.stop)) return Step::Stopped;
  }
}

void Running::show_plan() {
  const std::string status = run_.text("status");
  const bool is_there = status != "errored" && status != "canceled" && status != "discarded";
  if (!shows_plan_apart(context_) || !is_there) return;
  const auto json = read_redacted_plan(api(), run_.related("plan"));
  context_.sink.plan(json ? base::Result<std::string>(*json) : base::Error{json.error().what});
}

Step Running::plan() {
  std::string configuration;
  Step step = upload(configuration);
  if (step == Step::Done) step = order(configuration);
  if (step == Step::Done) step = tell_warnings();
  if (step == Step::Done) step = show_stage(context_, run_, "pre_plan");
  if (step == Step::Done) step = wait_to_start(context_, "plan", run_);
  if (step == Step::Done) step = follow_log(context_, "plans", run_.related("plan"));
  if (step == Step::Done) {
    step = wait_while({"pending", "plan_queued", "planning", "pre_plan_running",
                       "pre_plan_completed", "fetching", "queuing"});
  }
  if (step == Step::Done) show_plan();
  // Also after errors: a policy that is not met is one.
  if (step == Step::Done) step = show_stage(context_, run_, "post_plan");
  if (step == Step::Done) step = show_costs(context_, run_);
  if (step == Step::Done) step = show_policies(context_, run_);
  if (step == Step::Done) step = reload(context_, run_);
  return step;
}

Step Running::approve() {
  const bool applies_itself =
      context_.service.settings().flavor == Flavor::Cloud && order_.is_approved;
  if (applies_itself) return Step::Done;
  if (!order_.is_approved) {
    if (!order_.may_ask) {
      context_.diags.error("No approval")
          .detail(fmt::format("The plan requires approval, and input is disabled. Approve it at "
                              "{}, or use -auto-approve.",
                              run_page(context_, run_.id)));
      return Step::Failed;
    }
    const Question question{
        .text = order_.is_destroy
                    ? fmt::format("Do you really want to destroy all resources in workspace {:?}?",
                                  context_.workspace.name)
                    : fmt::format("Do you want to perform these actions in workspace {:?}?",
                                  context_.workspace.name),
        .explain =
            order_.is_destroy
                ? "Everything that is shown above is destroyed. It cannot be undone.\n  Only "
                  "'yes' will be accepted to approve."
                : "OpenTofu will make the changes shown above.\n  Only 'yes' will be accepted to "
                  "approve.",
        .word = "yes",
        .is_open = [](const Resource& run) { return run.flag("actions", "is-confirmable"); }};
    switch (decide(context_, run_, question)) {
      case Decision::Given: break;
      case Decision::Elsewhere: return Step::Done;
      case Decision::Refused:
        was_refused_ = true;
        context_.sink.note(order_.is_destroy ? "Destroy discarded." : "Apply discarded.");
        return Step::Done;
      case Decision::Stopped: return Step::Stopped;
      case Decision::Failed: return Step::Failed;
    }
  }
  const auto approved = api().act(fmt::format("runs/{}/actions/apply", path_part(run_.id)), "{}");
  return approved ? Step::Done : refuse(context_, "Approving the run", approved.error());
}

Step Running::apply(bool is_new) {
  if (is_new) {
    const std::string status = run_.text("status");
    const bool is_over = status == "canceled" || status == "errored" || status == "discarded";
    if (is_over || !run_.flag("has-changes")) return Step::Done;
    // It may have been approved in the web interface already.
    const bool goes_on = status == "confirmed" || status == "apply_queued" ||
                         status == "applying" || status == "applied";
    if (!goes_on) {
      if (!order_.is_approved && !run_.flag("actions", "is-confirmable")) return Step::Done;
      if (const Step step = approve(); step != Step::Done || was_refused_) return step;
    }
  }
  Step step = show_stage(context_, run_, "pre_apply");
  if (step == Step::Done) step = wait_to_start(context_, "apply", run_);
  if (step == Step::Done) step = follow_log(context_, "applies", run_.related("apply"));
  if (step == Step::Done) {
    step = wait_while({"confirmed", "apply_queued", "applying", "pre_apply_running",
                       "pre_apply_completed", "planned", "cost_estimated", "policy_checked"});
  }
  was_applied_ = step == Step::Done;
  return step;
}

// The user has interrupted: the run goes on unless it is cancelled.
void Running::stop() {
  if (run_.id.empty() || reload(context_, run_) != Step::Done) return;
  if (!run_.flag("actions", "is-cancelable")) return;
  if (!order_.is_approved) {
    const auto answer = context_.sink.ask("Do you want to cancel the remote run?",
                                          "Only 'yes' will be accepted to cancel.", {});
    if (!answer || *answer != "yes") {
      context_.sink.note("The remote run was not cancelled and continues.");
      return;
    }
  }
  const auto cancelled = api().act(fmt::format("runs/{}/actions/cancel", path_part(run_.id)), "{}");
  if (!cancelled) {
    refuse(context_, "Cancelling the run", cancelled.error());
    return;
  }
  context_.sink.note("The remote run was cancelled.");
}

RunResult Running::result(Step step) {
  if (step == Step::Stopped) {
    stop();
    if (!context_.diags.has_errors()) {
      context_.diags.error("The run was interrupted")
          .detail("The command stopped before the run ended, so its result is not known here.");
    }
  }
  RunResult result{.end = RunEnd::Failed,
                   .id = run_.id,
                   .has_changes = run_.flag("has-changes"),
                   .plan = run_.related("plan")};
  if (step != Step::Done) return result;
  const std::string status = run_.text("status");
  if (status == "canceled" || status == "errored") {
    context_.diags.error(status == "canceled" ? "The run was cancelled" : "The run failed")
        .detail(fmt::format("See its log above and at {}", run_page(context_, run_.id)));
    return result;
  }
  if (was_refused_) {
    context_.diags.error("Nothing was applied").detail("The plan was not approved.");
    return result;
  }
  result.end = was_applied_                          ? RunEnd::Applied
               : order_.goal == RunOrder::Goal::Plan ? RunEnd::Planned
                                                     : RunEnd::NotApplied;
  return result;
}

RunResult Running::plan_and_apply() {
  if (!may_run()) return {};
  context_.sink.note(fmt::format(
      "{} at {}. Output is shown here as it comes; an interrupt (Ctrl-C) asks whether the "
      "remote run is to be cancelled.",
      order_.goal == RunOrder::Goal::Plan ? "Planning" : "Applying",
      context_.service.settings().host.for_display()));
  Step step = plan();
  if (step == Step::Done && order_.goal == RunOrder::Goal::Apply) step = apply(true);
  return result(step);
}

RunResult Running::apply_saved(const std::string& id) {
  if (!may_run()) return {};
  auto found = api().read("runs/" + path_part(id));
  if (!found) {
    refuse(context_, "Reading the saved plan", found.error());
    return {};
  }
  run_ = std::move(*found);
  const auto fail = [&](const std::string& why) {
    context_.diags.error("The saved plan cannot be applied")
        .detail(fmt::format("{} See {}", why, run_page(context_, run_.id)));
    return RunResult{.end = RunEnd::Failed, .id = run_.id};
  };
  if (run_.related("workspace") != context_.workspace.id) {
    return fail("It belongs to another workspace.");
  }
  if (!run_.flag("actions", "is-confirmable")) {
    return fail(fmt::format("Its run is {:?}, so it cannot be approved.", run_.text("status")));
  }
  context_.sink.note(
      fmt::format("Applying a plan that was saved. To look at the run in a browser, "
                  "visit:\n{}",
                  run_page(context_, run_.id)));
  const auto approved = api().act(fmt::format("runs/{}/actions/apply", path_part(run_.id)), "{}");
  Step step = approved ? apply(false) : refuse(context_, "Approving the run", approved.error());
  return result(step);
}

}  // namespace

std::string run_page(const RunContext& context, const std::string& id) {
  return context.service.page(fmt::format("{}/runs/{}", context.workspace.name, id));
}

base::Result<std::optional<std::string>> plan_with_configuration(const RunContext& context,
                                                                 const RunResult& result) {
  Api& api = context.service.api();
  const auto plan = api.read("plans/" + path_part(result.plan));
  if (!plan) return base::Error{plan.error().what};
  if (!plan->flag("generated-configuration")) return std::optional<std::string>();
  auto json = read_redacted_plan(api, result.plan);
  if (!json) return base::Error{json.error().what};
  return std::optional(std::move(*json));
}

RunResult make_run(const RunContext& context) { return Running(context).plan_and_apply(); }

RunResult apply_saved_run(const RunContext& context, const std::string& id) {
  return Running(context).apply_saved(id);
}

}  // namespace tofu::cloud
