#include "workdir/module_clients.h"

#include <chrono>
#include <fmt/format.h>

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
  const std::string_view variable = settings.environment.variable("TF_MODULE_CACHE_DIR");
  if (!variable.empty()) return std::string(variable);
  return settings.cli_config.module_cache_dir ? settings.cli_config.module_cache_dir->text : "";
}

}  // namespace tofu::workdir
