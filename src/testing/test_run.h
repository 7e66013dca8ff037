// One run of a test file: a plan, or a plan that is applied, and its assertions.
//
// It runs on the state of its state key, with the providers, mocks and overrides of its file
// and its own, and leaves what later runs can name.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "config/test_file.h"
#include "config/tree.h"
#include "diag/diagnostic.h"
#include "plans/test_events.h"
#include "state/state.h"
#include "testing/environment.h"
#include "testing/run_programs.h"
#include "value/value.h"

namespace tofu::testing {

// The root modules of all runs of a file, by the names of the runs.
using RunModules = std::map<std::string, const config::Module*, std::less<>>;

// The subject of a run.
struct RunSubject {
  const config::TestFile& file;
  const config::TestRun& run;
  const config::Tree& tree;  // of the module that is tested
  value::Value runs;         // the outputs of runs that can be named
  const RunModules& modules;
};

struct RunOutcome {
  plans::TestStatus status = plans::TestStatus::Pass;
  diag::Diagnostics problems;
  std::optional<state::State> state;  // after an apply, also one that failed
  // Of a run with verbose output.
  std::shared_ptr<const plans::Plan> plan = {};
};

// `state` is what the runs before have left.
RunOutcome execute(const RunSubject& subject, const state::State& state,
                   const TestEnvironment& environment, RunPrograms& programs);

// Destroys what a run, the last one of its state, and those before it have made. Returns the
// remaining objects.
state::State clean_up(const RunSubject& subject, const state::State& state,
                      const TestEnvironment& environment, RunPrograms& programs,
                      diag::Diagnostics& diags);

}  // namespace tofu::testing
