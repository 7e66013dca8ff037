// A connection with the service: found, greeted, and with a token that it accepts.
//
// Finds, makes and removes workspaces of the organization. A service that is there has an
// API to ask; belongs to one thread, except that a run may be looked at from another.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/kinds.h"
#include "base/result.h"
#include "cloud/api.h"
#include "cloud/settings.h"
#include "diag/diagnostic.h"
#include "net/credentials.h"
#include "net/web.h"

namespace tofu::cloud {

// A workspace of the organization, as returned by the service.
struct Workspace {
  std::string id;
  std::string name;
  std::string execution_mode;     // remote, local or agent
  std::string terraform_version;  // or a constraint, or "latest"
  std::string working_directory;  // of runs, below the uploaded directory
  std::string current_run;        // its ID; may be empty
  std::vector<std::string> tags = {};
  bool is_locked = false;
  std::string lock_reason = {};  // not every service reports it
  bool is_connected_to_vcs = false;
  bool has_structured_output = false;
  bool can_queue_run = false;
  bool can_apply = false;
  // Nothing where the service knows no difference.
  std::optional<bool> can_force_delete = {};

  bool runs_locally() const { return execution_mode == "local"; }
};

class Service {
 public:
  static diag::Checked<std::unique_ptr<Service>> connect(CloudSettings settings,
                                                         const backends::BackendContext& context,
                                                         diag::Diagnostics& diags);
  // Not connected yet: for connect() alone.
  class Key {
    friend class Service;
    Key() = default;
  };
  Service(Key, CloudSettings settings, const backends::BackendContext& context);
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  const CloudSettings& settings() const { return settings_; }
  Api& api() { return *api_; }
  // All runs are local, independent of the workspace's settings.
  bool runs_only_here() const { return runs_only_here_; }

  // By its name in the organization; nothing if there is none.
  base::Result<std::optional<Workspace>> find(const std::string& name);
  // Those of this directory, by their names in it.
  base::Result<std::vector<std::string>> list();
  // Makes it unless it is there, with the tags and in the project that are configured.
  base::Result<Workspace> find_or_make(const std::string& name);
  base::Result<void> remove(const std::string& name);

  // The web address of something in the organization, such as "workspace/runs/run-1".
  std::string page(const std::string& below) const;

 private:
  bool find_api(diag::Diagnostics& diags);
  bool check_organization(diag::Diagnostics& diags);
  bool check_workspace_variable(diag::Diagnostics& diags);
  base::Result<std::string> project_id(bool make);
  base::Result<Workspace> make(const std::string& name);

  CloudSettings settings_;
  std::string program_version_;
  net::Web web_;
  net::Credentials credentials_;
  std::unique_ptr<Api> api_;
  bool runs_only_here_ = false;
};

}  // namespace tofu::cloud
