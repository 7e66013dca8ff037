#include "engine/ticker.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace tofu::engine {

namespace {

constexpr std::chrono::seconds kPeriod{10};

}  // namespace

Ticker::~Ticker() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

Ticker::Id Ticker::started(Progress progress) {
  const auto now = Clock::now();
  const std::lock_guard lock(mutex_);
  const Id id = ++last_;
  running_.emplace(id, Running{std::move(progress), now, now + kPeriod});
  if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
  return id;
}

std::chrono::seconds Ticker::ended(Id id) {
  const std::lock_guard lock(mutex_);
  const auto found = running_.find(id);
  const auto elapsed = Clock::now() - found->second.since;
  running_.erase(found);
  return std::chrono::duration_cast<std::chrono::seconds>(elapsed);
}

void Ticker::work() {
  std::unique_lock lock(mutex_);
  while (!ends_) {
    changed_.wait_for(lock, std::chrono::seconds(1), [&] { return ends_; });
    const auto now = Clock::now();
    std::vector<plans::Event> due;
    for (auto& [id, one] : running_) {
      if (now < one.next) continue;
      one.next += kPeriod;
      due.push_back(
          one.progress(std::chrono::duration_cast<std::chrono::seconds>(now - one.since)));
    }
    lock.unlock();
    for (const plans::Event& one : due) events_.on(one);
    lock.lock();
  }
}

}  // namespace tofu::engine
