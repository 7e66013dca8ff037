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
#include "cli/option_groups.h"
#include "cloud/settings.h"
#include "diag/diagnostic.h"
#include "workdir/access.h"
#include "workdir/command_encryption.h"
#include "workdir/options.h"

namespace tofu::workdir {

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
    bool may_ask = true;                  // the user can answer
    bool ignores_remote_version = false;  // whatever makes runs in the new place
  };
  BackendCopy(const LockOptions& lock, How how, const CommandEncryption& encryption,
              StateAccess& access, diag::Diagnostics& diags)
      : lock_(lock), how_(how), encryption_(encryption), access_(access), diags_(diags) {}

  // The states of all workspaces, or of the current one if the destination holds one only.
  diag::Checked<void> copy_all(const Side& from, const Side& to);
  // The workspaces of the old backend whose states were written to the new one. A state is not
  // among them if the user said no, or if both backends keep it in the same file.
  const std::vector<std::string>& copied() const { return copied_; }

  // Of a backend without workspaces, the default one.
  diag::Checked<std::vector<std::string>> workspaces_of(backends::Backend& backend);
  // What the user types.
  diag::Checked<std::string> ask(const std::string& question, const std::string& explain);

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
  diag::Checked<bool> confirm(const std::string& question, const std::string& explain);
  bool confirm_or_stop(const std::string& question, const std::string& explain);
  // A name for what is in the default workspace.
  std::optional<std::string> ask_for_name(const Side& to);
  // How workspaces are called in the new place: a pattern with a star.
  std::optional<std::string> ask_for_pattern(const Side& from);

  const LockOptions& lock_;
  How how_;
  const CommandEncryption& encryption_;
  StateAccess& access_;
  diag::Diagnostics& diags_;
  std::vector<std::string> copied_;
};

}  // namespace tofu::workdir
