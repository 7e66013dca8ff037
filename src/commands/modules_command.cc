#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/check.h"
#include "commands/command.h"
#include "commands/configuration.h"
#include "commands/option_groups.h"
#include "functions/file_path.h"
#include "install/manifest.h"
#include "install/package_fetcher.h"
#include "install/package_metadata_file.h"
#include "install/package_records.h"
#include "install/sharing.h"
#include "views/modules_text.h"

namespace tofu::commands {

namespace {

struct ModulesOptions {
  bool json = false;
  ConfigurationOptions configuration;

  void declare(FlagSet& flags) {
    flags.add("json", json, {.help = "Print as JSON, for other programs."});
    flags.include(configuration);
  }
};

// How people know the package that the root module is in.
constexpr std::string_view kThisConfiguration = "this configuration";

using Files = views::ModuleRow::Files;

Files files_of(install::Placement placement) {
  switch (placement) {
    case install::Placement::Here: return Files::Caller;
    case install::Placement::Own: return Files::Own;
    case install::Placement::Shared: return Files::Shared;
  }
  base::broken_promise("placement out of range");
}

std::optional<bool> read_only(install::Stance stance) {
  switch (stance) {
    case install::Stance::NotSaid: return std::nullopt;
    case install::Stance::ReadOnly: return true;
    case install::Stance::SelfModifying: return false;
  }
  base::broken_promise("stance out of range");
}

// What was installed, and what the root module's own file says.
struct Facts {
  const config::Tree& tree;
  const install::PackageRecords& records;
  const std::optional<config::PackageMetadata>& metadata;
};

// The directory of a local module as the root module's file would name it, also if
// the call has a copy of it.
std::string path_from_root(const config::Tree& tree, const config::TreeNode& node) {
  std::string path(1, '.');
  std::vector<const config::TreeNode*> chain;
  for (const config::TreeNode* at = &node; at->parent; at = &tree.node(*at->parent)) {
    chain.push_back(at);
  }
  for (const config::TreeNode* at : std::views::reverse(chain)) {
    path = functions::join_paths(path, std::get<addrs::LocalSource>(*at->source).path);
  }
  return path;
}

// Modules in the root module's own package have no record; nor has what another
// program installed, which is as OpenTofu does it then.
void fill_unrecorded(const Facts& facts, const config::TreeNode& node, views::ModuleRow& row) {
  if (!node.is_local) {
    const bool in_package = std::holds_alternative<addrs::LocalSource>(*node.source);
    row.files = in_package ? Files::Caller : Files::Own;
    return;
  }
  const install::Standing standing =
      install::standing_of(facts.metadata ? &*facts.metadata : nullptr,
                           path_from_root(facts.tree, node), kThisConfiguration, {});
  row.read_only = read_only(standing.self.stance);
  row.decided_by = standing.self.by;
}

views::ModuleRow row_of(const Facts& facts, const config::TreeNode& node) {
  views::ModuleRow row;
  row.address = node.path.to_string();
  row.key = install::manifest_key(node.path);
  row.source = addrs::for_display(install::without_secrets(*node.source));
  row.version = node.version;
  row.directory = node.directory;
  const install::CallRecord* call = facts.records.call(row.key);
  if (call == nullptr) {
    fill_unrecorded(facts, node, row);
    return row;
  }
  row.files = files_of(call->placement);
  row.read_only = read_only(call->stance);
  row.decided_by = call->decided_by;
  if (const install::PackageRecord* package = facts.records.package(call->package)) {
    row.revision = package->revision;
    row.hash = package->hash;
  }
  return row;
}

// Each call after the one whose module it is in. Nothing only if an error was added.
std::optional<std::vector<views::ModuleRow>> gather(const ModulesOptions& options, World& world,
                                                    diag::Diagnostics& diags) {
  const auto how = load_options(options.configuration, world, diags);
  if (!how) return std::nullopt;
  const auto loaded = load_configuration(*how, world, diags);
  if (!loaded) return std::nullopt;
  const std::string path = packages_path(world.environment);
  const auto records = install::PackageRecords::read(path);
  if (!records) {
    diags.error("Cannot read the record of packages")
        .detail(fmt::format("{}: {}. Run \"tofu init\" to write it again.", path,
                            records.error().what));
    return std::nullopt;
  }
  std::vector<const config::TreeNode*> nodes;
  for (const config::TreeNode& node : loaded->tree.nodes) {
    if (node.source) nodes.push_back(&node);
  }
  std::ranges::sort(nodes, {},
                    [](const config::TreeNode* node) -> const auto& { return node->path.names; });
  const auto metadata =
      install::read_package_metadata(loaded->tree.root().directory, world.sources, diags);
  const Facts facts{loaded->tree, *records, metadata};
  std::vector<views::ModuleRow> rows;
  for (const config::TreeNode* node : nodes) rows.push_back(row_of(facts, *node));
  return rows;
}

int run_modules(const ModulesOptions& options, World& world) {
  diag::Diagnostics diags;
  const auto rows = gather(options, world, diags);
  if (rows && options.json) {
    world.out.line(views::modules_json(*rows));
  } else if (rows && rows->empty()) {
    world.out.line("This configuration calls no modules.");
  } else if (rows) {
    world.out.line(views::modules_table(*rows));
  }
  // Warnings go to standard output, where they would damage the document.
  if (diags.has_errors() || !options.json) print_diagnostics(diags, world);
  return diags.has_errors() ? kExitError : kExitOk;
}

}  // namespace

const Command kModulesCommand = {
    "modules",
    "Show the modules that the configuration calls",
    "[options]",
    "Prints every module call of this directory's configuration: where its files come from and "
    "where they are, whether other calls share them, whether the module changes its files, "
    "and who said so. What is shown is what the last \"tofu init\" installed.",
    action<ModulesOptions, run_modules>(),
};

}  // namespace tofu::commands
