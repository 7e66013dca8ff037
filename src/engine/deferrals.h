// What a plan with -allow-deferral leaves for a later run.
//
// A resource or a module whose instances are not known yet, and the resources of a provider whose
// configuration is not, are errors otherwise. With the option, they are excluded, as by -exclude,
// with all that depends on them, and the plan is made again without them. The plan lists what it
// left out.
//
// Threads: add() may be called by any; the others between plans.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "addrs/parse.h"
#include "eval/program.h"
#include "plans/plan.h"
#include "state/state.h"

namespace tofu::engine {

class Deferrals {
 public:
  // `address` is that of a resource or of a module call, without keys.
  void add(std::string address, plans::DeferralReason reason);

  // Whether something was added since the last call.
  bool has_more();
  // What to exclude.
  std::vector<addrs::Target> targets() const;
  // All resources that are left out beside those that `excludes` leaves out. `state` has the
  // addresses of the configuration.
  std::vector<plans::Deferral> resources(const eval::Program& program, const state::State& state,
                                         const std::vector<addrs::Target>& excludes) const;

 private:
  std::mutex mutex_;
  std::map<std::string, plans::DeferralReason> found_;
  std::size_t seen_ = 0;  // of `found_`, when has_more() was last called
};

}  // namespace tofu::engine
