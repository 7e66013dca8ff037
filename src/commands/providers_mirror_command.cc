#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include "addrs/constraints_text.h"
#include "cli/command.h"
#include "cli/flags.h"
#include "cli/option_groups.h"
#include "cli/progress.h"
#include "commands/context.h"
#include "commands/table.h"
#include "config/provider_requirements.h"
#include "install/filesystem_mirror.h"
#include "install/mirror_index.h"
#include "install/provider_versions.h"
#include "workdir/configuration.h"
#include "workdir/install_providers.h"
#include "workdir/options.h"
#include "workdir/provider_clients.h"

namespace tofu::commands {

namespace {

struct ProvidersMirrorOptions {
  std::vector<std::string> platforms;
  cli::JsonOptions json;
  workdir::ConfigurationOptions configuration;
  std::vector<std::string> arguments;

  void declare(cli::FlagSet& flags) {
    flags.add("platform", platforms,
              {.value = "OS_ARCH",
               .help = "Mirror packages for this platform. Can be repeated; the default is the "
                       "current platform."});
    flags.include(json);
    flags.include(configuration);
    flags.arguments(arguments);
  }
};

class Mirror {
 public:
  Mirror(const ProvidersMirrorOptions& options, Context& context, cli::Progress& progress,
         diag::Diagnostics& diags)
      : options_(options), context_(context), progress_(progress), diags_(diags) {}

  void run();

 private:
  bool read_arguments();
  void mirror(const addrs::Provider& provider, const std::vector<addrs::Constraint>& constraints,
              const install::LockFile& lock);
  std::optional<addrs::Version> select(const addrs::Provider& provider,
                                       const std::vector<addrs::Constraint>& constraints,
                                       const install::LockFile& lock);
  void download(const addrs::Provider& provider, const addrs::Version& version,
                const install::Platform& platform);
  void write_index(const addrs::Provider& provider);
  std::optional<std::vector<std::string>> hashes_of(const addrs::Provider& provider,
                                                    const std::string& version,
                                                    const install::Platform& platform,
                                                    const std::string& file);
  void fail(std::string_view summary, const addrs::Provider& provider, std::string_view why) {
    diags_.error(std::string(summary)).detail(fmt::format("{}: {}.", provider.for_display(), why));
  }
  std::string folder_of(const addrs::Provider& provider) const {
    return fmt::format("{}/{}", directory_, install::provider_path(provider));
  }
  static std::string file_name(const addrs::Provider& provider, const std::string& version,
                               const install::Platform& platform) {
    return fmt::format("terraform-provider-{}_{}_{}.zip", provider.type, version,
                       platform.to_string());
  }

  const ProvidersMirrorOptions& options_;
  Context& context_;
  cli::Progress& progress_;
  diag::Diagnostics& diags_;
  std::string directory_;
  std::vector<install::Platform> platforms_;
  workdir::ProviderClients* clients_ = nullptr;             // of run()
  install::InstallMethod* registry_ = nullptr;              // likewise
  std::map<std::string, std::vector<std::string>> hashes_;  // by file, of what was downloaded
};

bool Mirror::read_arguments() {
  if (options_.arguments.size() != 1) {
    diags_.error("Missing output directory")
        .detail("Expected one argument: the directory of the mirror.");
    return false;
  }
  directory_ = options_.arguments.front();
  auto platforms = workdir::read_platforms(options_.platforms, context_.environment(), diags_);
  if (!platforms) return false;
  platforms_ = std::move(*platforms);
  return true;
}

std::optional<addrs::Version> Mirror::select(const addrs::Provider& provider,
                                             const std::vector<addrs::Constraint>& constraints,
                                             const install::LockFile& lock) {
  if (!lock.providers.empty()) {
    const auto locked = lock.providers.find(provider.to_string());
    if (locked == lock.providers.end()) {
      fail("Provider not locked", provider,
           fmt::format("{} has no entry for it; run \"tofu init\" to select a version",
                       install::kLockFile));
      return std::nullopt;
    }
    auto version = addrs::Version::parse(locked->second.version);
    if (!version) return std::nullopt;  // the lock file has checked it
    progress_.line(
        fmt::format("  - Selected v{} to match dependency lock file", locked->second.version));
    return std::move(*version);
  }
  const auto offered = registry_->versions(provider);
  if (!offered) {
    fail("Provider not available", provider, offered.error().what);
    return std::nullopt;
  }
  auto version = install::newest_allowed(offered->versions, constraints);
  const std::string text = addrs::constraints_text(constraints);
  if (!version) {
    fail("Provider not available", provider, fmt::format("no available version matches {}", text));
    return std::nullopt;
  }
  progress_.line(
      text.empty()
          ? fmt::format("  - Selected v{} with no constraints", version->to_string())
          : fmt::format("  - Selected v{} to meet constraints {}", version->to_string(), text));
  return version;
}

void Mirror::download(const addrs::Provider& provider, const addrs::Version& version,
                      const install::Platform& platform) {
  const std::string number = version.to_string();
  progress_.line(fmt::format("  - Downloading package for {}...", platform.to_string()));
  const auto failed = [&](std::string_view why) {
    fail("Cannot mirror provider package", provider,
         fmt::format("version {} for {}: {}", number, platform.to_string(), why));
  };
  const auto offer = registry_->package(provider, version, platform);
  if (!offer) return failed(offer.error().what);
  const std::string name = file_name(provider, number, platform);
  const std::string fresh = fmt::format("{}/.{}", folder_of(provider), name);
  const install::ProviderDirectory into(directory_, platform);
  ::unlink(fresh.c_str());  // of a run that was killed
  const auto fetched = clients_->fetcher.fetch_archive(
      {.provider = provider, .version = number, .offer = *offer, .allowed = {}, .into = into},
      fresh);
  if (!fetched) {
    ::unlink(fresh.c_str());
    return failed(fetched.error().what);
  }
  progress_.line(fmt::format("  - Package authenticated: {}", install::name_of(fetched->how)));
  const std::string place = fmt::format("{}/{}", folder_of(provider), name);
  if (::rename(fresh.c_str(), place.c_str()) != 0) return failed(std::strerror(errno));
  auto& hashes = hashes_[place];
  hashes = fetched->verified;
  std::ranges::sort(hashes);
}

// What was there before has to be looked at.
std::optional<std::vector<std::string>> Mirror::hashes_of(const addrs::Provider& provider,
                                                          const std::string& version,
                                                          const install::Platform& platform,
                                                          const std::string& file) {
  if (const auto known = hashes_.find(file); known != hashes_.end()) return known->second;
  const install::PackageOffer offer{.location = install::PackageFile{file}};
  const install::ProviderDirectory into(directory_, platform);
  const std::string copy = file + ".copy";
  const auto fetched = clients_->fetcher.fetch_archive(
      {.provider = provider, .version = version, .offer = offer, .allowed = {}, .into = into},
      copy);
  ::unlink(copy.c_str());
  if (fetched) return fetched->verified;
  fail("Incomplete mirror index", provider,
       fmt::format("reading {} failed: {}", file, fetched.error().what));
  return std::nullopt;
}

void Mirror::write_index(const addrs::Provider& provider) {
  install::FilesystemMirror mirror(directory_);
  const auto packages = mirror.packages(provider);
  if (!packages) return fail("Cannot write mirror index", provider, packages.error().what);
  install::MirrorIndex index;
  for (const install::MirroredPackage& package : *packages) {
    const auto* file = std::get_if<install::PackageFile>(&package.location);
    if (file == nullptr) continue;
    const std::string version = package.version.to_string();
    auto hashes = hashes_of(provider, version, package.platform, file->path);
    if (!hashes) continue;
    index[version][package.platform.to_string()] = {
        std::filesystem::path(file->path).filename().string(), std::move(*hashes)};
  }
  const auto written = install::write_mirror_index(folder_of(provider), index);
  if (!written) fail("Cannot write mirror index", provider, written.error().what);
}

void Mirror::mirror(const addrs::Provider& provider,
                    const std::vector<addrs::Constraint>& constraints,
                    const install::LockFile& lock) {
  progress_.item(fmt::format("Mirroring {}...", provider.for_display()));
  const auto version = select(provider, constraints, lock);
  if (!version) return;
  std::error_code failed;
  std::filesystem::create_directories(folder_of(provider), failed);
  if (failed) return fail("Cannot write to the mirror", provider, failed.message());
  for (const install::Platform& platform : platforms_) {
    if (!context_.cancellation.token().stop_requested()) download(provider, *version, platform);
  }
  write_index(provider);
}

void Mirror::run() {
  if (!read_arguments()) return;
  auto how = workdir::load_options(options_.configuration, context_.load, diags_);
  if (how) how->check_package_locks = false;
  const auto loaded = how ? workdir::load_configuration(*how, context_.load, diags_) : nullptr;
  const auto lock =
      loaded ? workdir::read_lock_for_providers(context_.sources, diags_) : std::nullopt;
  if (!lock) return;
  config::ProviderRequirements needed;
  config::add_requirements(loaded->tree, needed);
  const auto listening = context_.cancellation.listen();
  workdir::ProviderClients clients(context_.settings, context_.cancellation.token());
  const auto registry = workdir::direct_method(context_.settings, clients);
  clients_ = &clients;
  registry_ = registry.get();
  for (const auto& [provider, constraints] : needed) {
    if (provider.is_builtin()) {
      progress_.item(fmt::format("Skipping {} because it is built in to OpenTofu CLI",
                                 provider.for_display()));
    } else {
      mirror(provider, constraints, *lock);
    }
  }
  // Scripts go on to use the directory.
  std::error_code ignored;
  if (!diags_.has_errors() && !std::filesystem::is_directory(directory_, ignored)) {
    diags_.error("Nothing to mirror")
        .detail(fmt::format("The configuration requires no providers that can be mirrored, so the "
                            "directory {} was not created.",
                            directory_));
  }
}

int run_providers_mirror(const ProvidersMirrorOptions& options, cli::Session& session) {
  Context context(session, options);
  return cli::run_with_progress(options.json, context.terminal, context.environment(),
                                [&](cli::Progress& progress, diag::Diagnostics& diags) {
                                  Mirror(options, context, progress, diags).run();
                                });
}

}  // namespace

const cli::Command kProvidersMirrorCommand = {
    "providers mirror",
    "Download provider packages into a local mirror",
    "[options] DIR",
    "Downloads the packages of all required providers from their origin registries into DIR. Use "
    "the directory as filesystem_mirror in the CLI configuration, or serve it over HTTPS as a "
    "network_mirror.\n\nSelects the versions in the lock file, or the newest allowed versions if "
    "the lock file has none. Packages that DIR already has are kept.",
    cli::action<ProvidersMirrorOptions, run_providers_mirror>(),
    cli::Completes::Directories,
};

}  // namespace tofu::commands
