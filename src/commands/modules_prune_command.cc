#include <chrono>
#include <fmt/format.h>
#include <string>
#include <vector>

#include "base/counted.h"
#include "base/file.h"
#include "cli/command.h"
#include "cli/flags.h"
#include "cli/option_groups.h"
#include "cli/progress.h"
#include "commands/context.h"
#include "commands/table.h"
#include "install/package_cache.h"
#include "workdir/module_clients.h"
#include "workdir/options.h"

namespace tofu::commands {

namespace {

struct ModulesPruneOptions {
  int unused_days = 30;
  bool dry_run = false;
  cli::JsonOptions json;
  workdir::ConfigurationOptions configuration;
  std::vector<std::string> arguments;

  void declare(cli::FlagSet& flags) {
    flags.add("dry-run", dry_run, {.help = "Only list the packages, without removing them."});
    flags.add("unused-days", unused_days, {.least = 0},
              {.value = "N",
               .help = "Remove packages that no installation has used for this many days. 30 by "
                       "default."});
    flags.include(json);
    flags.arguments(arguments);
  }
};

void prune(const ModulesPruneOptions& options, Context& context, cli::Progress& progress,
           diag::Diagnostics& diags) {
  if (!cli::check_no_arguments(options.arguments, diags)) return;
  const std::string directory = workdir::module_cache_directory(context.settings);
  if (directory.empty()) {
    diags.error("No module cache")
        .detail(
            "Set TF_MODULE_CACHE_DIR, or module_cache_dir in the CLI configuration, to the "
            "directory of the cache.");
    return;
  }
  const auto kind = base::file_kind(directory);
  if (kind && *kind == base::FileKind::Missing) {
    return progress.line(fmt::format("The module cache {} is empty.", directory));
  }
  const auto listening = context.cancellation.listen();
  install::PackageCache cache(directory, context.cancellation.token());
  const auto pruned = cache.prune(std::chrono::hours(24) * options.unused_days, options.dry_run);
  if (!pruned) {
    diags.error("Cannot prune the module cache")
        .detail(
            fmt::format("Removing packages from {} failed: {}.", directory, pruned.error().what));
    return;
  }
  for (const std::string& name : pruned->packages) progress.item(name);
  progress.line(fmt::format(
      "{} {} from {} ({}).", base::counted(pruned->packages.size(), "package"),
      options.dry_run ? "would be removed" : "removed", directory, cli::bytes_text(pruned->bytes)));
}

int run_modules_prune(const ModulesPruneOptions& options, cli::Session& session) {
  Context context(session, options);
  return cli::run_with_progress(options.json, context.terminal, context.environment(),
                                [&](cli::Progress& progress, diag::Diagnostics& diags) {
                                  prune(options, context, progress, diags);
                                });
}

}  // namespace

const cli::Command kModulesPruneCommand = {
    "modules prune",
    "Remove unused packages from the module cache",
    "[options]",
    "Removes packages from the directory that TF_MODULE_CACHE_DIR or module_cache_dir names if no "
    "\"tofu init\" has taken them from it for a while, and what interrupted runs left there. "
    "Working directories that still link to a removed package report it as not installed; \"tofu "
    "init\" installs it again.",
    cli::action<ModulesPruneOptions, run_modules_prune>(),
};

}  // namespace tofu::commands
