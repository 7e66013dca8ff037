// What an apply leaves behind: the records of each change in the journal and in the state, and at
// the end what the state has beside objects.
//
// If the journal cannot be written, the run is aborted: that is reported once, and every record
// from then on answers false, so that no operation begins whose result could be lost.
//
// Threads: any.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "addrs/provider_config.h"
#include "addrs/resource.h"
#include "base/result.h"
#include "diag/diagnostic.h"
#include "engine/apply_context.h"
#include "engine/instance_task.h"
#include "engine/live_object.h"
#include "engine/operation.h"
#include "engine/row_walk.h"
#include "engine/state_writer.h"
#include "tasks/async.h"

namespace tofu::engine {

// The records of a change, before it and after it.
class ApplyJournal {
 public:
  // The context outlives it.
  explicit ApplyJournal(const ApplyContext& apply) : apply_(apply), run_(apply.run) {}

  // The intent of an operation. False if it is not recorded: then the provider is not called.
  [[nodiscard]] tasks::Async<bool> begin(const Operation& operation, const InstanceTask& task,
                                         const std::string& private_data,
                                         const std::optional<Displaced>& displaced,
                                         diag::Diagnostics& diags);
  // What there is after it; nothing, if it is gone. All of these are false after an error.
  enum class Next : std::uint8_t { Nothing, Provisioners };
  [[nodiscard]] tasks::Async<bool> finish(const InstanceTask& task,
                                          const std::optional<LiveObject>& object, Next next,
                                          diag::Diagnostics& diags);
  // Nothing came of it: what was displaced is the current object again.
  [[nodiscard]] tasks::Async<bool> finish_with_displaced(const InstanceTask& task,
                                                         const Displaced& displaced,
                                                         diag::Diagnostics& diags);
  // The provider stopped during a call, or its answer cannot be read: the result stays unknown.
  [[nodiscard]] tasks::Async<bool> lose(const InstanceTask& task, plans::Action action,
                                        const std::optional<Displaced>& displaced,
                                        providers::ApplyAnswer answer, diag::Diagnostics& diags);

  // Around the provisioners of an object that is to be destroyed.
  [[nodiscard]] tasks::Async<bool> begin_provisioning(const InstanceTask& task,
                                                      diag::Diagnostics& diags);
  void end_provisioning(const InstanceTask& task);
  // All provisioners of a new object ran.
  [[nodiscard]] tasks::Async<bool> end_provisioning_of_new(const InstanceTask& task,
                                                           const LiveObject& object,
                                                           diag::Diagnostics& diags);

  // What can be done again if its record is lost: nothing waits for that.
  void note(const InstanceTask& task, state::Object object);

  // The key of the object that a replacement deposed. Nothing: the new object was never begun.
  std::optional<std::string> deposed_key(const addrs::AbsResourceInstance& address) const;
  // The resources of which nothing is left, or nothing was made.
  const std::set<addrs::AbsResource>& left_empty() const { return left_empty_; }
  // Whether so much was stored since the last time that memory should be given back.
  [[nodiscard]] bool take_trim_due();

 private:
  using Record = std::function<void(StateWriter::Done done)>;
  tasks::Async<bool> record(Record record, diag::Diagnostics& diags);
  bool check_written(const base::Result<void>& written, diag::Diagnostics& diags);
  bool is_only_recorded(const InstanceTask& task) const;
  diag::Checked<state::Object> storable(const InstanceTask& task, const LiveObject& object,
                                        diag::Diagnostics& diags);
  void leave_empty(const addrs::AbsResourceInstance& address);

  const ApplyContext& apply_;
  RunContext& run_;
  std::atomic<std::size_t> stored_bytes_ = 0;  // see take_trim_due()
  mutable std::mutex mutex_;                   // for everything below
  std::map<addrs::AbsResourceInstance, std::string> deposed_;
  std::set<addrs::AbsResource> left_empty_;
};

// What the state has beside objects: outputs, the results of checks, entries of resources that have
// nothing, and which provider a resource has.
class AppliedState final : public RootOutputs {
 public:
  // Both outlive it.
  AppliedState(const ApplyContext& apply, const ApplyJournal& journal)
      : apply_(apply), run_(apply.run), journal_(journal) {}

  bool keep(const config::Output& output, const value::Value& v, diag::Diagnostics& diags) override;
  // Notes a resource whose instances are known and of which nothing exists yet.
  void note_begun(eval::ObjectId row, eval::ModuleInstanceId module);
  // Writes all of it, once the walk has ended. `failed`: there were errors.
  void end(bool failed);

 private:
  void persist_empty_resources();
  void forget_data();
  void name_providers();
  void write_outputs();

  const ApplyContext& apply_;
  RunContext& run_;
  const ApplyJournal& journal_;
  std::mutex mutex_;  // for everything below
  std::map<std::string, value::Value> outputs_;
  std::map<addrs::AbsResource, addrs::AbsProviderConfig> begun_;
};

}  // namespace tofu::engine
