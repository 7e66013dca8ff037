#include "engine/applying.h"

namespace tofu::engine {

Async<bool> Applying::provision(const Task&, const eval::Names&, const LiveObject&,
                                diag::Diagnostics&) {
  co_return true;
}

Async<bool> Applying::provision_destroy(const Task&, const LiveObject&, diag::Diagnostics&) {
  co_return true;
}

}  // namespace tofu::engine
