#include "cloud/saved_plan.h"

#include <fmt/format.h>
#include <utility>

namespace tofu::cloud {

namespace {

constexpr std::uint64_t kMaxPlanSize = std::uint64_t{512} << 20;

}  // namespace

ApiResult<std::string> read_redacted_plan(Api& api, const std::string& plan) {
  return api.fetch(fmt::format("plans/{}/json-output-redacted", path_part(plan)), kMaxPlanSize);
}

base::Result<SavedPlan> read_saved_plan(Service& service, const std::string& run, PlanForm form) {
  Api& api = service.api();
  const auto found = api.read("runs/" + path_part(run));
  if (!found && found.error().is_missing()) {
    return base::Error{
        fmt::format("the run {} does not exist, or the token gives no access to it. \"tofu login\" "
                    "gets another token",
                    run)};
  }
  if (!found) return base::Error{found.error().what};
  const std::string plan_id = found->related("plan");
  const auto plan = api.read("plans/" + path_part(plan_id));
  if (!plan) return base::Error{plan.error().what};
  const auto workspace = api.read("workspaces/" + path_part(found->related("workspace")));
  if (!workspace) return base::Error{workspace.error().what};
  SavedPlan saved{.json = {},
                  .mode = found->flag("is-destroy")     ? plans::Mode::Destroy
                          : found->flag("refresh-only") ? plans::Mode::RefreshOnly
                                                        : plans::Mode::Normal,
                  .is_errored = plan->text("status") == "errored",
                  .has_changes = plan->flag("has-changes") || found->flag("has-changes"),
                  .workspace = workspace->text("name"),
                  .is_locked = workspace->flag("locked"),
                  .run_status = found->text("status"),
                  .is_confirmable = found->flag("actions", "is-confirmable")};
  if (!saved.is_errored && plan->text("status") != "finished") {
    return base::Error{fmt::format("the plan of the run {} is {:?}, so it cannot be shown yet", run,
                                   plan->text("status"))};
  }
  auto json =
      form == PlanForm::ForPeople
          ? read_redacted_plan(api, plan_id)
          : api.fetch(fmt::format("plans/{}/json-output", path_part(plan_id)), kMaxPlanSize);
  if (!json && json.error().is_missing()) {
    return base::Error{
        form == PlanForm::ForPeople
            ? "the service does not give the plan, or the token gives no right to see it"
            : "the service does not provide the whole plan, or the token does not permit reading "
              "it: that requires a token of a workspace administrator"};
  }
  if (!json) return base::Error{json.error().what};
  saved.json = std::move(*json);
  return saved;
}

}  // namespace tofu::cloud
