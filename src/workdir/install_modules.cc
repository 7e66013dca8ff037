#include "workdir/install_modules.h"

#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "cli/cancellation.h"
#include "install/lock_file.h"
#include "install/manifest.h"
#include "install/package_records.h"
#include "install/packages.h"
#include "inventory/package_changes.h"
#include "workdir/load_context.h"
#include "workdir/module_clients.h"
#include "workdir/workspace.h"

namespace tofu::workdir {

namespace {

// Says when the first module is asked for.
class Announced final : public config::ModuleFinder {
 public:
  Announced(config::ModuleFinder& finder, const std::function<void()>& begin)
      : finder_(finder), begin_(begin) {}

  void expect(const config::ModuleRequest& request) override {
    ask();
    finder_.expect(request);
  }
  std::optional<config::FoundModule> find(const config::ModuleRequest& request,
                                          diag::Diagnostics& diags) override {
    ask();
    return finder_.find(request, diags);
  }
  std::optional<config::ParsedFiles> read(const config::ModuleRequest& request,
                                          const config::FoundModule& found,
                                          diag::Diagnostics& diags) override {
    return finder_.read(request, found, diags);
  }
  void ask() {
    if (!std::exchange(asked_, true)) begin_();
  }
  bool was_asked() const { return asked_; }

 private:
  config::ModuleFinder& finder_;
  const std::function<void()>& begin_;
  bool asked_ = false;
};

void warn_of_damage(const std::string& path, std::string_view what, std::string_view problem,
                    diag::Diagnostics& diags) {
  diags.warning(fmt::format("Invalid record of installed {}", what))
      .detail(
          fmt::format("Reading {} failed: {}. All {} will be reinstalled and the file rewritten.",
                      path, problem, what));
}

// A damaged record is ignored: what it listed is installed again.
std::optional<install::Manifest> read_manifest(const std::string& path, diag::Diagnostics& diags) {
  auto manifest = install::Manifest::read(path);
  if (manifest) return std::move(*manifest);
  if (manifest.error().is_damaged) {
    warn_of_damage(path, "modules", manifest.error().what, diags);
    return install::Manifest();
  }
  diags.error("Cannot read the module manifest")
      .detail(fmt::format(
          "Reading {} failed: {}. Remove the file and run \"tofu init\" to reinstall all modules.",
          path, manifest.error().what));
  return std::nullopt;
}

install::PackageRecords read_packages(const std::string& path, diag::Diagnostics& diags) {
  auto records = install::PackageRecords::read(path);
  if (records) return std::move(*records);
  warn_of_damage(path, "packages", records.error().what, diags);
  return {};
}

void report_write(const base::Result<void>& written, std::string_view what, std::string_view path,
                  diag::Diagnostics& diags) {
  if (written) return;
  diags.error(fmt::format("Cannot write {}", what))
      .detail(fmt::format("Writing {} failed: {}.", path, written.error().what));
}

enum class Readers : std::uint8_t { All, Owner };

// A file that is right already is not touched.
base::Result<void> write_if_changed(const std::string& path, const std::string& text,
                                    Readers readers = Readers::All) {
  using std::filesystem::perms;
  constexpr perms kOthers = perms::group_all | perms::others_all;
  std::error_code unknown;
  const bool exposed = readers == Readers::Owner &&
                       (std::filesystem::status(path, unknown).permissions() & kOthers) != perms();
  if (const auto now = base::read_file(path); now && *now == text && !exposed) return {};
  std::error_code failed;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), failed);
  if (failed) return base::Error{failed.message()};
  if (readers == Readers::Owner) return base::write_private_file(path, text);
  return base::write_file(path, text);
}

// The lock as it should be now. What is known of a package from before, such as its
// hashes on other ways, is kept.
install::LockFile next_lock(const install::LockFile& before,
                            const std::vector<install::ModuleLock>& locks) {
  install::LockFile next = before;
  next.keep_modules([](const install::ModuleLock&) { return false; });
  for (install::ModuleLock lock : locks) {
    for (const install::ModuleLock* known : before.find_modules(lock.label)) {
      if (known->version != lock.version || !known->has_hash(lock.hashes.front())) continue;
      for (const std::string& hash : known->hashes) {
        if (!lock.has_hash(hash)) lock.hashes.push_back(hash);
      }
    }
    next.set_module(std::move(lock));
  }
  return next;
}

class ModuleInstallation {
 public:
  ModuleInstallation(const Installing& installing, cli::Progress& progress,
                     const LoadContext& context, cli::Cancellation& cancellation,
                     diag::Diagnostics& diags)
      : installing_(installing),
        progress_(progress),
        context_(context),
        cancellation_(cancellation),
        diags_(diags),
        data_(data_directory(context.environment())) {}

  InstalledConfiguration run();

 private:
  InstalledConfiguration install(install::Manifest manifest, const install::PackageRecords& before,
                                 const install::LockFile& lock);
  install::PackageHooks hooks();
  void write_records(const install::ModuleInstaller& installer,
                     const install::PackageRecords& before, bool any_modules);
  void report_changes(const install::ModuleInstaller& installer);
  void write_lock(const install::LockFile& before, const install::ModuleInstaller& installer);

  const Installing& installing_;
  cli::Progress& progress_;
  LoadContext context_;
  cli::Cancellation& cancellation_;
  diag::Diagnostics& diags_;
  std::string data_;
  std::string manifest_before_;
  std::optional<inventory::PackageChanges> changes_;
};

InstalledConfiguration ModuleInstallation::run() {
  auto manifest = read_manifest(manifest_path(context_.environment()), diags_);
  const install::PackageRecords records =
      read_packages(packages_path(context_.environment()), diags_);
  const auto lock =
      install::LockFile::read(std::string(install::kLockFile), context_.sources, diags_);
  if (!manifest || !lock) return {};
  manifest->set({}, {"", "", installing_.load.directory});
  manifest_before_ = manifest->text();
  // Without -upgrade, packages move where the lock file moved.
  changes_.emplace(*manifest, records, installing_.again);
  return install(std::move(*manifest), records, *lock);
}

install::PackageHooks ModuleInstallation::hooks() {
  return {.fetching =
              [this](const std::string& label, const std::string& version,
                     const std::string& asked_by) {
                context_.settings.log.debug(
                    [&] { return fmt::format("Fetching the package {} {}", label, version); });
                progress_.line(fmt::format("Downloading {}{}{} for {}...", label,
                                           version.empty() ? "" : " ", version, asked_by));
              },
          .repaired =
              [this](const std::string& label) {
                progress_.line(
                    fmt::format("The files of the package {} were modified. Reinstalling.", label));
              }};
}

InstalledConfiguration ModuleInstallation::install(install::Manifest manifest,
                                                   const install::PackageRecords& before,
                                                   const install::LockFile& lock) {
  const auto listening = cancellation_.listen();
  const std::stop_token& stop = cancellation_.token();
  ModuleClients clients(context_.settings, stop);
  install::Packages packages(
      {.data_directory = data_,
       .layers = package_layers(context_.settings, installing_.again, installing_.offline),
       .upgrade = installing_.again,
       .lock_is_readonly = installing_.lock_is_readonly},
      clients.registry, clients.fetcher, lock, before, hooks(), stop);
  install::ModuleInstaller installer(
      std::move(manifest), before, installing_.again, packages, context_.sources,
      [&](const addrs::ModulePath& module, const std::string& directory) {
        const std::string key = install::manifest_key(module);
        context_.settings.log.trace(
            [&] { return fmt::format("Installed {} in {}", key, directory); });
        progress_.item(fmt::format("{} in {}", key, directory),
                       fmt::format("installing {} in {}", key, directory));
      });
  const std::size_t errors = diags_.error_count();
  installer.read_root(diags_);
  Announced announced(installer, installing_.begin);
  InstalledConfiguration out;
  out.configuration = load_configuration(
      installing_.load, announced,
      {.find =
           [&](const symbols::LibraryRequest& request, diag::Diagnostics& diags) {
             announced.ask();
             return installer.find_library(request, diags);
           },
       .home = [&](const std::string& directory) { return installer.library_home(directory); }},
      context_, diags_);
  installer.finish(diags_.error_count() == errors, diags_);
  if (const std::string problem = packages.cache_problem(); !problem.empty()) {
    diags_.warning("Module cache is read-only")
        .detail(fmt::format("Fetched packages could not be added to the module cache: {}. They "
                            "were installed in this working directory only.",
                            problem));
  }
  write_records(installer, before, announced.was_asked());
  if (diags_.error_count() == errors) write_lock(lock, installer);
  if (diags_.error_count() != errors) out.configuration = nullptr;
  out.summary = installer.summary();
  // Also after errors: an argument that is gone is one of them.
  report_changes(installer);
  return out;
}

void ModuleInstallation::write_records(const install::ModuleInstaller& installer,
                                       const install::PackageRecords& before, bool any_modules) {
  const std::string manifest = manifest_path(context_.environment());
  if (any_modules || installer.manifest().text() != manifest_before_) {
    const auto readers = installer.manifest().has_secrets() ? Readers::Owner : Readers::All;
    report_write(write_if_changed(manifest, installer.manifest().text(), readers),
                 "the module manifest", manifest, diags_);
  }
  const std::string packages = packages_path(context_.environment());
  const std::string text = installer.records().text();
  if (text == before.text()) return;
  report_write(write_if_changed(packages, text), "the package record", packages, diags_);
}

void ModuleInstallation::report_changes(const install::ModuleInstaller& installer) {
  const auto changes = changes_->compare(installer.manifest(), installer.records());
  if (changes.empty()) return;
  progress_.line(fmt::format("{}\n{}",
                             installing_.again
                                 ? "Module packages that were upgraded:"
                                 : "Module packages that follow the lock file or their source:",
                             inventory::changes_text(changes)));
}

void ModuleInstallation::write_lock(const install::LockFile& before,
                                    const install::ModuleInstaller& installer) {
  // Everything that is installed is in it; what is not used any more does no harm.
  if (installing_.lock_is_readonly) return;
  const install::LockFile next = next_lock(before, installer.locks());
  if (next.same_as(before)) return;
  for (const std::string& line : inventory::lock_changes(before, next)) progress_.line(line);
  report_write(next.write(std::string(install::kLockFile)), "the lock file", install::kLockFile,
               diags_);
}

std::string counted(std::size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

}  // namespace

InstalledConfiguration install_modules(const Installing& installing, cli::Progress& progress,
                                       const LoadContext& context, cli::Cancellation& cancellation,
                                       diag::Diagnostics& diags) {
  return ModuleInstallation(installing, progress, context, cancellation, diags).run();
}

std::string summary_text(const install::InstallSummary& summary) {
  if (summary.fetched == 0 && summary.shared == 0 && summary.copied == 0) return {};
  std::string text = fmt::format("Module packages: {} fetched", summary.fetched);
  if (summary.shared > 0) {
    text += fmt::format(", {} shared by {}", summary.shared,
                        counted(summary.sharing_calls, "call", "calls"));
  }
  if (summary.copied > 0)
    text += fmt::format(", {} copied", counted(summary.copied, "copy", "copies"));
  if (summary.saved_bytes > 0) {
    text += fmt::format("; sharing saved {}", cli::bytes_text(summary.saved_bytes));
  }
  return text + ".";
}

}  // namespace tofu::workdir
