// How the tasks of a run share the machine: how many call providers at a time, how many
// instances are worked on at a time, and when none may begin any more.
//
// Threads: any.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <utility>

#include "diag/diagnostic.h"
#include "tasks/async.h"
#include "tasks/executor.h"

namespace tofu::engine {

// Whether a run goes on. It ends early after an interrupt, or when it aborts itself.
class RunCancellation {
 public:
  explicit RunCancellation(std::stop_token stop) : stop_(std::move(stop)) {}

  // Whether an interrupt was requested.
  bool is_requested() const { return stop_.stop_requested(); }
  // The same, asked before something that is left undone then.
  [[nodiscard]] bool leave_undone() {
    if (!is_requested()) return false;
    is_halted_ = true;
    return true;
  }
  // Whether something was left undone because of an interrupt, which the run reports at its end.
  bool is_halted() const { return is_halted_; }

  // Ends the run for a reason that was reported: nothing may begin any more. True the first time.
  [[nodiscard]] bool abort() { return !is_aborted_.exchange(true); }
  bool is_aborted() const { return is_aborted_; }

  // Whether rows fail without an error of their own, because of one that is reported once.
  bool is_cut_short() const { return is_aborted_ || is_halted_; }
  // Whether operations may still begin.
  [[nodiscard]] bool may_begin() { return !leave_undone() && !is_cut_short(); }

 private:
  const std::stop_token stop_;
  std::atomic<bool> is_halted_ = false;
  std::atomic<bool> is_aborted_ = false;
};

// Limits the calls to providers that run side by side.
class CallGate {
 public:
  // Both outlive it.
  CallGate(tasks::Executor& executor, RunCancellation& cancellation, unsigned places)
      : executor_(executor), cancellation_(cancellation), gate_(executor, places) {}

  // Calls a provider, when it may be called.
  template <class Answer, class Call>
  tasks::Async<Answer> ask(Call call) {
    const tasks::Gate::Place place = co_await gate_.enter();
    co_return co_await tasks::asking<Answer>(executor_, std::move(call));
  }
  // The same for an operation that has a place.
  template <class Answer, class Call>
  tasks::Async<Answer> ask(const tasks::Gate::Place&, Call call) {
    co_return co_await tasks::asking<Answer>(executor_, std::move(call));
  }

  // A place for an operation that is about to begin. None if the run was stopped or cut short
  // meanwhile: then nothing may begin. Who has a place must not wait for another.
  tasks::Async<std::optional<tasks::Gate::Place>> enter();

 private:
  tasks::Executor& executor_;
  RunCancellation& cancellation_;
  tasks::Gate gate_;
};

// Works on many instances, some of them side by side.
class InstanceLoop {
 public:
  // Both outlive it. `calls` is how many calls to providers run at a time.
  InstanceLoop(tasks::Executor& executor, RunCancellation& cancellation, unsigned calls)
      : executor_(executor), cancellation_(cancellation), width_(calls + executor.threads()) {}

  // Calls `work` for each of `count` positions. Their diagnostics are added in order.
  using Work = std::function<tasks::Async<void>(std::size_t position, diag::Diagnostics& diags)>;
  enum class OnStop : std::uint8_t { Leave, Continue };
  tasks::Async<void> for_each(std::size_t count, Work work, diag::Diagnostics& diags,
                              OnStop on_stop = OnStop::Leave);

 private:
  tasks::Executor& executor_;
  RunCancellation& cancellation_;
  const std::size_t width_;
};

}  // namespace tofu::engine
