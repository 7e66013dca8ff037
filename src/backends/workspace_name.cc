#include "backends/workspace_name.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/ascii.h"

namespace tofu::backends {

bool is_workspace_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && std::ranges::all_of(name, [](char c) {
    return base::is_ascii_alphanumeric(c) ||
           std::string_view("-_.~$&+:=@").find(c) != std::string_view::npos;
  });
}

diag::Checked<void> check_workspace_name(std::string_view name, diag::Diagnostics& diags) {
  if (is_workspace_name(name)) return true;
  diags.error("Invalid workspace name")
      .detail(fmt::format(
          "{:?} cannot be the name of a workspace. Use letters, digits and - _ . only.", name));
  return false;
}

}  // namespace tofu::backends
