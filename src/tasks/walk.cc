#include "tasks/walk.h"

#include <exception>
#include <utility>

namespace tofu::tasks {

namespace {

base::Waits reversed(const base::Waits& waits) {
  base::Waits made;
  made.begin.assign(waits.size() + 1, 0);
  made.edges.resize(waits.edges.size());
  for (const std::uint32_t target : waits.edges) ++made.begin[target + 1];
  for (std::uint32_t i = 0; i < waits.size(); ++i) made.begin[i + 1] += made.begin[i];
  std::vector<std::uint32_t> next(made.begin.begin(), made.begin.end() - 1);
  for (std::uint32_t thing = 0; thing < waits.size(); ++thing) {
    for (const std::uint32_t target : waits.of(thing)) made.edges[next[target]++] = thing;
  }
  return made;
}

}  // namespace

Walk::Walk(const base::Waits& waits, Executor& executor, Visit visit, Release release,
           TurnOf turn_of, unsigned turns)
    : waits_(waits),
      executor_(executor),
      visit_(std::move(visit)),
      release_(std::move(release)),
      turn_of_(std::move(turn_of)),
      dependents_(reversed(waits)),
      left_(waits.size()),
      failed_(waits.size()),
      holders_(release_ ? waits.size() : 0),
      free_turns_(turns) {
  for (std::uint32_t thing = 0; thing < waits.size(); ++thing) {
    left_[thing] = static_cast<std::uint32_t>(waits.of(thing).size());
    failed_[thing] = false;
    if (!release_) continue;
    holders_[thing] = static_cast<std::uint32_t>(dependents_.of(thing).size()) + 1;
  }
}

void Walk::start() {
  for (std::uint32_t thing = 0; thing < waits_.size(); ++thing) {
    if (!waits_.of(thing).empty()) continue;
    if (turn_of(thing) == Turn::Never) {
      ended(thing);
    } else {
      begin(thing);
    }
  }
}

void Walk::begin(std::uint32_t thing) {
  if (turn_of(thing) == Turn::InTurn) {
    const std::lock_guard lock(mutex_);
    if (free_turns_ == 0) {
      in_turn_.push_back(thing);
      return;
    }
    --free_turns_;
  }
  executor_.start(*this, thing);
}

void Walk::pass_turn_on() {
  std::uint32_t next = 0;
  {
    const std::lock_guard lock(mutex_);
    if (in_turn_.empty()) {
      ++free_turns_;
      return;
    }
    next = in_turn_.front();
    in_turn_.pop_front();
  }
  executor_.start(*this, next);
}

Async<void> Walk::task(std::uint32_t thing) {
  Async<bool> visiting = visit_(thing);
  co_await visiting.ended();
  // An InternalError fails the thing and its dependents; the rest goes on.
  const std::exception_ptr broken = visiting.broken();
  const bool ok = !broken && visiting.take();
  if (!ok) failed_[thing] = true;
  ended(thing);
  if (turn_of(thing) == Turn::InTurn) pass_turn_on();
  if (broken) std::rethrow_exception(broken);
}

void Walk::ended(std::uint32_t thing) {
  // Those that end without a visit are worked off here: a chain of them may be long.
  std::vector<std::uint32_t> done;
  for (std::uint32_t next = thing;; next = done.back(), done.pop_back()) {
    for (const std::uint32_t dependent : dependents_.of(next)) {
      if (failed_[next]) failed_[dependent] = true;
      if (left_[dependent].fetch_sub(1, std::memory_order_acq_rel) != 1) continue;
      if (failed_[dependent] || turn_of(dependent) == Turn::Never) {
        done.push_back(dependent);
      } else {
        begin(dependent);
      }
    }
    if (release_) let_go({next});
    if (done.empty()) return;
  }
}

void Walk::let_go(std::vector<std::uint32_t> things) {
  while (!things.empty()) {
    const std::uint32_t next = things.back();
    things.pop_back();
    if (holders_[next].fetch_sub(1, std::memory_order_acq_rel) != 1) continue;
    if (!release_(next)) continue;
    const auto held = waits_.of(next);
    things.insert(things.end(), held.begin(), held.end());
  }
}

void Walk::pass_on(std::uint32_t thing) {
  const auto held = waits_.of(thing);
  let_go({held.begin(), held.end()});
}

}  // namespace tofu::tasks
