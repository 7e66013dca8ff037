#include <algorithm>
#include <fmt/format.h>
#include <thread>
#include <utility>

#include "base/stop_wait.h"
#include "cloud/run_parts.h"

namespace tofu::cloud {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr auto kBetweenNews = std::chrono::seconds(30);
constexpr milliseconds kFirstPause(200);
constexpr milliseconds kMaxPause(3000);
constexpr milliseconds kBetweenLooks(1500);  // during a prompt

bool is_over(const std::string& status) {
  return status == "applied" || status == "canceled" || status == "discarded" ||
         status == "errored" || status == "planned_and_finished";
}

// How many runs of the workspace come first. Nothing after an error.
std::optional<int> runs_before(const RunContext& context, const Resource& run,
                               const std::string& current) {
  const auto runs = context.service.api().list(
      fmt::format("workspaces/{}/runs", path_part(context.workspace.id)));
  if (!runs) return std::nullopt;
  // The newest comes first.
  auto found = std::ranges::find(*runs, run.id, &Resource::id);
  int before = 0;
  for (; found != runs->end(); ++found) {
    const std::string status = found->text("status");
    if (found->id == run.id || is_over(status)) continue;
    if (status == "planned" && context.order.goal == RunOrder::Goal::Plan) continue;
    ++before;
    if (found->id == current) break;
  }
  return before;
}

// The reason why a run has not begun.
std::string reason_to_wait(const RunContext& context, std::string_view what, const Resource& run,
                           const std::string& elapsed) {
  const auto workspace = context.service.find(context.workspace.name);
  if (workspace && *workspace) {
    const std::string& current = (*workspace)->current_run;
    if ((*workspace)->is_locked && (current.empty() || current == run.id)) {
      return fmt::format("Waiting for the workspace, which is locked, to be unlocked...{}",
                         elapsed);
    }
    if (current != run.id) {
      if (const auto before = runs_before(context, run, current); before && *before > 0) {
        return fmt::format("Waiting for {} run(s) to finish before this one...{}", *before,
                           elapsed);
      }
    }
  }
  return fmt::format("Waiting for the {} to start...{}", what, elapsed);
}

}  // namespace

bool Pauses::wait(const std::stop_token& stop) {
  const auto pause = std::exchange(next_, std::min(next_ * 3 / 2, longest_));
  return base::sleep_for(pause, stop);
}

Step refuse(const RunContext& context, std::string_view doing, const Refusal& refusal) {
  context.diags.error("The run failed")
      .detail(
          fmt::format("{} failed: {}.{}", doing, refusal.what,
                      refusal.is_missing()
                          ? " A service also responds with 404 if the token gives no access to it."
                          : ""));
  return Step::Failed;
}

Step reload(const RunContext& context, Resource& run) {
  auto again = context.service.api().read("runs/" + path_part(run.id));
  if (!again) return refuse(context, "Reading the run", again.error());
  run = std::move(*again);
  return Step::Done;
}

Step wait_to_start(const RunContext& context, std::string_view what, Resource& run) {
  Pauses pauses(kFirstPause, kMaxPause);
  const auto began = steady_clock::now();
  auto told = began - kBetweenNews;
  for (bool is_first = true;; is_first = false) {
    if (!pauses.wait(context.stop)) return Step::Stopped;
    if (const Step step = reload(context, run); step != Step::Done) return step;
    const std::string status = run.text("status");
    if (status != "pending" && status != "confirmed") {
      if (!is_first || what == "plan") context.sink.note("");
      return Step::Done;
    }
    const auto now = steady_clock::now();
    if (context.order.lock_timeout.count() > 0 && now - began > context.order.lock_timeout &&
        run.flag("actions", "is-cancelable")) {
      (void)context.service.api()
          .act(fmt::format("runs/{}/actions/cancel", path_part(run.id)), "{}")
          .ok();
      context.diags.error("The run did not begin in time")
          .detail(
              "Other runs of the workspace, or its lock, took longer than -lock-timeout allows. "
              "The run was cancelled.");
      return Step::Failed;
    }
    if (now - told < kBetweenNews) continue;
    told = now;
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now - began).count();
    context.sink.note(
        reason_to_wait(context, what, run, is_first ? "" : fmt::format(" ({}s)", seconds)));
  }
}

Decision decide(const RunContext& context, Resource& run, const Question& question) {
  // The run may be decided in the web interface while we prompt.
  std::stop_source done;
  const std::stop_callback interrupted(context.stop, [&] { done.request_stop(); });
  bool is_elsewhere = false;  // written by the thread, read when it has ended
  Resource seen = run;
  std::jthread looking([&](const std::stop_token& own) {
    Pauses pauses(kBetweenLooks, kBetweenLooks);
    while (pauses.wait(own)) {
      auto again = context.service.api().read("runs/" + path_part(seen.id));
      if (!again || question.is_open(*again)) continue;
      seen = std::move(*again);
      is_elsewhere = true;
      done.request_stop();
      return;
    }
  });
  const auto answer = context.sink.ask(question.text, question.explain, done.get_token());
  looking.request_stop();
  looking.join();
  if (is_elsewhere) {
    run = std::move(seen);
    const bool refused = run.text("status") == "discarded";
    context.sink.note(refused ? "The run was discarded elsewhere."
                              : "The run was approved elsewhere.");
    return refused ? Decision::Refused : Decision::Elsewhere;
  }
  if (context.stop.stop_requested()) return Decision::Stopped;
  if (answer && *answer == question.word) return Decision::Given;
  if (reload(context, run) != Step::Done) return Decision::Failed;
  if (!run.flag("actions", "is-discardable")) return Decision::Refused;
  const auto discarded =
      context.service.api().act(fmt::format("runs/{}/actions/discard", path_part(run.id)), "{}");
  if (discarded) return Decision::Refused;
  refuse(context, "Discarding the run", discarded.error());
  return Decision::Failed;
}

}  // namespace tofu::cloud
