// Where a run tells what it does: each operation before it begins, and what is there
// after it.
//
// One state is kept up to date as operations end. What is told goes to the journal first;
// `done` is called when it is on disk there, from a thread of the writer's own, so that
// nobody waits for the disk and operations that begin or end together share one wait.
// Every now and then the whole state is handed to whoever stores it.
//
// Threads: any.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "addrs/provider_config.h"
#include "addrs/resource.h"
#include "base/result.h"
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
  // An error means that nothing may be begun any more.
  using Done = std::function<void(base::Result<void>)>;

  // `journal` may be null: then nothing is kept but the state itself. It outlives the
  // writer.
  StateWriter(state::State state, state::JournalWriter* journal, Save save);
  StateWriter(const StateWriter&) = delete;
  StateWriter& operator=(const StateWriter&) = delete;
  ~StateWriter();

  void begin(const Operand& operand, state::Action action, const std::string& private_data,
             Done done);
  // What is there now; an empty object: nothing.
  void finish(const Operand& operand, state::Object object, Done done);
  // The same for what needs no provider and can be done again, such as a resource that is
  // forgotten: nobody has to wait for the disk.
  void note(const Operand& operand, state::Object object);
  // A resource that has nothing gets an entry all the same, unless it has one.
  void keep_entry(const addrs::AbsResource& address, const addrs::AbsProviderConfig& provider);
  // The current object of an instance becomes a deposed one, or the other way round.
  void depose(const Operand& operand, const std::string& key);
  void restore(const Operand& operand, const std::string& key);
  void set_output(const std::string& name, std::optional<state::Output> output);
  void set_checks(std::vector<state::CheckResult> checks);

  // The state now.
  state::State snapshot() const;

 private:
  struct Waiting {
    state::JournalWriter::Ticket ticket;
    Done done;
  };

  void when_safe(const state::JournalRecord& record, Done done);
  void change(const Operand& operand, state::Object object);
  void work();
  void save_if_due();

  state::JournalWriter* const journal_;
  const Save save_;

  mutable std::mutex mutex_;  // for everything below
  std::condition_variable changed_;
  state::State state_;
  std::vector<Waiting> waiting_;
  bool ends_ = false;
  std::chrono::steady_clock::time_point last_save_;
  std::thread thread_;  // last: it uses everything above
};

}  // namespace tofu::engine
