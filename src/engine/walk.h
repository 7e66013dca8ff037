// Visits numbered things, each after all that it waits for.
//
// A thing whose visit fails makes those that wait for it fail without a visit. All
// others are visited, as many side by side as there are threads.
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

  // All outlive the walk.
  Walk(const eval::Waits& waits, Executor& executor, Visit visit);

  // To be followed by Executor::run().
  void start();
  bool has_failed(std::uint32_t thing) const { return failed_[thing]; }

 private:
  Async<void> visit(std::uint32_t thing);
  void ended(std::uint32_t thing);

  const eval::Waits& waits_;
  Executor& executor_;
  Visit visit_;
  eval::Waits dependents_;                        // the edges the other way round
  std::vector<std::atomic<std::uint32_t>> left_;  // what each still waits for
  std::vector<std::atomic<bool>> failed_;
};

}  // namespace tofu::engine
