// The doors through which packages come: the web, registries, and what fetches from
// them, set up as the environment and the CLI configuration say.
//
// Nothing is connected or loaded before the first package is asked for.
#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include "commands/command.h"
#include "install/package_fetcher.h"
#include "install/registry.h"
#include "transport/credentials.h"
#include "transport/environment.h"
#include "transport/web.h"

namespace tofu::commands {

// What requests of this program have in common.
transport::WebOptions web_options(const World& world);
// `world` outlives what is returned.
transport::EnvironmentVariable variables_of(const World& world);

struct PackageDoors {
  PackageDoors(const World& world, const std::stop_token& stop);
  PackageDoors(const PackageDoors&) = delete;
  PackageDoors& operator=(const PackageDoors&) = delete;

  transport::Credentials credentials;
  transport::Web web;
  install::Registry registry;
  install::PackageFetcher fetcher;
};

// TF_MODULE_CACHE_DIR or what the CLI configuration says; empty if there is none.
std::string module_cache_directory(const World& world);

}  // namespace tofu::commands
