// Planning what becomes of objects that go: one object is destroyed or forgotten, and which objects
// these are. The state has them and the configuration does not: instances that are not declared any
// more, what was left over of replacements, and whole resources and modules that are gone.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

#include "addrs/resource.h"
#include "diag/diagnostic.h"
#include "engine/instance_task.h"
#include "engine/object_reader.h"
#include "engine/plan_context.h"
#include "engine/plan_findings.h"
#include "engine/provider_rows.h"
#include "eval/graph.h"
#include "tasks/async.h"

namespace tofu::engine {

// Plans that an object is destroyed, or forgotten: from its task to whether it goes.
class DestroyPlanner {
 public:
  // All outlive it.
  DestroyPlanner(const PlanContext& plan, ObjectReader& reader, PlanFindings& findings)
      : plan_(plan), run_(plan.run), reader_(reader), findings_(findings) {}

  // Whether the object is going to be destroyed or forgotten.
  tasks::Async<bool> plan(const InstanceTask& task, plans::ActionReason reason,
                          diag::Diagnostics& diags);

 private:
  bool is_destroyed(const InstanceTask& task, const LiveObject& object) const;
  tasks::Async<bool> plan_removal(const InstanceTask& task, const LiveObject& object,
                                  plans::ActionReason reason, diag::Diagnostics& diags);
  tasks::Async<diag::Checked<void>> ask_destruction(const InstanceTask& task,
                                                    const LiveObject& object,
                                                    plans::ResourceChange& change,
                                                    diag::Diagnostics& diags);
  void forget(const InstanceTask& task, const LiveObject& object, plans::ResourceChange& change,
              diag::Diagnostics& diags) const;
  void check_prevented(const InstanceTask& task, plans::Action action,
                       diag::Diagnostics& diags) const;

  const PlanContext& plan_;
  RunContext& run_;
  ObjectReader& reader_;
  PlanFindings& findings_;
};

// What the rows of a program have to know of a state before they are visited.
class StoredRows {
 public:
  // The plan outlives it.
  explicit StoredRows(const PlanContext& plan);

  // The edges of the rows, also to the providers that the state names for their objects.
  const eval::Waits& graph() const;
  // The resources that the state has in modules for a row.
  std::span<const state::Resource* const> in_modules(eval::ObjectId row) const;
  // Whether objects of this resource, which is not declared any more, are going to change. They
  // are planned after all rows: here, one that refreshing finds to be gone counts as well.
  bool is_undeclared_changing(const addrs::ConfigResource& resource) const {
    return undeclared_.contains(resource);
  }

 private:
  // A row that waits for the provider of something that the state has of it.
  struct Edge {
    std::uint32_t row;
    std::uint32_t provider;
  };
  void note_undeclared(const state::Resource& resource);
  void wait_for_providers(std::vector<Edge> edges);

  const PlanContext& plan_;
  std::set<addrs::ConfigResource> undeclared_;  // those that change
  std::unordered_map<std::uint32_t, std::vector<const state::Resource*>> in_modules_;
  eval::Waits waits_;  // empty: they are those of the program
};

// Finds the objects that go.
class UndeclaredPlanner {
 public:
  // All outlive it.
  UndeclaredPlanner(const PlanContext& plan, const StoredRows& stored, ProviderRows& providers,
                    DestroyPlanner& destroyer, PlanFindings& findings)
      : plan_(plan),
        run_(plan.run),
        stored_(stored),
        providers_(providers),
        destroyer_(destroyer),
        findings_(findings) {}

  // Each of these tells whether something of it is going to change.
  //
  // Instances of a declared resource with objects that are stored and not declared, and what was
  // left over of its replacements.
  tasks::Async<bool> plan_instances(const ResourcePart& part, diag::Diagnostics& diags);
  // Objects of a row in instances of its module that are gone.
  tasks::Async<bool> plan_gone_modules(eval::ObjectId row, diag::Diagnostics& diags);
  // Everything else: resources that are not declared, what is left of those that do not take part,
  // and, where everything goes, all.
  tasks::Async<bool> plan_rest(diag::Diagnostics& diags);

 private:
  struct Undeclared {
    const state::Resource* resource;
    const state::Instance* instance;
    const config::Resource* config = nullptr;
    std::optional<eval::ObjectId> row = {};  // of the resource, where it has one
    bool current = true;  // whether the current object goes, too, and not only deposed ones
    bool deposed = true;
  };
  void add(const state::Resource& resource, const config::Resource* config,
           std::optional<eval::ObjectId> row, bool is_declared, std::vector<Undeclared>& to) const;
  tasks::Async<bool> plan_all(std::vector<Undeclared> all, diag::Diagnostics& diags);
  tasks::Async<bool> plan_one(Undeclared it, diag::Diagnostics& diags);
  tasks::Async<bool> plan_objects(InstanceTask task, const Undeclared& it,
                                  diag::Diagnostics& diags);
  bool is_expanded(const addrs::ModuleInstance& module) const;
  std::optional<addrs::AbsProviderInstance> provider_of(const Undeclared& it) const;
  plans::ActionReason reason_to_delete(const addrs::AbsResourceInstance& address,
                                       const config::Resource* config) const;

  const PlanContext& plan_;
  RunContext& run_;
  const StoredRows& stored_;
  ProviderRows& providers_;
  DestroyPlanner& destroyer_;
  PlanFindings& findings_;
};

}  // namespace tofu::engine
