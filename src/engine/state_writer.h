// Records what a run does: each operation before it begins, and the object that exists
// after it.
//
// One state is kept up to date as operations end. Records go to the journal first;
// `done` is called when they are on disk there, by a worker of the writer's own, so that
// no task waits for the disk and operations that begin or end together share one wait.
// Every now and then the whole state goes to the store.
//
// Threads: any.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "addrs/provider_config.h"
#include "addrs/resource.h"
#include "base/result.h"
#include "base/runtime.h"
#include "state/journal_record.h"
#include "state/journal_writer.h"
#include "state/state.h"

namespace tofu::engine {

// What an operation is about.
struct ObjectRef {
  addrs::AbsResourceInstance address;
  std::string deposed_key = {};  // empty for the current object
  addrs::AbsProviderInstance provider;
};

// The current object of an instance where another takes its place.
struct Displaced {
  std::string deposed_key;  // that it gets; empty: it is forgotten
};

class StateWriter {
 public:
  // Called now and then with a snapshot, never from two threads at once. It stores it,
  // or not; a failure is its own to report.
  using Save = std::function<void(const state::State& snapshot)>;
  // An error means that nothing may be begun any more.
  using Done = std::function<void(base::Result<void>)>;

  // `journal` may be null: then nothing is kept but the state itself. It and the runtime outlive
  // the writer.
  StateWriter(state::State state, state::JournalWriter* journal, Save save,
              base::Runtime& runtime = base::system_runtime());
  StateWriter(const StateWriter&) = delete;
  StateWriter& operator=(const StateWriter&) = delete;
  ~StateWriter();

  // The old object is displaced in the same record, and only if that could be written.
  void begin(const ObjectRef& operand, state::Action action, const std::string& private_data,
             const std::optional<Displaced>& displaced, Done done);
  // What is there now; an empty object: nothing.
  void finish(const ObjectRef& operand, state::Object object, Done done);
  // The same of a new object whose provisioners run next: it is tainted until they end.
  void finish_before_provisioning(const ObjectRef& operand, const state::Object& object, Done done);
  // Nothing came of it: what was displaced is the current object again.
  void finish_with_displaced(const ObjectRef& operand, const Displaced& displaced, Done done);
  // Its result is unknown. A displaced object is the current one again.
  void lose(const ObjectRef& operand, state::Action action,
            const std::optional<Displaced>& displaced, Done done);
  // Around the provisioners of an object that is to be destroyed.
  void begin_provisioning(const ObjectRef& operand, Done done);
  void end_provisioning(const ObjectRef& operand);
  // All provisioners of a new object ran: it is no longer tainted.
  void end_provisioning_of_new(const ObjectRef& operand, const state::Object& object, Done done);
  // The same for what needs no provider and can be done again, such as a resource that is
  // forgotten: the run does not wait for the disk.
  void note(const ObjectRef& operand, state::Object object);
  // The same of what displaces another.
  void note_displaced(const ObjectRef& operand, const Displaced& displaced);
  // A resource that has nothing gets an entry all the same, unless it has one.
  void keep_entry(const addrs::AbsResource& address, const addrs::AbsProviderConfig& provider);
  void set_output(const std::string& name, std::optional<state::Output> output);
  void set_checks(std::vector<state::CheckResult> checks);

  // The state now.
  state::State snapshot() const;
  // An error if a record could not be written, also one without a waiting step.
  base::Result<void> check_journal() const {
    return journal_ == nullptr ? base::Result<void>() : journal_->check();
  }

 private:
  struct Waiting {
    state::JournalWriter::Ticket ticket;
    Done done;
  };

  using Records = std::vector<state::JournalRecord>;

  void when_safe(std::span<const state::JournalRecord> records, Done done);
  void when_safe(const state::JournalRecord& record, Done done) {
    when_safe(std::span(&record, 1), std::move(done));
  }
  void change(const ObjectRef& operand, state::Object object);
  state::Object object_at(const ObjectRef& operand) const;
  // Makes the changes of the state that `records` say.
  void carry_out(const Records& records);
  // The records that displace the current object, or bring it back.
  Records displacing(const ObjectRef& operand, const Displaced& displaced) const;
  Records bringing_back(const ObjectRef& operand, const Displaced& displaced) const;
  std::string now_as_text() const;
  void work();
  void save_if_due();

  state::JournalWriter* const journal_;
  const Save save_;
  base::Runtime& runtime_;

  mutable std::mutex mutex_;  // for everything below
  state::State state_;
  std::vector<Waiting> waiting_;
  bool ends_ = false;
  std::chrono::steady_clock::time_point last_save_;
  std::unique_ptr<base::Worker> worker_;  // last: it uses everything above
};

}  // namespace tofu::engine
