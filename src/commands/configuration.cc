#include "commands/configuration.h"

#include <chrono>
#include <cstdint>
#include <fmt/format.h>
#include <span>
#include <utility>

#include "base/file.h"
#include "base/memory.h"
#include "commands/version_mode.h"
#include "commands/workspace.h"
#include "install/manifest.h"
#include "install/module_directory.h"
#include "install/module_finder.h"
#include "install/package_records.h"

namespace tofu::commands {

namespace {

config::StaticInputs static_inputs(const LoadOptions& options, Configuration& loaded,
                                   const World& world) {
  return {.root_variables = loaded.variables.as_given(),
          .facts = {.workspace = loaded.workspace,
                    .working_directory = world.environment.working_directory},
          .functions = &loaded.functions,
          .version_check = options.version_check,
          .own_versions = own_versions(),
          .libraries = &loaded.libraries};
}

void name_blocks(const config::Tree& tree, std::span<diag::Diagnostic> diagnostics) {
  for (const config::TreeNode& node : tree.nodes) node.module->name_blocks(diagnostics);
}

void warn_of_equivalence(const config::Tree& tree, config::Listing listing, const World& world,
                         diag::Diagnostics& diags) {
  const std::size_t before = diags.size();
  config::warn_of_equivalence(tree.equivalent_versions, own_versions(), listing, world.sources,
                              diags);
  if (diags.size() == before) return;
  name_blocks(tree, diags.items_from(before));
  for (const config::TestTree& test : tree.test_trees) {
    name_blocks(*test.tree, diags.items_from(before));
  }
}

void log_tree(const config::Tree& tree, std::chrono::steady_clock::duration took,
              const World& world) {
  for (const config::TreeNode& node : tree.nodes) {
    world.log.trace([&] {
      return fmt::format("Loaded {} from {}",
                         node.path.is_root() ? "the root module" : node.path.to_string(),
                         node.directory);
    });
  }
  world.log.debug([&] {
    return fmt::format("Loaded the configuration: {} modules, {} ms", tree.nodes.size(),
                       std::chrono::duration_cast<std::chrono::milliseconds>(took).count());
  });
}

functions::Environment with_console(functions::Environment environment, bool console) {
  environment.console = console;
  return environment;
}

}  // namespace

functions::Environment function_environment(const Environment& environment,
                                            functions::FoundFiles* found_files) {
  functions::Environment out;
  out.found_files = found_files;
  out.home_directory = environment.variable("HOME");
  const auto here = base::real_path(std::string(1, '.'));
  out.working_directory = here ? *here : environment.working_directory;
  out.now = environment.now;
  out.plan_timestamp.emplace();  // there is no plan yet
  return out;
}

Configuration::Configuration(World& world, bool console,
                             std::unique_ptr<functions::FoundFiles> found)
    : workspace(workspace_name(world.environment)),
      variables(world),
      found_files(std::move(found)),
      functions(with_console(function_environment(world.environment, found_files.get()), console)),
      libraries(world.sources) {}

std::string manifest_path(const Environment& environment) {
  return data_directory(environment) + "/modules/modules.json";
}

std::string packages_path(const Environment& environment) {
  return data_directory(environment) + "/packages/packages.json";
}

std::optional<LoadOptions> load_options(const ConfigurationOptions& configuration,
                                        const World& world, diag::Diagnostics& diags) {
  const auto mode = version_check_mode(configuration.version_check, world, diags);
  if (!mode) return std::nullopt;
  LoadOptions options;
  options.variables = configuration.variables;
  options.version_check = *mode;
  options.deprecation = world.view.deprecation;
  return options;
}

std::unique_ptr<Configuration> load_configuration(const LoadOptions& options,
                                                  config::ModuleFinder& finder,
                                                  install::PackagedLibraries libraries,
                                                  World& world, diag::Diagnostics& diags) {
  world.log.debug(
      [&] { return fmt::format("Loading the configuration in {}", options.directory); });
  const auto start = std::chrono::steady_clock::now();
  // What a configuration takes until it is planned, for each byte of it, if its blocks are small.
  constexpr std::uint64_t kMemoryPerByte = 48;
  base::MemoryAhead memory(
      static_cast<std::size_t>(kMemoryPerByte * install::configuration_bytes(options.directory)));
  auto loaded = std::make_unique<Configuration>(
      world, options.console,
      options.notes_files ? std::make_unique<functions::FoundFiles>() : nullptr);
  loaded->memory = std::move(memory);
  loaded->libraries.set_packages(std::move(libraries));
  if (!loaded->variables.collect(options.variables, diags)) return nullptr;
  diag::Diagnostics problems;
  auto files = install::read_module_directory(options.directory, world.sources, problems);
  if (files) {
    if (options.test_directory && !options.test_directory->empty()) {
      files->tests = install::read_test_files(options.directory, *options.test_directory,
                                              world.sources, problems);
    }
    loaded->tree = config::link_modules(
        std::move(*files), finder, static_inputs(options, *loaded, world), world.sources, problems);
    loaded->tree.keep_literals_forever();
    if (!loaded->tree.nodes.empty() && options.deprecation != eval::DeprecationLevel::None) {
      loaded->variables.warn_of_deprecation(*loaded->tree.root().module, problems);
    }
    if (options.equivalence) {
      warn_of_equivalence(loaded->tree, *options.equivalence, world, problems);
    }
  }
  log_tree(loaded->tree, std::chrono::steady_clock::now() - start, world);
  const bool failed = problems.has_errors();
  diags.take(std::move(problems));
  loaded->libraries.set_packages({});  // what it asks may end before the configuration does
  return failed ? nullptr : std::move(loaded);
}

std::unique_ptr<Configuration> load_configuration(const LoadOptions& options, World& world,
                                                  diag::Diagnostics& diags) {
  const std::string path = manifest_path(world.environment);
  world.log.trace([&] { return fmt::format("Reading {}", path); });
  auto manifest = install::Manifest::read(path);
  if (!manifest) {
    diags.error("Cannot read the record of installed modules")
        .detail(fmt::format("Reading {} failed: {}. {} \"tofu init\" to write it again.", path,
                            manifest.error().what,
                            manifest.error().is_damaged ? "Run" : "Remove the file and run"));
    return nullptr;
  }
  auto records = install::PackageRecords::read(packages_path(world.environment));
  install::InstalledModules installed(std::move(*manifest),
                                      records ? std::move(*records) : install::PackageRecords(),
                                      data_directory(world.environment), world.sources);
  const std::size_t errors = diags.error_count();
  installed.read_root(diags);
  auto loaded = load_configuration(
      options, installed,
      {.find =
           [&](const config::LibraryRequest& request, diag::Diagnostics& problems) {
             return installed.find_library(request, problems);
           },
       .home = [&](const std::string& directory) { return installed.library_home(directory); }},
      world, diags);
  return diags.error_count() == errors ? std::move(loaded) : nullptr;
}

}  // namespace tofu::commands
