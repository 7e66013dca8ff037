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
#include "commands/command.h"
#include "commands/configuration.h"
#include "commands/install_providers.h"
#include "commands/option_groups.h"
#include "commands/progress.h"
#include "commands/provider_doors.h"
#include "config/provider_requirements.h"
#include "install/filesystem_mirror.h"
#include "install/provider_installer.h"

namespace tofu::commands {

namespace {

using EventKind = install::ProviderEvent::Kind;

struct ProvidersLockOptions {
  std::string fs_mirror;
  std::string net_mirror;
  std::vector<std::string> platforms;
  JsonOptions json;
  ConfigurationOptions configuration;
  std::vector<std::string> providers;

  void declare(FlagSet& flags) {
    flags.add("fs-mirror", fs_mirror,
              {.value = "DIR",
               .help = "Look at the packages of this mirror instead of those of registries.",
               .completes = Completes::Directories});
    flags.add("net-mirror", net_mirror,
              {.value = "URL",
               .help = "Look at the packages of this network mirror instead of those of "
                       "registries."});
    flags.add("platform", platforms,
              {.value = "OS_ARCH",
               .help = "Add the hashes for this platform. May be given several times; by default "
                       "it is the one this program runs on."});
    flags.include(json);
    flags.include(configuration);
    flags.arguments(providers);
  }
};

class Lock {
 public:
  Lock(const ProvidersLockOptions& options, World& world, Progress& progress,
       diag::Diagnostics& diags)
      : options_(options), world_(world), progress_(progress), diags_(diags) {}

  void run();

 private:
  std::optional<config::ProviderRequirements> needed();
  std::unique_ptr<install::InstallMethod> method(ProviderDoors& doors);
  // The lock of each provider, with the hashes for one platform.
  std::optional<install::InstalledProviders> look_at(const install::Platform& platform,
                                                     const config::ProviderRequirements& needed,
                                                     const install::LockFile& lock,
                                                     install::InstallMethod& method,
                                                     ProviderDoors& doors);
  void tell(const install::ProviderEvent& event, const std::string& platform);
  // Whether something became known.
  bool add(const install::InstalledProviders& found, const std::string& platform,
           const install::LockFile& before, install::LockFile& next);

  const ProvidersLockOptions& options_;
  World& world_;
  Progress& progress_;
  diag::Diagnostics& diags_;
};

std::optional<config::ProviderRequirements> Lock::needed() {
  auto how = load_options(options_.configuration, world_, diags_);
  const auto loaded = how ? load_configuration(*how, world_, diags_) : nullptr;
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
    diags_.error("Provider is not needed")
        .detail(
            fmt::format("The configuration does not need the provider {}.", provider->to_string()));
  }
  if (diags_.error_count() != errors) return std::nullopt;
  return chosen;
}

std::unique_ptr<install::InstallMethod> Lock::method(ProviderDoors& doors) {
  if (!options_.fs_mirror.empty() && !options_.net_mirror.empty()) {
    diags_.error("Options that exclude each other")
        .detail("-fs-mirror and -net-mirror both say where packages are. Give only one of them.");
    return nullptr;
  }
  if (!options_.fs_mirror.empty()) return directory_methods({options_.fs_mirror});
  if (!options_.net_mirror.empty()) {
    return mirror_method(options_.net_mirror, world_, doors, diags_);
  }
  return direct_method(world_, doors);
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
                                                         ProviderDoors& doors) {
  // For packages that are only looked at.
  const std::string_view chosen = world_.environment.variable("TMPDIR");
  const auto staging =
      base::TemporaryDirectory::make(chosen.empty() ? "/tmp" : chosen, "tofu-providers");
  if (!staging) {
    diags_.error("Cannot make a temporary directory")
        .detail(fmt::format("Packages have to be looked at in a directory of their own, and {}. "
                            "Set TMPDIR to one that can be written.",
                            staging.error().what));
    return std::nullopt;
  }
  install::ProviderInstaller installer(
      {.directory = install::ProviderDirectory(staging->path(), platform),
       .ignores_locked_hashes = true},
      method, doors.fetcher,
      {.event = [&](const install::ProviderEvent& event) { tell(event, platform.to_string()); }},
      world_.interrupts.token());
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
                                          : "all hashes are known",
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
  const auto chosen = read_platforms(options_.platforms, world_, diags_);
  if (!chosen) return;
  const auto listening = world_.interrupts.listen();
  ProviderDoors doors(world_, world_.interrupts.token());
  const auto from = method(doors);
  if (from == nullptr) return;
  const auto wanted = needed();
  const auto before = wanted ? read_lock_for_providers(world_, diags_) : std::nullopt;
  if (!before) return;
  install::LockFile next = *before;
  std::vector<std::pair<std::string, install::InstalledProviders>> found;
  for (const install::Platform& platform : *chosen) {
    auto installed = look_at(platform, *wanted, *before, *from, doors);
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

int run_providers_lock(const ProvidersLockOptions& options, World& world) {
  return run_with_progress(options.json, world, [&](Progress& progress, diag::Diagnostics& diags) {
    Lock(options, world, progress, diags).run();
  });
}

}  // namespace

const Command kProvidersLockCommand = {
    "providers lock",
    "Write out dependency locks for the configured providers",
    "[options] [provider...]",
    "Adds hashes to .terraform.lock.hcl for the platforms that are named, from the packages of "
    "the providers' own registries, whatever provider_installation of the CLI configuration "
    "says. Nothing is installed.\n\n"
    "init records what it sees, and from a mirror it sees only the packages for its own platform. "
    "Without arguments all providers of the configuration are locked.",
    action<ProvidersLockOptions, run_providers_lock>(),
};

}  // namespace tofu::commands
