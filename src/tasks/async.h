// Coroutines, which wait without holding a thread, and the things they wait for.
//
// An Async is a coroutine that begins when it is awaited and gives a T. asking() makes a call with
// a callback awaitable. A Latch waits for many, and a Gate limits concurrency.
//
// GCC 12 destroys the temporaries of a conditional expression inside a co_await before
// the coroutine that is awaited has run: such arguments are named before.
//
// Nothing here relies on tail calls: a loop that awaits a million things which are
// ready at once needs no more stack than one.
#pragma once

#include <atomic>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <utility>

#include "tasks/executor.h"

namespace tofu::tasks {

namespace async_detail {

// Two parties meet: the second of the two continues.
class Meeting {
 public:
  bool is_second() { return met_.exchange(true, std::memory_order_acq_rel); }

 private:
  std::atomic<bool> met_ = false;
};

struct PromiseBase {
  std::coroutine_handle<> waiting = {};
  std::exception_ptr broken = {};  // an InternalError: thrown again where it is awaited
  Meeting meeting;

  std::suspend_always initial_suspend() noexcept { return {}; }
  void unhandled_exception() noexcept { broken = std::current_exception(); }

  struct Final {
    bool await_ready() const noexcept { return false; }
    template <class Promise>
    void await_suspend(std::coroutine_handle<Promise> ended) const noexcept {
      PromiseBase& promise = ended.promise();
      // The coroutine may be gone after this.
      if (promise.meeting.is_second()) promise.waiting.resume();
    }
    void await_resume() const noexcept {}
  };
  Final final_suspend() noexcept { return {}; }
};

template <class T>
struct Promise : PromiseBase {
  std::optional<T> result = {};
  auto get_return_object() { return std::coroutine_handle<Promise>::from_promise(*this); }
  void return_value(T value) { result.emplace(std::move(value)); }
  T take() { return std::move(*result); }
};

template <>
struct Promise<void> : PromiseBase {
  auto get_return_object() { return std::coroutine_handle<Promise>::from_promise(*this); }
  void return_void() {}
  void take() {}
};

}  // namespace async_detail

template <class T>
class [[nodiscard]] Async {
 public:
  using promise_type = async_detail::Promise<T>;
  using Handle = std::coroutine_handle<promise_type>;

  Async(Handle coroutine) : coroutine_(coroutine) {}  // what a coroutine returns
  Async(Async&& other) noexcept : coroutine_(std::exchange(other.coroutine_, {})) {}
  Async& operator=(Async&&) = delete;
  ~Async() {
    if (coroutine_) coroutine_.destroy();
  }

  // Awaited once.
  auto operator co_await() && { return Awaiter<true>{coroutine_}; }
  // The same, without throwing exceptions again: ask for it with broken().
  auto ended() { return Awaiter<false>{coroutine_}; }
  std::exception_ptr broken() const { return coroutine_.promise().broken; }
  // Its result, if it has ended() and nothing was thrown.
  T take() { return coroutine_.promise().take(); }

 private:
  template <bool kThrows>
  struct Awaiter {
    Handle coroutine;
    bool await_ready() const noexcept { return false; }
    bool await_suspend(std::coroutine_handle<> waiting) const {
      coroutine.promise().waiting = waiting;
      coroutine.resume();
      return !coroutine.promise().meeting.is_second();
    }
    [[nodiscard]] decltype(auto) await_resume() const {
      if constexpr (kThrows) {
        if (coroutine.promise().broken) std::rethrow_exception(coroutine.promise().broken);
        return coroutine.promise().take();
      }
    }
  };

  Handle coroutine_;
};

// A call whose answer comes through a callback, on any thread, perhaps before the call
// returns. `Call` takes the callback.
template <class Answer, class Call>
class Asking {
 public:
  Asking(Executor& executor, Call call) : executor_(executor), call_(std::move(call)) {}

  bool await_ready() const noexcept { return false; }
  bool await_suspend(std::coroutine_handle<> waiting) {
    call_([this, waiting](Answer answer) {
      answer_.emplace(std::move(answer));
      if (meeting_.is_second()) executor_.post(waiting);
    });
    return !meeting_.is_second();
  }
  [[nodiscard]] Answer await_resume() { return std::move(*answer_); }

 private:
  Executor& executor_;
  Call call_;
  std::optional<Answer> answer_;
  async_detail::Meeting meeting_;
};

template <class Answer, class Call>
Asking<Answer, Call> asking(Executor& executor, Call call) {
  return Asking<Answer, Call>(executor, std::move(call));
}

// Waits for a number of things that end on any thread. Awaited by one coroutine, once.
class Latch {
 public:
  Latch(Executor& executor, std::size_t count) : executor_(executor), left_(count + 1) {}

  void count_down() {
    if (left_.fetch_sub(1, std::memory_order_acq_rel) == 1) executor_.post(waiting_);
  }

  bool await_ready() const noexcept { return false; }
  bool await_suspend(std::coroutine_handle<> waiting) {
    waiting_ = waiting;
    return left_.fetch_sub(1, std::memory_order_acq_rel) != 1;
  }
  void await_resume() const noexcept {}

 private:
  Executor& executor_;
  std::coroutine_handle<> waiting_;
  std::atomic<std::size_t> left_;
};

// Lets so many in at a time; the others wait in order.
class Gate {
 public:
  Gate(Executor& executor, unsigned places) : executor_(executor), free_(places) {}

  // Leaves when it goes away.
  class Place {
   public:
    explicit Place(Gate& gate) : gate_(&gate) {}
    Place(Place&& other) noexcept : gate_(std::exchange(other.gate_, nullptr)) {}
    Place& operator=(Place&&) = delete;
    ~Place() {
      if (gate_ != nullptr) gate_->leave();
    }

   private:
    Gate* gate_;
  };

  // To await: gives a Place.
  auto enter() {
    struct Entering {
      Gate& gate;
      bool await_ready() const noexcept { return false; }
      bool await_suspend(std::coroutine_handle<> waiting) const { return gate.wait(waiting); }
      Place await_resume() const noexcept { return Place(gate); }
    };
    return Entering{*this};
  }
  // One more may be in at a time.
  void add_place() { leave(); }

 private:
  // False if there is a place right away.
  bool wait(std::coroutine_handle<> waiting) {
    if (free_.fetch_sub(1, std::memory_order_acq_rel) > 0) return false;
    const std::lock_guard lock(mutex_);
    if (left_for_waiting_ != 0) {
      --left_for_waiting_;
      return false;
    }
    waiting_.push_back(waiting);
    return true;
  }
  void leave() {
    if (free_.fetch_add(1, std::memory_order_acq_rel) >= 0) return;
    std::coroutine_handle<> next;
    {
      const std::lock_guard lock(mutex_);
      if (waiting_.empty()) {
        ++left_for_waiting_;
        return;
      }
      next = waiting_.front();
      waiting_.pop_front();
    }
    executor_.post(next);
  }

  Executor& executor_;
  // Places, less those who wait for one. Entering takes no lock while a place is free: every call
  // to a provider comes by here.
  std::atomic<std::int64_t> free_;
  std::mutex mutex_;                  // for everything below
  std::size_t left_for_waiting_ = 0;  // places for those who are about to wait
  std::deque<std::coroutine_handle<>> waiting_;
};

}  // namespace tofu::tasks
