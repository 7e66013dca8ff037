#include "workdir/module_clients.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <vector>

#include "base/file.h"
#include "cli/environment.h"
#include "cli/settings.h"
#include "net/proxies.h"
#include "workdir/version_mode.h"

namespace tofu::workdir {

net::WebOptions web_options(const cli::Settings& settings) {
  net::WebOptions options;
  options.user_agent = fmt::format("OpenTofu/{}", own_versions().tofu.to_string());
  if (const auto& more = settings.environment.variable("TF_APPEND_USER_AGENT"); !more.empty()) {
    options.user_agent += fmt::format(" {}", more);
  }
  options.authorities_file = settings.environment.variable("SSL_CERT_FILE");
  options.authorities_directory = settings.environment.variable("SSL_CERT_DIR");
  options.proxy = net::proxies_of(variables_of(settings.environment));
  options.log = settings.log;
  return options;
}

namespace {

net::WebOptions package_web_options(const cli::Settings& settings) {
  net::WebOptions options = web_options(settings);
  if (settings.cli_config.registry_retries) options.retries = *settings.cli_config.registry_retries;
  if (settings.cli_config.registry_timeout_seconds) {
    options.answer_timeout = std::chrono::seconds(*settings.cli_config.registry_timeout_seconds);
  }
  return options;
}

}  // namespace

net::EnvironmentVariable variables_of(const cli::Environment& environment) {
  return [&environment = environment](std::string_view name) { return environment.variable(name); };
}

ModuleClients::ModuleClients(const cli::Settings& settings, const std::stop_token& stop)
    : credentials(settings.cli_config.credentials, stop),
      web(package_web_options(settings), stop),
      registry(web, credentials, own_versions().tofu.to_string()),
      fetcher(web, credentials, variables_of(settings.environment), stop) {}

std::string module_cache_directory(const cli::Settings& settings) {
  const cli::Environment& environment = settings.environment;
  std::string chosen(environment.variable("TF_MODULE_CACHE_DIR"));
  if (chosen.empty() && settings.cli_config.module_cache_dir) {
    chosen = settings.cli_config.module_cache_dir->text;
  }
  if (chosen != "auto") return chosen;
  const std::string_view caches = environment.variable("XDG_CACHE_HOME");
  const std::string_view home = environment.variable("HOME");
  // As the specification of XDG says, a relative path is not valid.
  if (caches.starts_with('/')) return fmt::format("{}/opentofu/modules", caches);
  return home.empty() ? "" : fmt::format("{}/.cache/opentofu/modules", home);
}

namespace {

std::vector<std::string> read_only_caches(const cli::Settings& settings) {
  std::string_view list = settings.environment.variable("TF_MODULE_CACHE_READONLY_DIRS");
  if (list.empty()) return settings.cli_config.module_cache_readonly_dirs;
  std::vector<std::string> directories;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(':'), list.size());
    if (end != 0) directories.emplace_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return directories;
}

}  // namespace

install::PackageLayerSettings package_layers(const cli::Settings& settings, bool is_fresh,
                                             bool offline) {
  install::PackageLayerSettings layers;
  layers.cache_directory = module_cache_directory(settings);
  layers.read_only_caches = read_only_caches(settings);
  layers.offline = offline;
  if (const auto& installation = settings.cli_config.module_installation) {
    layers.mirrors = installation->mirrors;
    layers.direct = installation->direct;
  }
  const std::string vendored(kVendorDirectory);
  const auto kind = base::file_kind(vendored + "/index");
  const bool is_vendored = kind && *kind == base::FileKind::Directory;
  if (is_vendored && (!is_fresh || offline)) layers.vendor_directory = vendored;
  return layers;
}

}  // namespace tofu::workdir
