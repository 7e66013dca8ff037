// The ephemeral objects that are open: renewed when their time comes, and closed once.
//
// A provider says until when an object may be used and is asked to renew it by then, for as
// long as the object is open. Errors of renewals are reported when the object is closed. An
// object that is being renewed is closed after that. If a provider does not answer in time,
// the run goes on without it: otherwise it would never end.
//
// Whatever is still open when this goes is closed then.
//
// Threads: any. Providers outlive it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "addrs/resource.h"
#include "base/thread.h"
#include "engine/operation.h"
#include "plans/events.h"
#include "providers/provider.h"

namespace tofu::engine {

inline constexpr std::chrono::seconds kTimeToClose{10};

class Ephemerals {
 public:
  using Done = std::function<void(std::vector<providers::Problem>)>;

  // Both outlive it.
  Ephemerals(plans::EventSink& events, Ticker& ticker,
             std::chrono::milliseconds time_to_close = kTimeToClose);
  Ephemerals(const Ephemerals&) = delete;
  Ephemerals& operator=(const Ephemerals&) = delete;
  ~Ephemerals();

  struct Opened {
    addrs::AbsResourceInstance address;
    providers::Provider& provider;
    providers::PrivateData private_data;
    std::optional<std::int64_t> renew_at;  // seconds since 1970; absent: never
  };
  using Id = std::uint64_t;
  // An object that was opened just now.
  Id keep(Opened object);
  // Of each object once. `done` gets the problems of renewing and closing it.
  void close(Id id, Done done);

 private:
  struct Impl;

  // Shared with the answers of providers, which may come after the last waiter has gone.
  std::shared_ptr<Impl> impl_;
  base::Thread thread_;
};

}  // namespace tofu::engine
