#include "workdir/install_providers.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "base/file.h"
#include "base/json_writer.h"
#include "cli/cancellation.h"
#include "cli/settings.h"
#include "cli/view_options.h"
#include "diag/source.h"
#include "install/lock_file.h"
#include "workdir/missing_providers.h"
#include "workdir/provider_clients.h"
#include "workdir/state_providers.h"
#include "workdir/workspace.h"

namespace tofu::workdir {

namespace {

using EventKind = install::ProviderEvent::Kind;

bool same_selections(const install::LockFile& a, const install::LockFile& b) {
  return std::ranges::equal(a.providers, b.providers, [](const auto& x, const auto& y) {
    return x.first == y.first && x.second.version == y.second.version &&
           x.second.hashes == y.second.hashes;
  });
}

class ProviderInstallRun {
 public:
  ProviderInstallRun(const ProviderInstalling& installing, cli::Progress& progress,
                     const cli::Settings& settings, diag::SourceMap& sources,
                     cli::Cancellation& cancellation, diag::Diagnostics& diags)
      : installing_(installing),
        progress_(progress),
        settings_(settings),
        sources_(sources),
        cancellation_(cancellation),
        diags_(diags),
        data_(data_directory(settings.environment)) {}

  bool run(const config::ProviderRequirements& needed);

 private:
  bool check_builtin(const addrs::Provider& provider,
                     const std::vector<addrs::Constraint>& constraints);
  bool remember_directories();
  void warn_of_overrides();
  install::ProviderInstallSettings settings() const;
  std::optional<install::InstalledProviders> install(const config::ProviderRequirements& needed,
                                                     const install::LockFile& lock);
  void tell(const install::ProviderEvent& event);
  struct Download {
    std::uint64_t bytes = 0;
    std::uint64_t size = 0;
  };
  void show_progress(const addrs::Provider& provider, Download download);
  void tell_installed(const install::ProviderEvent& event);
  bool write_lock(const install::LockFile& before, const install::InstalledProviders& installed);
  void warn_of_incomplete(const std::vector<addrs::Provider>& providers);

  const ProviderInstalling& installing_;
  cli::Progress& progress_;
  const cli::Settings& settings_;
  diag::SourceMap& sources_;
  cli::Cancellation& cancellation_;
  diag::Diagnostics& diags_;
  std::string data_;
  std::map<addrs::Provider, Download> downloads_;
  std::chrono::steady_clock::time_point shown_ = {};
};

bool ProviderInstallRun::run(const config::ProviderRequirements& needed) {
  warn_of_overrides();
  const auto lock = read_lock_for_providers(sources_, diags_);
  if (!lock || !remember_directories()) return false;
  progress_.blank_line();
  progress_.step("Initializing provider plugins...");
  bool ok = true;
  const auto unmanaged = unmanaged_providers(settings_.environment);
  config::ProviderRequirements untrusted;
  for (const auto& [provider, constraints] : needed) {
    if (provider.is_builtin()) {
      ok = check_builtin(provider, constraints) && ok;
    } else if (!unmanaged.contains(provider)) {
      untrusted.emplace(provider, constraints);
    }
  }
  const auto installed = install(untrusted, *lock);
  if (!installed || !ok) return false;
  if (installed->any_signed) {
    progress_.blank_line();
    progress_.note(
        "Providers are signed by their developers. For details, see "
        "https://opentofu.org/docs/cli/plugins/signing/");
  }
  return write_lock(*lock, *installed);
}

void ProviderInstallRun::warn_of_overrides() {
  const auto& installation = settings_.cli_config.installation;
  if (!installation || installation->overrides.empty()) return;
  std::string list;
  for (const auto& [provider, directory] : installation->overrides) {
    list += fmt::format("\n - {} in {}", provider.for_display(), directory);
  }
  diags_.warning("Provider development overrides are in effect")
      .detail(fmt::format(
          "The CLI configuration overrides these providers with development builds:{}\n\nThey work "
          "without \"tofu init\", which may fail if these providers are not released.",
          list));
}

bool ProviderInstallRun::check_builtin(const addrs::Provider& provider,
                                       const std::vector<addrs::Constraint>& constraints) {
  const std::string name = provider.for_display();
  if (!is_available(provider)) {
    diags_.error("Unknown built-in provider")
        .detail(fmt::format("This version has no built-in provider {}.", name));
    return false;
  }
  if (!constraints.empty()) {
    diags_.error("Version constraint for a built-in provider")
        .detail(fmt::format("{} is built in and has no version. Remove the constraint.", name));
    return false;
  }
  progress_.item(fmt::format("{} is built in to OpenTofu", name));
  return true;
}

// What -plugin-dir named last is kept in a file, as OpenTofu keeps it.
bool ProviderInstallRun::remember_directories() {
  const std::string path = data_ + "/plugin_path";
  if (installing_.plugin_directories.empty()) {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
    return true;
  }
  std::error_code failed;
  std::filesystem::create_directories(data_, failed);
  std::string text;
  base::JsonWriter json(text);
  json.begin_array();
  for (const std::string& directory : installing_.plugin_directories) json.string(directory);
  json.end_array();
  const auto written = base::write_file(path, text);
  if (written) return true;
  diags_.error("Cannot record plugin directories")
      .detail(fmt::format("Writing {} failed: {}.", path, written.error().what));
  return false;
}

install::ProviderInstallSettings ProviderInstallRun::settings() const {
  const install::Platform platform = current_platform(settings_.environment);
  install::ProviderInstallSettings settings{
      .directory = install::ProviderDirectory(data_ + "/providers", platform),
      .cache_may_break_lock = settings_.cli_config.plugin_cache_may_break_lock,
      .upgrade = installing_.upgrade,
      .offline = installing_.offline};
  if (const std::string& cache = settings_.cli_config.plugin_cache_dir; !cache.empty()) {
    settings.cache.emplace(cache, platform);
  }
  return settings;
}

std::optional<install::InstalledProviders> ProviderInstallRun::install(
    const config::ProviderRequirements& needed, const install::LockFile& lock) {
  if (needed.empty()) return install::InstalledProviders();
  const auto listening = cancellation_.listen();
  const std::stop_token& stop = cancellation_.token();
  ProviderClients clients(settings_, stop);
  const auto method = installing_.plugin_directories.empty()
                          ? configured_methods(settings_, clients, installing_.offline)
                          : directory_methods(installing_.plugin_directories);
  install::ProviderInstaller installer(
      settings(), *method, clients.fetcher,
      {.event = [this](const install::ProviderEvent& event) { tell(event); },
       .progress =
           [this](const addrs::Provider& provider, std::uint64_t bytes,
                  std::optional<std::uint64_t> size) {
             show_progress(provider, {bytes, size.value_or(bytes)});
           }},
      stop);
  return installer.install(needed, lock, diags_);
}

// All downloads together, a few times in a second.
void ProviderInstallRun::show_progress(const addrs::Provider& provider, Download download) {
  constexpr std::chrono::milliseconds kBetween(100);
  downloads_[provider] = download;
  const auto now = std::chrono::steady_clock::now();
  if (now - shown_ < kBetween) return;
  shown_ = now;
  Download all;
  for (const auto& [each, part] : downloads_) {
    all.bytes += part.bytes;
    all.size += part.size;
  }
  progress_.status(fmt::format("  {} of {} downloaded, {} %", cli::bytes_text(all.bytes),
                               cli::bytes_text(all.size),
                               all.size == 0 ? 0 : all.bytes * 100 / all.size));
}

// The lines are those of OpenTofu.
void ProviderInstallRun::tell(const install::ProviderEvent& event) {
  const std::string name = event.provider.for_display();
  switch (event.kind) {
    case EventKind::Reusing:
      return progress_.item(
          fmt::format("Reusing previous version of {} from the dependency lock file", name));
    case EventKind::Finding:
      return progress_.item(
          event.constraints.empty()
              ? fmt::format("Finding latest version of {}...", name)
              : fmt::format("Finding {} versions matching \"{}\"...", name, event.constraints));
    case EventKind::AlreadyInstalled:
      return progress_.item(
          event.in_cache
              ? fmt::format("Detected previously-installed {} v{} in the shared cache directory",
                            name, event.version)
              : fmt::format("Using previously-installed {} v{}", name, event.version));
    case EventKind::Installing:
      return progress_.item(fmt::format("Installing {} v{}{}...", name, event.version,
                                        event.in_cache ? " to the shared cache directory" : ""));
    case EventKind::Installed: return tell_installed(event);
    case EventKind::FromCache:
      return progress_.item(
          fmt::format("Using {} v{} from the shared cache directory", name, event.version));
    case EventKind::WaitingForLock:
      return progress_.item(fmt::format("Waiting for lock on cache directory {}", event.version));
  }
}

void ProviderInstallRun::tell_installed(const install::ProviderEvent& event) {
  const install::FetchedProvider& fetched = *event.fetched;
  const std::string start =
      fmt::format("Installed {} v{}", event.provider.for_display(), event.version);
  if (fetched.how == install::Authenticity::SigningSkipped) {
    return progress_.warned_item(start +
                                 ". Signature validation was skipped because the registry has no "
                                 "GPG keys for this provider");
  }
  if (fetched.has_expired_key) {
    settings_.log.warn([&] {
      return fmt::format("The key that signed {} has expired", event.provider.for_display());
    });
  }
  const std::string_view how = install::name_of(fetched.how);
  if (fetched.key_id.empty()) return progress_.item(fmt::format("{} ({})", start, how));
  progress_.item(
      fmt::format("{} ({}, key ID {})", start, how, progress_.emphasized(fetched.key_id)),
      fmt::format("{} ({}, key ID {})", start, how, fetched.key_id));
}

void ProviderInstallRun::warn_of_incomplete(const std::vector<addrs::Provider>& providers) {
  if (providers.empty()) return;
  std::string list;
  for (const addrs::Provider& provider : providers) list += "\n  - " + provider.for_display();
  const std::string platform = settings_.environment.platform;
  diags_.warning("Incomplete lock file information for providers")
      .detail(fmt::format("The lock file has only the hashes for {} of these providers, because "
                          "the registry published no hashes for other platforms:{}\n\nOn other "
                          "platforms, \"tofu init\" will fail for them. To add hashes for a "
                          "platform, run:\n  tofu providers lock -platform=linux_amd64",
                          platform, list));
}

bool ProviderInstallRun::write_lock(const install::LockFile& before,
                                    const install::InstalledProviders& installed) {
  install::LockFile next = before;
  next.providers.clear();
  for (const auto& [provider, lock] : installed.locks) {
    next.providers[provider.to_string()] = lock;
  }
  // Other constraints that select the same are no reason to change a file that is under
  // version control: OpenTofu does not, either.
  if (same_selections(next, before)) return true;
  if (installing_.lock_is_readonly) {
    const bool same_providers = std::ranges::equal(
        next.providers, before.providers, {}, [](const auto& each) { return each.first; },
        [](const auto& each) { return each.first; });
    if (!same_providers) {
      diags_.error("Provider dependency changes detected")
          .detail(fmt::format(
              "The required providers differ from the selections in {}, and -lockfile=readonly "
              "prevents updating the file. Run \"tofu init\" without it.",
              install::kLockFile));
      return false;
    }
    diags_.warning("Provider lock file not updated")
        .detail(fmt::format("New hashes for the locked providers were found, but {} was not "
                            "updated because of -lockfile=readonly.",
                            install::kLockFile));
    return true;
  }
  warn_of_incomplete(installed.incomplete);
  progress_.blank_line();
  progress_.note(before.providers.empty()
                     ? fmt::format("OpenTofu has created a lock file {} to record the provider "
                                   "selections. Add this file to version control, so that \"tofu "
                                   "init\" makes the same selections everywhere.",
                                   install::kLockFile)
                     : fmt::format("OpenTofu has made some changes to the provider selections in "
                                   "{}. Review the changes and commit them to version control.",
                                   install::kLockFile));
  const auto written = next.write(std::string(install::kLockFile));
  if (written) return true;
  diags_.error("Cannot write the lock file")
      .detail(fmt::format("Writing {} failed: {}.", install::kLockFile, written.error().what));
  return false;
}

}  // namespace

diag::Checked<install::LockFile> read_lock_for_providers(diag::SourceMap& sources,
                                                         diag::Diagnostics& diags) {
  auto lock = install::LockFile::read(std::string(install::kLockFile), sources, diags);
  if (!lock) return lock;
  std::string changes;
  const auto before = lock->providers;
  for (const auto& [address, locked] : before) {
    diag::Diagnostics unread;
    const auto provider = addrs::parse_provider_source(address, std::nullopt, unread);
    if (!provider || provider->host.ascii != kTerraformRegistryHost ||
        provider->space != addrs::kDefaultNamespace) {
      continue;
    }
    const std::string now = addrs::default_provider(provider->type).to_string();
    if (lock->providers.contains(now)) continue;
    lock->providers[now] = {.version = locked.version, .constraints = locked.constraints};
    changes += fmt::format("\n  - {} => {}", address, now);
  }
  if (!changes.empty()) {
    diags.warning("Lock file entries reused for another registry")
        .detail(fmt::format("These providers were locked for another registry. OpenTofu selected "
                            "the same versions and will record the hashes of the new packages:{}",
                            changes));
  }
  return lock;
}

diag::Checked<void> install_providers(const ProviderInstalling& installing,
                                      const config::ProviderRequirements& needed,
                                      cli::Progress& progress, const cli::Settings& settings,
                                      diag::SourceMap& sources, cli::Cancellation& cancellation,
                                      diag::Diagnostics& diags) {
  return ProviderInstallRun(installing, progress, settings, sources, cancellation, diags)
      .run(needed);
}

}  // namespace tofu::workdir
