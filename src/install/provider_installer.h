// Installing the providers that a configuration needs, in versions that fit together.
//
// For each provider a version is selected: the locked one, or the newest that all
// constraints allow. Then its package is made sure to be in the working directory, through
// the cache if there is one, and its hashes go into the next lock. Providers are worked on
// side by side. Nothing is written but packages: the caller writes the lock file.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "addrs/provider.h"
#include "base/result.h"
#include "config/provider_requirements.h"
#include "diag/diagnostic.h"
#include "install/install_method.h"
#include "install/lock_file.h"
#include "install/package_resolver.h"
#include "install/provider_directory.h"
#include "install/provider_fetcher.h"

namespace tofu::install {

// A message for people while providers are installed.
struct ProviderEvent {
  enum class Kind : std::uint8_t {
    Reusing,           // the locked version is looked for
    Finding,           // the newest version is looked for; with `constraints`, if any
    AlreadyInstalled,  // nothing has to be done
    Installing,
    Installed,
    FromCache,       // linked from the cache
    WaitingForLock,  // another process works on it
  };
  Kind kind;
  const addrs::Provider& provider;
  std::string version = {};
  std::string constraints = {};
  bool in_cache = false;                     // not in the working directory
  const FetchedProvider* fetched = nullptr;  // of Installed
};

// Called from several threads, never two at once.
struct ProviderHooks {
  std::function<void(const ProviderEvent& event)> event = [](const ProviderEvent&) {};
  std::function<void(const addrs::Provider& provider, std::uint64_t bytes,
                     std::optional<std::uint64_t> size)>
      progress = [](const auto&, auto, auto) {};
};

struct ProviderInstallSettings {
  ProviderDirectory directory;                  // of the working directory
  std::optional<ProviderDirectory> cache = {};  // plugin_cache_dir
  // A package in the cache is accepted even if no hash of it is known.
  bool cache_may_break_lock = false;
  bool upgrade = false;  // select anew and ignore the lock
  bool offline = false;  // a locked version that is installed is not looked for
  // Hashes of the lock are not compared: for computing the expected ones.
  bool ignores_locked_hashes = false;
};

struct InstalledProviders {
  std::map<addrs::Provider, ProviderLock> locks;
  // Only hashes of this platform are known of them.
  std::vector<addrs::Provider> incomplete = {};
  bool any_signed = false;
};

class ProviderInstaller {
 public:
  // Everything outlives this.
  ProviderInstaller(ProviderInstallSettings settings, InstallMethod& method,
                    ProviderFetcher& fetcher, ProviderHooks hooks, const std::stop_token& stop)
      : settings_(std::move(settings)),
        method_(method),
        fetcher_(fetcher),
        hooks_(std::move(hooks)),
        stop_(stop) {}

  // No provider of `needed` is built in. After an error the other providers are installed all the
  // same.
  diag::Checked<InstalledProviders> install(const config::ProviderRequirements& needed,
                                            const LockFile& lock, diag::Diagnostics& diags);

 private:
  // One provider on its way.
  struct Job {
    const addrs::Provider& provider;
    const std::vector<addrs::Constraint>& constraints;
    const ProviderLock* lock;  // null: none, or it does not count
    std::optional<addrs::Version> selected = {};
    std::optional<ProviderLock> next = {};
    bool is_incomplete = false;
    bool is_signed = false;
    std::optional<Refusal> refusal = {};
    std::vector<std::string> warnings = {};
  };

  void select(Job& job);
  void ensure(Job& job);
  void link_from_cache(Job& job);
  // In `directory`, which is the cache or that of the working directory. False after a
  // refusal.
  bool ensure_in(Job& job, const ProviderDirectory& directory);
  base::Result<FetchedProvider> fetch(Job& job, const ProviderDirectory& directory,
                                      const PackageOffer& offer);
  std::vector<std::string> allowed_hashes(const Job& job) const;
  void take_hashes(Job& job, const FetchedProvider& fetched) const;
  void tell(const ProviderEvent& event);

  ProviderInstallSettings settings_;
  InstallMethod& method_;
  ProviderFetcher& fetcher_;
  ProviderHooks hooks_;
  std::stop_token stop_;
  std::mutex hook_mutex_;
};

}  // namespace tofu::install
