#include "install/package_metadata_file.h"

#include <filesystem>
#include <fmt/format.h>
#include <fnmatch.h>
#include <utility>
#include <vector>

#include "base/file.h"
#include "syntax/parser.h"

namespace tofu::install {

namespace {

bool is_pattern(std::string_view part) {
  return part.find_first_of("*?[") != std::string_view::npos;
}

// The one directory in `directory` whose name matches.
base::Result<std::string> only_match(const std::string& directory, const std::string& pattern) {
  const auto entries = base::list_directory(directory);
  if (!entries) return entries.error();
  std::vector<std::string> matches;
  for (const base::DirectoryEntry& entry : *entries) {
    if (entry.kind != base::FileKind::Directory) continue;
    if (fnmatch(pattern.c_str(), entry.name.c_str(), FNM_PERIOD) == 0) {
      matches.push_back(entry.name);
    }
  }
  if (matches.size() == 1) return std::move(matches[0]);
  return base::Error{fmt::format("{} directories of the package match {:?}, and it has to be one",
                                 matches.size(), pattern)};
}

}  // namespace

config::PathInPackage look_in_package(const std::string& package, const std::string& path) {
  using enum config::PathInPackage;
  const std::string joined = (std::filesystem::path(package) / path).lexically_normal().string();
  const auto kind = base::file_kind(joined);
  if (!kind || *kind == base::FileKind::Missing) return Missing;
  const auto top = base::real_path(package);
  const auto there = base::real_path(joined);
  if (!top || !there) return Missing;
  if (*there != *top && !there->starts_with(*top + "/")) return Outside;
  return *kind == base::FileKind::Directory ? Directory : NotADirectory;
}

std::optional<config::PackageMetadata> read_package_metadata(const std::string& directory,
                                                             diag::SourceMap& sources,
                                                             diag::Diagnostics& diags) {
  const auto prefix = directory == "." ? std::string() : directory + "/";
  for (const std::string_view name :
       {config::kPackageMetadataFile, config::kPackageMetadataJsonFile}) {
    const std::string path = prefix + std::string(name);
    const auto kind = base::file_kind(path);
    if (kind && *kind == base::FileKind::Missing) continue;
    auto text = base::read_file(path);
    if (!text) {
      diags.error("Cannot read package metadata")
          .detail(fmt::format("Reading {} failed: {}.", path, text.error().what));
      return config::PackageMetadata{};
    }
    const diag::FileId id = sources.add(path, std::move(*text));
    const auto file = name.ends_with(".json") ? syntax::parse_json_file(sources, id, diags)
                                              : syntax::parse_file(sources, id, diags);
    if (!file) return config::PackageMetadata{};
    return config::declare_package(
        *file, [&](const std::string& inside) { return look_in_package(directory, inside); },
        diags);
  }
  return std::nullopt;
}

base::Result<std::string> find_subdir(const std::string& package, std::string_view outer,
                                      std::string_view inner) {
  const auto wanted = (std::filesystem::path(outer) / inner).lexically_normal();
  std::filesystem::path found;
  for (const auto& part : wanted) {
    const std::string name = part.string();
    if (name.empty() || name == ".") continue;
    if (!is_pattern(name)) {
      found /= name;
      continue;
    }
    auto match = only_match((package / found).string(), name);
    if (!match) return match;
    found /= *match;
  }
  return found.string();
}

}  // namespace tofu::install
