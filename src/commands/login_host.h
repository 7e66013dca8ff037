// What `login` and `logout` have in common: the host they are about.
//
// The host is the one argument of both, and what a person has written into other files is
// theirs to change.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/hostname.h"
#include "diag/diagnostic.h"

namespace tofu::commands {

diag::Checked<base::Hostname> login_host(const std::vector<std::string>& arguments,
                                         diag::Diagnostics& diags);

void report_credentials_elsewhere(const std::string& host, std::string_view command,
                                  diag::Diagnostics& diags);

}  // namespace tofu::commands
