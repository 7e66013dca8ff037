// The inputs of a run: a program, the clients that it calls, and its options.
//
// A run takes values in and gives values out. It never prints, reads the
// environment or stores a state: events go to a sink, results are returned, and what
// happened is handed to a StateWriter.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "addrs/module.h"
#include "addrs/parse.h"
#include "addrs/provider_config.h"
#include "addrs/resource.h"
#include "base/runtime.h"
#include "diag/diagnostic.h"
#include "eval/deprecation.h"
#include "eval/module_scope.h"
#include "eval/program.h"
#include "functions/table.h"
#include "plans/events.h"
#include "plans/plan.h"
#include "providers/provider.h"
#include "provisioners/provisioner.h"
#include "state/state.h"
#include "value/value.h"

namespace tofu::engine {

// What stands in for parts of the world while a configuration is tested: providers that are
// made up, and modules that are not evaluated. An interface: the engine only calls it.
//
// Threads: any.
class Substitutes {
 public:
  virtual ~Substitutes() = default;

  // The provider that a whole configuration has. It is not configured, and the block is not
  // evaluated. Null: the real one.
  virtual std::unique_ptr<providers::Provider> open(
      const addrs::AbsProviderInstance& configuration) const = 0;
  // What a configuration is, where that is not for the module to say; what is wrong with it is
  // added to `diags`. Nothing: its block says it.
  virtual std::optional<value::Value> configuration(const addrs::AbsProviderInstance& configuration,
                                                    diag::Diagnostics& diags) const = 0;
  // The provider that an instance of a resource has in the place of `real`, which outlives it.
  // Null: none.
  virtual std::unique_ptr<providers::Provider> for_resource(
      const addrs::AbsResourceInstance& instance, const addrs::AbsProviderInstance& configuration,
      providers::Provider& real) const = 0;

  // What the outputs of a module are whose resources are left alone. Those that are not there
  // are null. Null: the module is evaluated.
  using Outputs = std::map<std::string, value::Value>;
  virtual const Outputs* outputs_of(const addrs::ModulePath& module) const = 0;
};

inline constexpr unsigned kDefaultParallelism = 10;

// All of it outlives the run.
struct RunInputs {
  const eval::Program& program;
  const functions::Table& functions;
  const eval::RunInfo& facts;
  providers::ProviderSource& providers;
  plans::EventSink& events;
  // What the variables of the root module were given, by name and unconverted. One that
  // is missing has its default.
  std::map<std::string, value::Value> variables = {};
  std::stop_token stop = {};
  unsigned parallelism = kDefaultParallelism;  // calls to providers at a time
  // Runs a provisioner until it has ended. Called on threads of their own.
  std::function<base::Result<void>(const provisioners::ProvisionerRun& run)> provision =
      provisioners::run_provisioner;
  // The deprecated variables that were warned about so far, to go on with; null: no warnings.
  // One run at a time.
  eval::Deprecations* deprecations = nullptr;
  // For tests of a configuration. Null: everything is real.
  const Substitutes* substitutes = nullptr;
  // Called at the end with the names of the root module, while they still have values, and
  // with all errors so far. Otherwise unused values are evaluated for it, too.
  std::function<void(const eval::ModuleScope& root, diag::Diagnostics& diags)> inspect = {};
  unsigned threads = 0;  // that evaluate; 0: one per core
  // Not 0: work is taken up in a random order that this number decides, for tests.
  std::uint64_t shuffle = 0;
  base::Runtime& runtime = base::system_runtime();
};

// An object that exists and is to be managed from now on.
struct ImportTarget {
  addrs::AbsResourceInstance address;
  std::string id;
};

struct PlanOptions {
  plans::Mode mode = plans::Mode::Normal;
  bool refresh = true;
  // With `refresh`: reads only what would change and what that is computed from.
  bool minimal_refresh = false;
  // What cannot be planned before something else is applied is left for a later run.
  bool allow_deferral = false;
  // The plan is made only to bring the state up to date, because everything is going to be
  // destroyed: nothing is imported, and rules that do not hold are no errors.
  bool before_destroy = false;
  std::vector<addrs::Target> targets = {};
  std::vector<addrs::Target> excludes = {};
  std::vector<addrs::AbsResourceInstance> replace = {};
  // Asked for beside import blocks. With any, these objects are all that is found out: data
  // sources are read and outputs evaluated with them, and nothing is planned or refreshed.
  std::vector<ImportTarget> imports = {};
  bool generate_config = false;  // for import blocks whose resource is not declared
};

// A plan together with the states it is about.
struct Planned {
  plans::Plan plan;
  state::State previous;  // as the run before left it, with objects at their new addresses
  state::State prior;     // the same as it was found to be now: what the plan begins with
  bool is_begun = true;   // false: errors came first, and there is nothing of a plan to show
};

}  // namespace tofu::engine
