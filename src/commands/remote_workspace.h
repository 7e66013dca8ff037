// The workspace that this directory has at a service, for commands that work here: with a
// cloud block or the backend "remote".
//
// A directory with another backend has no service; that is no mistake.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cloud/service.h"
#include "commands/command.h"
#include "commands/configuration.h"
#include "diag/diagnostic.h"

namespace tofu::commands {

struct Connection {
  std::unique_ptr<Configuration> configuration = {};  // the root module
  std::unique_ptr<cloud::Service> service = {};       // null: the backend is of another kind
  diag::Diagnostics warnings = {};                    // of the configuration
};
// Nothing if and only if an error was added.
std::optional<Connection> connect(const ConfigurationOptions& configuration, World& world,
                                  diag::Diagnostics& diags);

struct SelectedWorkspace {
  std::string name;                       // in the organization
  std::optional<cloud::Workspace> found;  // none: it was never made
};
// The workspace that is selected. Nothing if and only if an error was added.
std::optional<SelectedWorkspace> selected_workspace(cloud::Service& service, World& world,
                                                    diag::Diagnostics& diags);

// Before a state is changed by another command than apply: what makes runs there has to
// be able to read it. If that is `ignored`, there is only a warning. False if and only if an
// error was added.
bool check_remote_version(const ConfigurationOptions& configuration, bool ignored, World& world,
                          diag::Diagnostics& diags);
// The same of one workspace.
bool check_remote_version(const cloud::Workspace& workspace, bool ignored,
                          diag::Diagnostics& diags);

// For commands that always work here, such as the console: the values that the workspace
// has for variables, where it has its runs made elsewhere. A value that is sensitive there
// is not told, so it is unknown. False if and only if an error was added.
bool add_workspace_variables(const ConfigurationOptions& options, RootVariables& variables,
                             World& world, diag::Diagnostics& diags);

}  // namespace tofu::commands
