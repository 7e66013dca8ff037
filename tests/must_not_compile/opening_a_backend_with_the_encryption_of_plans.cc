// expect: StateEncryption
#include "workdir/backend_settings.h"

std::unique_ptr<tofu::backends::Backend> open(const tofu::workdir::CommandEncryption& encryption,
                                              tofu::workdir::StateAccess& access,
                                              tofu::diag::Diagnostics& diags) {
#ifdef MISUSE
  return tofu::workdir::open_recorded(std::nullopt, {}, encryption.plan(), access, diags);
#else
  return tofu::workdir::open_recorded(std::nullopt, {}, encryption.state(), access, diags);
#endif
}
