#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json_writer.h"
#include "cli/command.h"
#include "cli/flags.h"
#include "cli/report.h"
#include "commands/context.h"
#include "commands/table.h"
#include "config/version_conflict.h"
#include "config/version_explanation.h"
#include "diag/wrap.h"
#include "lint/version_needs.h"
#include "workdir/configuration.h"
#include "workdir/options.h"
#include "workdir/version_mode.h"

namespace tofu::commands {

namespace {

constexpr std::string_view kFormatVersion = "1.0";

struct VersionsOptions {
  bool json = false;
  workdir::ConfigurationOptions configuration;
  std::vector<std::string> arguments;

  void declare(cli::FlagSet& flags) {
    flags.add("json", json, {.help = "Print as JSON."});
    flags.include(configuration);
    flags.arguments(arguments);
  }
};

// A module whose files are looked at once, however often it is called.
struct Row {
  const config::TreeNode* node = nullptr;
  std::string name;  // as messages call it
  std::vector<config::ExplainedConstraint> constraints;
  lint::VersionNeeds needs;
};

std::vector<Row> rows_of(const config::Tree& tree, config::VersionCheck mode,
                         const diag::SourceMap& sources) {
  std::vector<Row> rows;
  std::set<const config::Module*> seen;
  for (const config::TreeNode& node : tree.nodes) {
    if (!seen.insert(node.module.get()).second) continue;
    Row& row = rows.emplace_back();
    row.node = &node;
    row.name = node.path.is_root() ? "the root module" : node.path.to_string();
    const config::ModuleVersions versions{row.name, &node.module->version_requirements,
                                          node.is_local};
    row.constraints = config::explain_versions({&versions, 1}, mode, workdir::own_versions());
    row.needs = lint::version_needs(*node.module, sources);
  }
  return rows;
}

// As every command checks them: also whether a single release meets all.
config::VersionReport check(const std::vector<Row>& rows, config::VersionCheck mode) {
  std::vector<config::ModuleVersions> modules;
  for (const Row& row : rows) {
    modules.push_back({row.name, &row.node->module->version_requirements, row.node->is_local});
  }
  config::VersionReport report = config::check_versions(modules, mode, workdir::own_versions());
  if (report.errors.has_errors()) return report;
  std::vector<config::HoldingConstraint> holding;
  for (const config::EquivalentVersion& each : report.equivalent) {
    holding.push_back({"the configuration", each.constraints, each.range});
  }
  config::check_together(holding, workdir::own_versions(), report.errors);
  return report;
}

std::string_view kind_of(config::VersionKind kind) {
  return kind == config::VersionKind::Tofu ? "OpenTofu" : "Terraform";
}

std::string minimum(std::string_view version) {
  return version.empty() ? "none" : fmt::format(">= {}", version);
}

class Printing {
 public:
  explicit Printing(Context& context) : context_(context) {}

  std::string text(const std::vector<Row>& rows) const {
    const config::OwnVersions own = workdir::own_versions();
    std::string text = fmt::format("OpenTofu {}, equivalent to Terraform {}\n",
                                   own.tofu.to_string(), own.terraform_text());
    for (const Row& row : rows) {
      text += fmt::format("\n{}\n", row.name);
      if (row.constraints.empty()) text += "  no constraint\n";
      for (const config::ExplainedConstraint& each : row.constraints) {
        text += fmt::format("  {}: {} \"{}\" {}: {}\n", place_of(each.range), kind_of(each.kind),
                            each.constraint, each.holds ? "holds" : "does not hold", each.why);
      }
      for (const lint::FeatureUse& use : row.needs.uses) {
        text += fmt::format("  {}: {}: OpenTofu {}, Terraform {}\n", place_of(use.place),
                            use.feature, minimum(use.tofu), minimum(use.terraform));
      }
      text += fmt::format("  suggested: OpenTofu {}, Terraform {}\n", minimum(row.needs.tofu),
                          minimum(row.needs.terraform));
    }
    return text;
  }

  std::string document(const std::vector<Row>& rows) const {
    const config::OwnVersions own = workdir::own_versions();
    std::string text;
    base::JsonWriter json(text, "  ");
    json.begin_object();
    json.field("format_version", kFormatVersion);
    json.field("tofu_version", own.tofu.to_string());
    json.field("terraform_equivalent", own.terraform_text());
    json.key("modules");
    json.begin_array();
    for (const Row& row : rows) write(json, row);
    json.end_array();
    json.end_object();
    text += '\n';
    return text;
  }

 private:
  std::string place_of(diag::SourceRange range) const {
    const diag::SourceMap& sources = context_.sources;
    return fmt::format("{}:{}", sources.name(range.file),
                       sources.position(range.file, range.begin).line);
  }

  static std::string_view compared_text(config::ComparedWith compared) {
    switch (compared) {
      case config::ComparedWith::Nothing: return "nothing";
      case config::ComparedWith::Tofu: return "tofu";
      case config::ComparedWith::TerraformLine: return "terraform_equivalent";
    }
    return "nothing";
  }

  void write(base::JsonWriter& json, const Row& row) const {
    json.begin_object();
    json.field("module", row.node->path.to_string());
    json.key("constraints");
    json.begin_array();
    for (const config::ExplainedConstraint& each : row.constraints) {
      json.begin_object();
      json.field("place", place_of(each.range));
      json.field("for", each.kind == config::VersionKind::Tofu ? "tofu" : "terraform");
      json.field("constraint", each.constraint);
      json.field("compared_with", compared_text(each.compared));
      json.field("holds", each.holds);
      json.field("why", each.why);
      json.end_object();
    }
    json.end_array();
    json.key("features");
    json.begin_array();
    for (const lint::FeatureUse& use : row.needs.uses) {
      json.begin_object();
      json.field("feature", use.feature);
      json.field("place", place_of(use.place));
      write_version(json, "tofu", use.tofu);
      write_version(json, "terraform", use.terraform);
      json.end_object();
    }
    json.end_array();
    json.key("suggested");
    json.begin_object();
    write_version(json, "tofu", row.needs.tofu);
    write_version(json, "terraform", row.needs.terraform);
    json.end_object();
    json.end_object();
  }

  // Null: no release has it.
  static void write_version(base::JsonWriter& json, const char* name, std::string_view version) {
    json.key(name);
    if (version.empty()) {
      json.null();
    } else {
      json.string(version);
    }
  }

  Context& context_;
};

int run_versions(const VersionsOptions& options, cli::Session& session) {
  Context context(session, options);
  diag::Diagnostics diags;
  const auto finish = [&] {
    if (diags.has_errors() || !options.json) cli::print_diagnostics(diags, context.terminal);
    return diags.has_errors() ? cli::kExitError : cli::kExitOk;
  };
  if (options.arguments.size() > 1) {
    diags.error("Too many arguments")
        .detail("At most one argument is expected: the directory of the configuration.");
    return finish();
  }
  auto load = workdir::load_options(options.configuration, context.load, diags);
  if (!load) return finish();
  if (!options.arguments.empty()) load->directory = options.arguments[0];
  // Constraints that do not hold are listed with the others.
  const config::VersionCheck mode = std::exchange(load->version_check, config::VersionCheck::Off);
  const std::shared_ptr<const workdir::Configuration> loaded =
      workdir::load_configuration(*load, context.load, diags);
  if (!loaded) return finish();
  context.keep_alive.add(loaded);
  diags.clear();  // warnings of the language are for validate
  const std::vector<Row> rows = rows_of(loaded->tree, mode, context.sources);
  const Printing printing(context);
  const std::string text = options.json ? printing.document(rows) : printing.text(rows);
  context.terminal.out.write(context.terminal.out_is_terminal ? diag::safe_for_terminal(text)
                                                              : text);
  config::VersionReport report = check(rows, mode);
  if (!report.errors.has_errors() && !options.json) context.terminal.out.line("");
  config::warn_of_equivalence(report.equivalent, workdir::own_versions(), config::Listing::Together,
                              context.sources, diags);
  diags.take(std::move(report.errors));
  return finish();
}

}  // namespace

const cli::Command kVersionsCommand = {
    "versions",
    "Explain the version constraints of the configuration",
    "[options] [DIR]",
    "Lists the constraints on the version of OpenTofu and of Terraform in every module of the "
    "configuration: what each is compared with, and whether it holds. Also lists the features that "
    "each module uses with the first release of both tools that has them, and suggests the "
    "constraints that follow.\n\nExit status: 0 if all constraints hold, otherwise 1.",
    cli::action<VersionsOptions, run_versions>(),
    cli::Completes::Directories,
};

}  // namespace tofu::commands
