// Planning one declared instance: from its task to its outcome. Managed resources have changes;
// data sources are read and ephemeral resources opened, now or when the plan is applied.
//
// What is found on the way, as drift and imported objects, goes to the findings of the plan.
#pragma once

#include <optional>
#include <vector>

#include "diag/diagnostic.h"
#include "engine/import_planner.h"
#include "engine/instance_task.h"
#include "engine/object_reader.h"
#include "engine/plan_context.h"
#include "engine/plan_findings.h"
#include "engine/reading.h"
#include "tasks/async.h"
#include "value/value.h"

namespace tofu::engine {

// An instance that is declared and takes part in the plan.
struct DeclaredInstance {
  eval::ObjectId row;
  InstanceTask task;
  eval::InstanceScope scope;
  // What it depends on. Null where nothing is stored or imported, which is all that it matters
  // for.
  const std::vector<addrs::ConfigResource>* dependencies = nullptr;
  // Of what is read: something that has to be as planned before is going to change.
  bool has_pending = false;
};

struct [[nodiscard]] InstanceOutcome {
  PlannedInstance planned;
  std::optional<value::Value> value = std::nullopt;  // as expressions see it; nothing: unknown

  // The object exists with this value, or is going to.
  void set_value(value::Value v) {
    value = std::move(v);
    planned.exists = true;
  }
  void set_change(plans::ResourceChange change, const ConfiguredProvider* by) {
    planned.change = std::move(change);
    planned.planned_by = by;
  }
};

// Plans instances of managed resources.
class InstancePlanner {
 public:
  // All outlive it.
  InstancePlanner(const PlanContext& plan, const PlannedResources& resources,
                  ProviderRows& providers, ObjectReader& reader, ImportPlanner& imports,
                  PlanFindings& findings);

  [[nodiscard]] tasks::Async<InstanceOutcome> plan(DeclaredInstance& instance,
                                                   diag::Diagnostics& diags);

 private:
  struct ExistingObject {
    std::optional<LiveObject> stored;  // as the last run left it
    std::optional<LiveObject> now;
  };
  tasks::Async<diag::Checked<ExistingObject>> find_object(const DeclaredInstance& instance,
                                                          const ImportRequest* importing,
                                                          diag::Diagnostics& diags);
  InstanceOutcome refreshed(const DeclaredInstance& instance, const ExistingObject& object,
                            diag::Diagnostics& diags);
  tasks::Async<diag::Checked<Change>> change(const DeclaredInstance& instance,
                                             const eval::ModuleScope& scope, ExistingObject& object,
                                             const ImportRequest* importing,
                                             diag::Diagnostics& diags);
  InstanceOutcome changed(const DeclaredInstance& instance, ExistingObject& object,
                          const ImportRequest* importing, const Change& planned,
                          diag::Diagnostics& diags);
  tasks::Async<diag::Checked<void>> validate(const InstanceTask& task,
                                             const value::Value& arguments,
                                             diag::Diagnostics& diags);
  bool is_taken_as_stored(const InstanceTask& task, bool is_triggered) const;
  bool check_preconditions(const InstanceTask& task, const eval::ModuleScope& scope,
                           diag::Diagnostics& diags);
  void keep_lifecycle(const DeclaredInstance& instance, LiveObject& object) const;

  const PlanContext& plan_;
  RunContext& run_;
  const PlannedResources& resources_;
  ProviderRows& providers_;
  ObjectReader& reader_;
  ImportPlanner& imports_;
  PlanFindings& findings_;
};

// Whether a state can hold what is kept of the arguments, and nothing ephemeral is in it. Errors
// that depend on no value were found when the configuration was validated.
[[nodiscard]] diag::Checked<void> check_no_ephemeral(const value::Value& arguments,
                                                     const InstanceTask& task,
                                                     diag::Diagnostics& diags);
// Evaluates the postconditions of an object that has this value. Those that do not hold are
// reported; the value is used all the same.
void check_postconditions(const PlanContext& plan, const InstanceTask& task,
                          const eval::InstanceScope& instance, const value::Value& v,
                          diag::Diagnostics& diags);

// Plans instances of data sources and of ephemeral resources.
class ReadPlanner {
 public:
  // All outlive it.
  ReadPlanner(const PlanContext& plan, ProviderRows& providers, EphemeralResources& ephemerals,
              PlanFindings& findings)
      : plan_(plan),
        run_(plan.run),
        providers_(providers),
        data_(plan.run),
        ephemerals_(ephemerals),
        findings_(findings) {}

  [[nodiscard]] tasks::Async<InstanceOutcome> plan_data(DeclaredInstance& instance,
                                                        diag::Diagnostics& diags);
  // Opened in the plan, too, because providers and others may need it there. Nothing of it is
  // kept: applying the plan opens it again.
  [[nodiscard]] tasks::Async<InstanceOutcome> plan_ephemeral(DeclaredInstance& instance,
                                                             diag::Diagnostics& diags);

 private:
  // The arguments, as far as they are known before.
  struct Arguments {
    schema::Unmarked plain;
    bool are_known = false;
  };
  diag::Checked<Arguments> evaluate(const DeclaredInstance& instance,
                                    const eval::ModuleScope& scope, diag::Diagnostics& diags);
  struct Read {
    std::optional<value::Value> result;  // nothing: the instance failed
    plans::ActionReason reason = plans::ActionReason::None;
  };
  tasks::Async<Read> read_now(const DeclaredInstance& instance, const Arguments& arguments,
                              diag::Diagnostics& diags);

  const PlanContext& plan_;
  RunContext& run_;
  ProviderRows& providers_;
  DataReader data_;
  EphemeralResources& ephemerals_;
  PlanFindings& findings_;
};

}  // namespace tofu::engine
