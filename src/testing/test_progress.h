// The current position in the tests. A forced exit uses it to report objects that may be left.
//
// Threads: any.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "plans/test_events.h"

namespace tofu::testing {

class TestProgress {
 public:
  void begin_file(std::string file) {
    const std::lock_guard lock(mutex_);
    now_ = {};
    now_.file = std::move(file);
  }
  // The current objects of a state; `run` is the last that changed it, empty for the state of the
  // module that is tested.
  void keep(const std::string& run, std::vector<plans::LeftObject> objects) {
    const std::lock_guard lock(mutex_);
    now_.states.insert_or_assign(run, std::move(objects));
  }
  // Objects that are being created until the run ends.
  void begin_apply(std::string run, std::vector<addrs::AbsResourceInstance> created) {
    const std::lock_guard lock(mutex_);
    now_.created.insert_or_assign(std::move(run), std::move(created));
  }
  void end_apply(const std::string& run) {
    const std::lock_guard lock(mutex_);
    now_.created.erase(run);
  }

  plans::TestsBroken now() const {
    const std::lock_guard lock(mutex_);
    return now_;
  }

 private:
  mutable std::mutex mutex_;  // for everything below
  plans::TestsBroken now_;
};

}  // namespace tofu::testing
