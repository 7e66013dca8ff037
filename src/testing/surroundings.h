// What tests are run with: the configuration, the doors to the world, and what was asked.
// All of it outlives the tests.
//
// Nothing here is looked up: the command puts it together, unit tests with stand-ins.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/tree.h"
#include "diag/diagnostic.h"
#include "engine/run.h"
#include "eval/deprecation.h"
#include "eval/deprecation_warnings.h"
#include "eval/names.h"
#include "eval/program.h"
#include "functions/table.h"
#include "plans/test_events.h"
#include "providers/provider.h"
#include "schema/provider.h"
#include "state/state.h"
#include "testing/given_variables.h"
#include "testing/whereabouts.h"

namespace tofu::testing {

struct CompiledTree {
  std::shared_ptr<const eval::Program> program;
  eval::Deprecations deprecations;  // that were warned about
  // What warns of deprecated values in assertions. Null: nothing is deprecated. Shared by
  // all runs with this program.
  std::shared_ptr<const eval::DeprecationWarnings> warnings = {};
};

struct Surroundings {
  const config::Tree& tree;
  const GivenVariables& variables;
  const schema::ProviderSchemas& schemas;
  providers::ProviderSource& providers;
  const functions::Table& planning_functions;
  const functions::Table& applying_functions;
  const eval::Facts& planning;
  const eval::Facts& applying;
  std::string plan_time;  // what plantimestamp() gives
  plans::TestSink& sink;
  // Makes a configuration ready to be evaluated, and checks it as a whole. Nothing if and
  // only if an error was added.
  std::function<std::optional<CompiledTree>(const config::Tree& tree, diag::Diagnostics& diags)>
      compile;
  // Stores a state that could not be cleaned up, and says where.
  std::function<base::Result<std::string>(const state::State& state)> keep;
  Whereabouts& whereabouts;
  // Asked to stop: what runs goes on to its end and is cleaned up, but nothing new begins.
  std::stop_token stop = {};
  std::vector<std::string> filter = {};  // names of files; empty: all
  bool verbose = false;                  // plans and states are told
  unsigned parallelism = engine::kDefaultParallelism;
};

}  // namespace tofu::testing
