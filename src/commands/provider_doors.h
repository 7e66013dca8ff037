// The doors through which provider packages come, set up as the environment and the CLI
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
#include "commands/command.h"
#include "commands/package_doors.h"
#include "diag/diagnostic.h"
#include "install/install_method.h"
#include "install/platform.h"
#include "install/provider_fetcher.h"

namespace tofu::commands {

struct ProviderDoors {
  ProviderDoors(const World& world, const std::stop_token& stop);

  PackageDoors packages;
  std::stop_token stop;
  install::ProviderFetcher fetcher;
};

// Registries alone, whatever the CLI configuration says. `doors` outlives it.
std::unique_ptr<install::InstallMethod> direct_method(const World& world, ProviderDoors& doors);
// The methods that provider_installation lists, or what is usual without it.
std::unique_ptr<install::InstallMethod> configured_methods(const World& world,
                                                           ProviderDoors& doors);
// These directories and nothing else: -plugin-dir.
std::unique_ptr<install::InstallMethod> directory_methods(
    const std::vector<std::string>& directories);
// A mirror at an https address. Null if and only if an error was added.
std::unique_ptr<install::InstallMethod> mirror_method(std::string_view url, const World& world,
                                                      ProviderDoors& doors,
                                                      diag::Diagnostics& diags);

install::Platform current_platform(const World& world);
// What -platform names, or the current one. Nothing if and only if an error was added.
std::optional<std::vector<install::Platform>> read_platforms(const std::vector<std::string>& names,
                                                             const World& world,
                                                             diag::Diagnostics& diags);

// Providers that somebody else runs, as TF_REATTACH_PROVIDERS names them: they are not
// installed.
std::set<addrs::Provider> unmanaged_providers(const World& world);

}  // namespace tofu::commands
