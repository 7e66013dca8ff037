#include "install/module_finder.h"

#include <filesystem>
#include <fmt/format.h>
#include <variant>

#include "addrs/module_source.h"
#include "base/file.h"
#include "base/unicode.h"
#include "install/module_directory.h"

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
                          entry.source, addrs::for_display(*request.source), kRunInit))
      .at(request.source_range);
}

// Whether an installed version is still what the call asks for. A module without a
// version satisfies only a call without constraints.
bool version_fits(const config::ModuleRequest& request, const ManifestEntry& entry) {
  if (!request.version || request.version->empty()) return true;
  const auto installed = config::Version::parse(entry.version);
  return installed && request.version->allows(*installed);
}

void report_changed_version(const config::ModuleRequest& request, const ManifestEntry& entry,
                            diag::Diagnostics& diags) {
  if (version_fits(request, entry)) return;
  diags.error("Module version has changed")
      .detail(fmt::format("The installed version {:?} does not satisfy {}. {}", entry.version,
                          request.version->to_string(), kRunInit))
      .at(request.source_range);
}

// `./net` written in a module in `directory`, with links followed but still
// relative to the working directory.
std::optional<std::string> local_directory(const std::string& directory,
                                           const addrs::LocalSource& source) {
  const std::filesystem::path joined = std::filesystem::path(directory) / source.path;
  if (!is_directory(joined.string())) return std::nullopt;
  std::error_code failed;
  const auto here = std::filesystem::canonical(std::string(1, '.'), failed);
  const auto there = std::filesystem::canonical(joined, failed);
  if (failed) return std::nullopt;
  return there.lexically_relative(here).string();
}

}  // namespace

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
  return config::FoundModule{entry->directory, entry->version};
}

std::optional<config::ParsedFiles> InstalledModules::read(const config::ModuleRequest&,
                                                          const config::FoundModule& found,
                                                          diag::Diagnostics& diags) {
  return read_module_directory(found.directory, sources_, diags);
}

const ManifestEntry* ModuleInstaller::installed_before(const config::ModuleRequest& request) const {
  const ManifestEntry* entry = again_ ? nullptr : manifest_.find(request.path);
  if (entry == nullptr || entry->source != addrs::to_string(*request.source)) return nullptr;
  return version_fits(request, *entry) && is_directory(entry->directory) ? entry : nullptr;
}

std::optional<config::FoundModule> ModuleInstaller::find(const config::ModuleRequest& request,
                                                         diag::Diagnostics& diags) {
  // Reported already, as is a name that could not be part of a path.
  if (!request.source || !base::is_identifier(request.path.names.back())) return std::nullopt;
  if (const ManifestEntry* entry = installed_before(request)) {
    return config::FoundModule{entry->directory, entry->version};
  }
  manifest_.remove(request.path);
  const auto* local = std::get_if<addrs::LocalSource>(&*request.source);
  if (local == nullptr) {
    diags.error("Module source is not available")
        .detail(fmt::format("{} has the source {:?}. Only modules on this disk, with a source that "
                            "begins with ./ or ../, can be installed by this version.",
                            request.path.to_string(), addrs::for_display(*request.source)))
        .at(request.source_range);
    return std::nullopt;
  }
  if (request.version && !request.version->empty()) {
    diags.error("Invalid version constraint")
        .detail("A module on this disk has no version to choose from. Remove the version argument.")
        .at(request.call_range);
  }
  const auto directory = local_directory(request.parent_directory, *local);
  if (!directory) {
    diags.error("Unreadable module directory")
        .detail(fmt::format("{} leads to {}, which is not a directory that can be read.",
                            request.path.to_string(), local->path))
        .at(request.source_range);
    return std::nullopt;
  }
  manifest_.set(request.path, {addrs::to_string(*request.source), "", *directory});
  installed_(request.path, *directory);
  return config::FoundModule{*directory, ""};
}

std::optional<config::ParsedFiles> ModuleInstaller::read(const config::ModuleRequest&,
                                                         const config::FoundModule& found,
                                                         diag::Diagnostics& diags) {
  return read_module_directory(found.directory, sources_, diags);
}

}  // namespace tofu::install
