// One object that a plan or an apply works on: declared, or only in the state.
//
// The task is made with what is known of the object; set_provider() completes it.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "addrs/resource.h"
#include "config/objects.h"
#include "diag/diagnostic.h"
#include "engine/changing.h"
#include "engine/provider_rows.h"
#include "engine/run_context.h"
#include "plans/change.h"
#include "schema/provider.h"
#include "state/state.h"
#include "value/value.h"

namespace tofu::engine {

struct InstanceTask {
  addrs::AbsResourceInstance address;
  std::string deposed_key = {};  // empty for the current object
  const schema::ResourceSchema* schema = nullptr;
  // The row of its resource, and the block there; absent: it is not declared any more.
  std::optional<eval::ObjectId> row = std::nullopt;
  const config::Resource* config = nullptr;
  ConfiguredProvider* provider = nullptr;
  value::Value provider_meta = {};
  const state::Object* stored = nullptr;          // while planning
  const plans::ResourceChange* change = nullptr;  // while applying; null: nothing is planned

  // The body of its block, if it has one.
  const syntax::Body* body() const { return config == nullptr ? nullptr : &config->config; }
};

// Gives the task its provider. False if `provider` is null, or an error was added.
[[nodiscard]] inline bool set_provider(InstanceTask& task, ConfiguredProvider* provider,
                                       ProviderRows& providers, diag::Diagnostics& diags) {
  task.provider = provider;
  if (provider == nullptr) return false;
  auto meta = providers.meta(task.address, *provider, diags);
  if (!meta) return false;
  task.provider_meta = std::move(*meta);
  return true;
}

// Asks the provider of `task` for plans: in the place that an operation has, if there is one. All
// outlive the result.
inline AskPlan ask_plan_of(const InstanceTask& task, CallGate& calls,
                           const tasks::Gate::Place* place = nullptr) {
  return [&task, &calls, place](providers::PlanRequest request) {
    request.provider_meta = task.provider_meta;
    auto call = [&task, request = std::move(request)](auto done) mutable {
      task.provider->provider().plan(std::move(request), std::move(done));
    };
    if (place == nullptr) return calls.ask<providers::PlanAnswer>(std::move(call));
    return calls.ask<providers::PlanAnswer>(*place, std::move(call));
  };
}

}  // namespace tofu::engine
