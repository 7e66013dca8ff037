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

// When that is on a clock that nobody sets.
Clock::time_point as_time(std::int64_t seconds_since_1970) {
  using System = std::chrono::system_clock;
  const System::time_point then{std::chrono::seconds(seconds_since_1970)};
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(then - System::now());
}

Problem not_closed(const Object& object, std::chrono::milliseconds limit) {
  return {diag::Severity::Error,
          "Ephemeral resource was not closed in time",
          fmt::format("The provider did not answer within {} that {} is closed, so it may still be "
                      "in use.",
                      std::chrono::duration_cast<std::chrono::seconds>(limit),
                      object.address.to_string()),
          {}};
}

}  // namespace

struct Ephemerals::Inside : std::enable_shared_from_this<Inside> {
  Inside(plans::EventSink& sink, Ticker& clock, std::chrono::milliseconds limit)
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

void Ephemerals::Inside::set_due(Id id, Object& object, std::optional<Clock::time_point> when) {
  if (object.due) due.erase({*object.due, id});
  object.due = when;
  if (!when) return;
  due.emplace(*when, id);
  changed.notify_all();
}

void Ephemerals::Inside::begin(Object& object, EphemeralStep step) {
  const plans::Subject subject{object.address};
  events.on(plans::EphemeralStart{subject, step});
  object.ticking = ticker.started([subject, step](std::chrono::seconds elapsed) -> plans::Event {
    return plans::EphemeralProgress{subject, step, elapsed};
  });
}

void Ephemerals::Inside::complete(Object& object, EphemeralStep step) {
  events.on(plans::EphemeralComplete{{object.address}, step, ticker.ended(object.ticking)});
}

void Ephemerals::Inside::work() {
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

void Ephemerals::Inside::renew(Id id, std::unique_lock<std::mutex>& lock) {
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

void Ephemerals::Inside::renewed(Id id, providers::RenewAnswer answer) {
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

void Ephemerals::Inside::close(Id id, std::unique_lock<std::mutex>& lock) {
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

void Ephemerals::Inside::closed(Id id, const std::vector<Problem>& problems) {
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

void Ephemerals::Inside::give_up(Id id, std::unique_lock<std::mutex>& lock) {
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
    : inside_(std::make_shared<Inside>(events, ticker, time_to_close)) {}

Ephemerals::~Ephemerals() {
  std::vector<Id> open;
  {
    const std::lock_guard lock(inside_->mutex);
    for (const auto& [id, object] : inside_->objects) {
      if (!object.closed) open.push_back(id);
    }
  }
  for (const Id id : open) close(id, [](const std::vector<Problem>&) {});
  {
    std::unique_lock lock(inside_->mutex);
    inside_->changed.wait(lock, [&] { return inside_->objects.empty(); });
    inside_->ends = true;
  }
  inside_->changed.notify_all();
}

Ephemerals::Id Ephemerals::keep(Opened object) {
  const std::lock_guard lock(inside_->mutex);
  const Id id = ++inside_->last;
  Object& kept = inside_->objects
                     .emplace(id, Object{std::move(object.address), &object.provider,
                                         std::move(object.private_data)})
                     .first->second;
  if (object.renew_at) inside_->set_due(id, kept, as_time(*object.renew_at));
  if (!thread_.joinable()) {
    thread_ = base::Thread(syntax::kTaskStack, [inside = inside_] { inside->work(); });
  }
  return id;
}

void Ephemerals::close(Id id, Done done) {
  std::unique_lock lock(inside_->mutex);
  const auto found = inside_->objects.find(id);
  TOFU_CHECK(found != inside_->objects.end() && !found->second.closed,
             "an ephemeral object is closed once");
  Object& object = found->second;
  object.closed = std::move(done);
  inside_->set_due(id, object, Clock::now() + inside_->time_to_close);
  if (!object.is_renewing) inside_->close(id, lock);
}

}  // namespace tofu::engine
