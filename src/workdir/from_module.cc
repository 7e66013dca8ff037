#include "workdir/from_module.h"

#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <unistd.h>
#include <variant>

#include "addrs/module_source.h"
#include "base/file.h"
#include "cli/cancellation.h"
#include "cli/settings.h"
#include "fetch/source_query.h"
#include "install/lock_file.h"
#include "install/manifest.h"
#include "install/package_metadata_file.h"
#include "install/package_records.h"
#include "install/package_subdirectory.h"
#include "install/packages.h"
#include "workdir/configuration.h"
#include "workdir/module_clients.h"
#include "workdir/workspace.h"

namespace tofu::workdir {

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
  FromModule(cli::Progress& progress, const cli::Settings& settings,
             cli::Cancellation& cancellation, diag::Diagnostics& diags)
      : progress_(progress), settings_(settings), cancellation_(cancellation), diags_(diags) {}

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

  cli::Progress& progress_;
  const cli::Settings& settings_;
  cli::Cancellation& cancellation_;
  diag::Diagnostics& diags_;
};

bool FromModule::is_empty_here() {
  const auto entries = base::list_directory(std::string(1, '.'));
  if (!entries) return refuse(entries.error().what);
  for (const base::DirectoryEntry& entry : *entries) {
    if (entry.name == data_directory(settings_.environment)) continue;
    diags_.error("The working directory already contains files")
        .detail(fmt::format(
            "-from-module copies a module into an empty working directory, but this one contains "
            "{:?}. To initialize the existing configuration, omit -from-module.",
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
  auto contents = archive::TreeContents::All;
  if (const auto* local = std::get_if<addrs::LocalSource>(&source)) {
    package = local->path;
    contents = archive::TreeContents::Configuration;
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
      refuse(fmt::format("The package {} has no subdirectory {:?}", (*got)->record.label, inner));
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
  const std::string path = manifest_path(settings_.environment);
  if (auto written = base::write_file(path, manifest.text()); !written) {
    return refuse(fmt::format("Writing {} failed: {}", path, written.error().what));
  }
  return true;
}

bool FromModule::copy(const std::string& text) {
  if (!is_empty_here()) return false;
  const auto source = addrs::parse_module_source(text);
  if (!source)
    return refuse(fmt::format("The source {:?} is invalid: {}", fetch::without_secrets(text),
                              source.error().what));
  progress_.step(fmt::format("Copying configuration from {:?}...", fetch::without_secrets(text)));
  const auto listening = cancellation_.listen();
  const std::stop_token& stop = cancellation_.token();
  ModuleClients clients(settings_, stop);
  const install::PackageRecords none;
  const install::LockFile unlocked;
  install::Packages packages(
      {.data_directory = data_directory(settings_.environment)}, clients.registry, clients.fetcher,
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

diag::Checked<void> copy_from_module(const std::string& source, cli::Progress& progress,
                                     const cli::Settings& settings, cli::Cancellation& cancellation,
                                     diag::Diagnostics& diags) {
  return FromModule(progress, settings, cancellation, diags).copy(source);
}

}  // namespace tofu::workdir
