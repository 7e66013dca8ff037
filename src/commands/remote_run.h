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
#include "commands/command.h"
#include "commands/configuration.h"
#include "commands/run_options.h"
#include "commands/run_view.h"
#include "diag/diagnostic.h"

namespace tofu::commands {

// Where the runs of this directory are made.
struct RemotePlace {
  std::unique_ptr<Configuration> configuration;  // the root module
  std::unique_ptr<cloud::Service> service;
  cloud::Workspace workspace;

  bool is_cloud() const { return service->settings().flavor == cloud::Flavor::Cloud; }
};

struct FoundPlace {
  std::optional<RemotePlace> place;  // none: they are made here
};
// Nothing if and only if an error was added.
std::optional<FoundPlace> find_remote_place(const ConfigurationOptions& configuration, World& world,
                                            diag::Diagnostics& diags);

// What a command adds to the options of every run.
struct RemoteWishes {
  cloud::RunOrder::Goal goal = cloud::RunOrder::Goal::Plan;
  bool is_approved = false;
  std::string out = {};                  // -out
  std::string generate_config_out = {};  // -generate-config-out
  std::string html_out = {};             // -html-out
  std::string saved = {};                // a saved plan to apply
};

// Nothing if and only if an error was added.
std::optional<cloud::RunResult> run_remotely(const RemotePlace& place, const RunFlags& flags,
                                             const RunOptions& options, const RemoteWishes& wishes,
                                             RunView& view, World& world, diag::Diagnostics& diags);

}  // namespace tofu::commands
