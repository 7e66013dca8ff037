#include "workdir/access.h"

#include <utility>

namespace tofu::workdir {

diag::Checked<CommandEncryption> StateAccess::encryption_of(const Configuration& configuration,
                                                            diag::Diagnostics& diags) {
  const std::lock_guard lock(mutex_);
  if (!encryption_) encryption_ = read_encryption(configuration, load, diags);
  return encryption_;
}

std::optional<CommandEncryption> StateAccess::encryption(diag::Diagnostics& diags,
                                                         const RootModuleOptions& root_module) {
  {
    const std::lock_guard lock(mutex_);
    if (encryption_) return encryption_;
  }
  diag::Diagnostics found;
  const auto loaded = load_root_module(options, load, found, root_module);
  if (loaded) {
    if (auto encryption = encryption_of(*loaded, found)) return encryption;
  }
  diags.take(std::move(found));
  return std::nullopt;
}

}  // namespace tofu::workdir
