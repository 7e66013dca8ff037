// Copying states from one backend to another, as `init` does when the backend changes.
//
// People are asked before anything is replaced. Nothing is ever taken away from the old
// backend here.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/backend.h"
#include "cloud/settings.h"
#include "commands/command.h"
#include "commands/option_groups.h"
#include "diag/diagnostic.h"

namespace tofu::commands {

// An old or a new backend while states are copied.
struct Side {
  std::string type;
  std::unique_ptr<backends::Backend> backend;
  // Of a service, which has names of its own for workspaces.
  std::optional<cloud::CloudSettings> service = {};

  bool is_cloud() const { return service && service->flavor == cloud::Flavor::Cloud; }
};

class BackendCopy {
 public:
  struct How {
    bool force = false;                   // without asking
    bool may_ask = true;                  // there is somebody to answer
    bool ignores_remote_version = false;  // whatever makes runs in the new place
  };
  BackendCopy(const LockOptions& lock, How how, World& world, diag::Diagnostics& diags)
      : lock_(lock), how_(how), world_(world), diags_(diags) {}

  // The states of all workspaces, or of the current one where there is room for one only.
  // False if and only if an error was added.
  bool copy_all(const Side& from, const Side& to);

  // Of a backend without workspaces, the default one. Nothing if and only if an error was
  // added.
  std::optional<std::vector<std::string>> workspaces_of(backends::Backend& backend);
  // What somebody types. Nothing if and only if an error was added.
  std::optional<std::string> ask(const std::string& question, const std::string& explain);

 private:
  // Those that a state is copied between.
  struct Workspaces {
    std::string source;
    std::string target;
  };

  // Whether what makes runs at a service can read the states that are copied there.
  bool check_versions(const Side& to);
  bool copy_current(const Side& from, const Side& to);
  bool copy_to_cloud(const std::vector<std::string>& names, const Side& from, const Side& to);
  bool copy_one_to_cloud(const std::string& source, const Side& from, const Side& to);
  bool copy_many_to_cloud(const std::vector<std::string>& names, const Side& from, const Side& to);
  bool copy(const Workspaces& names, const Side& from, const Side& to, bool asked);
  std::optional<bool> is_empty(const Side& side, const std::string& workspace);
  std::optional<bool> confirm(const std::string& question, const std::string& explain);
  bool confirm_or_stop(const std::string& question, const std::string& explain);
  // A name for what is in the default workspace.
  std::optional<std::string> ask_for_name(const Side& to);
  // How workspaces are called in the new place: a pattern with a star.
  std::optional<std::string> ask_for_pattern(const Side& from);

  const LockOptions& lock_;
  How how_;
  World& world_;
  diag::Diagnostics& diags_;
};

}  // namespace tofu::commands
