#include "commands/lone_library.h"

#include <filesystem>
#include <optional>
#include <utility>

#include "addrs/module_source.h"
#include "commands/configuration.h"
#include "commands/workspace.h"
#include "install/manifest.h"
#include "install/package_records.h"

namespace tofu::commands {

namespace {

// Records that cannot be read are treated as missing: what they would lead to is then
// reported as not installed.
install::InstalledModules installed_here(World& world) {
  auto records = install::PackageRecords::read(packages_path(world.environment));
  return {install::Manifest(), records ? std::move(*records) : install::PackageRecords(),
          data_directory(world.environment), world.sources};
}

// `path` as the source of a symbols block in this directory would be.
std::string as_source(const std::string& path) {
  std::error_code ignored;
  const auto relative = std::filesystem::path(path).is_absolute()
                            ? std::filesystem::relative(path, ignored)
                            : std::filesystem::path(path);
  return "./" + relative.lexically_normal().string();
}

}  // namespace

LoneLibraries::LoneLibraries(World& world)
    : world_(world),
      installed_(installed_here(world)),
      finder_(world.sources),
      libraries_(&finder_, world.sources) {
  finder_.set_packages(
      {.find =
           [this](const config::LibraryRequest& request, diag::Diagnostics& problems) {
             return installed_.find_library(request, problems);
           },
       .home =
           [this](const std::string& directory) { return installed_.library_home(directory); }});
}

const config::Library* LoneLibraries::load(const std::string& path, std::string_view asked_by,
                                           diag::Diagnostics& diags) {
  const diag::FileId given = world_.sources.add("<" + std::string(asked_by) + ">", path);
  const diag::SourceRange place{given, 0, static_cast<std::uint32_t>(path.size())};
  const config::LibraryRequest request{.name = path,
                                       .source = addrs::LocalSource{as_source(path)},
                                       .version = std::nullopt,
                                       .parent_directory = std::string(1, '.'),
                                       .block_range = place,
                                       .source_range = place};
  const std::size_t errors = diags.error_count();
  const config::Library* library = libraries_.load(request, diags);
  return diags.error_count() == errors ? library : nullptr;
}

bool check_libraries_in(const std::string& directory, const config::LibrarySet* checked,
                        World& world, diag::Diagnostics& diags) {
  const std::vector<std::string> paths = install::libraries_in(directory);
  if (paths.empty()) return false;
  LoneLibraries libraries(world);
  for (const std::string& path : paths) {
    if (checked == nullptr || !checked->contains(path)) {
      (void)libraries.load(path, "directory", diags);
    }
  }
  return true;
}

}  // namespace tofu::commands
