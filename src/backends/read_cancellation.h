// Cancels reading a state when the user interrupts.
//
// A read can be cancelled at once, because it changes nothing. Writing a state, locking and
// unlocking are never cancelled, because their outcome would be unknown.
//
// Threads: safe to use from several.
#pragma once

#include <atomic>
#include <stop_token>
#include <utility>

namespace tofu::backends {

class ReadCancellation {
 public:
  explicit ReadCancellation(std::stop_token interrupts) : interrupts_(std::move(interrupts)) {}

  // While one of these lives, new requests can be cancelled. `stop` may be null, and outlives this.
  class [[nodiscard]] Scope {
   public:
    explicit Scope(ReadCancellation* stop) : stop_(stop) {
      if (stop_ != nullptr) ++stop_->readers_;
    }
    ~Scope() {
      if (stop_ != nullptr) --stop_->readers_;
    }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    ReadCancellation* stop_;
  };

  // For a request that begins now: an interrupt ends it, or nothing does.
  std::stop_token token() const { return readers_ > 0 ? interrupts_ : std::stop_token(); }
  // For pauses that an interrupt makes shorter without ending anything.
  std::stop_token interrupts() const { return interrupts_; }

 private:
  std::stop_token interrupts_;
  std::atomic<int> readers_{0};
};

}  // namespace tofu::backends
