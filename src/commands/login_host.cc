#include "commands/login_host.h"

#include <fmt/format.h>
#include <utility>

namespace tofu::commands {

diag::Checked<base::Hostname> login_host(const std::vector<std::string>& arguments,
                                         diag::Diagnostics& diags) {
  if (arguments.size() != 1) {
    diags.error("Missing hostname").detail("Expected one argument: the hostname.");
    return std::nullopt;
  }
  auto host = base::parse_hostname(arguments.front());
  if (host) return std::move(*host);
  diags.error("Invalid hostname")
      .detail(
          fmt::format("{:?} is not a valid hostname: {}.", arguments.front(), host.error().what));
  return std::nullopt;
}

void report_credentials_elsewhere(const std::string& host, std::string_view command,
                                  diag::Diagnostics& diags) {
  diags.error(fmt::format("Credentials for {} are manually configured", host))
      .detail(fmt::format(
          "They are set in the CLI configuration or in a TF_TOKEN_ variable, which \"tofu {}\" "
          "does not change. Remove them there and revoke the token at the host.",
          command));
}

}  // namespace tofu::commands
