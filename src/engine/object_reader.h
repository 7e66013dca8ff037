// Objects of the state as they are now: brought to the schema of now, and up to date with what
// exists.
#pragma once

#include <optional>

#include "diag/diagnostic.h"
#include "engine/instance_task.h"
#include "engine/live_object.h"
#include "engine/plan_context.h"
#include "tasks/async.h"

namespace tofu::engine {

class ObjectReader {
 public:
  // The plan outlives it.
  explicit ObjectReader(const PlanContext& plan) : plan_(plan), run_(plan.run) {}

  // The object that is stored, by the schema of now.
  [[nodiscard]] tasks::Async<diag::Checked<LiveObject>> read(const InstanceTask& task,
                                                             diag::Diagnostics& diags);
  // Whether read() has the provider change the stored object, to the schema or to the type of now.
  [[nodiscard]] bool is_converted(const InstanceTask& task) const;
  // Brings the object up to date with what exists.
  [[nodiscard]] tasks::Async<diag::Checked<void>> refresh(const InstanceTask& task,
                                                          LiveObject& object,
                                                          diag::Diagnostics& diags);

 private:
  tasks::Async<diag::Checked<void>> refresh_now(const InstanceTask& task, LiveObject& object,
                                                diag::Diagnostics& diags);
  addrs::Provider source_provider(const InstanceTask& task) const;
  bool changes_type(const InstanceTask& task, const MovedFrom* from) const;
  tasks::Async<diag::Checked<void>> move(const InstanceTask& task, const MovedFrom& from,
                                         const state::ObjectFields& stored, LiveObject& object,
                                         diag::Diagnostics& diags);
  tasks::Async<bool> upgrade(const InstanceTask& task, state::ObjectFields& stored,
                             LiveObject& object, diag::Diagnostics& diags);

  const PlanContext& plan_;
  RunContext& run_;
};

}  // namespace tofu::engine
