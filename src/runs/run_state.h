// The state of a run: read and locked at its beginning, journaled while it lasts, stored
// at its end.
//
// Whatever fails, the results are kept: in the store, else in the
// journal and in errored.tfstate, else they are printed.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "backends/backend.h"
#include "base/runtime.h"
#include "base/task.h"
#include "base/thread.h"
#include "cli/cancellation.h"
#include "cli/settings.h"
#include "cli/terminal.h"
#include "diag/diagnostic.h"
#include "engine/apply.h"
#include "engine/run.h"
#include "plans/plan.h"
#include "state/state.h"
#include "workdir/journal_recovery.h"
#include "workdir/options.h"
#include "workdir/state_access.h"

namespace tofu::runs {

struct RunState {
  std::string workspace;
  std::unique_ptr<backends::Store> store;
  bool is_locked = false;
  // With what journals of interrupted runs add; nothing if there is none.
  std::optional<state::State> state;
  std::optional<state::State> stored;  // as it is in the store
};

// Opens, locks and reads the state of `workspace`.
diag::Checked<RunState> open_run_state(backends::Backend& backend, const std::string& workspace,
                                       std::string operation, const workdir::LockOptions& lock,
                                       const cli::Settings& settings, cli::Terminal& terminal,
                                       cli::Cancellation& cancellation, diag::Diagnostics& diags);

// Names a plan in the journal. It is worked out on a thread of its own from when the plan is
// there, since it is not needed before a run begins.
class PlanDigest {
 public:
  // The plan stays as it is until text() was called.
  explicit PlanDigest(const plans::Plan& plan, base::Runtime& runtime = base::system_runtime());

  const std::string& text();

 private:
  std::string text_;
  base::Task task_;
  base::Thread thread_;  // last: it uses the others
};

// Stores what planning found to be there, and does nothing else about it.
state::State store_refreshed(const engine::Planned& planned, RunState& run, cli::Terminal& terminal,
                             diag::Diagnostics& diags);

// What came of a plan. The journal has what the errors say of calls that were lost, so it is
// ended after they were reported: with end_journal(). None: there is nothing to end, or it has to
// stay because the state could not be stored.
struct Applied {
  state::State state;
  std::optional<workdir::NewJournal> journal = {};
};
// Carries out the plan and stores what came of it, also after errors. Of what was made, the
// values of the plan are gone afterwards.
[[nodiscard]] Applied apply_and_store(const engine::RunInputs& inputs, engine::Planned& planned,
                                      PlanDigest& digest, RunState& run, cli::Terminal& terminal,
                                      diag::Diagnostics& diags);

}  // namespace tofu::runs
