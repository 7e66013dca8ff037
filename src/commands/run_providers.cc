#include "commands/run_providers.h"

#include <fmt/format.h>
#include <string>
#include <utility>
#include <vector>

#include "commands/builtin_providers.h"
#include "commands/missing_providers.h"
#include "commands/provider_doors.h"
#include "commands/version_info.h"
#include "commands/workspace.h"
#include "config/provider_requirements.h"
#include "install/lock_file.h"
#include "providers/builtin.h"
#include "providers/reattach.h"

namespace tofu::commands {

namespace {

// The libraries that most plugins are written with log every step of every call, unless they are
// told otherwise: writing, sending and reading that takes longer than the rest of a call. So they
// are told which lines somebody wants to see. Errors are always among them: the last lines of a
// plugin are shown if it fails.
std::vector<std::pair<std::string, std::string>> log_levels_of_plugins(const World& world) {
  using base::LogLevel;
  const std::pair<LogLevel, const char*> levels[] = {{LogLevel::Trace, "TRACE"},
                                                     {LogLevel::Debug, "DEBUG"},
                                                     {LogLevel::Info, "INFO"},
                                                     {LogLevel::Warn, "WARN"},
                                                     {LogLevel::Error, "ERROR"}};
  const char* least = "ERROR";
  for (const auto& [level, name] : levels) {
    if (!world.provider_log.wants(level)) continue;
    least = name;
    break;
  }
  std::vector<std::pair<std::string, std::string>> variables;
  for (const char* variable : {"TF_LOG_SDK", "TF_LOG_SDK_PROTO", "TF_LOG_SDK_FRAMEWORK",
                               "TF_LOG_SDK_HELPER_SCHEMA", "TF_LOG_SDK_MUX"}) {
    if (world.environment.variable(variable).empty()) variables.emplace_back(variable, least);
  }
  return variables;
}

providers::PluginSettings plugin_settings(const World& world) {
  providers::PluginSettings settings;
  settings.uses_tls = world.environment.variable("TF_DISABLE_PLUGIN_TLS").empty();
  settings.log = world.log;
  settings.provider_log = world.provider_log;
  settings.environment = log_levels_of_plugins(world);
  return settings;
}

}  // namespace

RunProviders::RunProviders(World& world)
    : world_(world),
      plugins_(plugin_settings(world), data_directory(world.environment) + "/schemas",
               std::string(kTofuVersion)) {}

bool RunProviders::prepare(diag::Diagnostics& diags) {
  if (is_prepared_) return true;
  const std::string_view reattach = world_.environment.variable("TF_REATTACH_PROVIDERS");
  if (!reattach.empty()) {
    auto parsed = providers::parse_reattach(reattach);
    if (!parsed) {
      diags.error("Invalid TF_REATTACH_PROVIDERS")
          .detail(fmt::format("The environment variable cannot be read: {}. Unset it, or set it to "
                              "what the provider printed.",
                              parsed.error().what));
      return false;
    }
    reattached_ = std::move(*parsed);
  }
  const auto lock = install::LockFile::read(std::string(install::kLockFile), world_.sources, diags);
  if (!lock) return false;
  const auto& installation = world_.cli_config.installation;
  selected_.emplace(data_directory(world_.environment), current_platform(world_), *lock,
                    installation ? installation->overrides : install::ProviderOverrides());
  is_prepared_ = true;
  return true;
}

std::optional<providers::PluginPackage> RunProviders::package_of(const addrs::Provider& provider,
                                                                 diag::Diagnostics& diags) {
  providers::PluginPackage package{provider, {}};
  package.place.provider = provider.to_string();
  if (const auto found = reattached_.find(provider); found != reattached_.end()) {
    package.place.reattach = found->second;
    return package;
  }
  if (provider.is_builtin()) {
    diags.error("Missing required provider")
        .detail(fmt::format("The configuration needs the built-in provider {}, which this version "
                            "does not have.",
                            provider.to_string()));
    return std::nullopt;
  }
  auto found = selected_->get(provider);
  if (!found) {
    diags.error("Missing required provider").detail(found.error().what);
    return std::nullopt;
  }
  package.place.executable = std::move(found->executable);
  package.schema_key = std::move(found->hash);
  return package;
}

bool RunProviders::load(const std::set<addrs::Provider>& needed, diag::Diagnostics& diags) {
  const std::lock_guard lock(loading_);
  std::vector<providers::PluginPackage> packages;
  const std::size_t errors = diags.error_count();
  for (const addrs::Provider& provider : needed) {
    if (is_available(provider) || loaded_.contains(provider)) continue;
    if (!prepare(diags)) return false;
    if (auto package = package_of(provider, diags)) packages.push_back(std::move(*package));
  }
  // What is missing is the first thing to mend: nothing is started before.
  if (diags.error_count() != errors) return false;
  if (packages.empty()) return true;
  if (!plugins_.load(packages, diags)) return false;
  for (const providers::PluginPackage& each : packages) loaded_.insert(each.provider);
  return true;
}

void RunProviders::start() {
  for (const addrs::Provider& each : loaded_) plugins_.start(each);
}

const schema::ProviderSchema* RunProviders::find(const std::string& provider) const {
  if (const auto* built_in = schema::builtin_schemas().find(provider)) return built_in;
  const std::lock_guard lock(loading_);
  return plugins_.schema(provider);
}

std::unique_ptr<providers::Provider> RunProviders::open(const addrs::Provider& provider,
                                                        diag::Diagnostics& diags) {
  if (is_available(provider)) {
    return providers::make_builtin([this](const providers::DataRequest& request) {
      return read_remote_state(request, world_);
    });
  }
  if (!load({provider}, diags)) return nullptr;
  return plugins_.open(provider);
}

RunProviders& run_providers(World& world) {
  if (!world.providers) world.providers = std::make_shared<RunProviders>(world);
  return *world.providers;
}

bool load_providers(const config::Tree& tree, World& world, diag::Diagnostics& diags) {
  config::ProviderRequirements requirements;
  config::add_requirements(tree, requirements);
  std::set<addrs::Provider> needed;
  for (const auto& [provider, constraints] : requirements) needed.insert(provider);
  return run_providers(world).load(needed, diags);
}

bool RunProviders::load(const state::State& state, diag::Diagnostics& diags) {
  std::set<addrs::Provider> needed;
  for (const state::Resource* resource : state.resources()) {
    needed.insert(resource->provider().provider);
  }
  return load(needed, diags);
}

bool load_providers(const state::State& state, World& world, diag::Diagnostics& diags) {
  return run_providers(world).load(state, diags);
}

}  // namespace tofu::commands
