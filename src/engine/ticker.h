// Tells of operations that take long, every ten seconds.
//
// Its thread is started with the first operation and ends with the ticker.
//
// Threads: any.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

#include "plans/events.h"

namespace tofu::engine {

class Ticker {
 public:
  // The sink outlives it.
  explicit Ticker(plans::EventSink& events) : events_(events) {}
  Ticker(const Ticker&) = delete;
  Ticker& operator=(const Ticker&) = delete;
  ~Ticker();

  using Id = std::uint64_t;
  // What is told when so much time has gone by.
  using Progress = std::function<plans::Event(std::chrono::seconds elapsed)>;
  Id started(Progress progress);
  // How long it took.
  std::chrono::seconds ended(Id id);

 private:
  using Clock = std::chrono::steady_clock;
  struct Running {
    Progress progress;
    Clock::time_point since;
    Clock::time_point next;
  };
  void work();

  plans::EventSink& events_;
  std::mutex mutex_;  // for everything below
  std::condition_variable changed_;
  std::map<Id, Running> running_;
  Id last_ = 0;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace tofu::engine
