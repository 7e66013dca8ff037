// What a plan finds: what becomes of each declared instance, the changes of everything else, drift,
// and objects of the state that turned out to be others now.
//
// Threads: any may add to the findings. The parts of a resource row are written by the task of the
// row, and read by others after it has ended.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "addrs/provider_config.h"
#include "addrs/resource.h"
#include "engine/cells.h"
#include "engine/changing.h"
#include "engine/instance_task.h"
#include "engine/live_object.h"
#include "engine/plan_context.h"
#include "plans/change.h"
#include "state/state.h"

namespace tofu::engine {

// What became of a declared instance.
struct PlannedInstance {
  plans::ResourceChange change;
  const ConfiguredProvider* planned_by = nullptr;    // null: there is no change
  const ConfiguredProvider* refreshed_by = nullptr;  // by a plan that does only that
  bool exists = false;                               // or is going to
};

// A resource in one instance of its module.
struct ResourcePart {
  eval::ObjectId row;
  eval::ModuleInstanceId module;
  addrs::AbsResource address;
  const schema::ResourceSchema* schema = nullptr;
  const state::Resource* stored = nullptr;  // null: there was none
  ResourceCell* cell = nullptr;
  InstanceFilter filter = InstanceFilter::all();  // what is to be planned
  std::vector<PlannedInstance> instances;         // by position
  bool is_changing = false;  // some object of it, once all were planned, those that go included
};

// The declared resources of a plan.
class PlannedResources {
 public:
  // The plan outlives it.
  explicit PlannedResources(const PlanContext& plan);

  // Adds a row that has this many instances of its module.
  void open_row(eval::ObjectId row, std::size_t modules);
  ResourcePart& open(eval::ObjectId row, eval::ModuleInstanceId module, Expansion expansion);
  // By instance of the module; null where expanding failed.
  using Parts = std::vector<std::unique_ptr<ResourcePart>>;
  const Parts& of(eval::ObjectId row) const { return parts_[row.index]; }
  std::size_t row_count() const { return parts_.size(); }

  // Whether an instance is declared; false as well where that is not known.
  bool is_declared(const addrs::AbsResourceInstance& address) const;

  // Says whether something changes in instances of the row's module that are gone.
  void set_gone_is_changing(eval::ObjectId row, bool is_changing) {
    gone_is_changing_[row.index] = is_changing;
  }
  // Whether some of these rows are going to change, as far as an instance of `module` of the row
  // `from` depends on them.
  bool is_any_changing(const std::vector<eval::ObjectId>& rows, eval::ObjectId from,
                       eval::ModuleInstanceId module) const;
  // Whether something that replace_triggered_by of the resource names is going to change.
  bool triggers(eval::ObjectId resource, const eval::ModuleScope& scope,
                diag::Diagnostics& diags) const;

  // Names the provider that a resource has now in the state, also where nothing of it changes. A
  // state has one for all instances, so those that are not planned with the new one hold that
  // back.
  void name_providers(state::State& prior) const;
  // Reports objects of rules that were not reached because of errors.
  void expect_checks() const;

 private:
  bool is_triggering(const ResourcePart& other, const addrs::Reference& reference,
                     const syntax::Expr& expr, diag::Diagnostics& diags) const;

  const PlanContext& plan_;
  RunContext& run_;
  std::vector<Parts> parts_;                    // by row
  std::vector<std::uint8_t> gone_is_changing_;  // by row
};

// A change of the task's object so far: where it is and was.
plans::ResourceChange change_of(const PlanContext& plan, const InstanceTask& task);
// The same with what was planned for it. `identity` is the one that the object had before.
plans::ResourceChange change_of(const PlanContext& plan, const InstanceTask& task,
                                const Change& planned, const value::Value& identity,
                                const plans::Importing* importing);
// The details of the change, with how the provider tells the object from others.
std::unique_ptr<plans::ChangeDetails> details_with_identity(const plans::ResourceChange& change,
                                                            const InstanceTask& task,
                                                            const value::Value& before,
                                                            const value::Value& after);

// Everything else that a plan finds.
class PlanFindings {
 public:
  // The plan outlives it.
  explicit PlanFindings(const PlanContext& plan) : plan_(plan) {}

  // A change of something that is not declared.
  void add_change(const InstanceTask& task, plans::ResourceChange change);
  // An object that the state does not have, or not so.
  void record_object(const InstanceTask& task, const LiveObject& object, diag::Diagnostics& diags);
  // The same of a data source; `marks` are those of its arguments.
  void record_data(const InstanceTask& task, const value::Value& result,
                   const std::vector<schema::PathMarks>& marks, diag::Diagnostics& diags);
  // Records where the object differs from what is stored, and from what the last run left.
  void record_drift(const InstanceTask& task, const LiveObject& before, const LiveObject& now,
                    diag::Diagnostics& diags);
  // The object is not in the state that the plan begins with.
  void forget(const addrs::AbsResourceInstance& address, addrs::AbsProviderInstance provider);

  // Moves all changes into the plan, those of declared instances first, and makes the states that
  // the plan is about.
  void finish(const PlannedResources& resources, Planned& planned);

 private:
  // An object of the state that turned out to be another now.
  struct FoundObject {
    addrs::AbsResourceInstance address;
    std::string deposed_key;
    addrs::AbsProviderInstance provider;
    state::Object object;  // none: it is gone
  };

  // Both only with mutex_, until the end.
  plans::ProviderId id_of(const ConfiguredProvider& provider);
  void set_ids(plans::ResourceChange& change, const InstanceTask& task);
  bool is_stored_so(const InstanceTask& task, const state::Object& object) const;
  bool is_drift_shown(const InstanceTask& task) const;
  void take_declared_changes(const PlannedResources& resources, plans::Plan& plan);
  void sort_for_destroying(const plans::Plan& plan);
  static state::State with(state::State state, std::vector<FoundObject> found);

  const PlanContext& plan_;
  std::mutex mutex_;  // for everything below
  plans::Addresses addresses_;
  // Of those that were asked for so far. Every change has one, and there are few.
  std::unordered_map<const ConfiguredProvider*, plans::ProviderId> provider_ids_;
  std::vector<std::uint32_t> rows_;  // by ResourceId, of what is declared
  std::vector<plans::ResourceChange> changes_;
  std::vector<plans::ResourceChange> drift_;
  std::vector<FoundObject> previous_;  // where the schema of now changed what is stored
  std::vector<FoundObject> prior_;
};

}  // namespace tofu::engine
