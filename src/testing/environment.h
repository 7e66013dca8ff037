// The context of a test run: the configuration, the interfaces to the outside, and the options. All
// of it outlives the tests.
//
// Nothing here is looked up: the command puts it together, unit tests with stand-ins.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/tree.h"
#include "diag/diagnostic.h"
#include "engine/run.h"
#include "eval/deprecation.h"
#include "eval/deprecation_warnings.h"
#include "eval/module_scope.h"
#include "eval/program.h"
#include "functions/table.h"
#include "plans/test_events.h"
#include "providers/provider.h"
#include "schema/provider.h"
#include "state/state.h"
#include "testing/given_variables.h"
#include "testing/test_progress.h"

namespace tofu::testing {

struct CompiledTree {
  std::shared_ptr<const eval::Program> program;
  eval::Deprecations deprecations;  // that were warned about
  // Warns of deprecated values in assertions. Null: nothing is deprecated. Shared by all runs with
  // this program.
  std::shared_ptr<const eval::DeprecationWarnings> warnings = {};
};

struct TestEnvironment {
  const config::Tree& tree;
  const GivenVariables& variables;
  const schema::ProviderSchemas& schemas;
  providers::ProviderSource& providers;
  const functions::Table& planning_functions;
  const functions::Table& applying_functions;
  const eval::RunInfo& planning;
  const eval::RunInfo& applying;
  std::string plan_time;  // what plantimestamp() gives
  plans::TestSink& sink;
  // Makes a configuration ready to be evaluated, and checks it as a whole.
  std::function<diag::Checked<CompiledTree>(const config::Tree& tree, diag::Diagnostics& diags)>
      compile;
  // Stores a state that could not be cleaned up, and says where.
  std::function<base::Result<std::string>(const state::State& state)> keep;
  TestProgress& test_progress;
  // Asked to stop: what runs goes on to its end and is cleaned up, but nothing new begins.
  std::stop_token stop = {};
  std::vector<std::string> filter = {};  // names of files; empty: all
  bool verbose = false;                  // plans and states are reported
  eval::DeprecationLevel deprecation = eval::DeprecationLevel::All;
  unsigned parallelism = engine::kDefaultParallelism;
};

}  // namespace tofu::testing
