// What ends the reading of a state when somebody interrupts.
//
// Reading is given up at once then: nothing was changed, and whoever waits for a store that
// does not answer wants to go. Storing a state, and taking or giving back a lock, are not
// given up: nobody would know how they ended.
//
// Threads: safe to use from several.
#pragma once

#include <atomic>
#include <stop_token>
#include <utility>

namespace tofu::backends {

class ReadingStop {
 public:
  explicit ReadingStop(std::stop_token interrupts) : interrupts_(std::move(interrupts)) {}

  // While one of these lives, requests that begin can be given up. `stop` may be null, and
  // outlives this.
  class [[nodiscard]] Reading {
   public:
    explicit Reading(ReadingStop* stop) : stop_(stop) {
      if (stop_ != nullptr) ++stop_->readers_;
    }
    ~Reading() {
      if (stop_ != nullptr) --stop_->readers_;
    }
    Reading(const Reading&) = delete;
    Reading& operator=(const Reading&) = delete;

   private:
    ReadingStop* stop_;
  };

  // For a request that begins now: an interrupt ends it, or nothing does.
  std::stop_token token() const { return readers_ > 0 ? interrupts_ : std::stop_token(); }

 private:
  std::stop_token interrupts_;
  std::atomic<int> readers_{0};
};

}  // namespace tofu::backends
