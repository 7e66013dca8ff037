#include "workdir/standalone_library.h"

#include <filesystem>
#include <optional>
#include <utility>

#include "addrs/module_source.h"
#include "cli/environment.h"
#include "diag/source.h"
#include "workdir/root_module.h"

namespace tofu::workdir {

namespace {

// `path` as the source of a symbols block in this directory would be.
std::string as_source(const std::string& path) {
  std::error_code ignored;
  const auto relative = std::filesystem::path(path).is_absolute()
                            ? std::filesystem::relative(path, ignored)
                            : std::filesystem::path(path);
  return "./" + relative.lexically_normal().string();
}

}  // namespace

StandaloneLibraries::StandaloneLibraries(const cli::Environment& environment,
                                         diag::SourceMap& sources)
    : environment_(environment),
      sources_(sources),
      installed_(installed_modules(environment, sources)),
      finder_(sources),
      libraries_(&finder_, sources) {
  finder_.set_packages(install::packaged_libraries(installed_));
}

diag::Checked<const symbols::Library*> StandaloneLibraries::load(const std::string& path,
                                                                 std::string_view asked_by,
                                                                 diag::Diagnostics& diags) {
  const diag::FileId given = sources_.add("<" + std::string(asked_by) + ">", path);
  const diag::SourceRange place{given, 0, static_cast<std::uint32_t>(path.size())};
  const symbols::LibraryRequest request{.name = path,
                                        .source = addrs::LocalSource{as_source(path)},
                                        .version = std::nullopt,
                                        .parent_directory = std::string(1, '.'),
                                        .block_range = place,
                                        .source_range = place};
  const std::size_t errors = diags.error_count();
  const symbols::Library* library = libraries_.load(request, diags);
  return diags.error_count() == errors ? library : nullptr;
}

void check_examples(const symbols::LibrarySet& libraries, const cli::Environment& environment,
                    diag::Diagnostics& diags) {
  const std::string installed = data_directory(environment) + "/";
  libraries.check_examples(
      [&](const symbols::Library& library) {
        return !library.path.starts_with(installed) &&
               library.path.find("/" + installed) == std::string::npos;
      },
      diags);
}

bool check_libraries_in(const std::string& directory, const symbols::LibrarySet* checked,
                        const cli::Environment& environment, diag::SourceMap& sources,
                        diag::Diagnostics& diags) {
  const std::vector<std::string> paths = install::libraries_in(directory);
  if (paths.empty()) return false;
  StandaloneLibraries libraries(environment, sources);
  for (const std::string& path : paths) {
    if (checked == nullptr || !checked->contains(path)) {
      (void)libraries.load(path, "directory", diags);
    }
  }
  check_examples(libraries.set(), environment, diags);
  return true;
}

}  // namespace tofu::workdir
