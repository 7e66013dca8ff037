#include "commands/missing_providers.h"

namespace tofu::commands {

bool is_available(const addrs::Provider& provider) {
  return provider.is_builtin() && provider.type == "terraform";
}

}  // namespace tofu::commands
