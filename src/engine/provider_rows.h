// The provider blocks of a program while it runs, and which of them an object has.
//
// A block is configured when its row is visited. From then on it is found for resources of the
// configuration, for objects of the state, and for calls of provider functions.
//
// Threads: a block's row ends before anything asks for its providers; otherwise any.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "addrs/provider_config.h"
#include "addrs/resource.h"
#include "diag/diagnostic.h"
#include "engine/program_rows.h"
#include "engine/provider_configs.h"
#include "engine/run_context.h"
#include "tasks/async.h"

namespace tofu::engine {

class ProviderRows {
 public:
  // The blocks that something in the program or in `state` needs are configured; the others are
  // left alone. Both outlive it. Makes itself known to the expressions of `run`.
  ProviderRows(RunContext& run, const ActiveRows& rows, const state::State& state);
  ProviderRows(const ProviderRows&) = delete;
  ProviderRows& operator=(const ProviderRows&) = delete;

  bool is_used(eval::ObjectId row) const { return used_[row.index]; }
  // Configures all instances of a block.
  tasks::Async<void> configure(eval::ObjectId row, diag::Diagnostics& diags);

  // The provider of an instance of a resource, which `scope` is about.
  [[nodiscard]] diag::Checked<ConfiguredProvider*> of_resource(
      eval::ObjectId resource, const addrs::AbsResourceInstance& instance,
      const eval::ModuleScope& scope, diag::Diagnostics& diags);
  // The provider that the state names for an object; `row` is that of its configuration, if the
  // program has it. One that nothing in the program needs is opened now. Null if an error was
  // added, or was before: then it could not be configured.
  [[nodiscard]] tasks::Async<ConfiguredProvider*> of_stored(addrs::AbsProviderInstance address,
                                                            std::optional<eval::ObjectId> row,
                                                            addrs::AbsResourceInstance object,
                                                            diag::Diagnostics& diags);
  // What the module of an object tells its provider in a provider_meta block; null if it has no
  // such block.
  diag::Checked<value::Value> meta(const addrs::AbsResourceInstance& object,
                                   const ConfiguredProvider& provider, diag::Diagnostics& diags);

 private:
  bool defer_users(eval::ObjectId row) const;
  tasks::Async<diag::Checked<ConfiguredProvider*>> configure_one(eval::ObjectId row,
                                                                 addrs::InstanceKey key,
                                                                 eval::InstanceScope scope,
                                                                 diag::Diagnostics& diags);
  diag::Checked<ConfiguredProvider*> find(eval::ObjectId resource, const eval::ModuleScope& scope,
                                          diag::Diagnostics& diags);
  diag::Checked<ConfiguredProvider*> find_keyed(eval::ObjectId resource,
                                                const eval::ProviderKey& key,
                                                const eval::ModuleScope& scope,
                                                diag::Diagnostics& diags);
  eval::ModuleScope scope_around(const eval::ModuleScope& scope, config::ModuleId module) const;
  const syntax::Function* function(eval::ObjectId row, const std::string& name,
                                   const syntax::Function* listed);

  void report_missing(eval::ObjectId resource, const addrs::AbsProviderInstance& address,
                      diag::Diagnostics& diags) const;

  RunContext& run_;
  const ActiveRows& rows_;
  const std::vector<bool> used_;
  // By row of a block without for_each, once its row has ended: null if it failed.
  std::vector<ConfiguredProvider*> single_;
  // By row, once it has ended: whether all its instances can be used.
  std::vector<std::uint8_t> ready_;
  ProviderFunctions functions_;
  std::mutex metas_mutex_;  // for metas_
  std::map<const config::ProviderMeta*, value::Value> metas_;
};

}  // namespace tofu::engine
