#include "commands/remote_workspace.h"

#include <fmt/format.h>
#include <utility>

#include "cloud/state_storage.h"
#include "commands/backend_settings.h"
#include "commands/command_encryption.h"
#include "commands/state_access.h"
#include "commands/version_mode.h"
#include "commands/workspace.h"
#include "config/version.h"
#include "syntax/eval.h"
#include "syntax/parser.h"

namespace tofu::commands {

std::optional<Connection> connect(const ConfigurationOptions& configuration, World& world,
                                  diag::Diagnostics& diags) {
  const auto recorded = read_backend_record(world, diags);
  if (!recorded) return std::nullopt;
  Connection connection;
  if (!recorded->record || cloud::find_kind(recorded->record->type) == nullptr) return connection;
  connection.configuration = load_root_module(configuration, world, connection.warnings);
  if (!connection.configuration ||
      !set_up_encryption(*connection.configuration, world, connection.warnings)) {
    diags.take(std::move(connection.warnings));
    return std::nullopt;
  }
  const auto current = current_backend(*connection.configuration, world, diags);
  if (!current) return std::nullopt;
  const backends::Kind& kind = *find_backend_kind(current->record->type);
  const auto values = current->record->read_settings(kind, diags);
  auto settings = values ? service_settings(kind, *values, world, diags) : std::nullopt;
  if (!settings) return std::nullopt;
  connection.service = connect_service(std::move(*settings), world, diags);
  if (!connection.service) return std::nullopt;
  return connection;
}

std::optional<SelectedWorkspace> selected_workspace(cloud::Service& service, World& world,
                                                    diag::Diagnostics& diags) {
  const std::string here = workspace_name(world.environment);
  if (here == backends::kDefaultWorkspace && !service.settings().is_single_default()) {
    diags.error("There is no default workspace")
        .detail(
            "Every workspace of the organization has a name of its own. Select one with \"tofu "
            "workspace select\", or make one with \"tofu workspace new\".");
    return std::nullopt;
  }
  SelectedWorkspace selected{service.settings().remote_name(here), {}};
  auto found = service.find(selected.name);
  if (!found) {
    diags.error("Cannot read the workspace").detail(found.error().what + ".");
    return std::nullopt;
  }
  selected.found = std::move(*found);
  return selected;
}

namespace {

// Whether both versions write states that the other reads.
bool is_compatible(const config::Version& own, const std::string& there) {
  const auto constraints = config::Constraints::parse(there);
  if (!constraints) return false;
  const auto version = config::Version::parse(there);
  if (!version || !version->prerelease().empty()) return constraints->allows(own);
  // Up to 1.3 states have one form; since then a new one would come with a minor version.
  const config::Version first(0, 14, 0);
  const config::Version last(1, 3, 0);
  if (*version >= first && *version < last) return own >= first && own < last;
  if (*version >= last) {
    return own.major() == version->major() && own.minor() == version->minor();
  }
  return own == *version;
}

// What a workspace has for one variable. Nothing if and only if an error was added.
std::optional<value::Value> stored_value(const cloud::Resource& variable, World& world,
                                         diag::Diagnostics& diags) {
  const std::string name = variable.text("key");
  const bool is_expression = variable.flag("hcl");
  if (variable.flag("sensitive")) {
    diags.warning(fmt::format("The value of var.{} is not available", name))
        .detail(
            "It is sensitive in the workspace of the service, which does not tell it, and this "
            "command works here.");
    return value::Value::unknown(is_expression ? value::Type::dynamic() : value::Type::string());
  }
  if (!is_expression) return value::Value::string(variable.text("value"));
  const diag::FileId id =
      world.sources.add(fmt::format("<var.{} of the workspace>", name), variable.text("value"));
  const std::size_t errors = diags.error_count();
  const auto file = syntax::parse_expression(world.sources, id, diags);
  if (diags.error_count() != errors) return std::nullopt;
  return syntax::evaluate(*file->expr, nullptr, diags);
}

}  // namespace

bool add_workspace_variables(const ConfigurationOptions& options, RootVariables& variables,
                             World& world, diag::Diagnostics& diags) {
  const auto connection = connect(options, world, diags);
  if (!connection) return false;
  if (!connection->service) return true;
  const auto selected = selected_workspace(*connection->service, world, diags);
  if (!selected) return false;
  if (!selected->found || selected->found->runs_locally()) return true;
  const auto stored = connection->service->api().list(
      fmt::format("workspaces/{}/vars", cloud::path_part(selected->found->id)));
  if (!stored && stored.error().is_missing()) return true;
  if (!stored) {
    diags.error("Cannot read the variables of the workspace").detail(stored.error().what + ".");
    return false;
  }
  bool ok = true;
  for (const cloud::Resource& each : *stored) {
    const std::string name = each.text("key");
    if (each.text("category") != "terraform" || variables.has(name)) continue;
    const auto found = stored_value(each, world, diags);
    if (found) variables.add_stored(name, *found);
    ok = ok && found.has_value();
  }
  return ok;
}

bool check_remote_version(const cloud::Workspace& workspace, bool ignored,
                          diag::Diagnostics& diags) {
  const std::string& there = workspace.terraform_version;
  if (workspace.runs_locally() || there == "latest") return true;
  if (is_compatible(own_versions().tofu, there)) return true;
  const std::string detail = fmt::format(
      "The workspace {:?} has its runs made by version {:?}, which may not be able to "
      "read a state that this version ({}) writes.",
      workspace.name, there, own_versions().tofu.to_string());
  if (ignored) {
    diags.warning("Another version is used for runs").detail(detail);
    return true;
  }
  diags.error("Another version is used for runs")
      .detail(detail + " To go on all the same, use -ignore-remote-version.");
  return false;
}

bool check_remote_version(const ConfigurationOptions& configuration, bool ignored, World& world,
                          diag::Diagnostics& diags) {
  const auto connection = connect(configuration, world, diags);
  if (!connection) return false;
  if (!connection->service) return true;
  const auto selected = selected_workspace(*connection->service, world, diags);
  if (!selected) return false;
  return !selected->found || check_remote_version(*selected->found, ignored, diags);
}

}  // namespace tofu::commands
