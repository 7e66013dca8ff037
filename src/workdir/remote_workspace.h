// The workspace that this directory has at a service, for commands that work here: with a
// cloud block or the backend "remote".
//
// A directory with another backend has no service; that is no error.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cli/environment.h"
#include "cloud/service.h"
#include "diag/diagnostic.h"
#include "workdir/access.h"
#include "workdir/configuration.h"
#include "workdir/options.h"
#include "workdir/root_module.h"

namespace tofu::workdir {

struct Connection {
  std::unique_ptr<Configuration> configuration = {};  // the root module
  std::unique_ptr<cloud::Service> service = {};       // null: the backend is of another kind
  diag::Diagnostics warnings = {};                    // of the configuration
};
diag::Checked<Connection> connect(StateAccess& access, diag::Diagnostics& diags,
                                  const RootModuleOptions& root_module = {});

struct SelectedWorkspace {
  std::string name;                       // in the organization
  std::optional<cloud::Workspace> found;  // none: it was never made
};
// The workspace that is selected.
diag::Checked<SelectedWorkspace> selected_workspace(cloud::Service& service,
                                                    const cli::Environment& environment,
                                                    diag::Diagnostics& diags);

// Before a state is changed by another command than apply: what makes runs there has to be able to
// read it. If that is `ignored`, there is only a warning.
diag::Checked<void> check_remote_version(bool ignored, StateAccess& access,
                                         diag::Diagnostics& diags);
// The same of one workspace.
diag::Checked<void> check_remote_version(const cloud::Workspace& workspace, bool ignored,
                                         diag::Diagnostics& diags);

// For commands that always work here, such as the console: the values that the workspace has for
// variables, where it has its runs made elsewhere. A value that is sensitive there is not told, so
// it is unknown.
diag::Checked<void> add_workspace_variables(RootVariables& variables, StateAccess& access,
                                            diag::Diagnostics& diags);

}  // namespace tofu::workdir
