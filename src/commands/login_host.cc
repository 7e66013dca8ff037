#include "commands/login_host.h"

#include <fmt/format.h>
#include <utility>

namespace tofu::commands {

std::optional<base::Hostname> login_host(const std::vector<std::string>& arguments,
                                         diag::Diagnostics& diags) {
  if (arguments.size() != 1) {
    diags.error("One host is needed").detail("Give the name of the host as the only argument.");
    return std::nullopt;
  }
  auto host = base::parse_hostname(arguments.front());
  if (host) return std::move(*host);
  diags.error("Invalid hostname")
      .detail(
          fmt::format("{:?} is not the name of a host: {}.", arguments.front(), host.error().what));
  return std::nullopt;
}

void report_credentials_elsewhere(const std::string& host, std::string_view command,
                                  diag::Diagnostics& diags) {
  diags.error(fmt::format("Credentials for {} are manually configured", host))
      .detail(fmt::format("They are in a file of the CLI configuration or in a TF_TOKEN_ variable, "
                          "which \"tofu {}\" does not change. Revoke them at the host and remove "
                          "them there.",
                          command));
}

}  // namespace tofu::commands
