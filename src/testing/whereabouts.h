// Where the tests are right now, for whoever has to end them at once and wants to say what
// may be left.
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

class Whereabouts {
 public:
  void begin_file(std::string file) {
    const std::lock_guard lock(mutex_);
    now_ = {};
    now_.file = std::move(file);
  }
  // What a state has now; `run` is the last that changed it, empty for the state of the
  // module that is tested.
  void keep(const std::string& run, std::vector<plans::LeftObject> objects) {
    const std::lock_guard lock(mutex_);
    now_.states.insert_or_assign(run, std::move(objects));
  }
  // What is being made until the run ends.
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
