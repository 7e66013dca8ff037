#include "engine/ephemerals.h"

#include <algorithm>
#include <condition_variable>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "base/check.h"
#include "syntax/ast.h"

namespace tofu::engine {

namespace {

using Clock = std::chrono::steady_clock;
using plans::EphemeralStep;
using providers::Problem;

struct Object {
  addrs::AbsResourceInstance address;
  providers::Provider* provider;
  providers::PrivateData private_data;
  bool is_renewing = false;
  Ephemerals::Done closed = {};               // set when it is to be closed
  std::vector<Problem> problems = {};         // so far
  std::optional<Clock::time_point> due = {};  // as in Inside::due
  Ticker::Id ticking = 0;                     // of the call under way
};

// This time on a clock that cannot be set.
Clock::time_point as_time(std::int64_t seconds_since_1970) {
  using System = std::chrono::system_clock;
  const System::time_point then{std::chrono::seconds(seconds_since_1970)};
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(then - System::now());
}

Problem not_closed(const Object& object, std::chrono::milliseconds limit) {
  return {diag::Severity::Error,
          "Ephemeral resource was not closed in time",
          fmt::format("The provider did not close {1} within {0}, so it may still be in use.",
                      std::chrono::duration_cast<std::chrono::seconds>(limit),
                      object.address.to_string()),
          {}};
}

}  // namespace

struct Ephemerals::Impl : std::enable_shared_from_this<Impl> {
  Impl(plans::EventSink& sink, Ticker& clock, std::chrono::milliseconds limit)
      : events(sink), ticker(clock), time_to_close(limit) {}

  // Used only for objects that are there, so not after all were closed.
  plans::EventSink& events;
  Ticker& ticker;
  const std::chrono::milliseconds time_to_close;

  std::mutex mutex;  // for everything below
  std::condition_variable changed;
  std::map<Id, Object> objects;
  // When something has to be done about an object: it is renewed, or given up.
  std::set<std::pair<Clock::time_point, Id>> due;
  Id last = 0;
  bool ends = false;

  // These are called with the mutex locked.
  void set_due(Id id, Object& object, std::optional<Clock::time_point> when);
  void begin(Object& object, EphemeralStep step);
  void complete(Object& object, EphemeralStep step);
  void give_up(Id id, std::unique_lock<std::mutex>& lock);
  void renew(Id id, std::unique_lock<std::mutex>& lock);
  void close(Id id, std::unique_lock<std::mutex>& lock);

  // What providers answered.
  void renewed(Id id, providers::RenewAnswer answer);
  void closed(Id id, const std::vector<Problem>& problems);

  void work();
};

void Ephemerals::Impl::set_due(Id id, Object& object, std::optional<Clock::time_point> when) {
  if (object.due) due.erase({*object.due, id});
  object.due = when;
  if (!when) return;
  due.emplace(*when, id);
  changed.notify_all();
}

void Ephemerals::Impl::begin(Object& object, EphemeralStep step) {
  const plans::Subject subject{object.address};
  events.on(plans::EphemeralStart{subject, step});
  object.ticking = ticker.started([subject, step](std::chrono::seconds elapsed) -> plans::Event {
    return plans::EphemeralProgress{subject, step, elapsed};
  });
}

void Ephemerals::Impl::complete(Object& object, EphemeralStep step) {
  events.on(plans::EphemeralComplete{{object.address}, step, ticker.ended(object.ticking)});
}

void Ephemerals::Impl::work() {
  std::unique_lock lock(mutex);
  while (!ends) {
    if (due.empty()) {
      changed.wait(lock);
      continue;
    }
    const auto [when, id] = *due.begin();
    if (when > Clock::now()) {
      changed.wait_until(lock, when);
      continue;
    }
    Object& object = objects.at(id);
    set_due(id, object, std::nullopt);
    if (object.closed) {
      give_up(id, lock);
    } else {
      renew(id, lock);
    }
  }
}

void Ephemerals::Impl::renew(Id id, std::unique_lock<std::mutex>& lock) {
  Object& object = objects.at(id);
  object.is_renewing = true;
  begin(object, EphemeralStep::Renew);
  providers::Provider& provider = *object.provider;
  const std::string type = object.address.object.resource.type;
  const providers::PrivateData data = object.private_data;
  lock.unlock();
  provider.renew(type, data, [self = shared_from_this(), id](providers::RenewAnswer answer) {
    self->renewed(id, std::move(answer));
  });
  lock.lock();
}

void Ephemerals::Impl::renewed(Id id, providers::RenewAnswer answer) {
  std::unique_lock lock(mutex);
  const auto found = objects.find(id);
  if (found == objects.end()) return;  // it was given up
  Object& object = found->second;
  complete(object, EphemeralStep::Renew);
  object.is_renewing = false;
  // Also after errors: what the provider said last is what it knows of it.
  object.private_data = std::move(answer.private_data);
  std::ranges::move(answer.problems, std::back_inserter(object.problems));
  if (object.closed) return close(id, lock);
  if (answer.renew_at) set_due(id, object, as_time(*answer.renew_at));
}

void Ephemerals::Impl::close(Id id, std::unique_lock<std::mutex>& lock) {
  Object& object = objects.at(id);
  begin(object, EphemeralStep::Close);
  providers::Provider& provider = *object.provider;
  const std::string type = object.address.object.resource.type;
  const providers::PrivateData data = object.private_data;
  lock.unlock();
  provider.close(type, data, [self = shared_from_this(), id](const providers::Answer& answer) {
    self->closed(id, answer.problems);
  });
}

void Ephemerals::Impl::closed(Id id, const std::vector<Problem>& problems) {
  std::unique_lock lock(mutex);
  const auto found = objects.find(id);
  if (found == objects.end()) return;  // it was given up
  set_due(id, found->second, std::nullopt);
  complete(found->second, EphemeralStep::Close);
  const Object object = std::move(objects.extract(found).mapped());
  changed.notify_all();
  lock.unlock();
  std::vector<Problem> all = object.problems;
  std::ranges::copy(problems, std::back_inserter(all));
  object.closed(std::move(all));
}

void Ephemerals::Impl::give_up(Id id, std::unique_lock<std::mutex>& lock) {
  const auto found = objects.find(id);
  (void)ticker.ended(found->second.ticking);
  const Object object = std::move(objects.extract(found).mapped());
  changed.notify_all();
  lock.unlock();
  std::vector<Problem> all = object.problems;
  all.push_back(not_closed(object, time_to_close));
  object.closed(std::move(all));
  lock.lock();
}

Ephemerals::Ephemerals(plans::EventSink& events, Ticker& ticker,
                       std::chrono::milliseconds time_to_close)
    : impl_(std::make_shared<Impl>(events, ticker, time_to_close)) {}

Ephemerals::~Ephemerals() {
  std::vector<Id> open;
  {
    const std::lock_guard lock(impl_->mutex);
    for (const auto& [id, object] : impl_->objects) {
      if (!object.closed) open.push_back(id);
    }
  }
  for (const Id id : open) close(id, [](const std::vector<Problem>&) {});
  {
    std::unique_lock lock(impl_->mutex);
    impl_->changed.wait(lock, [&] { return impl_->objects.empty(); });
    impl_->ends = true;
  }
  impl_->changed.notify_all();
}

Ephemerals::Id Ephemerals::keep(Opened object) {
  const std::lock_guard lock(impl_->mutex);
  const Id id = ++impl_->last;
  Object& kept = impl_->objects
                     .emplace(id, Object{std::move(object.address), &object.provider,
                                         std::move(object.private_data)})
                     .first->second;
  if (object.renew_at) impl_->set_due(id, kept, as_time(*object.renew_at));
  if (!thread_.joinable()) {
    thread_ = base::Thread(syntax::kTaskStack, [inside = impl_] { inside->work(); });
  }
  return id;
}

void Ephemerals::close(Id id, Done done) {
  std::unique_lock lock(impl_->mutex);
  const auto found = impl_->objects.find(id);
  TOFU_CHECK(found != impl_->objects.end() && !found->second.closed,
             "an ephemeral object is closed once");
  Object& object = found->second;
  object.closed = std::move(done);
  impl_->set_due(id, object, Clock::now() + impl_->time_to_close);
  if (!object.is_renewing) impl_->close(id, lock);
}

}  // namespace tofu::engine
