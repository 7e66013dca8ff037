// expect: PlanEncryption
#include "runs/plan_file.h"

std::optional<tofu::runs::PlanFile> read(const tofu::workdir::CommandEncryption& encryption,
                                         tofu::diag::Diagnostics& diags) {
#ifdef MISUSE
  return tofu::runs::read_plan_file("plan", tofu::state::no_encryption(), diags);
#else
  return tofu::runs::read_plan_file("plan", encryption.plan(), diags);
#endif
}
