#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/temporary_directory.h"
#include "cli/command.h"
#include "cli/flags.h"
#include "cli/option_groups.h"
#include "cli/progress.h"
#include "commands/context.h"
#include "commands/table.h"
#include "config/provider_requirements.h"
#include "install/filesystem_mirror.h"
#include "install/provider_installer.h"
#include "workdir/configuration.h"
#include "workdir/install_providers.h"
#include "workdir/options.h"
#include "workdir/provider_clients.h"

namespace tofu::commands {

namespace {

using EventKind = install::ProviderEvent::Kind;

struct ProvidersLockOptions {
  std::string fs_mirror;
  std::string net_mirror;
  std::string oci_mirror;
  std::vector<std::string> platforms;
  cli::JsonOptions json;
  workdir::ConfigurationOptions configuration;
  std::vector<std::string> providers;

  void declare(cli::FlagSet& flags) {
    flags.add("fs-mirror", fs_mirror,
              {.value = "DIR",
               .help = "Use packages from this filesystem mirror instead of the registries.",
               .completes = cli::Completes::Directories});
    flags.add("net-mirror", net_mirror,
              {.value = "URL",
               .help = "Use packages from this network mirror instead of the registries."});
    flags.add("oci-mirror", oci_mirror,
              {.value = "TEMPLATE",
               .help = "Use packages from this mirror in OCI registries instead of the registries. "
                       "The value is a URI template (RFC 6570, level 1) of the repository of a "
                       "provider, with {hostname}, {namespace} and {type}."});
    flags.add("platform", platforms,
              {.value = "OS_ARCH",
               .help = "Add hashes for this platform. Can be repeated; the default is the current "
                       "platform."});
    flags.include(json);
    flags.include(configuration);
    flags.arguments(providers);
  }
};

class Lock {
 public:
  Lock(const ProvidersLockOptions& options, Context& context, cli::Progress& progress,
       diag::Diagnostics& diags)
      : options_(options), context_(context), progress_(progress), diags_(diags) {}

  void run();

 private:
  std::optional<config::ProviderRequirements> needed();
  std::unique_ptr<install::InstallMethod> method(workdir::ProviderClients& clients);
  // The lock of each provider, with the hashes for one platform.
  std::optional<install::InstalledProviders> look_at(const install::Platform& platform,
                                                     const config::ProviderRequirements& needed,
                                                     const install::LockFile& lock,
                                                     install::InstallMethod& method,
                                                     workdir::ProviderClients& clients);
  void tell(const install::ProviderEvent& event, const std::string& platform);
  // Whether something became known.
  bool add(const install::InstalledProviders& found, const std::string& platform,
           const install::LockFile& before, install::LockFile& next);

  const ProvidersLockOptions& options_;
  Context& context_;
  cli::Progress& progress_;
  diag::Diagnostics& diags_;
};

std::optional<config::ProviderRequirements> Lock::needed() {
  auto how = workdir::load_options(options_.configuration, context_.load, diags_);
  if (how) how->check_package_locks = false;
  const auto loaded = how ? workdir::load_configuration(*how, context_.load, diags_) : nullptr;
  if (loaded == nullptr) return std::nullopt;
  config::ProviderRequirements all;
  config::add_requirements(loaded->tree, all);
  std::erase_if(all, [](const auto& each) { return each.first.is_builtin(); });
  if (options_.providers.empty()) return all;
  config::ProviderRequirements chosen;
  const std::size_t errors = diags_.error_count();
  for (const std::string& text : options_.providers) {
    const auto provider = addrs::parse_provider_source(text, std::nullopt, diags_);
    if (!provider) continue;
    const auto found = all.find(*provider);
    if (found != all.end()) {
      chosen.insert(*found);
      continue;
    }
    diags_.error("Provider not required")
        .detail(fmt::format("The configuration does not require the provider {}. Run \"tofu "
                            "providers\" to list the required ones.",
                            provider->to_string()));
  }
  if (diags_.error_count() != errors) return std::nullopt;
  return chosen;
}

std::unique_ptr<install::InstallMethod> Lock::method(workdir::ProviderClients& clients) {
  const auto mirrors = {&options_.fs_mirror, &options_.net_mirror, &options_.oci_mirror};
  if (std::ranges::count_if(mirrors, [](const auto* each) { return !each->empty(); }) > 1) {
    diags_.error("Conflicting options")
        .detail("Give only one of -fs-mirror, -net-mirror and -oci-mirror.");
    return nullptr;
  }
  if (!options_.fs_mirror.empty()) return workdir::directory_methods({options_.fs_mirror});
  if (!options_.net_mirror.empty()) {
    return workdir::mirror_method(options_.net_mirror, context_.settings, clients, diags_);
  }
  if (!options_.oci_mirror.empty()) {
    return workdir::oci_mirror_method(options_.oci_mirror, context_.settings, clients, diags_);
  }
  return workdir::direct_method(context_.settings, clients);
}

void Lock::tell(const install::ProviderEvent& event, const std::string& platform) {
  const std::string name = event.provider.for_display();
  if (event.kind == EventKind::Installing) {
    progress_.item(fmt::format("Fetching {} {} for {}...", name, event.version, platform));
  } else if (event.kind == EventKind::Installed) {
    const std::string key =
        event.fetched->key_id.empty() ? "" : ", key ID " + event.fetched->key_id;
    progress_.item(fmt::format("Retrieved {} {} for {} ({}{})", name, event.version, platform,
                               install::name_of(event.fetched->how), key));
  }
}

std::optional<install::InstalledProviders> Lock::look_at(const install::Platform& platform,
                                                         const config::ProviderRequirements& needed,
                                                         const install::LockFile& lock,
                                                         install::InstallMethod& method,
                                                         workdir::ProviderClients& clients) {
  // For packages that are only looked at.
  const std::string_view chosen = context_.environment().variable("TMPDIR");
  const auto staging =
      base::TemporaryDirectory::make(chosen.empty() ? "/tmp" : chosen, "tofu-providers");
  if (!staging) {
    diags_.error("Cannot create a temporary directory")
        .detail(fmt::format("Checking packages requires a temporary directory, and {}. Set TMPDIR "
                            "to a writable directory.",
                            staging.error().what));
    return std::nullopt;
  }
  install::ProviderInstaller installer(
      {.directory = install::ProviderDirectory(staging->path(), platform),
       .ignores_locked_hashes = true},
      method, clients.fetcher,
      {.event = [&](const install::ProviderEvent& event) { tell(event, platform.to_string()); }},
      context_.cancellation.token());
  return installer.install(needed, lock, diags_);
}

bool Lock::add(const install::InstalledProviders& found, const std::string& platform,
               const install::LockFile& before, install::LockFile& next) {
  bool changed = false;
  for (const auto& [provider, lock] : found.locks) {
    const std::string address = provider.to_string();
    const auto old = before.providers.find(address);
    const bool is_new = old == before.providers.end() || old->second.version != lock.version;
    const bool has_more = is_new || !std::ranges::includes(old->second.hashes, lock.hashes);
    progress_.item(fmt::format("{}: {} for {}", provider.for_display(),
                               is_new     ? "locked"
                               : has_more ? "added hashes"
                                          : "all hashes are already recorded",
                               platform));
    changed = changed || has_more;
    install::ProviderLock& entry = next.providers[address];
    std::set<std::string> hashes(lock.hashes.begin(), lock.hashes.end());
    if (entry.version == lock.version) hashes.insert(entry.hashes.begin(), entry.hashes.end());
    entry = {.version = lock.version,
             .constraints = lock.constraints,
             .hashes = {hashes.begin(), hashes.end()}};
  }
  return changed;
}

void Lock::run() {
  const auto chosen = workdir::read_platforms(options_.platforms, context_.environment(), diags_);
  if (!chosen) return;
  const auto listening = context_.cancellation.listen();
  workdir::ProviderClients clients(context_.settings, context_.cancellation.token());
  const auto from = method(clients);
  if (from == nullptr) return;
  const auto wanted = needed();
  const auto before =
      wanted ? workdir::read_lock_for_providers(context_.sources, diags_) : std::nullopt;
  if (!before) return;
  install::LockFile next = *before;
  std::vector<std::pair<std::string, install::InstalledProviders>> found;
  for (const install::Platform& platform : *chosen) {
    auto installed = look_at(platform, *wanted, *before, *from, clients);
    if (!installed) return;
    found.emplace_back(platform.to_string(), std::move(*installed));
  }
  bool changed = false;
  for (const auto& [platform, installed] : found) {
    changed = add(installed, platform, *before, next) || changed;
  }
  const auto written = next.write(std::string(install::kLockFile));
  if (!written) {
    diags_.error("Cannot write the lock file")
        .detail(fmt::format("Writing {} failed: {}.", install::kLockFile, written.error().what));
    return;
  }
  progress_.blank_line();
  progress_.success(changed ? "Success! OpenTofu has updated the lock file."
                            : "Success! OpenTofu has validated the lock file and found no need for "
                              "changes.");
  if (changed) {
    progress_.blank_line();
    progress_.note(fmt::format("Review the changes in {}, and commit them to version control.",
                               install::kLockFile));
  }
}

int run_providers_lock(const ProvidersLockOptions& options, cli::Session& session) {
  Context context(session, options);
  return cli::run_with_progress(options.json, context.terminal, context.environment(),
                                [&](cli::Progress& progress, diag::Diagnostics& diags) {
                                  Lock(options, context, progress, diags).run();
                                });
}

}  // namespace

const cli::Command kProvidersLockCommand = {
    "providers lock",
    "Add provider hashes to the lock file",
    "[options] [provider...]",
    "Adds provider package hashes for the given platforms to .terraform.lock.hcl. Packages come "
    "from the origin registries, regardless of provider_installation in the CLI configuration. "
    "Installs nothing.\n\n\"tofu init\" records all hashes that the registry publishes, but from a "
    "mirror only the hash of the current platform's package. Without arguments, this command locks "
    "all providers of the configuration.",
    cli::action<ProvidersLockOptions, run_providers_lock>(),
};

}  // namespace tofu::commands
