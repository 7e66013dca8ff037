// An operation that has begun: something is read, created, updated or destroyed. A ticker reports
// those that take long.
//
// An operation is made with a place among those that run side by side and keeps that place until it
// goes away, after its last event. So no more operations are reported or recorded as running than
// run.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "base/runtime.h"
#include "plans/events.h"
#include "tasks/async.h"

namespace tofu::engine {

// Tells of operations that take long, every ten seconds.
//
// Its worker is started with the first operation and ends with the ticker.
//
// Threads: any.
class Ticker {
 public:
  // Both outlive it.
  Ticker(plans::EventSink& events, base::Runtime& runtime) : events_(events), runtime_(runtime) {}
  Ticker(const Ticker&) = delete;
  Ticker& operator=(const Ticker&) = delete;

  using Id = std::uint64_t;
  // The event to send after this much time.
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
  base::Runtime& runtime_;
  std::mutex mutex_;  // for everything below
  std::map<Id, Running> running_;
  Id last_ = 0;
  std::unique_ptr<base::Worker> worker_;  // last: it uses everything above
};

class Operation {
 public:
  // Where it is reported. Both outlive it.
  struct Observers {
    plans::EventSink& events;
    Ticker& ticker;
  };

  // Reports that it starts. `label` names the object before.
  Operation(tasks::Gate::Place place, Observers observers, plans::Subject subject,
            plans::Action action, plans::ObjectLabel label = {});
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

  // What it does next needs no further place.
  const tasks::Gate::Place& place() const { return place_; }
  plans::Action action() const { return action_; }

  // Report how it ended. One of them is called, once. `label` names the object after.
  void complete(plans::ObjectLabel label = {});
  void fail();

 private:
  const tasks::Gate::Place place_;
  const Observers observers_;
  const plans::Subject subject_;
  const plans::Action action_;
  Ticker::Id ticking_ = 0;
};

}  // namespace tofu::engine
