// How a command reaches the state of its working directory.
//
// Opening a backend needs the encryption of its states, and reading which one that is needs the
// configuration: both are here, so that a command cannot do the one without the other.
#pragma once

#include <mutex>
#include <optional>
#include <stop_token>

#include "cli/cancellation.h"
#include "cli/terminal.h"
#include "diag/diagnostic.h"
#include "workdir/command_encryption.h"
#include "workdir/load_context.h"
#include "workdir/options.h"
#include "workdir/root_module.h"

namespace tofu::workdir {

// How a command opens backends, and reads which encryption its files have.
//
// Encryption is set up once for a command, because key providers may run programs and ask services.
//
// Threads: any for encryption().
class StateAccess {
 public:
  // All outlive it.
  StateAccess(const LoadContext& context, const ConfigurationOptions& configuration,
              cli::Terminal& to, cli::Cancellation& from)
      : load(context), options(configuration), terminal(to), cancellation(from) {}
  StateAccess(const StateAccess&) = delete;
  StateAccess& operator=(const StateAccess&) = delete;

  // As `configuration` and TF_ENCRYPTION say, unless it was read before.
  diag::Checked<CommandEncryption> encryption_of(const Configuration& configuration,
                                                 diag::Diagnostics& diags);
  // The same for commands that open a file without the configuration that belongs to it: that of
  // this directory says how it is encrypted. Its warnings are for commands that plan.
  std::optional<CommandEncryption> encryption(diag::Diagnostics& diags,
                                              const RootModuleOptions& root_module = {});

  const cli::Environment& environment() const { return load.environment(); }

  const LoadContext load;
  const ConfigurationOptions& options;
  cli::Terminal& terminal;
  cli::Cancellation& cancellation;

 private:
  std::mutex mutex_;
  std::optional<CommandEncryption> encryption_;  // absent: not read yet
};

}  // namespace tofu::workdir
