// Visits numbered things, each after its dependencies.
//
// If a visit fails, all dependents fail without a visit. All others are visited, concurrently on
// all threads. A callback reports when all direct and indirect dependents of a thing have ended, so
// that it can release its data.
//
// A visit that waits keeps its memory. If a million things may be ready at once, such as instances
// of a resource, only some of them start at a time.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <vector>

#include "base/graph.h"
#include "tasks/async.h"
#include "tasks/executor.h"

namespace tofu::tasks {

class Walk final : private Executor::Tasks {
 public:
  // Whether the visit succeeded.
  using Visit = std::function<Async<bool>(std::uint32_t thing)>;

  // The thing has ended, and so has all that waits for it, visited or not. Whether it holds
  // nothing any more; if it does, pass_on() says when that is over.
  using Release = std::function<bool(std::uint32_t thing)>;

  // When a thing that waits for nothing any more is visited.
  enum class Turn : std::uint8_t {
    AtOnce,
    InTurn,  // when fewer than `turns` of these are being visited
    Never,   // it only holds others back
  };
  using TurnOf = std::function<Turn(std::uint32_t thing)>;

  // All outlive the walk. `release` and `turn_of` may be empty: nothing is to be let go,
  // everything is visited at once.
  Walk(const base::Waits& waits, Executor& executor, Visit visit, Release release = {},
       TurnOf turn_of = {}, unsigned turns = 1);

  // To be followed by Executor::run().
  void start();
  // After a release that answered false: what the thing waits for is not held by it any more.
  void pass_on(std::uint32_t thing);
  bool has_failed(std::uint32_t thing) const { return failed_[thing]; }

 private:
  Turn turn_of(std::uint32_t thing) const { return turn_of_ ? turn_of_(thing) : Turn::AtOnce; }
  void begin(std::uint32_t thing);
  void pass_turn_on();
  Async<void> task(std::uint32_t thing) override;  // its visit
  void ended(std::uint32_t thing);
  void let_go(std::vector<std::uint32_t> things);

  const base::Waits& waits_;
  Executor& executor_;
  Visit visit_;
  Release release_;
  TurnOf turn_of_;
  base::Waits dependents_;                        // the edges the other way round
  std::vector<std::atomic<std::uint32_t>> left_;  // what each still waits for
  std::vector<std::atomic<bool>> failed_;
  // The number of holders of each thing: the thing itself until it has ended, and its dependents.
  // Empty without release_.
  std::vector<std::atomic<std::uint32_t>> holders_;
  std::mutex mutex_;  // for what follows
  unsigned free_turns_;
  std::deque<std::uint32_t> in_turn_;  // ready, and not begun
};

}  // namespace tofu::tasks
