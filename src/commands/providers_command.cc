#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <string>

#include "addrs/constraints_text.h"
#include "base/file.h"
#include "cli/command.h"
#include "cli/flags.h"
#include "cli/report.h"
#include "commands/context.h"
#include "commands/table.h"
#include "config/provider_requirements.h"
#include "install/module_directory.h"
#include "views/tree_text.h"
#include "workdir/configuration.h"
#include "workdir/options.h"
#include "workdir/state_providers.h"

namespace tofu::commands {

namespace {

struct ProvidersOptions {
  workdir::TestFileOptions tests;
  workdir::ConfigurationOptions configuration;

  void declare(cli::FlagSet& flags) {
    flags.include(tests);
    flags.include(configuration);
  }
};

using views::LabelTree;

void add_providers(const config::ProviderRequirements& needed, LabelTree& out) {
  for (const auto& [provider, constraints] : needed) {
    const std::string text = addrs::constraints_text(constraints);
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

std::unique_ptr<workdir::Configuration> load(const ProvidersOptions& options, Context& context,
                                             diag::Diagnostics& diags) {
  auto how = workdir::load_options(options.configuration, context.load, diags);
  if (!how) return nullptr;
  how->check_package_locks = false;
  if (!install::has_configuration(how->directory)) {
    const auto here = base::real_path(how->directory);
    diags.error("No configuration files")
        .detail(fmt::format("The directory {} contains no configuration files.",
                            here ? *here : how->directory));
    return nullptr;
  }
  how->test_directory = options.tests.directory;
  return workdir::load_configuration(*how, context.load, diags);
}

void print_of_state(const workdir::Configuration& loaded, Context& context,
                    diag::Diagnostics& diags) {
  const auto providers =
      workdir::providers_of_state(loaded, workdir::RecordedHosts::Kept, context.access, diags);
  if (!providers || providers->empty()) return;
  context.terminal.out.line("Providers required by state:\n");
  for (const addrs::Provider& provider : *providers) {
    context.terminal.out.line(fmt::format("    provider[{}]\n", provider.to_string()));
  }
}

int show_providers(const ProvidersOptions& options, cli::Session& session) {
  Context context(session, options);
  diag::Diagnostics diags;
  const auto loaded = load(options, context, diags);
  if (loaded) {
    LabelTree root{std::string(1, '.')};
    add_module(loaded->tree, {}, root);
    context.terminal.out.line("\nProviders required by configuration:");
    context.terminal.out.line(views::tree_text(root));
    print_of_state(*loaded, context, diags);
  }
  cli::print_diagnostics(diags, context.terminal);
  return diags.has_errors() ? cli::kExitError : cli::kExitOk;
}

}  // namespace

const cli::Command kProvidersCommand = {
    "providers",
    "Show the providers that the configuration requires",
    "[options]",
    "Prints the module tree of the configuration with the provider requirements of each module, "
    "and the providers required by the state.",
    cli::action<ProvidersOptions, show_providers>(),
};

}  // namespace tofu::commands
