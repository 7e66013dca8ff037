#include <fmt/format.h>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/credential_store.h"
#include "cli/flags.h"
#include "cli/option_groups.h"
#include "cli/progress.h"
#include "commands/login_host.h"
#include "commands/table.h"

namespace tofu::commands {

namespace {

using Place = cli::CredentialStore::Place;

struct LogoutOptions {
  cli::JsonOptions json;
  std::vector<std::string> arguments;

  void declare(cli::FlagSet& flags) {
    flags.include(json);
    flags.arguments(arguments);
  }
};

void log_out(const LogoutOptions& options, cli::Session& session, cli::Progress& progress,
             diag::Diagnostics& diags) {
  const auto host = login_host(options.arguments, diags);
  if (!host) return;
  cli::CredentialStore store(session.settings);
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
        .detail(fmt::format("The token for {} is still stored, because removing it failed: {}.",
                            name, forgotten.error().what));
    return;
  }
  progress.blank_line();
  progress.success(fmt::format("Success! OpenTofu has removed the stored API token for {}.", name));
}

int run_logout(const LogoutOptions& options, cli::Session& session) {
  return cli::run_with_progress(options.json, session.terminal, session.settings.environment,
                                [&](cli::Progress& progress, diag::Diagnostics& diags) {
                                  log_out(options, session, progress, diags);
                                });
}

}  // namespace

const cli::Command kLogoutCommand = {
    "logout",
    "Remove locally-stored credentials for a remote host",
    "[options] [hostname]",
    "Removes the API token stored by \"tofu login\" for a host, from this machine or from the "
    "credentials helper. The token stays valid until you revoke it at the host.",
    cli::action<LogoutOptions, run_logout>(),
};

}  // namespace tofu::commands
