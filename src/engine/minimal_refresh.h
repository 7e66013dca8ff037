// The objects that a plan with -minimal-refresh reads.
//
// Such a plan is made in rounds. The first one takes every object as the state has it. After each,
// the objects that would change and those that their arguments were computed from are added to what
// the next round reads. The round after which nothing is added makes the plan. A later round asks
// no provider again for what an earlier one got: it is kept here.
//
// Threads: the planning functions may be called by any; the others between rounds.
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include "addrs/resource.h"
#include "diag/diagnostic.h"
#include "engine/changing.h"
#include "engine/live_object.h"
#include "eval/program.h"
#include "plans/plan.h"
#include "state/state.h"
#include "value/value.h"

namespace tofu::engine {

class MinimalRefresh {
 public:
  // While a round is planned.

  // Whether this round reads the object.
  bool reads(const addrs::AbsResourceInstance& address) const { return wanted_.contains(address); }
  // The object is planned as the state has it.
  void note_unread() { ++unread_; }
  // The instance would change, or planning it failed.
  void note_changing(const addrs::AbsResourceInstance& address);

  // What an earlier round read; the warnings of that read are added to `diags`.
  std::optional<LiveObject> object(const addrs::AbsResourceInstance& address,
                                   diag::Diagnostics& diags) const;
  void keep_object(const addrs::AbsResourceInstance& address, const LiveObject& object,
                   const diag::Diagnostics& warnings);
  // The same of a data source that was read with these arguments.
  std::optional<value::Value> data(const addrs::AbsResourceInstance& address,
                                   const value::Value& arguments, diag::Diagnostics& diags) const;
  void keep_data(const addrs::AbsResourceInstance& address, const value::Value& arguments,
                 const value::Value& result, const diag::Diagnostics& warnings);

  // The object of the state as its provider brought it to the schema of now, and the change that
  // was planned for it with these arguments: kept where it has none and nothing was reported.
  std::optional<LiveObject> stored(const addrs::AbsResourceInstance& address) const;
  void keep_stored(const addrs::AbsResourceInstance& address, const LiveObject& object);
  std::optional<Change> unchanged(const addrs::AbsResourceInstance& address,
                                  const value::Value& arguments) const;
  void keep_unchanged(const addrs::AbsResourceInstance& address, const value::Value& arguments,
                      const Change& change);

  // Between rounds.

  void begin_round();
  // Whether the next round has more to read. `state` has the addresses of the configuration.
  bool extend(const eval::Program& program, const state::State& state);
  plans::ObjectReads counts() const { return {objects_.size(), unread_}; }

 private:
  struct ReadObject {
    LiveObject object;
    diag::Diagnostics warnings;
  };
  struct ReadData {
    value::Value arguments;
    value::Value result;
    diag::Diagnostics warnings;
  };

  struct Unchanged {
    value::Value arguments;
    Change change;
  };

  std::set<addrs::AbsResourceInstance> wanted_;  // constant while a round is planned
  std::atomic<std::size_t> unread_ = 0;
  mutable std::mutex mutex_;  // for everything below
  std::set<addrs::AbsResourceInstance> changing_;
  std::map<addrs::AbsResourceInstance, ReadObject> objects_;
  std::map<addrs::AbsResourceInstance, ReadData> data_;
  std::map<addrs::AbsResourceInstance, LiveObject> stored_;
  std::map<addrs::AbsResourceInstance, Unchanged> unchanged_;
};

}  // namespace tofu::engine
