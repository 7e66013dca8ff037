// The encryption of a command's files, as the configuration and TF_ENCRYPTION say.
//
// Opening a state or a plan takes one of these types, and only read_encryption() makes them of a
// configuration. So a command cannot open a file without saying how it is encrypted: where nothing
// is, it says CommandEncryption::none().
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "cli/environment.h"
#include "config/encryption.h"
#include "diag/diagnostic.h"
#include "diag/source.h"
#include "state/encryption.h"
#include "state/state.h"
#include "syntax/parser.h"
#include "workdir/configuration.h"
#include "workdir/load_context.h"

namespace tofu::workdir {

// How a state, its backups and its journals are encrypted. The CommandEncryption outlives it.
class StateEncryption {
 public:
  const state::Encryption& get() const { return encryption_; }

 private:
  friend class CommandEncryption;
  explicit StateEncryption(const state::Encryption& encryption) : encryption_(encryption) {}

  const state::Encryption& encryption_;
};

// How a saved plan is encrypted. The CommandEncryption outlives it.
class PlanEncryption {
 public:
  const state::Encryption& get() const { return encryption_; }

 private:
  friend class CommandEncryption;
  explicit PlanEncryption(const state::Encryption& encryption) : encryption_(encryption) {}

  const state::Encryption& encryption_;
};

// Cheap to copy.
class CommandEncryption {
 public:
  // Files are stored as they are.
  static CommandEncryption none();

  StateEncryption state() const;
  PlanEncryption plan() const;
  // Of the data source terraform_remote_state of this name (encryption/encryptions.h).
  StateEncryption remote_state(std::string_view name) const;

 private:
  struct Parts;
  friend std::optional<CommandEncryption> read_encryption(const Configuration& configuration,
                                                          const LoadContext& context,
                                                          diag::Diagnostics& diags);
  explicit CommandEncryption(std::shared_ptr<const Parts> parts) : parts_(std::move(parts)) {}

  std::shared_ptr<const Parts> parts_;
};

// As the root module of `configuration` and TF_ENCRYPTION say.
diag::Checked<CommandEncryption> read_encryption(const Configuration& configuration,
                                                 const LoadContext& context,
                                                 diag::Diagnostics& diags);

// The encryption that TF_ENCRYPTION describes.
struct EncryptionOfEnvironment {
  std::unique_ptr<syntax::File> file;  // the block points into it
  config::Encryption block;
};
// Nothing if there is none, or if it cannot be read, which read_encryption() reports.
std::optional<EncryptionOfEnvironment> encryption_of_environment(
    const cli::Environment& environment, diag::SourceMap& sources);

// The state in a file that the user names. One that is not encrypted is taken as it is.
diag::Checked<state::State> read_given_state(std::string bytes, const std::string& path,
                                             StateEncryption encryption, diag::Diagnostics& diags);

}  // namespace tofu::workdir
