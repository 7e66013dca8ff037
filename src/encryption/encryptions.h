// The encryption that an `encryption` block configures: one encryption for each kind of file.
//
// Everything that can be wrong is found here, before a file is opened: references, arguments, and
// whether key providers that run programs or ask services have a key. Unused key providers and
// methods are ignored. A kind of file that the block does not name is stored as it is.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "config/encryption.h"
#include "config/static_eval.h"
#include "diag/diagnostic.h"
#include "encryption/kinds.h"
#include "encryption/target.h"
#include "state/encryption.h"

namespace tofu::encryption {

class Encryptions {
 public:
  // Nothing is encrypted.
  Encryptions() = default;

  // Of what the block and TF_ENCRYPTION say together; `statics` is that of the root module.
  static diag::Checked<std::unique_ptr<const Encryptions>> set_up(const config::Encryption& block,
                                                                  config::StaticEvaluator& statics,
                                                                  const KeyProviderContext& context,
                                                                  diag::Diagnostics& diags);

  const state::Encryption& state() const { return or_none(state_.get()); }
  const state::Encryption& plan() const { return or_none(plan_.get()); }
  // For a data source terraform_remote_state: by its name, with the modules around it as in
  // "net.vpc[0]", else the default.
  const state::Encryption& remote_state(std::string_view name) const;

 private:
  static const state::Encryption& or_none(const Target* target);

  std::unique_ptr<const Target> state_;
  std::unique_ptr<const Target> plan_;
  std::unique_ptr<const Target> remote_default_;
  std::map<std::string, std::unique_ptr<const Target>, std::less<>> remotes_;
};

}  // namespace tofu::encryption
