// Runs that are made elsewhere: with a cloud block or the backend "remote", where the
// workspace says so.
//
// What the command line asks for becomes an order for the service; what the service cannot
// do is an error before anything happens.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cloud/run.h"
#include "cloud/service.h"
#include "diag/diagnostic.h"
#include "runs/run_options.h"
#include "runs/run_view.h"
#include "workdir/access.h"
#include "workdir/configuration.h"
#include "workdir/options.h"
#include "workdir/root_module.h"

namespace tofu::runs {

// Where the runs of this directory are made.
struct RemoteTarget {
  std::unique_ptr<workdir::Configuration> configuration;  // the root module
  std::unique_ptr<cloud::Service> service;
  cloud::Workspace workspace;

  bool is_cloud() const { return service->settings().flavor == cloud::Flavor::Cloud; }
};

struct FoundPlace {
  std::optional<RemoteTarget> place;  // none: they are made here
};
diag::Checked<FoundPlace> find_remote_place(const workdir::RootModuleOptions& root_module,
                                            workdir::StateAccess& access, diag::Diagnostics& diags);

// What a command adds to the options of every run.
struct RemoteRunOptions {
  cloud::RunOrder::Goal goal = cloud::RunOrder::Goal::Plan;
  bool is_approved = false;
  std::string out = {};                  // -out
  std::string generate_config_out = {};  // -generate-config-out
  std::string html_out = {};             // -html-out
  std::string saved = {};                // a saved plan to apply
};

diag::Checked<cloud::RunResult> run_remotely(const RemoteTarget& place, const RunFlags& flags,
                                             const RunOptions& options,
                                             const RemoteRunOptions& remote_options, RunView& view,
                                             workdir::StateAccess& access,
                                             diag::Diagnostics& diags);

}  // namespace tofu::runs
