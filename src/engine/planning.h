// A pass that plans: what every resource instance is now, and what would have to be done
// about it.
//
// For the planning*.cc files only; plan.h is the door.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/changing.h"
#include "engine/facts.h"
#include "engine/live_object.h"
#include "engine/moves.h"
#include "engine/pass.h"
#include "engine/plan.h"
#include "engine/relevance.h"
#include "engine/removed.h"
#include "engine/targets.h"
#include "plans/change.h"
#include "schema/marks.h"

namespace tofu::engine {

// A resource in one instance of its module, while it is planned.
struct ResourcePart {
  eval::ObjectId row;
  eval::ModuleInstanceId module;
  addrs::AbsResource address;
  const schema::ResourceSchema* schema = nullptr;
  const state::Resource* stored = nullptr;  // null: there was none
  ResourceCell* cell = nullptr;
  InstanceFilter filter = InstanceFilter::all();  // what is to be planned
  struct Instance {
    plans::ResourceChange change;
    const ConfiguredProvider* planned_by = nullptr;  // null: there is no change
    bool exists = false;                             // or is going to
  };
  std::vector<Instance> instances;  // by position
  // What every instance depends on; while they are planned only. Null where nothing is stored or
  // imported, which is all that it matters for.
  const std::vector<addrs::ConfigResource>* dependencies = nullptr;
  // Of a data source or an ephemeral resource: what has to be as planned before it is read;
  // likewise.
  const std::vector<eval::ObjectId>* waits_for = nullptr;
  bool has_pending = false;  // some of that is going to change
  bool is_changing = false;  // some instance of it, once all were planned
};

// An object of the state that turned out to be another now.
struct FoundObject {
  addrs::AbsResourceInstance address;
  std::string deposed_key;
  addrs::AbsProviderInstance provider;
  state::Object object;  // none: it is gone
};

// What a task found beside the changes of declared instances.
struct Findings {
  std::vector<plans::ResourceChange> changes;
  std::vector<plans::ResourceChange> drift;
  std::vector<FoundObject> previous;  // where the schema of now changed what is stored
  std::vector<FoundObject> prior;
};

// One instance, wherever it comes from.
struct InstanceTask {
  addrs::AbsResourceInstance address;
  std::string deposed_key = {};
  const schema::ResourceSchema* schema = nullptr;
  const config::Resource* config = nullptr;  // null: it is not declared any more
  ConfiguredProvider* provider = nullptr;
  value::Value provider_meta = {};
  const state::Object* stored = nullptr;
};

// Reports import blocks that there is no resource block for, unless one is to be written.
void check_import_targets(const eval::Program& program, const PlanOptions& options,
                          diag::Diagnostics& diags);

class Planning final : public Pass {
 public:
  Planning(const RunInputs& inputs, const PlanOptions& options, MoveOutcome moves);

  Planned run_to_end(diag::Diagnostics& diags);

 private:
  // planning.cc
  const state::State& objects() const override { return moves_.state; }
  bool uses_providers_later() const override { return true; }  // see undeclared()
  bool is_validated() const override { return options_.imports.empty(); }
  Async<bool> resource(eval::ObjectId row, diag::Diagnostics& diags) override;
  void leave_as_it_is(ResourcePart& part, std::size_t position, const InstanceTask& task);
  void check_moves_and_targets(diag::Diagnostics& diags) const;
  bool is_expanded(const addrs::ModuleInstance& module) const;
  bool triggers(const ResourcePart& part, const eval::Names& names, diag::Diagnostics& diags);
  void note_change(ResourcePart& part, std::size_t position, const InstanceTask& task,
                   plans::ResourceChange change);
  void note_data(const InstanceTask& task, const value::Value& result,
                 const std::vector<schema::PathMarks>& marks, diag::Diagnostics& diags);
  void note_object(const InstanceTask& task, const LiveObject& object, diag::Diagnostics& diags);
  static std::unique_ptr<plans::ChangeDetails> details_with_identity(
      const plans::ResourceChange& change, const InstanceTask& task, const value::Value& before,
      const value::Value& after);
  void add_details(plans::ResourceChange& change, const Change& planned, const InstanceTask& task,
                   const value::Value& identity, const plans::Importing* importing) const;
  void sort_for_destroying(const plans::Plan& plan);
  Async<void> plan_rest(diag::Diagnostics& diags);
  std::vector<ModuleOutput> module_outputs() const;
  void expect_outputs();
  void show_left_out();
  void take_declared_changes(plans::Plan& plan);
  void finish(Planned& planned, diag::Diagnostics& diags);

  // planning_resource.cc
  ResourcePart& open_part(eval::ObjectId row, eval::ModuleInstanceId module, Expansion expansion);
  InstanceTask task_of(const ResourcePart& part, const addrs::InstanceKey& key) const;
  struct ExistingObject {
    std::optional<LiveObject> stored;  // as the last run left it
    std::optional<LiveObject> now;
  };
  struct Import;
  Async<std::optional<ExistingObject>> find_object(const ResourcePart& part,
                                                   const InstanceTask& task,
                                                   const Import* importing,
                                                   diag::Diagnostics& diags);
  Async<void> declared_instance(ResourcePart& part, std::size_t position, diag::Diagnostics& diags);
  Async<void> managed_instance(ResourcePart& part, std::size_t position, diag::Diagnostics& diags);
  bool judge_before(const InstanceTask& task, const eval::Names& scope, diag::Diagnostics& diags);
  void judge_after(const InstanceTask& task, const eval::Standing& standing, const value::Value& v,
                   diag::Diagnostics& diags);
  Async<std::optional<value::Value>> valid_arguments(const ResourcePart& part,
                                                     const InstanceTask& task,
                                                     const eval::Names& scope,
                                                     diag::Diagnostics& diags);
  bool has_pending_changes(const ResourcePart& part) const;
  void check_replace(const ResourcePart& part, diag::Diagnostics& diags) const;
  void keep_lifecycle(const ResourcePart& part, LiveObject& object) const;
  bool are_kept_well(const value::Value& arguments, const InstanceTask& task,
                     diag::Diagnostics& diags) const;
  void forget_stored(const InstanceTask& task);
  void show_what_exists(ResourcePart& part);
  void show_stored(eval::ObjectId row, eval::ModuleInstanceId module);
  void set_value(ResourcePart& part, std::size_t position, value::Value v);

  // planning_read.cc
  Async<void> data_instance(ResourcePart& part, std::size_t position, diag::Diagnostics& diags);
  Async<void> ephemeral_instance(ResourcePart& part, std::size_t position,
                                 diag::Diagnostics& diags);
  eval::Standing standing_at(const ResourcePart& part, std::size_t position) const;
  // What is read, as far as it can be told before. Nothing if and only if an error was added.
  struct Asked {
    schema::Unmarked arguments;
    bool is_known = false;
  };
  std::optional<Asked> evaluate_asked(const ResourcePart& part, const InstanceTask& task,
                                      const eval::Names& scope, diag::Diagnostics& diags);
  value::Value deferred(const ResourcePart& part, const schema::Unmarked& arguments);
  void judge_read(const InstanceTask& task, eval::Standing standing, const value::Value& result,
                  diag::Diagnostics& diags);

  // planning_object.cc
  // Gives the task its provider. False if and only if an error was added; `provider` is null
  // then, too.
  bool set_provider(InstanceTask& task, ConfiguredProvider* provider, diag::Diagnostics& diags);
  AskPlan ask_plan_of(const InstanceTask& task);
  addrs::Provider source_provider(const InstanceTask& task) const;
  bool changes_type(const InstanceTask& task, const MovedFrom* from) const;
  Async<bool> move_stored(const InstanceTask& task, const MovedFrom& from,
                          const state::ObjectFields& stored, LiveObject& object,
                          diag::Diagnostics& diags);
  Async<bool> upgrade_stored(const InstanceTask& task, state::ObjectFields& stored,
                             LiveObject& object, diag::Diagnostics& diags);
  Async<std::optional<LiveObject>> read_stored(const InstanceTask& task, diag::Diagnostics& diags);
  Async<bool> refresh(const InstanceTask& task, LiveObject& object, diag::Diagnostics& diags);
  void note_found(const InstanceTask& task, const LiveObject& before, const LiveObject& now,
                  diag::Diagnostics& diags);
  Async<void> destroy_object(const InstanceTask& task, plans::ActionReason reason,
                             diag::Diagnostics& diags);
  Async<void> plan_destruction(const InstanceTask& task, const LiveObject& object,
                               plans::ActionReason reason, diag::Diagnostics& diags);

  // planning_import.cc
  struct Import {
    const config::Import* block = nullptr;  // null: asked for from outside
    plans::Importing from;
    eval::ObjectId row = {};
    bool is_declared = true;  // there is a resource block for it

    std::optional<diag::SourceRange> place() const {
      if (block == nullptr) return std::nullopt;
      return block->range;
    }
  };
  Async<void> import_undeclared(diag::Diagnostics& diags);
  Async<void> import_undeclared_one(const addrs::AbsResourceInstance& address, const Import& import,
                                    diag::Diagnostics& diags);
  void import(eval::ObjectId row, diag::Diagnostics& diags) override;
  // Whether what import blocks name is imported by this plan.
  bool does_import() const {
    return options_.mode == plans::Mode::Normal && !options_.before_destroy;
  }
  std::optional<plans::Importing> imported_from(const config::Import& block, eval::ObjectId row,
                                                const addrs::Resource& resource,
                                                const eval::Names& scope,
                                                diag::Diagnostics& diags) const;
  void check_imports(const ResourcePart& part);
  const Import* import_of(const addrs::AbsResourceInstance& address) const;
  Async<std::optional<LiveObject>> import_object(const InstanceTask& task, const Import& import,
                                                 diag::Diagnostics& diags);

  // planning_rest.cc
  Async<void> undeclared(diag::Diagnostics& diags);
  Async<void> undeclared_instances(ResourcePart& part, diag::Diagnostics& diags);
  struct Undeclared {
    const state::Resource* resource;
    const state::Instance* instance;
    const config::Resource* config = nullptr;
    bool current = true;  // whether the current object goes, too, and not only deposed ones
    bool deposed = true;
  };
  Async<void> undeclared_instance(Undeclared it, diag::Diagnostics& diags);
  plans::ActionReason reason_to_delete(const addrs::AbsResourceInstance& address,
                                       const config::Resource* config) const;
  void root_output(const config::Output& output, const value::Value& v) override;
  void plan_outputs(plans::Plan& plan);
  void refresh_outputs(state::State& prior) const;

  // Both, while the pass runs, only with mutex_.
  plans::ProviderId id_of(const ConfiguredProvider& provider);
  // Whose change it is and who planned it. Declared instances, which are many, have it said when
  // all were planned.
  void set_ids(plans::ResourceChange& change, const InstanceTask& task);
  plans::ResourceChange change_of(const InstanceTask& task) const;
  // The same with what was planned for it.
  plans::ResourceChange change_as(const InstanceTask& task, const Change& planned) const;
  const state::State& previous() const { return moves_.state; }
  diag::Severity rule_severity() const {
    return does_import() ? diag::Severity::Error : diag::Severity::Warning;
  }

  const PlanOptions& options_;
  MoveOutcome moves_;
  RemovedBlocks removed_;
  Targeting targeting_;                 // of plans that follow the configuration
  DestroyTargeting destroy_targeting_;  // of those that destroy
  ResourceFacts facts_;
  std::set<addrs::AbsResourceInstance> replace_;
  const bool may_import_;  // there are imports, and this plan does them

  mutable std::mutex mutex_;  // for everything below, while the pass runs
  plans::Addresses addresses_;
  // Of those that were asked for so far. Every change has one, and there are few.
  std::unordered_map<const ConfiguredProvider*, plans::ProviderId> provider_ids_;
  Findings findings_;
  // By row and instance of the module. The rows of a part that has ended are only read.
  std::vector<std::vector<std::unique_ptr<ResourcePart>>> parts_;
  std::map<std::string, value::Value> outputs_;  // of the root
  // By target; written before the rows that they are for are visited.
  std::map<addrs::AbsResourceInstance, Import> imports_;
  diag::Diagnostics import_problems_;  // with where imports lead
};

}  // namespace tofu::engine
