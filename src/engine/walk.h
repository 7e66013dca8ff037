// Visits numbered things, each after all that it waits for.
//
// A thing whose visit fails makes those that wait for it fail without a visit. All
// others are visited, as many side by side as there are threads. What a thing holds can be
// let go as soon as nothing that waits for it, directly or not, is left.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "engine/async.h"
#include "engine/executor.h"
#include "eval/graph.h"

namespace tofu::engine {

class Walk {
 public:
  // Whether the visit went well.
  using Visit = std::function<Async<bool>(std::uint32_t thing)>;

  // The thing has ended, and so has all that waits for it, visited or not. Whether it holds
  // nothing any more; if it does, pass_on() says when that is over.
  using Release = std::function<bool(std::uint32_t thing)>;

  // All outlive the walk. `release` may be empty.
  Walk(const eval::Waits& waits, Executor& executor, Visit visit, Release release = {});

  // To be followed by Executor::run().
  void start();
  // After a release that answered false: what the thing waits for is not held by it any more.
  void pass_on(std::uint32_t thing);
  bool has_failed(std::uint32_t thing) const { return failed_[thing]; }

 private:
  Async<void> visit(std::uint32_t thing);
  void ended(std::uint32_t thing);
  void let_go(std::vector<std::uint32_t> things);

  const eval::Waits& waits_;
  Executor& executor_;
  Visit visit_;
  Release release_;
  eval::Waits dependents_;                        // the edges the other way round
  std::vector<std::atomic<std::uint32_t>> left_;  // what each still waits for
  std::vector<std::atomic<bool>> failed_;
  // What holds each: itself until it has ended, and what waits for it. Empty without release_.
  std::vector<std::atomic<std::uint32_t>> holders_;
};

}  // namespace tofu::engine
