#include "runs/run_providers.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <utility>
#include <vector>

#include "addrs/constraints_text.h"
#include "addrs/version.h"
#include "base/thread.h"
#include "cli/settings.h"
#include "cli/version_info.h"
#include "config/provider_requirements.h"
#include "install/lock_file.h"
#include "install/workers.h"
#include "providers/builtin.h"
#include "providers/reattach.h"
#include "runs/builtin_providers.h"
#include "workdir/access.h"
#include "workdir/missing_providers.h"
#include "workdir/provider_clients.h"
#include "workdir/workspace.h"

namespace tofu::runs {

namespace {

// The libraries that most plugins are written with log every step of every call, unless the
// environment says otherwise: writing, sending and reading that takes longer than the rest of a
// call. So their environment names the lines that the user wants to see. Errors are always among
// them: the last lines of a plugin are shown if it fails.
std::vector<std::pair<std::string, std::string>> log_levels_of_plugins(
    const cli::Settings& settings) {
  using base::LogLevel;
  const std::pair<LogLevel, const char*> levels[] = {{LogLevel::Trace, "TRACE"},
                                                     {LogLevel::Debug, "DEBUG"},
                                                     {LogLevel::Info, "INFO"},
                                                     {LogLevel::Warn, "WARN"},
                                                     {LogLevel::Error, "ERROR"}};
  const char* least = "ERROR";
  for (const auto& [level, name] : levels) {
    if (!settings.provider_log.wants(level)) continue;
    least = name;
    break;
  }
  std::vector<std::pair<std::string, std::string>> variables;
  for (const char* variable : {"TF_LOG_SDK", "TF_LOG_SDK_PROTO", "TF_LOG_SDK_FRAMEWORK",
                               "TF_LOG_SDK_HELPER_SCHEMA", "TF_LOG_SDK_MUX"}) {
    if (settings.environment.variable(variable).empty()) variables.emplace_back(variable, least);
  }
  return variables;
}

providers::PluginSettings plugin_settings(const cli::Settings& settings) {
  providers::PluginSettings plugins;
  plugins.uses_tls = settings.environment.variable("TF_DISABLE_PLUGIN_TLS").empty();
  plugins.log = settings.log;
  plugins.provider_log = settings.provider_log;
  plugins.environment = log_levels_of_plugins(settings);
  return plugins;
}

}  // namespace

RunProviders::RunProviders(workdir::StateAccess& access)
    : access_(access),
      plugins_(plugin_settings(access.load.settings),
               workdir::data_directory(access.environment()) + "/schemas",
               std::string(cli::kTofuVersion)) {}

bool RunProviders::prepare(diag::Diagnostics& diags) {
  if (is_prepared_) return true;
  const std::string_view reattach = access_.environment().variable("TF_REATTACH_PROVIDERS");
  if (!reattach.empty()) {
    auto parsed = providers::parse_reattach(reattach);
    if (!parsed) {
      diags.error("Invalid TF_REATTACH_PROVIDERS")
          .detail(fmt::format("The environment variable TF_REATTACH_PROVIDERS is invalid: {}. "
                              "Unset it, or copy the value that the provider printed.",
                              parsed.error().what));
      return false;
    }
    reattached_ = std::move(*parsed);
  }
  const auto lock =
      install::LockFile::read(std::string(install::kLockFile), access_.load.sources, diags);
  if (!lock) return false;
  const auto& installation = access_.load.settings.cli_config.installation;
  selected_.emplace(workdir::data_directory(access_.environment()),
                    workdir::current_platform(access_.environment()), *lock,
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
        .detail(fmt::format("The configuration requires the built-in provider {}, which this "
                            "version does not include.",
                            provider.to_string()));
    return std::nullopt;
  }
  auto found = selected_->get(provider);
  if (!found) {
    diags.error("Missing required provider").detail(found.error().what);
    return std::nullopt;
  }
  package.place.executable = std::move(found->executable);
  package.place.program = std::move(found->program);
  package.schema_key = std::move(found->hash);
  return package;
}

// A package is one large file, which one thread hashes; several are hashed side by side. Each
// answer is kept, so package_of() only reads it.
void RunProviders::hash_packages(const std::vector<addrs::Provider>& needed) {
  if (needed.size() < 2) return;
  install::Workers workers(std::min<std::size_t>(needed.size(), base::processors()));
  for (const addrs::Provider& provider : needed) {
    if (reattached_.contains(provider) || provider.is_builtin()) continue;
    workers.add([this, &provider] { (void)selected_->get(provider).ok(); });
  }
  workers.wait();
}

diag::Checked<void> RunProviders::load(const std::set<addrs::Provider>& needed,
                                       diag::Diagnostics& diags) {
  const std::lock_guard lock(loading_);
  std::vector<addrs::Provider> missing;
  for (const addrs::Provider& provider : needed) {
    if (!workdir::is_available(provider) && !loaded_.contains(provider))
      missing.push_back(provider);
  }
  // A damaged lock file is an error even where only built-in providers are needed, as in OpenTofu.
  if (!prepare(diags)) return false;
  if (missing.empty()) return true;
  hash_packages(missing);
  std::vector<providers::PluginPackage> packages;
  const std::size_t errors = diags.error_count();
  for (const addrs::Provider& provider : missing) {
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
  if (workdir::is_available(provider)) {
    return providers::make_builtin([this](const providers::DataRequest& request) {
      return read_remote_state(request, access_);
    });
  }
  if (!load({provider}, diags)) return nullptr;
  return plugins_.open(provider);
}

diag::Checked<void> RunProviders::check_selections(const config::ProviderRequirements& needed,
                                                   diag::Diagnostics& diags) {
  const std::lock_guard lock(loading_);
  const bool has_constraints = std::ranges::any_of(
      needed, [](const auto& each) { return !each.second.empty() && !each.first.is_builtin(); });
  if (!has_constraints) return true;
  if (!prepare(diags)) return false;
  std::string list;
  for (const auto& [provider, version] : selected_->versions()) {
    const auto found = needed.find(provider);
    const auto selected = addrs::Version::parse(version);  // an override has none
    if (found == needed.end() || !selected || reattached_.contains(provider)) continue;
    const auto allows = [&](const addrs::Constraint& each) { return each.allows(*selected); };
    if (std::ranges::all_of(found->second, allows)) continue;
    list += fmt::format("\n  - {} is locked at version {}, but the configuration requires {:?}",
                        provider.to_string(), version, addrs::constraints_text(found->second));
  }
  if (list.empty()) return true;
  diags.error("Inconsistent dependency lock file")
      .detail(
          fmt::format("The selections in the lock file {} do not match the configuration:{}\n\nTo "
                      "select other versions, run:\n  tofu init -upgrade",
                      install::kLockFile, list));
  return false;
}

diag::Checked<void> check_selections(const config::Tree& tree, RunProviders& providers,
                                     diag::Diagnostics& diags) {
  config::ProviderRequirements requirements;
  for (const config::TreeNode& node : tree.nodes) {
    config::add_requirements(*node.module, requirements);
  }
  return providers.check_selections(requirements, diags);
}

diag::Checked<void> load_providers(const config::Tree& tree, RunProviders& providers,
                                   diag::Diagnostics& diags) {
  config::ProviderRequirements requirements;
  config::add_requirements(tree, requirements);
  std::set<addrs::Provider> needed;
  for (const auto& [provider, constraints] : requirements) needed.insert(provider);
  return providers.load(needed, diags);
}

diag::Checked<void> RunProviders::load(const state::State& state, diag::Diagnostics& diags) {
  std::set<addrs::Provider> needed;
  for (const state::Resource* resource : state.resources()) {
    needed.insert(resource->provider().provider);
  }
  return load(needed, diags);
}

diag::Checked<void> load_providers(const state::State& state, RunProviders& providers,
                                   diag::Diagnostics& diags) {
  return providers.load(state, diags);
}

}  // namespace tofu::runs
