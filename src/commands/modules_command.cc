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
#include "cli/command.h"
#include "cli/flags.h"
#include "cli/report.h"
#include "commands/context.h"
#include "commands/table.h"
#include "functions/file_path.h"
#include "install/manifest.h"
#include "install/package_fetcher.h"
#include "install/package_metadata_file.h"
#include "install/package_records.h"
#include "install/sharing.h"
#include "views/modules_text.h"
#include "workdir/configuration.h"
#include "workdir/options.h"

namespace tofu::commands {

namespace {

struct ModulesOptions {
  bool json = false;
  workdir::ConfigurationOptions configuration;

  void declare(cli::FlagSet& flags) {
    flags.add("json", json, {.help = "Print as JSON."});
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

std::optional<bool> read_only(install::Mutability stance) {
  switch (stance) {
    case install::Mutability::NotSaid: return std::nullopt;
    case install::Mutability::ReadOnly: return true;
    case install::Mutability::SelfModifying: return false;
  }
  base::broken_promise("stance out of range");
}

// The installed packages, and the metadata of the root module.
struct InstalledInfo {
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
void fill_unrecorded(const InstalledInfo& info, const config::TreeNode& node,
                     views::ModuleRow& row) {
  if (!node.is_local) {
    const bool in_package = std::holds_alternative<addrs::LocalSource>(*node.source);
    row.files = in_package ? Files::Caller : Files::Own;
    return;
  }
  const install::EffectivePolicy policy =
      install::effective_policy(info.metadata ? &*info.metadata : nullptr,
                                path_from_root(info.tree, node), kThisConfiguration, {});
  row.read_only = read_only(policy.self.stance);
  row.decided_by = policy.self.by;
}

views::ModuleRow row_of(const InstalledInfo& info, const config::TreeNode& node) {
  views::ModuleRow row;
  row.address = node.path.to_string();
  row.key = install::manifest_key(node.path);
  row.source = addrs::for_display(install::without_secrets(*node.source));
  row.version = node.version;
  row.directory = node.directory;
  const install::CallRecord* call = info.records.call(row.key);
  if (call == nullptr) {
    fill_unrecorded(info, node, row);
    return row;
  }
  row.files = files_of(call->placement);
  row.read_only = read_only(call->stance);
  row.decided_by = call->decided_by;
  if (const install::PackageRecord* package = info.records.package(call->package)) {
    row.revision = package->revision;
    row.hash = package->hash;
  }
  return row;
}

// Each call after the one whose module it is in. Nothing only if an error was added.
std::optional<std::vector<views::ModuleRow>> gather(const ModulesOptions& options, Context& context,
                                                    diag::Diagnostics& diags) {
  const auto how = workdir::load_options(options.configuration, context.load, diags);
  if (!how) return std::nullopt;
  const auto loaded = workdir::load_configuration(*how, context.load, diags);
  if (!loaded) return std::nullopt;
  const std::string path = workdir::packages_path(context.environment());
  const auto records = install::PackageRecords::read(path);
  if (!records) {
    diags.error("Cannot read the module manifest")
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
      install::read_package_metadata(loaded->tree.root().directory, context.sources, diags);
  const InstalledInfo info{loaded->tree, *records, metadata};
  std::vector<views::ModuleRow> rows;
  for (const config::TreeNode* node : nodes) rows.push_back(row_of(info, *node));
  return rows;
}

int run_modules(const ModulesOptions& options, cli::Session& session) {
  Context context(session, options);
  diag::Diagnostics diags;
  const auto rows = gather(options, context, diags);
  if (rows && options.json) {
    context.terminal.out.line(views::modules_json(*rows));
  } else if (rows && rows->empty()) {
    context.terminal.out.line("This configuration calls no modules.");
  } else if (rows) {
    context.terminal.out.line(views::modules_table(*rows));
  }
  // Warnings go to standard output, where they would damage the document.
  if (diags.has_errors() || !options.json) cli::print_diagnostics(diags, context.terminal);
  return diags.has_errors() ? cli::kExitError : cli::kExitOk;
}

}  // namespace

const cli::Command kModulesCommand = {
    "modules",
    "List the module calls of the configuration",
    "[options]",
    "Lists every module call of the configuration: the module's source and directory, whether "
    "other calls share its files, whether the module writes to its own files, and where this was "
    "decided. The list reflects the last \"tofu init\".",
    cli::action<ModulesOptions, run_modules>(),
};

}  // namespace tofu::commands
