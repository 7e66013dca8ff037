// The state of a run: read and locked at its beginning, journaled while it lasts, stored
// at its end.
//
// Whatever goes wrong, what happened is kept somewhere: in the store, else in the
// journal and in errored.tfstate, else it is printed.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "backends/backend.h"
#include "base/task.h"
#include "base/thread.h"
#include "commands/command.h"
#include "commands/state_access.h"
#include "diag/diagnostic.h"
#include "engine/apply.h"
#include "engine/run.h"
#include "plans/plan.h"
#include "state/state.h"

namespace tofu::commands {

struct RunState {
  std::string workspace;
  std::string backend;  // says which storage it is
  std::unique_ptr<backends::Store> store;
  bool is_locked = false;
  // As it is stored, with what the journal of a run that died adds; nothing if there is
  // none.
  std::optional<state::State> state;
};

// Opens, locks and reads the state of `workspace`. Nothing if and only if an error was
// added.
std::optional<RunState> open_run_state(backends::Backend& backend, const std::string& workspace,
                                       std::string operation, const LockOptions& lock, World& world,
                                       diag::Diagnostics& diags);

// Names a plan in the journal. It is worked out on a thread of its own from when the plan is
// there, since nobody needs it before a run begins.
class PlanDigest {
 public:
  // The plan stays as it is until text() was called.
  explicit PlanDigest(const plans::Plan& plan);

  const std::string& text();

 private:
  std::string text_;
  base::Task task_;
  base::Thread thread_;  // last: it uses the others
};

// Stores what planning found to be there, and does nothing else about it.
state::State store_refreshed(const engine::Planned& planned, RunState& run, World& world,
                             diag::Diagnostics& diags);

// Carries out the plan and stores what came of it, also after errors. Of what was made, the
// values of the plan are gone afterwards.
state::State apply_and_store(const engine::RunInputs& inputs, engine::Planned& planned,
                             PlanDigest& digest, RunState& run, World& world,
                             diag::Diagnostics& diags);

}  // namespace tofu::commands
