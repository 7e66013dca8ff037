#include "commands/package_doors.h"

#include <chrono>
#include <fmt/format.h>

#include "commands/version_mode.h"

namespace tofu::commands {

transport::WebOptions web_options(const World& world) {
  transport::WebOptions options;
  options.user_agent = fmt::format("OpenTofu/{}", own_versions().tofu.to_string());
  if (const auto& more = world.environment.variable("TF_APPEND_USER_AGENT"); !more.empty()) {
    options.user_agent += fmt::format(" {}", more);
  }
  options.authorities_file = world.environment.variable("SSL_CERT_FILE");
  options.authorities_directory = world.environment.variable("SSL_CERT_DIR");
  options.log = world.log;
  return options;
}

namespace {

transport::WebOptions package_web_options(const World& world) {
  transport::WebOptions options = web_options(world);
  if (world.cli_config.registry_retries) options.retries = *world.cli_config.registry_retries;
  if (world.cli_config.registry_timeout_seconds) {
    options.answer_timeout = std::chrono::seconds(*world.cli_config.registry_timeout_seconds);
  }
  return options;
}

}  // namespace

transport::EnvironmentVariable variables_of(const World& world) {
  return [&environment = world.environment](std::string_view name) {
    return environment.variable(name);
  };
}

PackageDoors::PackageDoors(const World& world, const std::stop_token& stop)
    : credentials(world.cli_config.credentials, stop),
      web(package_web_options(world), stop),
      registry(web, credentials, own_versions().tofu.to_string()),
      fetcher(web, credentials, variables_of(world), stop) {}

std::string module_cache_directory(const World& world) {
  const std::string_view variable = world.environment.variable("TF_MODULE_CACHE_DIR");
  if (!variable.empty()) return std::string(variable);
  return world.cli_config.module_cache_dir ? world.cli_config.module_cache_dir->text : "";
}

}  // namespace tofu::commands
