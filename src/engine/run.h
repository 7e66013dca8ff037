// What a run is made with: a program, the doors to the world, and what was asked.
//
// A run takes values in and gives values out. It never prints, reads the
// environment or stores a state: events go to a sink, results are returned, and what
// happened is handed to a StateWriter.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "addrs/parse.h"
#include "addrs/resource.h"
#include "engine/substitutes.h"
#include "eval/deprecation.h"
#include "eval/names.h"
#include "eval/program.h"
#include "functions/table.h"
#include "plans/events.h"
#include "plans/plan.h"
#include "providers/provider.h"
#include "state/state.h"
#include "value/value.h"

namespace tofu::engine {

inline constexpr unsigned kDefaultParallelism = 10;

// All of it outlives the run.
struct RunInputs {
  const eval::Program& program;
  const functions::Table& functions;
  const eval::Facts& facts;
  providers::ProviderSource& providers;
  plans::EventSink& events;
  // What the variables of the root module were given, by name and unconverted. One that
  // is missing has its default.
  std::map<std::string, value::Value> variables = {};
  std::stop_token stop = {};
  unsigned parallelism = kDefaultParallelism;  // calls to providers at a time
  // What deprecated variables were warned about so far, to go on with; null: nobody is
  // warned. One run at a time.
  eval::Deprecations* deprecations = nullptr;
  // For tests of a configuration. Null: everything is real.
  const Substitutes* substitutes = nullptr;
  // Called at the end with the names of the root module, while they still have values, and
  // with all that was found wrong so far. What nobody else asks for is evaluated for it, too.
  std::function<void(const eval::Names& root, diag::Diagnostics& diags)> inspect = {};
  unsigned threads = 0;  // that evaluate; 0: one per core
  // Not 0: work is taken up in a random order that this number decides, for tests.
  std::uint64_t shuffle = 0;
};

// An object that exists and is to be managed from now on.
struct ImportTarget {
  addrs::AbsResourceInstance address;
  std::string id;
};

struct PlanOptions {
  plans::Mode mode = plans::Mode::Normal;
  bool refresh = true;
  // The plan is made only to bring the state up to date, because everything is going to be
  // destroyed: nothing is imported, and rules that do not hold are no mistakes.
  bool before_destroy = false;
  std::vector<addrs::Target> targets = {};
  std::vector<addrs::Target> excludes = {};
  std::vector<addrs::AbsResourceInstance> replace = {};
  std::vector<ImportTarget> imports = {};  // besides those of import blocks
  bool generate_config = false;            // for import blocks whose resource is not declared
};

// A plan together with the states it is about.
struct Planned {
  plans::Plan plan;
  state::State previous;  // as the run before left it, with objects at their new addresses
  state::State prior;     // the same as it was found to be now: what the plan begins with
  bool is_begun = true;   // false: errors came first, and there is nothing of a plan to show
};

}  // namespace tofu::engine
