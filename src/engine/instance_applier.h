// Applying the planned change of one instance: from its task to its outcome.
//
// What is made or changed is planned by its provider once more with all that is known now, and has
// to agree with what was planned. Intent and result go to the journal. Data sources are read and
// ephemeral resources opened.
#pragma once

#include <optional>
#include <vector>

#include "addrs/resource.h"
#include "diag/diagnostic.h"
#include "engine/apply_context.h"
#include "engine/apply_journal.h"
#include "engine/changing.h"
#include "engine/dependency_info.h"
#include "engine/instance_task.h"
#include "engine/provider_rows.h"
#include "engine/provisioner_runner.h"
#include "engine/reading.h"
#include "tasks/async.h"
#include "value/value.h"

namespace tofu::engine {

// A declared instance that is made or changed.
struct AppliedInstance {
  eval::ObjectId row;
  InstanceTask task;
  eval::InstanceScope scope;
  const std::vector<addrs::ConfigResource>& needs;  // what the state keeps that it depends on
};

// The object that there is now, if there is one, and whether it is what was asked for.
struct [[nodiscard]] ApplyOutcome {
  std::optional<value::Value> value = std::nullopt;
  bool ok = false;
};

// Makes, changes and destroys objects of managed resources.
class InstanceApplier {
 public:
  // All outlive it.
  InstanceApplier(const ApplyContext& apply, const DependencyInfo& dependencies,
                  ApplyJournal& journal)
      : apply_(apply),
        run_(apply.run),
        dependencies_(dependencies),
        journal_(journal),
        provisioners_(apply, journal) {}

  // Makes or changes the object. Not ok if an error was added, or the run ended before it began.
  [[nodiscard]] tasks::Async<ApplyOutcome> make(const AppliedInstance& instance,
                                                diag::Diagnostics& diags);
  // Destroys an object. What failed is in the state as it is known to be.
  tasks::Async<void> destroy(const InstanceTask& task, const LiveObject& object,
                             diag::Diagnostics& diags);

 private:
  // The object after the provider was asked for a change.
  struct Result {
    std::optional<LiveObject> object = std::nullopt;  // none: nothing, as far as is known
    bool ok = false;                                  // it is what was asked for, and recorded
  };
  // The inputs of a change besides the request to the provider.
  struct Beginning {
    const AppliedInstance& instance;
    const ChangeRequest& wanted;
    const Change& change;
    std::optional<Displaced> displaced = std::nullopt;
  };
  tasks::Async<bool> validate(const tasks::Gate::Place& place, const InstanceTask& task,
                              const value::Value& arguments, diag::Diagnostics& diags);
  tasks::Async<diag::Checked<Change>> final_change(const tasks::Gate::Place& place,
                                                   const InstanceTask& task,
                                                   const ChangeRequest& wanted,
                                                   diag::Diagnostics& diags);
  tasks::Async<ApplyOutcome> carry_out(tasks::Gate::Place place, const AppliedInstance& instance,
                                       const ChangeRequest& wanted, const Change& change,
                                       diag::Diagnostics& diags);
  ApplyOutcome change_marks(Operation& operation, const AppliedInstance& instance,
                            const ChangeRequest& wanted, const Change& change);
  tasks::Async<ApplyOutcome> change_object(Operation& operation, const Beginning& beginning,
                                           diag::Diagnostics& diags);
  tasks::Async<Result> call_provider(const Operation& operation, const Beginning& beginning,
                                     diag::Diagnostics& diags);
  tasks::Async<Result> settle(const Beginning& beginning, providers::ApplyAnswer answer,
                              diag::Diagnostics& diags);
  tasks::Async<bool> destroy_in(const Operation& operation, const InstanceTask& task,
                                const LiveObject& object, diag::Diagnostics& diags);
  std::optional<LiveObject> accept(const InstanceTask& task, const LiveObject* prior,
                                   const Change& change, providers::ApplyAnswer answer,
                                   diag::Diagnostics& diags);

  const ApplyContext& apply_;
  RunContext& run_;
  const DependencyInfo& dependencies_;
  ApplyJournal& journal_;
  ProvisionerRunner provisioners_;
};

// The arguments of a block, of which everything is known by now.
diag::Checked<value::Value> final_arguments(const RunContext& run, eval::ObjectId row,
                                            const InstanceTask& task,
                                            const eval::ModuleScope& scope,
                                            diag::Diagnostics& diags);

// Reads data sources and opens ephemeral resources.
class ReadApplier {
 public:
  // All outlive it.
  ReadApplier(const ApplyContext& apply, ProviderRows& providers, EphemeralResources& ephemerals)
      : apply_(apply),
        run_(apply.run),
        providers_(providers),
        ephemerals_(ephemerals),
        data_(apply.run) {}

  // The object of a data source. Empty after an error, or if the run ended before it was read.
  [[nodiscard]] tasks::Async<std::optional<value::Value>> read(eval::ObjectId row,
                                                               const InstanceTask& task,
                                                               const eval::ModuleScope& scope,
                                                               diag::Diagnostics& diags);
  // The result of an ephemeral resource, likewise.
  [[nodiscard]] tasks::Async<std::optional<value::Value>> open(eval::ObjectId row,
                                                               InstanceTask task,
                                                               eval::InstanceScope scope,
                                                               diag::Diagnostics& diags);

 private:
  const ApplyContext& apply_;
  RunContext& run_;
  ProviderRows& providers_;
  EphemeralResources& ephemerals_;
  DataReader data_;
};

}  // namespace tofu::engine
