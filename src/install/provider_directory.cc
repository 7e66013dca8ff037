#include "install/provider_directory.h"

#include <fmt/format.h>
#include <utility>

#include "archive/tree_hash.h"
#include "base/file.h"

namespace tofu::install {

namespace {

// The hash of a package without files: it can never be a provider.
constexpr std::string_view kEmptyPackage = "h1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=";

}  // namespace

ProviderDirectory::ProviderDirectory(std::string path, Platform platform)
    : path_(std::move(path)), platform_(std::move(platform)) {}

std::string provider_path(const addrs::Provider& provider) {
  return fmt::format("{}/{}/{}", provider.host.for_display(), provider.space, provider.type);
}

std::string ProviderDirectory::package_path(const addrs::Provider& provider,
                                            const std::string& version) const {
  return fmt::format("{}/{}/{}/{}", path_, provider_path(provider), version, platform_.to_string());
}

std::optional<std::string> ProviderDirectory::find(const addrs::Provider& provider,
                                                   const std::string& version) const {
  std::string path = package_path(provider, version);
  const auto kind = base::file_kind(path);
  if (!kind || *kind != base::FileKind::Directory) return std::nullopt;
  return path;
}

base::Result<std::string> find_executable(const std::string& package,
                                          const addrs::Provider& provider) {
  const auto entries = base::list_directory(package);
  if (!entries) return entries.error();
  const std::string prefix = "terraform-provider-" + provider.type;
  for (const base::DirectoryEntry& entry : *entries) {
    if (entry.kind != base::FileKind::Regular || !entry.name.starts_with(prefix)) continue;
    const std::string_view rest = std::string_view(entry.name).substr(prefix.size());
    if (rest.empty() || rest.front() == '_' || rest.front() == '.') {
      return fmt::format("{}/{}", package, entry.name);
    }
  }
  return base::Error{fmt::format("it contains no file {}", prefix)};
}

base::Result<std::string> hash_package(const std::string& directory,
                                       const archive::HeldFile* held) {
  auto hash =
      archive::hash_tree(directory, archive::TreeContents::All, archive::FileLinks::Followed, held);
  if (hash && *hash == kEmptyPackage) return base::Error{"the package has no files"};
  return hash;
}

}  // namespace tofu::install
