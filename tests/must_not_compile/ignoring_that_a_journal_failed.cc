// expect of clang: ignoring return value
// The provider may be called only if its intent is recorded.
#include "engine/apply_journal.h"

namespace tofu::engine {

tasks::Async<bool> begin(ApplyJournal& journal, const Operation& operation,
                         const InstanceTask& task, diag::Diagnostics& diags) {
#ifdef MISUSE
  co_await journal.begin(operation, task, {}, {}, diags);
  co_return true;
#else
  co_return co_await journal.begin(operation, task, {}, {}, diags);
#endif
}

}  // namespace tofu::engine
