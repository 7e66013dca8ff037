#include "workdir/configuration.h"

#include <chrono>
#include <fmt/format.h>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "base/counted.h"
#include "base/file.h"
#include "cli/settings.h"
#include "diag/source.h"
#include "install/manifest.h"
#include "install/module_directory.h"
#include "install/module_finder.h"
#include "install/package_records.h"
#include "inventory/lock_check.h"
#include "workdir/load_context.h"
#include "workdir/version_mode.h"
#include "workdir/workspace.h"

namespace tofu::workdir {

namespace {

// Libraries of this disk, and in their absence those of another finder.
class WithOthers final : public symbols::LibraryFinder {
 public:
  WithOthers(symbols::LibraryFinder& here, symbols::LibraryFinder& others)
      : here_(here), others_(others) {}

  std::optional<symbols::LibraryPlace> locate(const symbols::LibraryRequest& request,
                                              diag::Diagnostics& diags) override {
    diag::Diagnostics problems;
    if (auto place = here_.locate(request, problems)) return place;
    diag::Diagnostics ignored;  // what is wrong here is what the author can mend
    if (auto place = others_.locate(request, ignored)) {
      from_others_.insert(place->path);
      return place;
    }
    diags.take(std::move(problems));
    return std::nullopt;
  }

  std::vector<std::unique_ptr<syntax::File>> read(const symbols::LibraryPlace& place,
                                                  diag::Diagnostics& diags) override {
    return from_others_.contains(place.path) ? others_.read(place, diags)
                                             : here_.read(place, diags);
  }

 private:
  symbols::LibraryFinder& here_;
  symbols::LibraryFinder& others_;
  std::set<std::string> from_others_;  // paths of places
};

config::StaticInputs static_inputs(const LoadOptions& options, Configuration& loaded,
                                   symbols::LibraryFinder& libraries, const LoadContext& context) {
  return {.root_variables = loaded.variables.as_given(),
          .facts = {.workspace = loaded.workspace,
                    .working_directory = context.environment().working_directory},
          .functions = &loaded.functions,
          .version_check = options.version_check,
          .own_versions = own_versions(),
          .libraries = &libraries,
          .settings_only = options.settings_only,
          .other_encryption = options.other_encryption};
}

void name_blocks(const config::Tree& tree, std::span<diag::Diagnostic> diagnostics) {
  for (const config::TreeNode& node : tree.nodes) node.module->name_blocks(diagnostics);
}

void warn_of_equivalence(const config::Tree& tree, config::Listing listing,
                         diag::SourceMap& sources, diag::Diagnostics& diags) {
  const std::size_t before = diags.size();
  config::warn_of_equivalence(tree.equivalent_versions, own_versions(), listing, sources, diags);
  if (diags.size() == before) return;
  name_blocks(tree, diags.items_from(before));
  for (const config::TestTree& test : tree.test_trees) {
    name_blocks(*test.tree, diags.items_from(before));
  }
}

void log_tree(const config::Tree& tree, std::chrono::steady_clock::duration took,
              const cli::Settings& settings) {
  for (const config::TreeNode& node : tree.nodes) {
    settings.log.trace([&] {
      return fmt::format("Loaded {} from {}",
                         node.path.is_root() ? "the root module" : node.path.to_string(),
                         node.directory);
    });
  }
  settings.log.debug([&] {
    return fmt::format("Loaded the configuration: {}, {} ms",
                       base::counted(tree.nodes.size(), "module"),
                       std::chrono::duration_cast<std::chrono::milliseconds>(took).count());
  });
}

functions::Environment with_console(functions::Environment environment, bool console) {
  environment.console = console;
  return environment;
}

}  // namespace

functions::Environment function_environment(const LoadContext& context,
                                            functions::FoundFiles* found_files) {
  const cli::Environment& environment = context.environment();
  functions::Environment out;
  out.stop = context.stop;
  out.found_files = found_files;
  out.home_directory = environment.variable("HOME");
  const auto here = base::real_path(std::string(1, '.'));
  out.working_directory = here ? *here : environment.working_directory;
  out.now = environment.now;
  out.plan_timestamp.emplace();  // there is no plan yet
  return out;
}

Configuration::Configuration(const LoadContext& context, bool console,
                             std::unique_ptr<functions::FoundFiles> found)
    : workspace(workspace_name(context.environment())),
      variables(context),
      found_files(std::move(found)),
      functions(with_console(function_environment(context, found_files.get()), console)),
      libraries(context.sources) {}

std::string manifest_path(const cli::Environment& environment) {
  return data_directory(environment) + "/modules/modules.json";
}

std::string packages_path(const cli::Environment& environment) {
  return data_directory(environment) + "/packages/packages.json";
}

diag::Checked<LoadOptions> load_options(const ConfigurationOptions& configuration,
                                        const LoadContext& context, diag::Diagnostics& diags) {
  const auto mode =
      version_check_mode(configuration.version_check, context.settings, context.sources, diags);
  if (!mode) return std::nullopt;
  LoadOptions options;
  options.variables = configuration.variables;
  options.version_check = *mode;
  options.deprecation = context.deprecation;
  return options;
}

diag::Checked<std::unique_ptr<Configuration>> load_configuration(
    const LoadOptions& options, config::ModuleFinder& finder, install::PackagedLibraries libraries,
    const LoadContext& context, diag::Diagnostics& diags) {
  context.settings.log.debug(
      [&] { return fmt::format("Loading the configuration in {}", options.directory); });
  if (!check_workspace(context.environment(), diags)) return nullptr;
  const auto start = std::chrono::steady_clock::now();
  auto loaded = std::make_unique<Configuration>(
      context, options.console,
      options.notes_files ? std::make_unique<functions::FoundFiles>() : nullptr);
  loaded->libraries.set_packages(std::move(libraries));
  if (!loaded->variables.collect(options.variables, diags)) return nullptr;
  diag::Diagnostics problems;
  auto files = install::read_module_directory(options.directory, context.sources, problems);
  if (files) {
    if (files->primary.empty() && files->overrides.empty()) {
      install::add_library_root(options.directory, *files, context.sources, problems);
    }
    if (options.test_directory && !options.test_directory->empty()) {
      files->tests = install::read_test_files(options.directory, *options.test_directory,
                                              context.sources, problems);
    }
    std::optional<WithOthers> with_others;
    if (options.other_libraries != nullptr) {
      with_others.emplace(loaded->libraries, *options.other_libraries);
    }
    symbols::LibraryFinder& library_finder =
        with_others ? static_cast<symbols::LibraryFinder&>(*with_others) : loaded->libraries;
    loaded->tree = config::link_modules(std::move(*files), finder,
                                        static_inputs(options, *loaded, library_finder, context),
                                        context.sources, problems);
    loaded->tree.keep_literals_forever();
    if (!loaded->tree.nodes.empty() && options.deprecation != eval::DeprecationLevel::None) {
      loaded->variables.warn_of_deprecation(*loaded->tree.root().module, problems);
    }
    if (options.equivalence) {
      warn_of_equivalence(loaded->tree, *options.equivalence, context.sources, problems);
    }
  }
  log_tree(loaded->tree, std::chrono::steady_clock::now() - start, context.settings);
  const bool failed = problems.has_errors();
  diags.take(std::move(problems));
  loaded->libraries.set_packages({});  // what it asks may end before the configuration does
  return failed ? nullptr : std::move(loaded);
}

diag::Checked<std::unique_ptr<Configuration>> load_configuration(const LoadOptions& options,
                                                                 const LoadContext& context,
                                                                 diag::Diagnostics& diags) {
  const std::string path = manifest_path(context.environment());
  context.settings.log.trace([&] { return fmt::format("Reading {}", path); });
  auto manifest = install::Manifest::read(path);
  if (!manifest) {
    diags.error("Cannot read the module manifest")
        .detail(fmt::format("Reading {} failed: {}. {} \"tofu init\" to write it again.", path,
                            manifest.error().what,
                            manifest.error().is_damaged ? "Run" : "Remove the file and run"));
    return nullptr;
  }
  auto records = install::PackageRecords::read(packages_path(context.environment()));
  install::InstalledModules installed(std::move(*manifest),
                                      records ? std::move(*records) : install::PackageRecords(),
                                      data_directory(context.environment()), context.sources);
  const std::size_t errors = diags.error_count();
  installed.read_root(diags);
  auto loaded = load_configuration(options, installed, install::packaged_libraries(installed),
                                   context, diags);
  if (loaded) loaded->packages = installed.packages();
  if (options.check_package_locks && !installed.packages().empty()) {
    const auto lock =
        install::LockFile::read(std::string(install::kLockFile), context.sources, diags);
    if (!lock || !inventory::check_lock(installed.packages(), *lock, diags)) return nullptr;
  }
  return diags.error_count() == errors ? std::move(loaded) : nullptr;
}

}  // namespace tofu::workdir
