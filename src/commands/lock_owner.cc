#include "commands/lock_owner.h"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>
#include <utility>

#include "base/uuid.h"
#include "commands/json_log.h"
#include "commands/version_info.h"

namespace tofu::commands {

namespace {

std::string who() {
  const passwd* user = ::getpwuid(::getuid());
  char host[256] = "";
  ::gethostname(host, sizeof host - 1);
  return fmt::format("{}@{}", user != nullptr ? user->pw_name : "", host);
}

}  // namespace

backends::LockInfo new_lock(std::string operation, const World& world) {
  auto id = base::random_uuid();
  return {.id = id ? std::move(*id) : std::string(),
          .operation = std::move(operation),
          .who = who(),
          .version = std::string(kTofuVersion),
          .created = timestamp(world.environment),
          .path = {}};
}

}  // namespace tofu::commands
