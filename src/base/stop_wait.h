// Waiting that ends when a stop is requested.
//
// A stop request makes a descriptor readable. poll() can wait for it together with other
// descriptors, so a wait for input or for another program ends at once, whichever thread was
// interrupted.
#pragma once

#include <chrono>
#include <stop_token>

#include "base/descriptor.h"

namespace tofu::base {

class StopDescriptor {
 public:
  // If the system has no descriptor left, it never becomes readable.
  explicit StopDescriptor(const std::stop_token& stop);
  StopDescriptor(const StopDescriptor&) = delete;
  StopDescriptor& operator=(const StopDescriptor&) = delete;

  int number() const { return event_.number(); }

 private:
  struct Notify {
    int event;
    void operator()() const noexcept;
  };

  Descriptor event_;
  std::stop_callback<Notify> notify_;  // gone before the descriptor is closed
};

// Waits until `descriptor` can be read, or is at its end. False if the stop came first.
bool wait_readable(int descriptor, const std::stop_token& stop);

// False if the stop came first.
bool sleep_for(std::chrono::milliseconds time, const std::stop_token& stop);

}  // namespace tofu::base
