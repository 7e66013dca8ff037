#include "commands/from_module.h"

#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <unistd.h>
#include <variant>

#include "addrs/module_source.h"
#include "base/file.h"
#include "commands/configuration.h"
#include "commands/package_doors.h"
#include "commands/workspace.h"
#include "install/lock_file.h"
#include "install/manifest.h"
#include "install/package_metadata_file.h"
#include "install/package_records.h"
#include "install/package_subdirectory.h"
#include "install/packages.h"
#include "transport/source_query.h"

namespace tofu::commands {

namespace {

// Moves everything in `from` into the working directory, which has nothing of it.
base::Result<void> move_here(const std::string& from) {
  const auto entries = base::list_directory(from);
  if (!entries) return entries.error();
  for (const base::DirectoryEntry& entry : *entries) {
    std::error_code failed;
    std::filesystem::rename(from + "/" + entry.name, entry.name, failed);
    if (failed) return base::Error{fmt::format("{:?}: {}", entry.name, failed.message())};
  }
  return {};
}

class FromModule {
 public:
  FromModule(Progress& progress, World& world, diag::Diagnostics& diags)
      : progress_(progress), world_(world), diags_(diags) {}

  bool copy(const std::string& text);

 private:
  bool is_empty_here();
  bool record_root();
  // A fresh copy of the module, in the store.
  std::optional<std::string> copy_into_store(const addrs::ModuleSource& source,
                                             install::Packages& packages,
                                             const std::stop_token& stop);
  bool refuse(std::string_view detail) {
    diags_.error("Cannot copy the module").detail(fmt::format("{}.", detail));
    return false;
  }

  Progress& progress_;
  World& world_;
  diag::Diagnostics& diags_;
};

bool FromModule::is_empty_here() {
  const auto entries = base::list_directory(std::string(1, '.'));
  if (!entries) return refuse(entries.error().what);
  for (const base::DirectoryEntry& entry : *entries) {
    if (entry.name == data_directory(world_.environment)) continue;
    diags_.error("The working directory already contains files")
        .detail(
            fmt::format("With -from-module a module is copied into the working directory, which "
                        "has to be empty, but there is {:?}. To initialise what is there, omit "
                        "-from-module.",
                        entry.name));
    return false;
  }
  return true;
}

std::optional<std::string> FromModule::copy_into_store(const addrs::ModuleSource& source,
                                                       install::Packages& packages,
                                                       const std::stop_token& stop) {
  std::string package;
  std::string subdir;
  auto contents = transport::TreeContents::All;
  if (const auto* local = std::get_if<addrs::LocalSource>(&source)) {
    package = local->path;
    contents = transport::TreeContents::Configuration;
  } else {
    const auto got = packages.get({.source = source, .asked_by = "root"});
    if (!got) {
      diags_.error(got.error().summary).detail(got.error().detail);
      return std::nullopt;
    }
    const auto* registry = std::get_if<addrs::RegistrySource>(&source);
    const std::string& inner =
        registry != nullptr ? registry->subdir : std::get<addrs::RemoteSource>(source).subdir;
    package = (*got)->files;
    const auto found = install::find_subdir(package, (*got)->record.subdir, inner);
    if (!found || install::look_in_package(package, *found) != config::PathInPackage::Directory) {
      refuse(fmt::format("The package {} has no directory {:?}", (*got)->record.label, inner));
      return std::nullopt;
    }
    subdir = *found;
  }
  const std::string fresh = packages.store().temporary_path();
  if (auto copied = install::copy_subdirectory(package, subdir, fresh, contents, {}, stop);
      !copied) {
    refuse(fmt::format("Copying {} failed: {}", subdir.empty() ? package : package + "/" + subdir,
                       copied.error().what));
    return std::nullopt;
  }
  return fresh;
}

// The directory has a root module now, and nothing of what it calls is installed.
bool FromModule::record_root() {
  install::Manifest manifest;
  manifest.set({}, {"", "", std::string(1, '.')});
  const std::string path = manifest_path(world_.environment);
  if (auto written = base::write_file(path, manifest.text()); !written) {
    return refuse(fmt::format("Writing {} failed: {}", path, written.error().what));
  }
  return true;
}

bool FromModule::copy(const std::string& text) {
  if (!is_empty_here()) return false;
  const auto source = addrs::parse_module_source(text);
  if (!source)
    return refuse(fmt::format("The source {:?} is not right: {}", transport::without_secrets(text),
                              source.error().what));
  progress_.step(
      fmt::format("Copying configuration from {:?}...", transport::without_secrets(text)));
  const auto listening = world_.interrupts.listen();
  const std::stop_token& stop = world_.interrupts.token();
  PackageDoors doors(world_, stop);
  const install::PackageRecords none;
  const install::LockFile unlocked;
  install::Packages packages(
      {.data_directory = data_directory(world_.environment)}, doors.registry, doors.fetcher,
      unlocked, none,
      {.fetching =
           [&](const std::string& label, const std::string& version, const std::string&) {
             progress_.line(
                 fmt::format("Downloading {}{}{}...", label, version.empty() ? "" : " ", version));
           }},
      stop);
  if (auto opened = packages.store().open(stop); !opened) {
    return refuse(opened.error().what);
  }
  const auto copy = copy_into_store(*source, packages, stop);
  bool done = copy.has_value();
  if (copy) {
    if (auto moved = move_here(*copy); !moved) done = refuse(moved.error().what);
  }
  packages.store().remove_others({});
  return done && record_root();
}

}  // namespace

bool copy_from_module(const std::string& source, Progress& progress, World& world,
                      diag::Diagnostics& diags) {
  return FromModule(progress, world, diags).copy(source);
}

}  // namespace tofu::commands
