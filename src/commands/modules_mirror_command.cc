#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/file.h"
#include "cli/command.h"
#include "cli/flags.h"
#include "cli/option_groups.h"
#include "cli/progress.h"
#include "commands/context.h"
#include "commands/table.h"
#include "workdir/configuration.h"
#include "workdir/mirror_modules.h"
#include "workdir/module_clients.h"
#include "workdir/options.h"

namespace tofu::commands {

namespace {

struct ModulesMirrorOptions {
  cli::JsonOptions json;
  workdir::TestFileOptions tests;
  workdir::ConfigurationOptions configuration;
  std::vector<std::string> arguments;

  void declare(cli::FlagSet& flags) {
    flags.include(json);
    flags.include(tests);
    flags.include(configuration);
    flags.arguments(arguments);
  }
};

// Null after an error. The lock file has to be right: what it names is what the copy is of.
std::unique_ptr<workdir::Configuration> load(const ModulesMirrorOptions& options, Context& context,
                                             diag::Diagnostics& diags) {
  auto how = workdir::load_options(options.configuration, context.load, diags);
  if (!how) return nullptr;
  how->test_directory = options.tests.directory;
  auto loaded = workdir::load_configuration(*how, context.load, diags);
  if (!loaded || !loaded->packages.empty()) return loaded;
  diags.error("Nothing to mirror")
      .detail("The configuration uses no remote module packages or symbol libraries.");
  return nullptr;
}

void mirror(const ModulesMirrorOptions& options, Context& context, cli::Progress& progress,
            diag::Diagnostics& diags) {
  if (options.arguments.size() != 1) {
    diags.error("No output directory specified")
        .detail("Name one directory for the packages, as in \"tofu modules mirror ./mirror\".");
    return;
  }
  const auto loaded = load(options, context, diags);
  if (!loaded) return;
  (void)workdir::mirror_modules(*loaded, options.arguments[0], progress, context.load,
                                context.cancellation, diags);
}

// The files by which processes keep apart are of no use in a repository.
void remove_locks(const std::string& directory) {
  const auto entries = base::list_directory(directory);
  if (!entries) return;
  std::error_code ignored;
  for (const base::DirectoryEntry& entry : *entries) {
    if (entry.name.ends_with(".lock")) {
      std::filesystem::remove(directory + "/" + entry.name, ignored);
    }
  }
}

// Takes the place of what was vendored before when it is whole.
void vendor(const ModulesMirrorOptions& options, Context& context, cli::Progress& progress,
            diag::Diagnostics& diags) {
  if (!cli::check_no_arguments(options.arguments, diags)) return;
  const auto loaded = load(options, context, diags);
  if (!loaded) return;
  const std::string into(workdir::kVendorDirectory);
  const std::string fresh = into + ".new";
  const std::string old = into + ".old";
  const auto fail = [&](const base::Error& error) {
    diags.error("Cannot write vendored modules")
        .detail(fmt::format("Writing {} failed: {}.", into, error.what));
  };
  for (const std::string& left : {fresh, old}) {
    if (const auto gone = workdir::remove_packages(left); !gone) return fail(gone.error());
  }
  if (!workdir::mirror_modules(*loaded, fresh, progress, context.load, context.cancellation,
                               diags)) {
    (void)workdir::remove_packages(fresh).ok();
    return;
  }
  remove_locks(fresh);
  std::error_code failed;
  const bool is_there = std::filesystem::exists(into, failed);
  if (is_there) std::filesystem::rename(into, old, failed);
  if (!failed) std::filesystem::rename(fresh, into, failed);
  if (failed) return fail(base::Error{failed.message()});
  if (const auto gone = workdir::remove_packages(old); !gone) return fail(gone.error());
  progress.line(
      fmt::format("The packages are in {}. \"tofu init\" takes them from there. Commit the "
                  "directory together with the lock file.",
                  into));
}

template <auto work>
int run(const ModulesMirrorOptions& options, cli::Session& session) {
  Context context(session, options);
  return cli::run_with_progress(options.json, context.terminal, context.environment(),
                                [&](cli::Progress& progress, diag::Diagnostics& diags) {
                                  work(options, context, progress, diags);
                                });
}

}  // namespace

const cli::Command kModulesMirrorCommand = {
    "modules mirror",
    "Copy the module packages into a local mirror",
    "[options] DIR",
    "Copies the packages of all modules and symbol libraries that the configuration uses into DIR, "
    "in the states that are installed and locked. Use the directory as filesystem_mirror of "
    "module_installation in the CLI configuration, for machines that cannot reach the "
    "sources.\n\nThe directory must be initialized with \"tofu init\". Packages that DIR already "
    "has are kept, so one directory can serve many configurations.",
    cli::action<ModulesMirrorOptions, run<mirror>>(),
    cli::Completes::Directories,
};

const cli::Command kModulesVendorCommand = {
    "modules vendor",
    "Copy the module packages into the configuration itself",
    "[options]",
    "Copies the packages of all modules and symbol libraries that the configuration uses into "
    "vendor/modules. If this directory exists, \"tofu init\" installs packages from there and "
    "downloads only missing ones; \"tofu init -upgrade\" leaves it aside. Packages that are no "
    "longer used are removed from it.\n\nThe directory must be initialized with \"tofu init\".",
    cli::action<ModulesMirrorOptions, run<vendor>>(),
};

}  // namespace tofu::commands
