// Setting up the backend of a working directory: what `init` does about it.
//
// Compares the backend block with what was recorded. Where the backend changed, the states
// of all workspaces are copied from the old one to the new one, after asking; nothing is
// ever taken away from the old one but the states of a directory without a backend, which
// would be mistaken for current ones.
#pragma once

#include <string>
#include <vector>

#include "commands/command.h"
#include "commands/configuration.h"
#include "commands/option_groups.h"
#include "commands/progress.h"
#include "diag/diagnostic.h"

namespace tofu::commands {

// The flags of init that are about its backend.
struct BackendOptions {
  std::vector<std::string> settings = {};  // -backend-config
  bool force_copy = false;
  bool migrate_state = false;
  bool reconfigure = false;
  bool ignore_remote_version = false;
  LockOptions lock = {};

  void declare(FlagSet& flags);
  // Options that exclude each other. False if and only if an error was added.
  bool check(diag::Diagnostics& diags) const;
};

// `may_ask` says whether there is somebody to answer. False if and only if an error was
// added.
bool init_backend(const BackendOptions& options, bool may_ask, const Configuration& configuration,
                  Progress& progress, World& world, diag::Diagnostics& diags);

}  // namespace tofu::commands
