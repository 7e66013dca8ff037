#include "commands/missing_providers.h"

#include <fmt/format.h>

#include "config/provider_requirements.h"

namespace tofu::commands {

bool is_available(const addrs::Provider& provider) {
  return provider.is_builtin() && provider.type == "terraform";
}

void report_missing_provider(const addrs::Provider& provider, diag::Diagnostics& diags) {
  auto missing = diags.error("Missing required provider");
  if (provider.is_builtin()) {
    missing.detail(
        fmt::format("The configuration needs the built-in provider {}, which this "
                    "version does not have.",
                    provider.to_string()));
  } else {
    missing.detail(
        fmt::format("The configuration needs the provider {}, which is not installed. "
                    "Run \"tofu init\" to install it.",
                    provider.to_string()));
  }
}

void report_missing_providers(const config::Tree& tree, diag::Diagnostics& diags) {
  config::ProviderRequirements needed;
  config::add_requirements(tree, needed);
  for (const auto& [provider, constraints] : needed) {
    if (!is_available(provider)) report_missing_provider(provider, diags);
  }
}

}  // namespace tofu::commands
