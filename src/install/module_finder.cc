#include "install/module_finder.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <utility>

#include "addrs/module_source.h"
#include "base/file.h"
#include "install/module_directory.h"
#include "install/package_fetcher.h"
#include "transport/source_query.h"
#include "transport/tree_contents.h"
#include "transport/tree_hash.h"

namespace tofu::install {

namespace {

constexpr std::string_view kRunInit =
    "Run \"tofu init\" to install all modules of this configuration.";

bool is_directory(const std::string& path) {
  const auto kind = base::file_kind(path);
  return kind && *kind == base::FileKind::Directory;
}

void report_changed_source(const config::ModuleRequest& request, const ManifestEntry& entry,
                           diag::Diagnostics& diags) {
  if (!request.source || entry.source == addrs::to_string(*request.source)) return;
  diags.error("Module source has changed")
      .detail(fmt::format("The module was installed from {:?}, but its source is {:?} now. {}",
                          transport::without_secrets(entry.source),
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
  const auto installed = config::Version::parse(entry.version);
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
  const auto contents = record.package.empty() ? transport::TreeContents::Configuration
                                               : transport::TreeContents::All;
  for (const Origin& origin : record.origins) {
    const auto [known, is_new] = stale_.try_emplace(origin.directory + "\n" + origin.hash, false);
    if (is_new) {
      const auto now = transport::hash_tree(origin.directory, contents);
      known->second = !now || *now != origin.hash;
    }
    if (known->second) return &origin;
  }
  return nullptr;
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

std::optional<std::string> InstalledModules::find_library(const config::LibraryRequest& request,
                                                          diag::Diagnostics& diags) const {
  const LibraryRecord* record =
      records_.library(library_key(addrs::to_string(without_secrets(request.source)),
                                   request.version ? request.version->to_string() : ""));
  const std::string path = record == nullptr ? "" : packages_ + record->package;
  if (record != nullptr && is_directory(path)) {
    return record->subdir.empty() ? path : path + "/" + record->subdir;
  }
  diags.error("Symbol library not installed")
      .detail(fmt::format("The symbol library {:?} from {} is not installed yet. Run \"tofu init\" "
                          "to install all modules and libraries of this configuration.",
                          request.name, addrs::for_display(without_secrets(request.source))))
      .at(request.source_range);
  return std::nullopt;
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
  rules_.check(request, *entry, diags);
  return config::FoundModule{entry->directory, entry->version, identity(entry->directory)};
}

std::optional<config::ParsedFiles> InstalledModules::read(const config::ModuleRequest&,
                                                          const config::FoundModule& found,
                                                          diag::Diagnostics& diags) {
  return read_module_directory(found.directory, sources_, diags);
}

}  // namespace tofu::install
