// The CLI configuration: what a person has set for all commands, in .tofurc.
//
// Read before anything else, from TF_CLI_CONFIG_FILE or, without that, from
// ~/.tofurc (or ~/.terraformrc) and every *.tfrc in ~/.terraform.d. Settings that
// are not known are ignored, as OpenTofu does, since other versions may know
// them; those that are known are checked.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/cli_installation.h"
#include "cli/environment.h"
#include "diag/diagnostic.h"
#include "diag/source.h"
#include "net/credentials.h"

namespace tofu::cli {

struct CliConfig {
  struct Setting {
    std::string text;
    diag::SourceRange range;
  };
  std::optional<Setting> version_check;
  // The cache of module packages, with the environment's variables put in.
  std::optional<Setting> module_cache_dir;
  // Caches that are only read, looked at after that one.
  std::vector<std::string> module_cache_readonly_dirs;
  // The first module_installation block; absent: packages come from their own sources.
  std::optional<ModuleInstallation> module_installation;
  // How registries are asked; TF_REGISTRY_DISCOVERY_RETRY and
  // TF_REGISTRY_CLIENT_TIMEOUT win over what the files say.
  std::optional<unsigned> registry_retries;
  std::optional<unsigned> registry_timeout_seconds;
  net::CredentialSources credentials;
  // The first provider_installation block; absent: registries, and what lies in the usual
  // directories.
  std::optional<ProviderInstallation> installation;
  // plugin_cache_dir or TF_PLUGIN_CACHE_DIR; empty: none.
  std::string plugin_cache_dir;
  bool plugin_cache_may_break_lock = false;
  // The directory of settings and of credentials.tfrc.json.
  std::string directory;
  std::vector<std::string> files;  // what was read
};

// Reports errors and returns the valid settings: a command goes on with those.
CliConfig read_cli_config(const Environment& environment, diag::SourceMap& sources,
                          diag::Diagnostics& diags);

}  // namespace tofu::cli
