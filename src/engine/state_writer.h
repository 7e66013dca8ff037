// Where a run tells what it does: each operation before it begins, and what is there
// after it.
//
// One state is kept up to date as operations end, and whoever stores it (a journal
// first, then the backend) hears of each change in order. begin() returns only when
// the intent is safe; finish() only when the result is.
//
// Threads: any.
#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "addrs/provider_config.h"
#include "addrs/resource.h"
#include "base/result.h"
#include "plans/action.h"
#include "state/journal_record.h"
#include "state/journal_writer.h"
#include "state/state.h"

namespace tofu::engine {

// What an operation is about.
struct Operand {
  addrs::AbsResourceInstance address;
  std::string deposed_key = {};  // empty for the current object
  addrs::AbsProviderInstance provider;
};

class StateWriter {
 public:
  // Called now and then with a snapshot, never from two threads at once. It stores it,
  // or not; a failure is its own to report.
  using Save = std::function<void(const state::State& snapshot)>;

  // `journal` may be null: then nothing is kept but the state itself. It outlives the
  // writer.
  StateWriter(state::State state, state::JournalWriter* journal, Save save);

  // An error means that nothing may be begun any more.
  base::Result<void> begin(const Operand& operand, state::Action action,
                           const std::string& private_data);
  // What is there now; an empty object: nothing.
  base::Result<void> finish(const Operand& operand, state::Object object);
  // The same for what needs no provider and can be done again, such as a resource that is
  // forgotten: it need not be safe before the run goes on.
  void note(const Operand& operand, state::Object object);
  void set_output(const std::string& name, std::optional<state::Output> output);
  void set_checks(std::vector<state::CheckResult> checks);

  // The state now.
  state::State snapshot() const;

 private:
  void save_if_due(std::unique_lock<std::mutex>& lock);

  mutable std::mutex mutex_;  // for everything below
  state::State state_;
  state::JournalWriter* journal_;
  Save save_;
  std::mutex saving_;  // held while a snapshot is being stored
  std::chrono::steady_clock::time_point last_save_;
};

}  // namespace tofu::engine
