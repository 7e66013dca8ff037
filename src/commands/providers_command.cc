#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <string>

#include "base/file.h"
#include "commands/command.h"
#include "commands/configuration.h"
#include "commands/option_groups.h"
#include "commands/state_providers.h"
#include "config/constraints_text.h"
#include "config/provider_requirements.h"
#include "install/module_directory.h"
#include "views/tree_text.h"

namespace tofu::commands {

namespace {

struct ProvidersOptions {
  TestFileOptions tests;
  ConfigurationOptions configuration;

  void declare(FlagSet& flags) {
    flags.include(tests);
    flags.include(configuration);
  }
};

using views::LabelTree;

void add_providers(const config::ProviderRequirements& needed, LabelTree& out) {
  for (const auto& [provider, constraints] : needed) {
    const std::string text = config::constraints_text(constraints);
    out.children.push_back(
        {fmt::format("provider[{}]{}{}", provider.to_string(), text.empty() ? "" : " ", text)});
  }
}

// Fills in what the module `id` needs, and below it those that it calls.
void add_module(const config::Tree& tree, config::ModuleId id, LabelTree& out);

void add_test(const config::Tree& tree, std::size_t file, LabelTree& out) {
  const config::TestFile& test = tree.tests[file];
  config::ProviderRequirements needed;
  config::add_requirements(test, *tree.root().module, needed);
  add_providers(needed, out);
  for (const config::TestTree& each : tree.test_trees) {
    if (each.file != file) continue;
    LabelTree& run = out.children.emplace_back(LabelTree{"run." + test.runs[each.run].name});
    add_module(*each.tree, {}, run);
  }
}

// tests/main.tftest.hcl is called test.tests.main here.
std::string test_label(std::string name) {
  constexpr std::string_view kSuffix = ".tftest.hcl";
  if (name.ends_with(kSuffix)) name.resize(name.size() - kSuffix.size());
  std::ranges::replace(name, '/', '.');
  return "test." + name;
}

void add_module(const config::Tree& tree, config::ModuleId id, LabelTree& out) {
  const config::TreeNode& node = tree.node(id);
  config::ProviderRequirements needed;
  config::add_requirements(*node.module, needed);
  add_providers(needed, out);
  if (node.path.is_root()) {
    for (std::size_t i = 0; i < tree.tests.size(); ++i) {
      add_test(tree, i, out.children.emplace_back(LabelTree{test_label(tree.tests[i].name)}));
    }
  }
  for (const auto& [name, child] : node.children) {
    add_module(tree, child, out.children.emplace_back(LabelTree{"module." + name}));
  }
}

std::unique_ptr<Configuration> load(const ProvidersOptions& options, World& world,
                                    diag::Diagnostics& diags) {
  auto how = load_options(options.configuration, world, diags);
  if (!how) return nullptr;
  if (!install::has_configuration(how->directory)) {
    const auto here = base::real_path(how->directory);
    diags.error("No configuration")
        .detail(
            fmt::format("There are no configuration files in {}.", here ? *here : how->directory));
    return nullptr;
  }
  how->test_directory = options.tests.directory;
  return load_configuration(*how, world, diags);
}

void print_of_state(const Configuration& loaded, World& world, diag::Diagnostics& diags) {
  const auto providers = providers_of_state(loaded, world, diags);
  if (!providers || providers->empty()) return;
  world.out.line("Providers required by state:\n");
  for (const addrs::Provider& provider : *providers) {
    world.out.line(fmt::format("    provider[{}]\n", provider.to_string()));
  }
}

int show_providers(const ProvidersOptions& options, World& world) {
  diag::Diagnostics diags;
  const auto loaded = load(options, world, diags);
  if (loaded) {
    LabelTree root{std::string(1, '.')};
    add_module(loaded->tree, {}, root);
    world.out.line("\nProviders required by configuration:");
    world.out.line(views::tree_text(root));
    print_of_state(*loaded, world, diags);
  }
  print_diagnostics(diags, world);
  return diags.has_errors() ? kExitError : kExitOk;
}

}  // namespace

const Command kProvidersCommand = {
    "providers",
    "Show the providers that the configuration needs",
    "[options]",
    "Prints the tree of modules in this directory's configuration, with the providers that each of "
    "them needs and the versions it allows, and the providers that objects of the state need.",
    action<ProvidersOptions, show_providers>(),
};

}  // namespace tofu::commands
