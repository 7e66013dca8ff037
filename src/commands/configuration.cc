#include "commands/configuration.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <string_view>
#include <utility>

#include "base/file.h"
#include "commands/version_mode.h"
#include "commands/workspace.h"
#include "install/manifest.h"
#include "install/module_directory.h"
#include "install/module_finder.h"

namespace tofu::commands {

namespace {

functions::Environment function_environment(const Environment& environment, bool console) {
  functions::Environment out;
  out.home_directory = environment.variable("HOME");
  const auto here = base::real_path(std::string(1, '.'));
  out.working_directory = here ? *here : environment.working_directory;
  out.now = environment.now;
  out.console = console;
  return out;
}

class Loader {
 public:
  Loader(const LoadOptions& options, config::ModuleFinder& finder, World& world,
         Configuration& loaded, diag::Diagnostics& diags)
      : options_(options), finder_(finder), world_(world), loaded_(loaded), diags_(diags) {}

  void load();

 private:
  config::StaticInputs inputs(config::StaticEvaluator::Given given) const;
  void load_tests();
  void load_test_module(const config::TestFile& file, const config::TestRun& run);
  void check_versions();
  void check_tree(const config::Tree& tree, config::VersionReport& all);
  void name_blocks(const config::Tree& tree, std::size_t from);

  const LoadOptions& options_;
  config::ModuleFinder& finder_;
  World& world_;
  Configuration& loaded_;
  diag::Diagnostics& diags_;
  diag::Diagnostics problems_;    // may turn out not to matter
  std::set<diag::FileId> unfit_;  // files of modules that need another version
};

void Loader::load() {
  auto files = install::read_module_directory(options_.directory, world_.sources, problems_);
  if (files) {
    loaded_.tree =
        config::link_modules(std::move(*files), finder_, inputs(loaded_.variables.as_given()),
                             world_.sources, problems_);
    if (options_.test_directory) load_tests();
    check_versions();
  }
  for (const diag::Diagnostic& problem : problems_.items()) {
    if (!problem.subject || !unfit_.contains(problem.subject->file)) diags_.add(problem);
  }
}

config::StaticInputs Loader::inputs(config::StaticEvaluator::Given given) const {
  return {std::move(given),
          {.workspace = loaded_.workspace,
           .root_directory = options_.directory,
           .working_directory = world_.environment.working_directory,
           .functions = &loaded_.functions}};
}

void Loader::load_tests() {
  auto files = install::read_test_files(options_.directory, *options_.test_directory,
                                        world_.sources, problems_);
  config::Module& tested = *loaded_.tree.nodes[0].module;
  for (config::ParsedFile& file : files) {
    loaded_.tests.push_back(
        config::declare_test_file(std::move(file), tested, world_.sources, problems_));
  }
  if (problems_.has_errors()) return;
  for (const config::TestFile& file : loaded_.tests) {
    for (const config::TestRun& run : file.runs) {
      if (run.module && run.module->source) load_test_module(file, run);
    }
  }
}

// Modules of tests have paths of their own: test.tests.main.setup for the run
// "setup" of tests/main.tftest.hcl.
addrs::ModulePath path_of_run(const config::TestFile& file, const config::TestRun& run) {
  addrs::ModulePath path{{"test"}};
  std::string_view rest = file.name;
  for (std::size_t slash = rest.find('/'); slash != std::string_view::npos;
       slash = rest.find('/')) {
    path.names.emplace_back(rest.substr(0, slash));
    rest.remove_prefix(slash + 1);
  }
  constexpr std::string_view kSuffix = ".tftest.hcl";
  if (rest.ends_with(kSuffix)) rest.remove_suffix(kSuffix.size());
  path.names.emplace_back(rest);
  path.names.push_back(run.name);
  return path;
}

// What a run gives to the variables of the module it loads; unknown if nothing.
config::StaticEvaluator::Given given_by_run(const config::StaticEvaluator* root,
                                            const config::TestRun* run) {
  return [root, run](const config::Variable& variable,
                     diag::Diagnostics& diags) -> std::optional<value::Value> {
    const auto given =
        std::ranges::find(run->variables, variable.name, &config::TestVariable::name);
    if (given != run->variables.end()) {
      return root->evaluate(*given->expr, fmt::format("var.{}", variable.name), given->range,
                            diags);
    }
    return variable.default_value.value_or(value::Value::unknown(value::Type::dynamic()));
  };
}

void Loader::load_test_module(const config::TestFile& file, const config::TestRun& run) {
  const addrs::ModulePath path = path_of_run(file, run);
  const config::ModuleRequest request{path,
                                      *run.module->source,
                                      run.module->version,
                                      options_.directory,
                                      run.module->range,
                                      run.module->source_range};
  auto found = finder_.find(request, problems_);
  if (!found) return;
  install::ModulesBelow below(finder_, path);
  const auto given = given_by_run(loaded_.tree.root().statics.get(), &run);
  loaded_.test_modules.push_back(
      {&run, config::link_modules(std::move(found->files), below, inputs(given), world_.sources,
                                  problems_)});
}

void Loader::check_versions() {
  config::VersionReport all;
  check_tree(loaded_.tree, all);
  for (const TestModule& test : loaded_.test_modules) check_tree(test.tree, all);
  const std::size_t before = diags_.size();
  if (options_.equivalence) {
    config::warn_of_equivalence(all, own_versions(), *options_.equivalence, world_.sources, diags_);
  }
  diags_.take(std::move(all.errors));
  name_blocks(loaded_.tree, before);
  for (const TestModule& test : loaded_.test_modules) name_blocks(test.tree, before);
}

void Loader::name_blocks(const config::Tree& tree, std::size_t from) {
  if (diags_.size() == from) return;
  for (const config::TreeNode& node : tree.nodes) node.module->name_blocks(diags_.items_from(from));
}

void Loader::check_tree(const config::Tree& tree, config::VersionReport& all) {
  for (const config::TreeNode& node : tree.nodes) {
    const config::ModuleVersions versions{
        node.path.is_root() ? "the root module" : node.path.to_string(),
        &node.module->version_requirements};
    config::VersionReport report =
        config::check_versions({&versions, 1}, options_.version_check, own_versions());
    if (report.errors.has_errors()) {
      for (const auto& file : node.module->files()) unfit_.insert(file->id);
    }
    all.errors.take(std::move(report.errors));
    all.equivalent.insert(all.equivalent.end(), report.equivalent.begin(), report.equivalent.end());
  }
}

}  // namespace

Configuration::Configuration(World& world, bool console)
    : workspace(workspace_name(world.environment)),
      variables(world),
      functions(function_environment(world.environment, console)) {}

std::string manifest_path(const Environment& environment) {
  return data_directory(environment) + "/modules/modules.json";
}

std::unique_ptr<Configuration> load_configuration(const LoadOptions& options, const Flags& flags,
                                                  config::ModuleFinder& finder, World& world,
                                                  diag::Diagnostics& diags) {
  auto loaded = std::make_unique<Configuration>(world, options.console);
  if (!loaded->variables.collect(flags, diags)) return nullptr;
  const std::size_t errors = diags.error_count();
  Loader(options, finder, world, *loaded, diags).load();
  return diags.error_count() == errors ? std::move(loaded) : nullptr;
}

std::unique_ptr<Configuration> load_configuration(const LoadOptions& options, const Flags& flags,
                                                  World& world, diag::Diagnostics& diags) {
  const std::string path = manifest_path(world.environment);
  auto manifest = install::Manifest::read(path);
  if (!manifest) {
    diags.error("Cannot read the record of installed modules")
        .detail(fmt::format("Reading {} failed: {}. Run \"tofu init\" to write it anew.", path,
                            manifest.error().what));
    return nullptr;
  }
  install::InstalledModules installed(std::move(*manifest), world.sources);
  return load_configuration(options, flags, installed, world, diags);
}

}  // namespace tofu::commands
