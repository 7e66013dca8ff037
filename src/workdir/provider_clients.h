// The clients through which provider packages come, set up as the environment and the CLI
// configuration say.
//
// Nothing is connected or loaded before the first package is asked for.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "addrs/provider.h"
#include "cli/environment.h"
#include "cli/settings.h"
#include "diag/diagnostic.h"
#include "install/install_method.h"
#include "install/platform.h"
#include "install/provider_fetcher.h"
#include "workdir/module_clients.h"

namespace tofu::workdir {

struct ProviderClients {
  ProviderClients(const cli::Settings& settings, const std::stop_token& stop);

  ModuleClients packages;
  std::stop_token stop;
  install::ProviderFetcher fetcher;
};

// Registries alone, whatever the CLI configuration says. `clients` outlives it.
std::unique_ptr<install::InstallMethod> direct_method(const cli::Settings& settings,
                                                      ProviderClients& clients);
// The methods that provider_installation lists, or what is usual without it. `offline`: only those
// of this machine.
std::unique_ptr<install::InstallMethod> configured_methods(const cli::Settings& settings,
                                                           ProviderClients& clients, bool offline);
// These directories and nothing else: -plugin-dir.
std::unique_ptr<install::InstallMethod> directory_methods(
    const std::vector<std::string>& directories);
// A mirror in OCI registries, whose repositories a URI template names.
diag::Checked<std::unique_ptr<install::InstallMethod>> oci_mirror_method(
    std::string_view uri_template, const cli::Settings& settings, ProviderClients& clients,
    diag::Diagnostics& diags);
// A mirror at an https address.
diag::Checked<std::unique_ptr<install::InstallMethod>> mirror_method(std::string_view url,
                                                                     const cli::Settings& settings,
                                                                     ProviderClients& clients,
                                                                     diag::Diagnostics& diags);

install::Platform current_platform(const cli::Environment& environment);
// What -platform names, or the current one.
diag::Checked<std::vector<install::Platform>> read_platforms(const std::vector<std::string>& names,
                                                             const cli::Environment& environment,
                                                             diag::Diagnostics& diags);

// Providers that another program runs, as TF_REATTACH_PROVIDERS names them: they are not
// installed.
std::set<addrs::Provider> unmanaged_providers(const cli::Environment& environment);

}  // namespace tofu::workdir
