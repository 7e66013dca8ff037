#include "install/module_finder.h"

#include <filesystem>
#include <fmt/format.h>

#include "addrs/module_source.h"
#include "base/file.h"
#include "install/module_directory.h"

namespace tofu::install {

namespace {

constexpr std::string_view kRunInit =
    "Run \"tofu init\" to install all modules of this configuration.";

std::optional<config::FoundModule> read_found(const std::string& directory,
                                              const config::ModuleRequest& request,
                                              std::string version, diag::SourceMap& sources,
                                              diag::Diagnostics& diags) {
  if (!has_configuration(directory)) {
    diags.error("Module directory has no configuration")
        .detail(fmt::format("{} leads to {}, where there is no configuration file.",
                            request.path.to_string(), directory))
        .at(request.source_range);
    return std::nullopt;
  }
  auto files = read_module_directory(directory, sources, diags);
  if (!files) return std::nullopt;
  return config::FoundModule{std::move(*files), std::move(version)};
}

// `./net` written in a module in `directory`.
std::string local_directory(const std::string& directory, const addrs::LocalSource& source) {
  return (std::filesystem::path(directory) / source.path).lexically_normal().string();
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
  // Differences are reported, and the module as installed is still looked at.
  if (entry->source != addrs::for_display(request.source) &&
      entry->source != addrs::to_string(request.source)) {
    diags.error("Module source has changed")
        .detail(fmt::format("The module was installed from {:?}, but its source is {:?} now. {}",
                            entry->source, addrs::for_display(request.source), kRunInit))
        .at(request.source_range);
  }
  if (request.version) {
    const auto installed = config::Version::parse(entry->version);
    if (!installed || !request.version->allows(*installed)) {
      diags.error("Module version has changed")
          .detail(fmt::format("The installed version {:?} does not satisfy {}. {}", entry->version,
                              request.version->to_string(), kRunInit))
          .at(request.source_range);
    }
  }
  const std::string directory = entry->directory.empty() ? std::string(".") : entry->directory;
  if (!has_configuration(directory)) {
    diags.error("Module not installed")
        .detail(fmt::format("The files of {} are no longer at {}. {}", request.path.to_string(),
                            directory, kRunInit))
        .at(request.call_range);
    return std::nullopt;
  }
  return read_found(directory, request, entry->version, sources_, diags);
}

std::optional<config::FoundModule> ModuleInstaller::find(const config::ModuleRequest& request,
                                                         diag::Diagnostics& diags) {
  const auto* local = std::get_if<addrs::LocalSource>(&request.source);
  if (local == nullptr) {
    diags.error("Module source is not available")
        .detail(fmt::format("{} has the source {:?}. Only modules on this disk, with a source that "
                            "begins with ./ or ../, can be installed by this version.",
                            request.path.to_string(), addrs::for_display(request.source)))
        .at(request.source_range);
    return std::nullopt;
  }
  if (request.version) {
    diags.error("Invalid version constraint")
        .detail("A module on this disk has no version to choose from. Remove the version argument.")
        .at(request.source_range);
    return std::nullopt;
  }
  const std::string directory = local_directory(request.parent_directory, *local);
  const auto kind = base::file_kind(directory);
  if (!kind || *kind != base::FileKind::Directory) {
    diags.error("Unreadable module directory")
        .detail(fmt::format("{} leads to {}, which is not a directory.", request.path.to_string(),
                            directory))
        .at(request.source_range);
    return std::nullopt;
  }
  manifest_.set(request.path, {addrs::to_string(request.source), "", directory});
  installed_(listener_, request.path, directory);
  return read_found(directory, request, "", sources_, diags);
}

std::optional<config::FoundModule> ModulesBelow::find(const config::ModuleRequest& request,
                                                      diag::Diagnostics& diags) {
  config::ModuleRequest whole = request;
  whole.path = prefix_;
  for (const std::string& name : request.path.names) whole.path.names.push_back(name);
  return all_.find(whole, diags);
}

}  // namespace tofu::install
