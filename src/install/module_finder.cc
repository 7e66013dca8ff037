#include "install/module_finder.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <utility>
#include <variant>

#include "addrs/module_source.h"
#include "archive/tree_contents.h"
#include "archive/tree_hash.h"
#include "fetch/source_query.h"
#include "install/module_directory.h"
#include "install/module_paths.h"
#include "install/package_fetcher.h"
#include "install/package_resolver.h"

namespace tofu::install {

namespace {

constexpr std::string_view kRunInit =
    "Run \"tofu init\" to install all modules of this configuration.";

bool has_other_source(const config::ModuleRequest& request, const ManifestEntry& entry) {
  return request.source && entry.source != addrs::to_string(*request.source);
}

void report_changed_source(const config::ModuleRequest& request, const ManifestEntry& entry,
                           diag::Diagnostics& diags) {
  if (!has_other_source(request, entry)) return;
  diags.error("Module source has changed")
      .detail(fmt::format("The module was installed from {:?}, but its source is {:?} now. {}",
                          fetch::without_secrets(entry.source),
                          addrs::for_display(without_secrets(*request.source)), kRunInit))
      .at(request.source_range);
}

void report_changed_version(const config::ModuleRequest& request, const ManifestEntry& entry,
                            diag::Diagnostics& diags) {
  if (version_fits(request, entry)) return;
  diags.error("Module version has changed")
      .detail(fmt::format("The installed version {:?} does not satisfy {}. {}", entry.version,
                          request.version->to_string(), kRunInit))
      .at(request.source_range);
}

}  // namespace

bool version_fits(const config::ModuleRequest& request, const ManifestEntry& entry) {
  if (!request.version || request.version->empty()) return true;
  const auto installed = addrs::Version::parse(entry.version);
  return installed && request.version->allows(*installed);
}

InstalledModules::InstalledModules(Manifest manifest, PackageRecords records,
                                   const std::string& data_directory, diag::SourceMap& sources)
    : manifest_(std::move(manifest)),
      records_(std::move(records)),
      entries_(data_directory + "/modules/"),
      packages_(data_directory + "/packages/"),
      sources_(sources),
      rules_(entries_, sources) {}

std::string InstalledModules::identity(const std::string& directory) {
  if (!directory.starts_with(entries_)) return {};
  const std::size_t end = std::min(directory.find('/', entries_.size()), directory.size());
  std::error_code failed;
  const auto target = std::filesystem::read_symlink(directory.substr(0, end), failed);
  return failed ? std::string() : target.string() + directory.substr(end);
}

const Origin* InstalledModules::stale_origin(const CallRecord& record) {
  const auto contents =
      record.package.empty() ? archive::TreeContents::Configuration : archive::TreeContents::All;
  for (const Origin& origin : record.origins) {
    const auto [known, is_new] = stale_.try_emplace(origin.directory + "\n" + origin.hash, false);
    if (is_new) {
      const auto now = archive::hash_tree(origin.directory, contents);
      known->second = !now || *now != origin.hash;
    }
    if (known->second) return &origin;
  }
  return nullptr;
}

bool InstalledModules::is_edited(const CallRecord& record) {
  const PackageRecord* package = records_.package(record.package);
  if (record.placement != Placement::Shared || package == nullptr || package->hash.empty()) {
    return false;
  }
  const auto [known, is_new] = edited_.try_emplace(record.package, false);
  if (is_new) {
    const auto now = archive::hash_tree(packages_ + record.package);
    known->second = !now || *now != package->hash;
  }
  return known->second;
}

bool InstalledModules::is_redirected(const CallRecord& record, const config::ModuleRequest& request,
                                     const std::string& directory) const {
  if (record.package.empty() || !directory.starts_with(entries_)) return false;
  const std::string own = directory.substr(0, directory.find('/', entries_.size()));
  std::error_code failed;
  switch (record.placement) {
    case Placement::Here: return false;
    case Placement::Own: {
      if (!std::filesystem::is_symlink(own, failed)) return false;
      // The first call of a directory on this disk sees it as it is.
      const auto source = request.source ? directory_on_disk(*request.source) : std::nullopt;
      return !source || !std::filesystem::equivalent(own, *source, failed);
    }
    case Placement::Shared: break;
  }
  if (std::filesystem::equivalent(own, packages_ + record.package, failed)) return false;
  // Where the directory was copied without links, its files have to be those of the package.
  const PackageRecord* package = records_.package(record.package);
  if (package == nullptr || package->hash.empty()) return true;
  const auto now = archive::hash_tree(own);
  return !now || *now != package->hash;
}

// Where a module is follows from its call. A list of modules that says otherwise was not written by
// "init", or for another configuration.
bool InstalledModules::is_in_place(const config::ModuleRequest& request,
                                   const ManifestEntry& entry) const {
  const std::string directory = clean(entry.directory);
  const std::string own = clean(entries_);
  if (directory != own && is_at_or_below(directory, own)) return true;
  if (!request.source) return true;
  const auto real = without_links(entry.directory);
  const auto leads_to = [&](const std::string& path, bool or_below) {
    const auto other = without_links(path);
    return real && other && (*real == *other || (or_below && is_at_or_below(*real, *other)));
  };
  const auto* local = std::get_if<addrs::LocalSource>(&*request.source);
  if (local == nullptr) return leads_to(entries_, true) || leads_to(packages_, true);
  const std::string from = request.parent_directory + "/" + local->path;
  return directory == clean(from) || leads_to(from, false);
}

LibraryHome InstalledModules::library_home(const std::string& directory) const {
  if (!directory.starts_with(entries_)) return library_home_in(directory, packages_);
  LibraryHome home = library_home_in(directory, entries_);
  const CallRecord* record = records_.call(home.package.substr(entries_.size()));
  const bool is_local_copy =
      record != nullptr && record->placement == Placement::Own && record->package.empty();
  if (!is_local_copy) return home;
  return {std::filesystem::path(directory).lexically_relative(home.package).string(), ""};
}

namespace {

// The record is a file in the working directory, which may say anything.
bool stays_in_packages(const LibraryRecord& record) {
  const std::string& name = record.package;
  if (name.empty() || name == "." || name == ".." || name.find('/') != name.npos) return false;
  const std::filesystem::path subdir(record.subdir);
  return subdir.is_relative() && std::ranges::find(subdir, "..") == subdir.end();
}

}  // namespace

void InstalledModules::note_use(PackageUse use, std::string user) const {
  const auto [at, is_new] = use_of_.try_emplace({use.package, use.directory}, uses_.size());
  if (is_new) uses_.push_back(std::move(use));
  uses_[at->second].users.push_back(std::move(user));
}

std::optional<std::string> InstalledModules::find_library(const symbols::LibraryRequest& request,
                                                          diag::Diagnostics& diags) const {
  const LibraryRecord* record =
      records_.library(library_key(addrs::to_string(without_secrets(request.source)),
                                   request.version ? request.version->to_string() : ""));
  const std::string path =
      record == nullptr || !stays_in_packages(*record) ? "" : packages_ + record->package;
  if (!path.empty() && is_directory(path)) {
    const PackageRecord* package = records_.package(record->package, package_label(request.source));
    const std::string hash = package == nullptr ? "" : package->hash;
    if (package != nullptr) {
      note_use({*package, true, path},
               fmt::format("symbols {:?} in {}", request.name, request.parent_directory));
    }
    const auto now = archive::hash_tree(path);
    if (!hash.empty() && (!now || *now != hash)) {
      diags.error("Symbol library has changed")
          .detail(fmt::format("The files of the symbol library {:?} are not those that were "
                              "installed: they were edited or damaged in {:?}. {}",
                              request.name, path, kRunInit))
          .at(request.source_range);
      return std::nullopt;
    }
    return record->subdir.empty() ? path : path + "/" + record->subdir;
  }
  diags.error("Symbol library not installed")
      .detail(fmt::format("The symbol library {:?} from {} is not installed yet. Run \"tofu init\" "
                          "to install all modules and libraries of this configuration.",
                          request.name, addrs::for_display(without_secrets(request.source))))
      .at(request.source_range);
  return std::nullopt;
}

PackagedLibraries packaged_libraries(const InstalledModules& installed) {
  return {.find = [&installed](
                      const symbols::LibraryRequest& request,
                      diag::Diagnostics& diags) { return installed.find_library(request, diags); },
          .home = [&installed](
                      const std::string& directory) { return installed.library_home(directory); }};
}

std::optional<config::FoundModule> InstalledModules::find(const config::ModuleRequest& request,
                                                          diag::Diagnostics& diags) {
  const ManifestEntry* entry = manifest_.find(request.path);
  if (entry == nullptr) {
    diags.error("Module not installed")
        .detail(fmt::format("{} is not installed yet. {}", request.path.to_string(), kRunInit))
        .at(request.call_range);
    return std::nullopt;
  }
  if (!is_directory(entry->directory)) {
    diags.error("Module not installed")
        .detail(fmt::format("The files of {} are no longer at {:?}. {}", request.path.to_string(),
                            entry->directory, kRunInit))
        .at(request.call_range);
    return std::nullopt;
  }
  if (!has_other_source(request, *entry) && !is_in_place(request, *entry)) {
    diags.error("Module not installed")
        .detail(fmt::format("The list of installed modules has {} at {:?}, which is not where its "
                            "source leads. {}",
                            request.path.to_string(), entry->directory, kRunInit))
        .at(request.call_range);
    return std::nullopt;
  }
  report_changed_source(request, *entry, diags);
  report_changed_version(request, *entry, diags);
  const CallRecord* record = records_.call(manifest_key(request.path));
  if (const Origin* stale = record == nullptr ? nullptr : stale_origin(*record)) {
    diags.error("Module has changed")
        .detail(fmt::format("{} works on a copy of {}, which has changed since the copy was made. "
                            "{}",
                            request.path.to_string(), stale->directory, kRunInit))
        .at(request.call_range);
  }
  if (record != nullptr && !has_other_source(request, *entry) &&
      is_redirected(*record, request, entry->directory)) {
    diags.error("Module has changed")
        .detail(fmt::format("The files of {} were installed for {}, but {:?} leads to others now. "
                            "{}",
                            record->label, request.path.to_string(), entry->directory, kRunInit))
        .at(request.call_range);
  } else if (record != nullptr && is_edited(*record)) {
    diags.error("Module has changed")
        .detail(fmt::format("The files of {}, which {} uses, are not those that were installed: "
                            "they were edited or damaged in {:?}. {}",
                            record->label, request.path.to_string(), packages_ + record->package,
                            kRunInit))
        .at(request.call_range);
  }
  if (record != nullptr && record->placement != Placement::Here && !record->package.empty()) {
    const PackageRecord* package = records_.package(record->package, record->label, entry->version);
    const bool is_shared = record->placement == Placement::Shared;
    const std::string directory =
        is_shared ? packages_ + record->package : entries_ + manifest_key(request.path);
    if (package != nullptr) note_use({*package, is_shared, directory}, request.path.to_string());
  }
  rules_.check(request, *entry, diags);
  return config::FoundModule{entry->directory, entry->version, identity(entry->directory)};
}

std::optional<config::ParsedFiles> InstalledModules::read(const config::ModuleRequest&,
                                                          const config::FoundModule& found,
                                                          diag::Diagnostics& diags) {
  return read_module_directory(found.directory, sources_, diags);
}

}  // namespace tofu::install
