// Planning the change of one declared object: the provider is asked, its answer held
// against what it may say, and the action decided.
//
// Used twice: by planning, and once more before a change is applied, when the last
// unknown values are known.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "addrs/resource.h"
#include "config/objects.h"
#include "diag/diagnostic.h"
#include "engine/live_object.h"
#include "engine/provider_configs.h"
#include "plans/change.h"
#include "schema/marks.h"
#include "schema/provider.h"
#include "tasks/async.h"

namespace tofu::engine {

// What goes into planning one object.
struct ChangeRequest {
  const addrs::AbsResourceInstance& address;
  const config::Resource& config;
  const schema::ResourceSchema& schema;
  const schema::SchemaMarks& schema_marks;
  const schema::Selection& write_only;
  ConfiguredProvider& provider;
  const LiveObject* prior = nullptr;  // null: there is no object yet
  value::Value arguments;             // the evaluated block, with marks
  bool creates_first = false;
  bool is_forced = false;            // replaced whatever the provider says
  bool is_triggered = false;         // the same, because of replace_triggered_by
  std::string planned_private = {};  // of the change that is applied, for the provider
};

// What comes out.
struct Change {
  plans::Action action = plans::Action::NoOp;
  plans::ActionReason reason = plans::ActionReason::None;
  value::Value before;  // with marks
  value::Value after;
  std::vector<value::Path> replace_paths = {};
  std::string private_data = {};
  value::Value identity = {};
};

// How providers are asked.
using AskPlan = std::function<tasks::Async<providers::PlanAnswer>(providers::PlanRequest request)>;

tasks::Async<diag::Checked<Change>> plan_change(const ChangeRequest& wanted, AskPlan ask,
                                                diag::Diagnostics& diags);

}  // namespace tofu::engine
