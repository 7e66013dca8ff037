#include "engine/operation.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

namespace tofu::engine {

namespace {

constexpr std::chrono::seconds kPeriod{10};

}  // namespace

Ticker::Id Ticker::started(Progress progress) {
  const auto now = runtime_.now();
  const std::lock_guard lock(mutex_);
  const Id id = ++last_;
  running_.emplace(id, Running{std::move(progress), now, now + kPeriod});
  if (!worker_) worker_ = runtime_.start_worker([this] { work(); }, std::chrono::seconds(1));
  return id;
}

std::chrono::seconds Ticker::ended(Id id) {
  const std::lock_guard lock(mutex_);
  const auto found = running_.find(id);
  const auto elapsed = runtime_.now() - found->second.since;
  running_.erase(found);
  return std::chrono::duration_cast<std::chrono::seconds>(elapsed);
}

void Ticker::work() {
  std::vector<plans::Event> due;
  {
    const std::lock_guard lock(mutex_);
    const auto now = runtime_.now();
    for (auto& [id, one] : running_) {
      if (now < one.next) continue;
      one.next += kPeriod;
      due.push_back(
          one.progress(std::chrono::duration_cast<std::chrono::seconds>(now - one.since)));
    }
  }
  for (const plans::Event& one : due) events_.on(one);
}

Operation::Operation(tasks::Gate::Place place, Observers observers, plans::Subject subject,
                     plans::Action action, plans::ObjectLabel label)
    : place_(std::move(place)),
      observers_(observers),
      subject_(std::move(subject)),
      action_(action) {
  observers_.events.on(plans::ApplyStart{subject_, action_, label});
  ticking_ = observers_.ticker.started(
      [about = plans::ApplyProgress{subject_, action_, std::move(label), {}}](
          std::chrono::seconds elapsed) {
        plans::ApplyProgress now = about;
        now.elapsed = elapsed;
        return plans::Event(std::move(now));
      });
}

void Operation::complete(plans::ObjectLabel label) {
  const auto elapsed = observers_.ticker.ended(ticking_);
  observers_.events.on(plans::ApplyComplete{subject_, action_, std::move(label), elapsed});
}

void Operation::fail() {
  const auto elapsed = observers_.ticker.ended(ticking_);
  observers_.events.on(plans::ApplyErrored{subject_, action_, elapsed});
}

}  // namespace tofu::engine
