#include <fmt/format.h>
#include <string>
#include <vector>

#include "commands/command.h"
#include "commands/credential_store.h"
#include "commands/login_host.h"
#include "commands/option_groups.h"
#include "commands/progress.h"

namespace tofu::commands {

namespace {

using Place = CredentialStore::Place;

struct LogoutOptions {
  JsonOptions json;
  std::vector<std::string> arguments;

  void declare(FlagSet& flags) {
    flags.include(json);
    flags.arguments(arguments);
  }
};

void log_out(const LogoutOptions& options, World& world, Progress& progress,
             diag::Diagnostics& diags) {
  const auto host = login_host(options.arguments, diags);
  if (!host) return;
  CredentialStore store(world);
  const std::string name = host->for_display();
  switch (store.place_of(*host)) {
    case Place::Nowhere:
      return progress.line(fmt::format("No credentials for {} are stored.", name));
    case Place::Elsewhere: return report_credentials_elsewhere(name, "logout", diags);
    case Place::File:
      progress.line(
          fmt::format("Removing the stored credentials for {} from the following file:\n    {}",
                      name, store.file()));
      break;
    case Place::Helper:
      progress.line(
          fmt::format("Removing the stored credentials for {} from the credentials helper.", name));
      break;
  }
  if (const auto forgotten = store.forget(*host); !forgotten) {
    diags.error("Failed to remove the token")
        .detail(fmt::format("The token for {} is still stored: {}.", name, forgotten.error().what));
    return;
  }
  progress.blank_line();
  progress.success(fmt::format("Success! OpenTofu has removed the stored API token for {}.", name));
}

int run_logout(const LogoutOptions& options, World& world) {
  return run_with_progress(options.json, world, [&](Progress& progress, diag::Diagnostics& diags) {
    log_out(options, world, progress, diags);
  });
}

}  // namespace

const Command kLogoutCommand = {
    "logout",
    "Remove locally-stored credentials for a remote host",
    "[options] [hostname]",
    "Removes the token of a host that login stored, on this machine or in the credentials helper. "
    "The token itself stays valid; revoke it at the host.",
    action<LogoutOptions, run_logout>(),
};

}  // namespace tofu::commands
