// Runs the provisioners of an object: after it was created, and before it is destroyed.
//
// They run in the place of the operation that they belong to, and are recorded in the journal.
#pragma once

#include "config/objects.h"
#include "diag/diagnostic.h"
#include "engine/apply_context.h"
#include "engine/apply_journal.h"
#include "engine/instance_task.h"
#include "engine/operation.h"
#include "tasks/async.h"
#include "value/value.h"

namespace tofu::engine {

class ProvisionerRunner {
 public:
  // Both outlive it.
  ProvisionerRunner(const ApplyContext& apply, ApplyJournal& journal)
      : apply_(apply), run_(apply.run), journal_(journal) {}

  // What comes after the creation of an object.
  ApplyJournal::Next next_of_new(const InstanceTask& task, const LiveObject& object) const;
  // Runs what next_of_new() said that comes next, in the place that the operation has. The object
  // is tainted if that fails. False then, and if it could not be recorded.
  [[nodiscard]] tasks::Async<bool> run_for_new(const Operation& operation, const InstanceTask& task,
                                               const eval::ModuleScope& scope, LiveObject& object,
                                               diag::Diagnostics& diags);
  // Runs those of an object that is to be destroyed. False if it has to stay.
  [[nodiscard]] tasks::Async<bool> run_before_destroy(const Operation& operation,
                                                      const InstanceTask& task,
                                                      const LiveObject& object,
                                                      diag::Diagnostics& diags);

 private:
  struct Provisioning {
    const config::Provisioner& provisioner;
    value::Value config;
    value::Value connection;  // null: there is none
  };
  bool has_any_for_destroy(const InstanceTask& task, const LiveObject& object) const;
  tasks::Async<bool> run_for_destroy(const Operation& operation, const InstanceTask& task,
                                     const LiveObject& object, diag::Diagnostics& diags);
  tasks::Async<bool> run_declared(const Operation& operation, const InstanceTask& task,
                                  config::ProvisionerWhen when, const eval::ModuleScope& scope,
                                  diag::Diagnostics& diags);
  tasks::Async<bool> run_removed(const Operation& operation, const InstanceTask& task,
                                 const LiveObject& object, diag::Diagnostics& diags);
  // False if the object cannot be used as it is now.
  tasks::Async<bool> run_one(const Operation& operation, const InstanceTask& task,
                             const Provisioning& what, diag::Diagnostics& diags);

  const ApplyContext& apply_;
  RunContext& run_;
  ApplyJournal& journal_;
};

}  // namespace tofu::engine
