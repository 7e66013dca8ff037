#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/check.h"
#include "base/json_writer.h"
#include "cli/command.h"
#include "cli/flags.h"
#include "cli/report.h"
#include "cli/version_info.h"
#include "commands/context.h"
#include "commands/table.h"
#include "diag/wrap.h"
#include "documents/sbom.h"
#include "functions/file_path.h"
#include "functions/timestamp.h"
#include "install/lock_file.h"
#include "install/manifest.h"
#include "install/package_fetcher.h"
#include "install/package_metadata_file.h"
#include "install/package_records.h"
#include "install/package_resolver.h"
#include "install/sharing.h"
#include "inventory/license.h"
#include "inventory/lock_check.h"
#include "inventory/verification.h"
#include "views/modules_text.h"
#include "workdir/configuration.h"
#include "workdir/options.h"
#include "workdir/workspace.h"

namespace tofu::commands {

namespace {

struct ModulesOptions {
  enum class Sbom : std::uint8_t { CycloneDx, Spdx };
  bool json = false;
  bool verify = false;
  std::optional<Sbom> sbom;
  workdir::TestFileOptions tests;
  workdir::ConfigurationOptions configuration;

  void declare(cli::FlagSet& flags) {
    static constexpr cli::Choice<Sbom> kForms[] = {{"cyclonedx", Sbom::CycloneDx},
                                                   {"spdx", Sbom::Spdx}};
    flags.add("json", json, {.help = "Print as JSON."});
    flags.add("sbom", sbom, kForms,
              {.value = "FORM",
               .help = "Print a software bill of materials instead: cyclonedx (1.5) or spdx (2.3), "
                       "both as JSON."});
    flags.add("verify", verify,
              {.help = "Compare the files of all shared packages with their hashes and with the "
                       "lock file instead; fail if one differs."});
    flags.include(tests);
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
  if (const install::PackageRecord* package =
          info.records.package(call->package, call->label, row.version)) {
    row.revision = package->revision;
    row.hash = package->hash;
  }
  return row;
}

// The module of a run in a test file. Its calls are in the list of packages.
views::ModuleRow test_row(const InstalledInfo& info, const config::TestTree& test) {
  const config::TestRun& run = info.tree.tests[test.file].runs[test.run];
  const config::TreeNode& root = test.tree->root();
  views::ModuleRow row;
  row.address = fmt::format("run.{} in {}", run.name, info.tree.tests[test.file].name);
  row.key = install::manifest_key(root.path);
  if (run.module->source) {
    row.source = addrs::for_display(install::without_secrets(*run.module->source));
  }
  row.version = root.version;
  row.directory = root.directory;
  if (const install::CallRecord* call = info.records.call(row.key)) {
    row.files = files_of(call->placement);
    row.read_only = read_only(call->stance);
    row.decided_by = call->decided_by;
    const auto* package = info.records.package(call->package, call->label, row.version);
    if (package != nullptr) {
      row.revision = package->revision;
      row.hash = package->hash;
    }
  }
  return row;
}

views::PackageRow::Lock lock_of(const install::PackageUse& use, const install::LockFile& lock) {
  using Lock = views::PackageRow::Lock;
  if (!use.is_shared) return Lock::NotApplicable;
  switch (inventory::compare_with_lock(use.package, lock).state) {
    case inventory::LockState::Locked: return Lock::Locked;
    case inventory::LockState::NotLocked: return Lock::Missing;
    case inventory::LockState::OtherState:
    case inventory::LockState::OtherHash: return Lock::Differs;
  }
  base::broken_promise("lock state out of range");
}

views::PackageRow package_row(const install::PackageUse& use, const install::LockFile& lock) {
  views::PackageRow row;
  row.source = use.package.label;
  row.requested_ref = install::requested_ref(use.package.label);
  row.version = use.package.version;
  row.revision = use.package.revision;
  row.hash = use.package.hash;
  row.is_shared = use.is_shared;
  row.lock = lock_of(use, lock);
  if (row.lock == views::PackageRow::Lock::Differs) {
    row.lock_problem = inventory::lock_problem(use.package, lock);
  }
  if (auto license = inventory::find_license(use.directory)) {
    row.license_file = std::move(license->file);
    row.license = std::move(license->id);
  }
  row.directory = use.directory;
  row.used_by = use.users;
  return row;
}

struct ModuleList {
  std::vector<views::ModuleRow> calls;
  std::vector<views::PackageRow> packages;
  install::LockFile lock;
};

std::optional<install::PackageRecords> read_records(const Context& context,
                                                    diag::Diagnostics& diags) {
  const std::string path = workdir::packages_path(context.environment());
  auto records = install::PackageRecords::read(path);
  if (records) return std::move(*records);
  diags.error("Cannot read the module manifest")
      .detail(
          fmt::format("{}: {}. Run \"tofu init\" to write it again.", path, records.error().what));
  return std::nullopt;
}

std::optional<install::LockFile> read_lock(Context& context, diag::Diagnostics& diags) {
  return install::LockFile::read(std::string(install::kLockFile), context.sources, diags);
}

// Each call after the one whose module it is in. Nothing only if an error was added.
std::optional<ModuleList> gather(const ModulesOptions& options, Context& context,
                                 diag::Diagnostics& diags) {
  auto how = workdir::load_options(options.configuration, context.load, diags);
  if (!how) return std::nullopt;
  how->check_package_locks = false;
  how->test_directory = options.tests.directory;
  const auto loaded = workdir::load_configuration(*how, context.load, diags);
  if (!loaded) return std::nullopt;
  const auto records = read_records(context, diags);
  auto lock = read_lock(context, diags);
  if (!records || !lock) return std::nullopt;
  std::vector<const config::TreeNode*> nodes;
  for (const config::TreeNode& node : loaded->tree.nodes) {
    if (node.source) nodes.push_back(&node);
  }
  std::ranges::sort(nodes, {},
                    [](const config::TreeNode* node) -> const auto& { return node->path.names; });
  const auto metadata =
      install::read_package_metadata(loaded->tree.root().directory, context.sources, diags);
  const InstalledInfo info{loaded->tree, *records, metadata};
  ModuleList list;
  for (const config::TreeNode* node : nodes) list.calls.push_back(row_of(info, *node));
  for (const config::TestTree& test : loaded->tree.test_trees) {
    list.calls.push_back(test_row(info, test));
  }
  for (const install::PackageUse& use : loaded->packages) {
    list.packages.push_back(package_row(use, *lock));
  }
  std::ranges::stable_sort(list.packages, {}, &views::PackageRow::source);
  list.lock = std::move(*lock);
  return list;
}

// The package of the module that has a call or an import; nothing if it is the root module's.
// Local modules on the way belong to the package of their callers.
std::optional<std::size_t> caller_of(std::string address,
                                     const std::map<std::string, std::size_t>& by_user) {
  while (true) {
    const std::size_t last = address.rfind(".module.");
    if (last == std::string::npos) return std::nullopt;
    address.resize(last);
    if (const auto found = by_user.find(address); found != by_user.end()) return found->second;
  }
}

// Copies of one package are one component.
std::vector<documents::BomComponent> components_of(const ModuleList& list) {
  std::vector<documents::BomComponent> components;
  std::map<std::pair<std::string, std::string>, std::size_t> known;
  std::map<std::string, std::size_t> by_user;
  for (const views::PackageRow& row : list.packages) {
    const std::string& state = row.version.empty() ? row.revision : row.version;
    const auto [at, is_new] = known.try_emplace({row.source, state}, components.size());
    if (is_new) {
      components.push_back({.source = row.source,
                            .version = state,
                            .hashes = {row.hash},
                            .license = row.license,
                            .license_file = row.license_file,
                            .is_direct = false});
    }
    documents::BomComponent& component = components[at->second];
    for (const std::string& user : row.used_by) {
      component.used_by.push_back(user);
      by_user.emplace(user, at->second);
    }
  }
  for (std::size_t i = 0; i < components.size(); ++i) {
    for (const std::string& user : components[i].used_by) {
      const auto caller = caller_of(user, by_user);
      if (!caller) {
        components[i].is_direct = true;
      } else if (std::ranges::find(components[*caller].needs, i) ==
                 components[*caller].needs.end()) {
        components[*caller].needs.push_back(i);
      }
    }
  }
  for (const auto& [address, lock] : list.lock.providers) {
    components.push_back({.kind = documents::BomComponent::Kind::Provider,
                          .source = address,
                          .version = lock.version,
                          .hashes = lock.hashes});
  }
  return components;
}

std::string sbom_text(ModulesOptions::Sbom form, const ModuleList& list, const Context& context) {
  const auto components = components_of(list);
  const std::filesystem::path here(context.environment().working_directory);
  functions::Timestamp now;
  now.seconds = context.environment().now().first;
  const documents::BomSubject subject{here.filename().string(), std::string(cli::kTofuVersion),
                                      functions::format_rfc3339(now)};
  switch (form) {
    case ModulesOptions::Sbom::CycloneDx: return documents::cyclonedx_json(subject, components);
    case ModulesOptions::Sbom::Spdx: return documents::spdx_json(subject, components);
  }
  base::broken_promise("form of the bill of materials out of range");
}

std::string verification_json(const std::vector<inventory::VerifiedPackage>& packages) {
  std::string text;
  base::JsonWriter json(text);
  const auto is_right = [](const auto& each) { return each.problems.empty(); };
  json.begin_object();
  json.field("format_version", "1.0");
  json.field("verified", std::ranges::all_of(packages, is_right));
  json.key("packages");
  json.begin_array();
  for (const inventory::VerifiedPackage& each : packages) {
    json.begin_object();
    json.field("source", each.package.label);
    if (!each.package.version.empty()) json.field("version", each.package.version);
    if (!each.package.revision.empty()) json.field("revision", each.package.revision);
    json.field("directory", each.directory);
    json.field("hash", each.package.hash);
    json.field("found_hash", each.found_hash);
    json.key("problems");
    json.begin_array();
    for (const std::string& problem : each.problems) json.string(problem);
    json.end_array();
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return text;
}

void verify(const ModulesOptions& options, Context& context, diag::Diagnostics& diags) {
  const auto records = read_records(context, diags);
  const auto lock = read_lock(context, diags);
  if (!records || !lock) return;
  const auto verified = inventory::verify_packages(
      *records, workdir::data_directory(context.environment()) + "/packages", *lock);
  std::string list;
  std::string table;
  for (const inventory::VerifiedPackage& each : verified) {
    const std::string name = each.package.label;
    for (const std::string& problem : each.problems) {
      list += fmt::format("\n  - {} {}", name, problem);
    }
    table +=
        fmt::format("{}{}  {}", table.empty() ? "" : "\n",
                    each.problems.empty() ? "ok     " : "differs", diag::safe_for_terminal(name));
  }
  if (options.json) {
    context.terminal.out.line(verification_json(verified));
  } else {
    context.terminal.out.line(verified.empty() ? "No shared packages are installed." : table);
  }
  if (list.empty()) return;
  diags.error("Module packages differ")
      .detail(
          fmt::format("These packages differ from their records or the lock file:{}\n\nRun \"tofu "
                      "init\" to install the locked packages.",
                      list));
}

void show(const ModulesOptions& options, Context& context, diag::Diagnostics& diags) {
  const auto list = gather(options, context, diags);
  if (!list) return;
  if (options.sbom) {
    context.terminal.out.line(sbom_text(*options.sbom, *list, context));
  } else if (options.json) {
    context.terminal.out.line(views::modules_json(list->calls, list->packages));
  } else {
    context.terminal.out.line(list->calls.empty() ? "This configuration calls no modules."
                                                  : views::modules_table(list->calls));
    if (list->packages.empty()) return;
    context.terminal.out.line("");
    context.terminal.out.line(views::packages_table(list->packages));
  }
}

int run_modules(const ModulesOptions& options, cli::Session& session) {
  Context context(session, options);
  diag::Diagnostics diags;
  if (options.verify && options.sbom) {
    diags.error("Conflicting options")
        .detail("-verify and -sbom print different things. Use only one of them.");
  } else if (options.verify) {
    verify(options, context, diags);
  } else {
    show(options, context, diags);
  }
  // Warnings go to standard output, where they would damage the document.
  const bool is_document = options.json || options.sbom;
  if (diags.has_errors() || !is_document) cli::print_diagnostics(diags, context.terminal);
  return diags.has_errors() ? cli::kExitError : cli::kExitOk;
}

}  // namespace

const cli::Command kModulesCommand = {
    "modules",
    "List the module calls of the configuration",
    "[options]",
    "Lists every module call of the configuration: the module's source and directory, whether "
    "other calls share its files, whether the module writes to its own files, and where this was "
    "decided. Remote packages and symbol libraries follow with the requested ref, the "
    "commit, "
    "the state in the lock file, the license and who uses them. The list reflects the last \"tofu "
    "init\".",
    cli::action<ModulesOptions, run_modules>(),
};

}  // namespace tofu::commands
