#include "engine/run_tasks.h"

#include <algorithm>
#include <exception>
#include <mutex>
#include <vector>

namespace tofu::engine {

namespace {

// Counts down when it goes, also when something is thrown: the loop would wait for ever.
struct CountDown {
  tasks::Latch* latch;
  ~CountDown() {
    if (latch != nullptr) latch->count_down();
  }
};

}  // namespace

tasks::Async<std::optional<tasks::Gate::Place>> CallGate::enter() {
  std::optional<tasks::Gate::Place> place;
  place.emplace(co_await gate_.enter());
  if (!cancellation_.may_begin()) co_return std::nullopt;
  co_return place;
}

tasks::Async<void> InstanceLoop::for_each(std::size_t count, Work work, diag::Diagnostics& diags,
                                          OnStop on_stop) {
  const auto leaves_undone = [&] {
    return on_stop == OnStop::Leave && cancellation_.leave_undone();
  };
  if (count == 1) {
    diag::Diagnostics own;
    if (!leaves_undone()) co_await work(0, own);
    co_return diags.take(std::move(own));
  }
  struct Reported {
    std::size_t position;
    diag::Diagnostics diags;
  };
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;  // for what follows
  std::vector<Reported> reported;
  std::exception_ptr broken;
  const auto take_turns = [&](tasks::Latch* latch) -> tasks::Async<void> {
    const CountDown at_the_end{latch};
    while (true) {
      const std::size_t position = next.fetch_add(1, std::memory_order_relaxed);
      if (position >= count || leaves_undone()) break;
      diag::Diagnostics own;
      tasks::Async<void> working = work(position, own);
      co_await working.ended();
      if (own.empty() && !working.broken()) continue;
      const std::lock_guard lock(mutex);
      if (working.broken()) broken = working.broken();
      reported.push_back({position, std::move(own)});
    }
  };
  const std::size_t side_by_side = std::min(count, width_);
  if (side_by_side <= 1) {
    co_await take_turns(nullptr);
  } else {
    tasks::Latch latch(executor_, side_by_side);
    for (std::size_t i = 0; i < side_by_side; ++i) executor_.start(take_turns(&latch));
    co_await latch;
  }
  std::ranges::sort(reported, {}, &Reported::position);
  for (Reported& one : reported) diags.take(std::move(one.diags));
  // Not before the others have ended; the whole row fails with it.
  if (broken) std::rethrow_exception(broken);
}

}  // namespace tofu::engine
