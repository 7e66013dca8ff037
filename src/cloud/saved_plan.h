// A plan that a run of the service made and that is to be looked at.
//
// The service sends it as a document. Its other fields show whether the plan can still be applied,
// and to which workspace.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "cloud/service.h"
#include "plans/plan.h"

namespace tofu::cloud {

enum class PlanForm : std::uint8_t {
  ForPeople,    // without secrets: see plan_document.h
  ForPrograms,  // everything, as `show -json` prints it; not all may read that
};

struct SavedPlan {
  std::string json = {};  // as the form says
  plans::Mode mode = plans::Mode::Normal;
  bool is_errored = false;
  bool has_changes = false;
  std::string workspace = {};  // its name in the organization
  bool is_locked = false;      // is the workspace
  std::string run_status = {};
  bool is_confirmable = false;  // whether it can be applied now
};

// `run` is the ID of the run. Errors are clauses for a message.
base::Result<SavedPlan> read_saved_plan(Service& service, const std::string& run, PlanForm form);

// Its document without secrets, by the ID of a plan.
ApiResult<std::string> read_redacted_plan(Api& api, const std::string& plan);

}  // namespace tofu::cloud
