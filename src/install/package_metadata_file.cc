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
  return base::Error{fmt::format("{} directories of the package match {:?}; exactly one must match",
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

namespace {

// The file's text among the sources. Nothing if it is missing or an error was added.
std::optional<diag::FileId> add_file(const std::string& path, diag::SourceMap& sources,
                                     diag::Diagnostics& diags) {
  const auto kind = base::file_kind(path);
  if (kind && *kind == base::FileKind::Missing) return std::nullopt;
  auto text = base::read_file(path);
  if (text) return sources.add(path, std::move(*text));
  diags.error("Cannot read package metadata")
      .detail(fmt::format("Reading {} failed: {}.", path, text.error().what));
  return std::nullopt;
}

}  // namespace

std::optional<config::PackageMetadata> read_package_metadata(const std::string& directory,
                                                             diag::SourceMap& sources,
                                                             diag::Diagnostics& diags) {
  const auto prefix = directory == "." ? std::string() : directory + "/";
  const std::size_t errors = diags.error_count();
  const auto native = add_file(prefix + std::string(config::kPackageMetadataFile), sources, diags);
  const auto json =
      add_file(prefix + std::string(config::kPackageMetadataJsonFile), sources, diags);
  if (native && json) {
    diags.error("Two files with package metadata")
        .detail(fmt::format("{} exists too, and only one of the two can describe the package. "
                            "Merge them into one and remove the other.",
                            config::kPackageMetadataFile))
        .at({*json, 0, 0});
  }
  if (!native && !json) {
    if (diags.error_count() == errors) return std::nullopt;
    return config::PackageMetadata{};
  }
  const auto file = native ? syntax::parse_file(sources, *native, diags)
                           : syntax::parse_json_file(sources, *json, diags);
  if (!file) return config::PackageMetadata{};
  return config::declare_package(
      *file, [&](const std::string& inside) { return look_in_package(directory, inside); }, diags);
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
