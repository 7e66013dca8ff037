// The clients through which packages come: the web, registries, and what fetches from
// them, set up as the environment and the CLI configuration say.
//
// Nothing is connected or loaded before the first package is asked for.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "cli/environment.h"
#include "cli/settings.h"
#include "install/package_fetcher.h"
#include "install/package_layers.h"
#include "install/registry.h"
#include "net/credentials.h"
#include "net/environment.h"
#include "net/web.h"

namespace tofu::workdir {

// What requests of this program have in common.
net::WebOptions web_options(const cli::Settings& settings);
// `environment` outlives what is returned.
net::EnvironmentVariable variables_of(const cli::Environment& environment);

struct ModuleClients {
  ModuleClients(const cli::Settings& settings, const std::stop_token& stop);
  ModuleClients(const ModuleClients&) = delete;
  ModuleClients& operator=(const ModuleClients&) = delete;

  net::Credentials credentials;
  net::Web web;
  install::Registry registry;
  install::PackageFetcher fetcher;
};

// TF_MODULE_CACHE_DIR or what the CLI configuration says; empty if there is none. The word "auto"
// stands for the user's directory of caches.
std::string module_cache_directory(const cli::Settings& settings);

// Where packages are looked for before they are fetched. `is_fresh`: newer ones are wanted, so the
// vendored ones are left aside.
install::PackageLayerSettings package_layers(const cli::Settings& settings, bool is_fresh,
                                             bool offline);

// The directory of vendored packages beside the root module.
inline constexpr std::string_view kVendorDirectory = "vendor/modules";

}  // namespace tofu::workdir
