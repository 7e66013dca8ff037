#include "install/selected_providers.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "archive/tree_hash.h"
#include "base/file.h"

namespace tofu::install {

namespace {

using Kind = SelectionProblem::Kind;

constexpr std::string_view kRunInit = "Run \"tofu init\" to install it.";

// A path that stays right when the program changes its working directory.
std::string absolute(const std::string& path) {
  std::error_code failed;
  const auto whole = std::filesystem::absolute(path, failed);
  return failed ? path : whole.lexically_normal().string();
}

bool has_directory(const std::string& path) {
  const auto kind = base::file_kind(path);
  return kind && *kind == base::FileKind::Directory;
}

}  // namespace

SelectedProviders::SelectedProviders(const std::string& data_directory, Platform platform,
                                     const LockFile& lock, ProviderOverrides overrides)
    : packages_(absolute(data_directory) + "/providers", std::move(platform)),
      overrides_(std::move(overrides)) {
  for (const auto& [address, locked] : lock.providers) {
    diag::Diagnostics unread;  // the lock file has checked addresses
    auto provider = addrs::parse_provider_source(address, std::nullopt, unread);
    if (provider) locks_.emplace(std::move(*provider), locked);
  }
}

std::map<addrs::Provider, std::string> SelectedProviders::versions() const {
  std::map<addrs::Provider, std::string> versions;
  for (const auto& [provider, lock] : locks_) versions[provider] = lock.version;
  for (const auto& [provider, directory] : overrides_) versions[provider] = {};
  return versions;
}

SelectedProviders::Answer SelectedProviders::find(const addrs::Provider& provider) const {
  const std::string name = provider.for_display();
  if (const auto override_ = overrides_.find(provider); override_ != overrides_.end()) {
    const std::string& directory = override_->second;
    if (has_directory(directory))
      return SelectedProvider{.provider = provider, .directory = directory};
    return SelectionProblem{
        Kind::NotInstalled,
        fmt::format("dev_overrides in the CLI configuration names {} for {}, which is not a "
                    "directory.",
                    directory, name)};
  }
  const auto locked = locks_.find(provider);
  if (locked == locks_.end()) {
    return SelectionProblem{Kind::NotLocked, fmt::format("The provider {} is not in {}. {}", name,
                                                         kLockFile, kRunInit)};
  }
  const std::string& version = locked->second.version;
  auto package = packages_.find(provider, version);
  if (!package) {
    return SelectionProblem{
        Kind::NotInstalled,
        fmt::format(
            "The provider {} {} is selected in {}, but no package for {} is installed in {}. {}",
            name, version, kLockFile, packages_.platform().to_string(), packages_.path(),
            kRunInit)};
  }
  return SelectedProvider{
      .provider = provider, .version = version, .directory = std::move(*package)};
}

base::Result<void, SelectionProblem> SelectedProviders::check_presence(
    const addrs::Provider& provider) const {
  auto found = find(provider);
  if (!found) return std::move(found).error();
  return {};
}

SelectedProviders::Answer SelectedProviders::check(SelectedProvider found) const {
  const std::string name = found.provider.for_display();
  const auto unusable = [&](const std::string& why) {
    return SelectionProblem{Kind::Unusable,
                            fmt::format("The package of the provider {} in {} cannot be used: {}.",
                                        name, found.directory, why)};
  };
  auto executable = find_executable(found.directory, found.provider);
  // A package without a program is reported after its hash was checked, since a wrong hash is the
  // reason.
  std::optional<archive::HeldFile> held;
  if (executable && !found.is_overridden()) {
    auto program = process::ProgramFile::open(*executable);
    if (!program) return unusable(program.error().what);
    found.program = std::move(*program);
    held = {executable->substr(executable->rfind('/') + 1), found.program->number()};
  }
  if (!found.is_overridden()) {
    auto hash = hash_package(found.directory, held ? &*held : nullptr);
    if (!hash) return unusable(hash.error().what);
    // OpenTofu runs any package if the lock has no hashes at all; here init has to add
    // one first.
    const auto& allowed = locks_.at(found.provider).hashes;
    if (std::ranges::find(allowed, *hash) == allowed.end()) {
      return SelectionProblem{
          Kind::NotAllowed,
          fmt::format("The package of the provider {} {} in {} has the hash {}, which is not among "
                      "those in {}. It was modified after it was installed, or comes from another "
                      "source. Run \"tofu init\" to install the provider again.",
                      name, found.version, found.directory, *hash, kLockFile)};
    }
    found.hash = std::move(*hash);
  }
  if (!executable) return unusable(executable.error().what);
  found.executable = std::move(*executable);
  return found;
}

SelectedProviders::Answer SelectedProviders::get(const addrs::Provider& provider) {
  return checked_.get(provider.to_string(), [&]() -> Answer {
    auto found = find(provider);
    if (!found) return found;
    return check(std::move(*found));
  });
}

}  // namespace tofu::install
