// Setting up the backend of a working directory: what `init` does about it.
//
// Compares the backend block with what was recorded. Where the backend changed, the states
// of all workspaces are copied from the old one to the new one, after asking; nothing is
// ever taken away from the old one but the states of a directory without a backend, which
// would be mistaken for current ones.
#pragma once

#include <string>
#include <vector>

#include "cli/flags.h"
#include "cli/option_groups.h"
#include "cli/progress.h"
#include "diag/diagnostic.h"
#include "workdir/access.h"
#include "workdir/command_encryption.h"
#include "workdir/configuration.h"
#include "workdir/options.h"

namespace tofu::workdir {

// The flags of init that are about its backend.
struct BackendOptions {
  std::vector<std::string> settings = {};  // -backend-config
  bool force_copy = false;
  bool migrate_state = false;
  bool reconfigure = false;
  bool ignore_remote_version = false;
  LockOptions lock = {};

  void declare(cli::FlagSet& flags);
  // Options that exclude each other.
  diag::Checked<void> check(diag::Diagnostics& diags) const;
};

// `may_ask` says whether the user can answer. `encryption` is that of the configuration,
// for the states in the old and the new backend.
diag::Checked<void> init_backend(const BackendOptions& options, bool may_ask,
                                 const Configuration& configuration,
                                 const CommandEncryption& encryption, cli::Progress& progress,
                                 StateAccess& access, diag::Diagnostics& diags);

}  // namespace tofu::workdir
