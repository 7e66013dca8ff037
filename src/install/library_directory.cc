#include "install/library_directory.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <string>
#include <utility>
#include <variant>

#include "addrs/module_source.h"
#include "base/file.h"
#include "base/ignored_file.h"
#include "config/files.h"
#include "install/module_directory.h"
#include "install/package_fetcher.h"
#include "symbols/library.h"

namespace tofu::install {

namespace {

std::optional<std::vector<std::string>> library_files(const std::string& directory) {
  const auto names = file_names(directory);
  if (!names) return std::nullopt;
  return symbols::choose_library_files(*names);
}

std::unique_ptr<syntax::File> read_library_file(const std::string& path, diag::SourceMap& sources,
                                                diag::Diagnostics& diags) {
  auto text = base::read_file(path);
  if (!text) {
    diags.error("Cannot read a symbol library")
        .detail(fmt::format("Reading {} failed: {}.", path, text.error().what));
    return nullptr;
  }
  const diag::FileId id = sources.add(path, std::move(*text));
  return path.ends_with(".json") ? syntax::parse_json_file(sources, id, diags)
                                 : syntax::parse_file(sources, id, diags);
}

// One library has one path, however its importers write it: ./lib and ./lib/.
std::filesystem::path clean_path(const std::string& directory, const std::string& source) {
  const auto path = (std::filesystem::path(directory) / source).lexically_normal();
  return path.has_filename() ? path : path.parent_path();
}

bool is_whole_library(std::string_view name) {
  return (name.ends_with(".tfsym.hcl") || name.ends_with(".tfsym.hcl.json")) &&
         !base::is_ignored_file(name);
}

// By its text, and if it is there also by what links in it lead to.
bool stays_inside(const std::filesystem::path& path, const std::string& package) {
  const std::string relative = path.lexically_relative(package).string();
  if (relative.empty() || relative == ".." || relative.starts_with("../")) return false;
  const auto top = base::real_path(package);
  const auto there = base::real_path(path.string());
  return !top || !there || *there == *top || there->starts_with(*top + "/");
}

}  // namespace

std::vector<std::string> libraries_in(const std::string& directory) {
  auto names = file_names(directory);
  if (!names) return {};
  std::vector<std::string> paths;
  const std::string clean = clean_path(directory, "./").string();
  if (!symbols::choose_library_files(*names).empty()) paths.push_back(clean);
  std::ranges::sort(*names);
  for (const std::string& name : *names) {
    if (is_whole_library(name)) paths.push_back(clean_path(clean, name).string());
  }
  return paths;
}

LibraryHome library_home_in(const std::string& directory, const std::string& holder) {
  if (!directory.starts_with(holder)) return {directory, ""};
  return {directory, directory.substr(0, directory.find('/', holder.size()))};
}

std::string import_key(const symbols::LibraryRequest& request) {
  return fmt::format("{}\n{}\n{}", request.parent_directory,
                     addrs::to_string(without_secrets(request.source)),
                     request.version ? request.version->to_string() : "");
}

std::optional<symbols::LibraryPlace> LibraryDirectories::locate(
    const symbols::LibraryRequest& request, diag::Diagnostics& diags) {
  auto place = find(request, diags);
  if (place) imports_.push_back({import_key(request), *place});
  return place;
}

std::optional<symbols::LibraryPlace> LibraryDirectories::find(
    const symbols::LibraryRequest& request, diag::Diagnostics& diags) {
  const auto refuse = [&](std::string_view summary, std::string detail) {
    diags.error(std::string(summary)).detail(std::move(detail)).at(request.source_range);
    return std::nullopt;
  };
  const auto* local = std::get_if<addrs::LocalSource>(&request.source);
  std::filesystem::path path;
  std::string package;
  if (local != nullptr) {
    LibraryHome home = packages_.home(request.parent_directory);
    path = clean_path(home.directory, local->path);
    package = std::move(home.package);
    if (!package.empty() && !stays_inside(path, package)) {
      return refuse("Symbol library path escapes its package",
                    fmt::format("The library {:?} has the source {:?}, which leads out of the "
                                "package. A package can use libraries that are in it or have an "
                                "address.",
                                request.name, local->path));
    }
  } else if (packages_.find) {
    const auto found = packages_.find(request, diags);
    if (!found) return std::nullopt;
    path = *found;
  } else {
    return refuse("Symbol library source is not available",
                  fmt::format("The library {:?} has the source {:?}. Only libraries on this disk, "
                              "with a source that begins with ./ or ../, can be used here.",
                              request.name, addrs::for_display(without_secrets(request.source))));
  }
  const auto kind = base::file_kind(path.string());
  if (kind && *kind == base::FileKind::Regular) {
    return symbols::LibraryPlace{path.string(), path.parent_path().string()};
  }
  const auto files = library_files(path.string());
  if (!files) {
    return refuse("Symbol library not found",
                  fmt::format("The directory or file {} of the library {:?} does not exist.",
                              path.string(), request.name));
  }
  if (files->empty()) {
    return refuse("Symbol library has no files",
                  fmt::format("The directory {} for the library {:?} has no file whose name ends "
                              "with .sym.hcl or .sym.hcl.json.",
                              path.string(), request.name));
  }
  return symbols::LibraryPlace{path.string(), path.string()};
}

std::vector<std::unique_ptr<syntax::File>> LibraryDirectories::read(
    const symbols::LibraryPlace& place, diag::Diagnostics& diags) {
  std::vector<std::string> paths{place.path};
  if (auto names = library_files(place.path)) {
    paths.clear();
    for (const std::string& name : *names) {
      paths.push_back((std::filesystem::path(place.path) / name).lexically_normal().string());
    }
  }
  std::vector<std::unique_ptr<syntax::File>> files;
  for (const std::string& path : paths) {
    auto file = read_library_file(path, sources_, diags);
    if (file == nullptr) continue;
    files_[place.path].push_back(file->id);
    files.push_back(std::move(file));
  }
  return files;
}

}  // namespace tofu::install
