#include "workdir/missing_providers.h"

namespace tofu::workdir {

bool is_available(const addrs::Provider& provider) {
  return provider.is_builtin() && provider.type == "terraform";
}

}  // namespace tofu::workdir
