// One run of a test file: a plan, or a plan that is applied, and what is asserted of it.
//
// It runs on the state of its state key, with the providers, mocks and overrides of its file
// and its own, and leaves what later runs can name.
#pragma once

#include <memory>
#include <optional>

#include "config/test_file.h"
#include "config/tree.h"
#include "diag/diagnostic.h"
#include "plans/test_events.h"
#include "state/state.h"
#include "testing/run_programs.h"
#include "testing/surroundings.h"
#include "value/value.h"

namespace tofu::testing {

// What a run is about.
struct RunSubject {
  const config::TestFile& file;
  const config::TestRun& run;
  const config::Tree& tree;  // of the module that is tested
  value::Value runs;         // the outputs of runs that can be named
};

struct RunOutcome {
  plans::TestStatus status = plans::TestStatus::Pass;
  diag::Diagnostics problems;
  std::optional<state::State> state;  // after an apply, also one that failed
  // Of a run that was to be told in full.
  std::shared_ptr<const plans::Plan> plan = {};
};

// `state` is what the runs before have left.
RunOutcome execute(const RunSubject& subject, const state::State& state,
                   const Surroundings& surroundings, RunPrograms& programs);

// Destroys what a run, the last one of its state, and those before it have made. What comes
// back is what is left.
state::State clean_up(const RunSubject& subject, const state::State& state,
                      const Surroundings& surroundings, RunPrograms& programs,
                      diag::Diagnostics& diags);

}  // namespace tofu::testing
