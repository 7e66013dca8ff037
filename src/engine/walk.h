// Visits numbered things, each after all that it waits for.
//
// A thing whose visit fails makes those that wait for it fail without a visit. All
// others are visited, as many side by side as there are threads. What a thing holds can be
// let go as soon as nothing that waits for it, directly or not, is left.
//
// A visit that waits keeps its memory. Where there may be a million things ready at once, as
// instances of a resource are, they take turns.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <vector>

#include "engine/async.h"
#include "engine/executor.h"
#include "eval/graph.h"

namespace tofu::engine {

class Walk final : private Executor::Tasks {
 public:
  // Whether the visit went well.
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
  Walk(const eval::Waits& waits, Executor& executor, Visit visit, Release release = {},
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

  const eval::Waits& waits_;
  Executor& executor_;
  Visit visit_;
  Release release_;
  TurnOf turn_of_;
  eval::Waits dependents_;                        // the edges the other way round
  std::vector<std::atomic<std::uint32_t>> left_;  // what each still waits for
  std::vector<std::atomic<bool>> failed_;
  // What holds each: itself until it has ended, and what waits for it. Empty without release_.
  std::vector<std::atomic<std::uint32_t>> holders_;
  std::mutex mutex_;  // for what follows
  unsigned free_turns_;
  std::deque<std::uint32_t> in_turn_;  // ready, and not begun
};

}  // namespace tofu::engine
