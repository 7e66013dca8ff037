// expect of clang: ignoring return value
// What depends on an instance must not begin if the instance failed.
#include "engine/instance_applier.h"

namespace tofu::engine {

tasks::Async<bool> make(InstanceApplier& applier, const AppliedInstance& instance,
                        diag::Diagnostics& diags) {
#ifdef MISUSE
  co_await applier.make(instance, diags);
  co_return true;
#else
  const ApplyOutcome outcome = co_await applier.make(instance, diags);
  co_return outcome.ok;
#endif
}

}  // namespace tofu::engine
