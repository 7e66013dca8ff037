// What a plan imports: the objects that import blocks name, and those that were requested beside
// them.
//
// Threads: any. Import blocks are evaluated before the rows that they are for are visited.
#pragma once

#include <map>
#include <mutex>
#include <optional>

#include "addrs/resource.h"
#include "diag/diagnostic.h"
#include "engine/instance_task.h"
#include "engine/live_object.h"
#include "engine/object_reader.h"
#include "engine/plan_context.h"
#include "engine/plan_findings.h"
#include "tasks/async.h"

namespace tofu::engine {

struct ImportRequest {
  const config::Import* block = nullptr;  // null: requested from outside
  plans::Importing from;
  eval::ObjectId row = {};
  bool is_declared = true;  // there is a resource block for it

  std::optional<diag::SourceRange> place() const {
    if (block == nullptr) return std::nullopt;
    return block->range;
  }
};

class ImportPlanner {
 public:
  // All outlive it.
  ImportPlanner(const PlanContext& plan, ObjectReader& reader, ProviderRows& providers,
                PlanFindings& findings);

  // Whether there are imports, and this plan does them.
  bool may_import() const { return may_import_; }
  // Evaluates an import block.
  void evaluate(eval::ObjectId row, diag::Diagnostics& diags);
  // Null if nothing is imported there.
  const ImportRequest* find(const addrs::AbsResourceInstance& address) const;
  // Notes imports of instances that are not declared.
  void check_declared(const addrs::AbsResource& resource, const Expansion& declared);
  // Reads the object that is imported.
  [[nodiscard]] tasks::Async<diag::Checked<LiveObject>> read(const InstanceTask& task,
                                                             const ImportRequest& import,
                                                             diag::Diagnostics& diags);
  // Plans the imports that no resource block describes: one is written for each.
  tasks::Async<void> plan_undeclared(diag::Diagnostics& diags);
  // What is wrong with where imports lead: likely the cause of everything else.
  diag::Diagnostics take_problems() { return std::move(problems_); }

 private:
  tasks::Async<diag::Checked<LiveObject>> read_now(const InstanceTask& task,
                                                   const ImportRequest& import,
                                                   diag::Diagnostics& diags);
  void add(const addrs::AbsResourceInstance& target, ImportRequest import,
           diag::Diagnostics& diags);
  diag::Checked<plans::Importing> source_of(const config::Import& block, eval::ObjectId row,
                                            const addrs::Resource& resource,
                                            const eval::ModuleScope& scope,
                                            diag::Diagnostics& diags) const;
  tasks::Async<diag::Checked<value::Value>> generate(const InstanceTask& task, value::Value object,
                                                     diag::Diagnostics& diags);
  diag::Checked<void> check_imported(const InstanceTask& task,
                                     const providers::ImportAnswer& answer,
                                     diag::Diagnostics& diags) const;
  tasks::Async<void> plan_one(const addrs::AbsResourceInstance& address,
                              const ImportRequest& import, diag::Diagnostics& diags);

  const PlanContext& plan_;
  RunContext& run_;
  ObjectReader& reader_;
  ProviderRows& providers_;
  PlanFindings& findings_;
  const bool may_import_;
  mutable std::mutex mutex_;                                     // for everything below
  std::map<addrs::AbsResourceInstance, ImportRequest> imports_;  // by target
  diag::Diagnostics problems_;
};

// Reports import blocks that there is no resource block for, unless one is to be written.
void check_import_targets(const eval::Program& program, const PlanOptions& options,
                          diag::Diagnostics& diags);

}  // namespace tofu::engine
