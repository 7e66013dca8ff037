#include "install/filesystem_mirror.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "base/ascii.h"
#include "base/file.h"
#include "install/provider_directory.h"
#include "install/provider_versions.h"

namespace tofu::install {

namespace {

using Kind = MethodProblem::Kind;

struct PackedName {
  addrs::Version version;
  Platform platform;
};

// terraform-provider-TYPE_VERSION_OS_ARCH.zip, in whatever case.
std::optional<PackedName> read_packed_name(std::string name, const addrs::Provider& provider) {
  name = base::ascii_lower(name);
  const std::string prefix = fmt::format("terraform-provider-{}_", provider.type);
  constexpr std::string_view kSuffix = ".zip";
  if (!name.starts_with(prefix) || !name.ends_with(kSuffix)) return std::nullopt;
  std::string_view rest(name);
  rest.remove_prefix(prefix.size());
  rest.remove_suffix(std::min(kSuffix.size(), rest.size()));
  const std::size_t end = rest.find('_');
  if (end == std::string_view::npos) return std::nullopt;
  auto version = parse_provider_version(rest.substr(0, end));
  auto platform = Platform::parse(rest.substr(end + 1));
  if (!version || !platform) return std::nullopt;
  return PackedName{std::move(*version), std::move(*platform)};
}

}  // namespace

base::Result<std::vector<MirroredPackage>> FilesystemMirror::packages(
    const addrs::Provider& provider) const {
  // A missing mirror is an error; one without this provider is not.
  if (auto kind = base::file_kind(path_); !kind || *kind != base::FileKind::Directory) {
    return base::Error{fmt::format("the mirror {} is not a directory", path_)};
  }
  const std::string folder = fmt::format("{}/{}", path_, provider_path(provider));
  const auto entries = base::list_directory(folder);
  std::vector<MirroredPackage> found;
  if (!entries) {
    const auto kind = base::file_kind(folder);
    if (kind && *kind == base::FileKind::Missing) return found;
    return base::Error{fmt::format("reading {} failed: {}", folder, entries.error().what)};
  }
  for (const base::DirectoryEntry& entry : *entries) {
    const std::string path = fmt::format("{}/{}", folder, entry.name);
    if (entry.kind == base::FileKind::Regular) {
      if (auto packed = read_packed_name(entry.name, provider)) {
        found.push_back({packed->version, packed->platform, PackageFile{path}});
      }
      continue;
    }
    const auto version = parse_provider_version(entry.name);
    if (entry.kind != base::FileKind::Directory || !version) continue;
    const auto platforms = base::list_directory(path);
    if (!platforms) continue;
    for (const base::DirectoryEntry& each : *platforms) {
      const auto platform = Platform::parse(each.name);
      if (each.kind != base::FileKind::Directory || !platform) continue;
      const std::string package = fmt::format("{}/{}", path, each.name);
      found.push_back({*version, *platform, PackageDirectory{package}});
    }
  }
  return found;
}

bool FilesystemMirror::has(const addrs::Provider& provider) const {
  const auto found = packages(provider);
  return found && !found->empty();
}

base::Result<OfferedVersions, MethodProblem> FilesystemMirror::versions(
    const addrs::Provider& provider) {
  const auto found = packages(provider);
  if (!found) return MethodProblem{Kind::Failed, found.error().what};
  if (found->empty()) return MethodProblem{Kind::NotFound};
  OfferedVersions offered;
  for (const MirroredPackage& each : *found) {
    if (std::ranges::find(offered.versions, each.version) != offered.versions.end()) continue;
    offered.versions.push_back(each.version);
    if (each.version == addrs::Version(0, 0, 0)) {
      offered.warnings.push_back(
          fmt::format("The mirror {} has the version 0.0.0, which is never installed. To try a "
                      "provider that is not released, use dev_overrides of the CLI configuration.",
                      path_));
    }
  }
  return offered;
}

base::Result<PackageOffer, MethodProblem> FilesystemMirror::package(const addrs::Provider& provider,
                                                                    const addrs::Version& version,
                                                                    const Platform& platform) {
  auto found = packages(provider);
  if (!found) return MethodProblem{Kind::Failed, found.error().what};
  const auto match = std::ranges::find_if(*found, [&](const MirroredPackage& each) {
    return each.version == version && each.platform == platform;
  });
  if (match == found->end()) return MethodProblem{Kind::NoPackage};
  return PackageOffer{.location = std::move(match->location)};
}

std::string FilesystemMirror::for_display(const addrs::Provider&) const { return path_; }

}  // namespace tofu::install
