#include "workdir/lock_owner.h"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>
#include <utility>

#include "base/uuid.h"
#include "cli/environment.h"
#include "cli/json_log.h"
#include "cli/version_info.h"

namespace tofu::workdir {

namespace {

std::string who() {
  const passwd* user = ::getpwuid(::getuid());
  char host[256] = "";
  ::gethostname(host, sizeof host - 1);
  return fmt::format("{}@{}", user != nullptr ? user->pw_name : "", host);
}

}  // namespace

backends::LockInfo new_lock(std::string operation, const cli::Environment& environment) {
  auto id = base::random_uuid();
  return {.id = id ? std::move(*id) : std::string(),
          .operation = std::move(operation),
          .who = who(),
          .version = std::string(cli::kTofuVersion),
          .created = cli::timestamp(environment),
          .path = {}};
}

}  // namespace tofu::workdir
