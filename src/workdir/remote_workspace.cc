#include "workdir/remote_workspace.h"

#include <fmt/format.h>
#include <utility>

#include "addrs/version.h"
#include "cli/environment.h"
#include "cloud/state_storage.h"
#include "diag/source.h"
#include "syntax/eval.h"
#include "syntax/parser.h"
#include "workdir/access.h"
#include "workdir/backend_settings.h"
#include "workdir/command_encryption.h"
#include "workdir/state_access.h"
#include "workdir/version_mode.h"
#include "workdir/workspace.h"

namespace tofu::workdir {

diag::Checked<Connection> connect(StateAccess& access, diag::Diagnostics& diags,
                                  const RootModuleOptions& root_module) {
  const auto recorded = read_backend_record(access.environment(), diags);
  if (!recorded) return std::nullopt;
  Connection connection;
  if (!recorded->record || cloud::find_kind(recorded->record->type) == nullptr) return connection;
  connection.configuration =
      load_root_module(access.options, access.load, connection.warnings, root_module);
  const auto encryption = connection.configuration
                              ? access.encryption_of(*connection.configuration, connection.warnings)
                              : std::nullopt;
  if (!encryption) {
    diags.take(std::move(connection.warnings));
    return std::nullopt;
  }
  const auto current =
      current_backend(*connection.configuration, access.environment(), access.load.sources, diags);
  if (!current) return std::nullopt;
  const backends::Kind& kind = *find_backend_kind(current->record->type);
  const auto values = current->record->read_settings(kind, diags);
  auto settings =
      values ? service_settings(kind, *values, access.environment(), diags) : std::nullopt;
  if (!settings) return std::nullopt;
  connection.service = connect_service(std::move(*settings), encryption->state(), access, diags);
  if (!connection.service) return std::nullopt;
  return connection;
}

diag::Checked<SelectedWorkspace> selected_workspace(cloud::Service& service,
                                                    const cli::Environment& environment,
                                                    diag::Diagnostics& diags) {
  const std::string here = workspace_name(environment);
  if (here == backends::kDefaultWorkspace && !service.settings().is_single_default()) {
    diags.error("No default workspace")
        .detail(
            "Workspaces of an organization always have a name. Select one with \"tofu workspace "
            "select\", or create one with \"tofu workspace new\".");
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
bool is_compatible(const addrs::Version& own, const std::string& there) {
  const auto constraints = addrs::Constraints::parse(there);
  if (!constraints) return false;
  const auto version = addrs::Version::parse(there);
  if (!version || !version->prerelease().empty()) return constraints->allows(own);
  // Up to 1.3 states have one form; since then a new one would come with a minor version.
  const addrs::Version first(0, 14, 0);
  const addrs::Version last(1, 3, 0);
  if (*version >= first && *version < last) return own >= first && own < last;
  if (*version >= last) {
    return own.major() == version->major() && own.minor() == version->minor();
  }
  return own == *version;
}

// What a workspace has for one variable.
diag::Checked<value::Value> stored_value(const cloud::Resource& variable, diag::SourceMap& sources,
                                         diag::Diagnostics& diags) {
  const std::string name = variable.text("key");
  const bool is_expression = variable.flag("hcl");
  if (variable.flag("sensitive")) {
    diags.warning(fmt::format("Value of var.{} is not available", name))
        .detail(
            "The variable is sensitive in the remote workspace, so its value cannot be read for "
            "this local operation.");
    return value::Value::unknown(is_expression ? value::Type::dynamic() : value::Type::string());
  }
  if (!is_expression) return value::Value::string(variable.text("value"));
  const diag::FileId id =
      sources.add(fmt::format("<var.{} of the workspace>", name), variable.text("value"));
  const std::size_t errors = diags.error_count();
  const auto file = syntax::parse_expression(sources, id, diags);
  if (diags.error_count() != errors) return std::nullopt;
  return syntax::evaluate(*file->expr, nullptr, diags);
}

}  // namespace

diag::Checked<void> add_workspace_variables(RootVariables& variables, StateAccess& access,
                                            diag::Diagnostics& diags) {
  const auto connection = connect(access, diags);
  if (!connection) return false;
  if (!connection->service) return true;
  const auto selected = selected_workspace(*connection->service, access.environment(), diags);
  if (!selected) return false;
  if (!selected->found || selected->found->runs_locally()) return true;
  const auto stored = connection->service->api().list(
      fmt::format("workspaces/{}/vars", cloud::path_part(selected->found->id)));
  if (!stored && stored.error().is_missing()) return true;
  if (!stored) {
    diags.error("Cannot read the workspace variables").detail(stored.error().what + ".");
    return false;
  }
  bool ok = true;
  for (const cloud::Resource& each : *stored) {
    const std::string name = each.text("key");
    if (each.text("category") != "terraform" || variables.has(name)) continue;
    const auto found = stored_value(each, access.load.sources, diags);
    if (found) variables.add_stored(name, *found);
    ok = ok && found.has_value();
  }
  return ok;
}

diag::Checked<void> check_remote_version(const cloud::Workspace& workspace, bool ignored,
                                         diag::Diagnostics& diags) {
  const std::string& there = workspace.terraform_version;
  if (workspace.runs_locally() || there == "latest") return true;
  if (is_compatible(own_versions().tofu, there)) return true;
  const std::string detail = fmt::format(
      "The workspace {:?} runs version {:?}, which may not be able to read a state written by this "
      "version ({}).",
      workspace.name, there, own_versions().tofu.to_string());
  if (ignored) {
    diags.warning("Remote version differs").detail(detail);
    return true;
  }
  diags.error("Remote version differs")
      .detail(detail + " To continue anyway, use -ignore-remote-version.");
  return false;
}

diag::Checked<void> check_remote_version(bool ignored, StateAccess& access,
                                         diag::Diagnostics& diags) {
  const auto connection = connect(access, diags);
  if (!connection) return false;
  if (!connection->service) return true;
  const auto selected = selected_workspace(*connection->service, access.environment(), diags);
  if (!selected) return false;
  return !selected->found || check_remote_version(*selected->found, ignored, diags);
}

}  // namespace tofu::workdir
