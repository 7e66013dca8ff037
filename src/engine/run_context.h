// The services that the parts of a run share, by name.
//
// Every part takes the context and uses what it needs of it; the context knows none of the
// parts. A run makes one, and its parts go before it does.
#pragma once

#include <algorithm>
#include <utility>

#include "engine/cells.h"
#include "engine/check_results.h"
#include "engine/deferrals.h"
#include "engine/live_object.h"
#include "engine/operation.h"
#include "engine/provider_configs.h"
#include "engine/run.h"
#include "engine/run_tasks.h"
#include "eval/deprecation.h"
#include "eval/module_scope.h"
#include "eval/program.h"
#include "eval/shape.h"
#include "syntax/eval.h"
#include "tasks/executor.h"

namespace tofu::engine {

struct RunContext {
  // `inputs` outlive it.
  explicit RunContext(const RunInputs& run_inputs) : inputs(run_inputs) {}
  RunContext(const RunContext&) = delete;
  RunContext& operator=(const RunContext&) = delete;

  const RunInputs& inputs;
  Deferrals* deferrals = nullptr;  // null: what cannot be planned yet is an error
  const eval::Program& program = inputs.program;
  plans::EventSink& events = inputs.events;
  tasks::Executor executor{{.stack_bytes = syntax::kTaskStack,
                            .threads = inputs.threads,
                            .shuffle = inputs.shuffle,
                            .runtime = inputs.runtime}};
  RunCancellation cancellation{inputs.stop};
  CallGate calls{executor, cancellation, std::max(1U, inputs.parallelism)};
  InstanceLoop instances{executor, cancellation, inputs.parallelism};
  Cells cells{program};
  CheckResults checks{program};
  ObjectSchemas schemas{program};
  ProviderConfigs providers{inputs.providers, inputs.substitutes, executor, calls};
  Ticker ticker{events, inputs.runtime};
  Operation::Observers observers{events, ticker};
  eval::Deprecations deprecations{*program.tree, eval::DeprecationLevel::None};
  eval::Evaluation evaluation{program, cells, inputs.functions, inputs.facts, deprecations};

  // What expressions can name.
  eval::ModuleScope scope(eval::InstanceScope instance) const {
    return eval::ModuleScope(evaluation, std::move(instance));
  }
  eval::ModuleScope scope(config::ModuleId module, eval::ModuleInstanceId instance) const {
    return scope(eval::InstanceScope(module, instance));
  }

  // The block of a resource row, its address in one instance of its module, and its provider.
  const config::Resource& resource(eval::ObjectId row) const {
    return *std::get<const config::Resource*>(program.object(row).declaration);
  }
  addrs::AbsResource address(eval::ObjectId row, eval::ModuleInstanceId module) const {
    return {cells.instance(program.object(row).module, module).address, resource(row).address()};
  }
  addrs::AbsProviderConfig provider_address(eval::ObjectId row) const {
    return program.provider_address(*program.provider_configs[row.index]);
  }
};

}  // namespace tofu::engine
