#include "tests/simulation/loop.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace tofu::simulation {

// Its events outlive it and do nothing then.
class Loop::QueuedWorker final : public base::Worker {
 public:
  QueuedWorker(Loop& loop, std::function<void()> work, Milliseconds period)
      : loop_(loop), state_(std::make_shared<State>(State{std::move(work)})) {
    tick(loop_, state_, period);
  }
  QueuedWorker(const QueuedWorker&) = delete;
  QueuedWorker& operator=(const QueuedWorker&) = delete;
  ~QueuedWorker() override {
    state_->has_ended = true;
    state_->work();
  }

  void notify() override {
    if (std::exchange(state_->is_due, true)) return;
    loop_.after(loop_.moment(), [&loop = loop_, state = state_] {
      if (state->has_ended) return;
      (void)loop.fates_.meet(loop.process_, Moment::Turn);
      state->is_due = false;
      state->work();
    });
  }

 private:
  struct State {
    std::function<void()> work;
    bool is_due = false;
    bool has_ended = false;
  };

  static void tick(Loop& loop, const std::shared_ptr<State>& state, Milliseconds period) {
    loop.add(
        loop.clock_ + period,
        [&loop, state, period] {
          if (state->has_ended) return;
          state->work();
          tick(loop, state, period);
        },
        true);
  }

  Loop& loop_;
  const std::shared_ptr<State> state_;
};

namespace {

constexpr auto kLater = [](const auto& a, const auto& b) {
  return std::pair(a.time, a.number) > std::pair(b.time, b.number);
};

}  // namespace

void Loop::add(Milliseconds time, std::function<void()> happens, bool is_timer) {
  if (is_timer) ++timers_;
  events_.push_back({time, ++last_, std::move(happens), is_timer});
  std::ranges::push_heap(events_, kLater);
}

void Loop::after(Milliseconds delay, std::function<void()> happens) {
  add(clock_ + delay, std::move(happens), false);
}

std::unique_ptr<base::Worker> Loop::start_worker(std::function<void()> work, Milliseconds period) {
  return std::make_unique<QueuedWorker>(*this, std::move(work), period);
}

void Loop::run_next() {
  // Timers alone bring nothing that a run could wait for.
  TOFU_CHECK(events_.size() > timers_, "what a run waits for comes");
  std::ranges::pop_heap(events_, kLater);
  Event next = std::move(events_.back());
  events_.pop_back();
  if (next.is_timer) --timers_;
  clock_ = std::max(clock_, next.time);
  next.happens();
}

void Loop::wait(std::condition_variable&, std::unique_lock<std::mutex>& lock) {
  lock.unlock();
  run_next();
  lock.lock();
}

}  // namespace tofu::simulation
