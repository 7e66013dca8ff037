#include "commands/install_modules.h"

#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <utility>

#include "install/manifest.h"
#include "install/module_finder.h"

namespace tofu::commands {

namespace {

// Says when the first module is asked for.
class Announced final : public config::ModuleFinder {
 public:
  Announced(config::ModuleFinder& finder, const std::function<void()>& begin)
      : finder_(finder), begin_(begin) {}

  std::optional<config::FoundModule> find(const config::ModuleRequest& request,
                                          diag::Diagnostics& diags) override {
    if (!std::exchange(asked_, true)) begin_();
    return finder_.find(request, diags);
  }
  std::optional<config::ParsedFiles> read(const config::ModuleRequest& request,
                                          const config::FoundModule& found,
                                          diag::Diagnostics& diags) override {
    return finder_.read(request, found, diags);
  }
  bool was_asked() const { return asked_; }

 private:
  config::ModuleFinder& finder_;
  const std::function<void()>& begin_;
  bool asked_ = false;
};

std::optional<install::Manifest> read_manifest(const std::string& path, diag::Diagnostics& diags) {
  auto manifest = install::Manifest::read(path);
  if (manifest) return std::move(*manifest);
  diags.error("Cannot read the record of installed modules")
      .detail(fmt::format("Reading {} failed: {}. Remove the file to install all modules anew.",
                          path, manifest.error().what));
  return std::nullopt;
}

void write_manifest(const install::Manifest& manifest, const std::string& path,
                    diag::Diagnostics& diags) {
  std::error_code failed;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), failed);
  std::string problem = failed ? failed.message() : "";
  if (!failed) {
    const auto written = manifest.write(path);
    if (!written) problem = written.error().what;
  }
  if (problem.empty()) return;
  diags.error("Cannot write the record of installed modules")
      .detail(fmt::format("Writing {} failed: {}.", path, problem));
}

}  // namespace

std::unique_ptr<Configuration> install_modules(const Installing& installing, const Flags& flags,
                                               Progress& progress, World& world,
                                               diag::Diagnostics& diags) {
  const std::string path = manifest_path(world.environment);
  auto before = read_manifest(path, diags);
  if (!before) return nullptr;
  before->set({}, {"", "", installing.load.directory});
  install::ModuleInstaller installer(
      std::move(*before), installing.again, world.sources,
      [&](const addrs::ModulePath& module, const std::string& directory) {
        const std::string key = install::manifest_key(module);
        progress.item(fmt::format("{} in {}", key, directory),
                      fmt::format("installing {} in {}", key, directory));
      });
  Announced announced(installer, installing.begin);
  auto loaded = load_configuration(installing.load, flags, announced, world, diags);
  if (!announced.was_asked()) return loaded;
  const std::size_t errors = diags.error_count();
  write_manifest(installer.manifest(), path, diags);
  return diags.error_count() == errors ? std::move(loaded) : nullptr;
}

}  // namespace tofu::commands
