#include "cloud/settings.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <utility>

#include "backends/backend.h"
#include "backends/settings.h"

namespace tofu::cloud {

namespace {

using backends::Settings;
using backends::SettingSchema;
using value::Type;

schema::Block make_schema(std::vector<SettingSchema> of_workspaces) {
  schema::Block block = backends::settings_schema({
      {.name = "hostname", .about = "The host of the service."},
      {.name = "organization", .about = "The organization that has the workspaces."},
      {.name = "token",
       .about = "The token for the API; usually \"tofu login\" stores one instead.",
       .sensitive = true},
  });
  block.blocks.push_back({.name = "workspaces",
                          .block = std::make_shared<const schema::Block>(
                              backends::settings_schema(std::move(of_workspaces))),
                          .nesting = schema::Nesting::Single});
  return block;
}

// Settings of both kinds.
CloudSettings read_common(Flavor flavor, const Settings& settings,
                          backends::Variables host_variables,
                          backends::Variables organization_variables) {
  CloudSettings cloud;
  cloud.flavor = flavor;
  // Empty text does not name a host, so the environment counts then.
  std::string host = settings.text("hostname");
  if (host.empty()) {
    for (const std::string_view name : host_variables) host = settings.variable(name);
  }
  if (host.empty()) {
    settings.refuse("hostname", "it has no default, so it must be set");
  } else if (auto parsed = base::parse_hostname(host)) {
    cloud.host = std::move(*parsed);
  } else {
    settings.refuse("hostname", parsed.error().what);
  }
  cloud.organization = settings.text("organization");
  if (cloud.organization.empty()) {
    for (const std::string_view name : organization_variables) {
      cloud.organization = settings.variable(name);
    }
  }
  if (cloud.organization.empty()) {
    settings.refuse("organization",
                    organization_variables.size() == 0
                        ? std::string("it is empty")
                        : fmt::format("it is empty, and so is the environment variable {}",
                                      *organization_variables.begin()));
  }
  cloud.token = settings.text("token");
  cloud.workspace = settings.variable("TF_WORKSPACE");
  cloud.must_run_here = !settings.variable("TF_FORCE_LOCAL_BACKEND").empty();
  cloud.run = settings.variable("TFE_RUN_ID");
  return cloud;
}

// TF_WORKSPACE names the workspace where the block does not.
void read_mapping(const Settings& settings, CloudSettings& cloud) {
  if (const auto workspaces = settings.inside("workspaces")) {
    cloud.name = workspaces->text("name");
    cloud.tags = workspaces->list("tags");
    cloud.project = workspaces->text("project");
  }
  if (cloud.project.empty()) cloud.project = settings.variable("TF_CLOUD_PROJECT");
  if (!cloud.name.empty() && !cloud.tags.empty()) {
    settings.refuse("workspaces", "\"name\" and \"tags\" exclude each other");
  } else if (!cloud.name.empty() && !cloud.workspace.empty() && cloud.workspace != cloud.name) {
    settings.refuse("workspaces",
                    fmt::format("the name {:?} is not the one that the environment variable "
                                "TF_WORKSPACE has",
                                cloud.name));
  }
  if (!cloud.tags.empty()) {
    cloud.mapping = Mapping::Tags;
    return;
  }
  if (cloud.name.empty()) cloud.name = cloud.workspace;
  if (cloud.name.empty()) {
    settings.refuse("workspaces", "set either \"name\" or \"tags\" to select workspaces");
  }
}

}  // namespace

std::string CloudSettings::remote_name(const std::string& workspace_here) const {
  if (is_single_default()) return name;
  if (mapping != Mapping::Prefix || workspace_here.starts_with(name)) return workspace_here;
  return name + workspace_here;
}

std::optional<std::string> CloudSettings::local_name(const std::string& remote) const {
  switch (mapping) {
    case Mapping::Name:
      if (remote != name) return std::nullopt;
      return is_single_default() ? std::string(backends::kDefaultWorkspace) : remote;
    case Mapping::Prefix:
      if (!remote.starts_with(name)) return std::nullopt;
      return remote.substr(name.size());
    case Mapping::Tags: return remote;
  }
  return std::nullopt;
}

const schema::Block& cloud_schema() {
  static const schema::Block kSchema = make_schema({
      {.name = "name", .about = "The one workspace that is used."},
      {.name = "project", .about = "The project that new workspaces belong to."},
      {.name = "tags",
       .type = Type::set(Type::string()),
       .about = "Workspaces with all of these tags are used; new ones get them."},
  });
  return kSchema;
}

const schema::Block& remote_schema() {
  static const schema::Block kSchema = make_schema({
      {.name = "name", .about = "The one workspace that is used."},
      {.name = "prefix", .about = "Workspaces whose names begin so are used."},
  });
  return kSchema;
}

diag::Checked<CloudSettings> read_cloud_settings(const value::Value& values,
                                                 const net::EnvironmentVariable& environment,
                                                 diag::Diagnostics& diags) {
  const Settings settings("cloud", values, environment, diags);
  CloudSettings cloud =
      read_common(Flavor::Cloud, settings, {"TF_CLOUD_HOSTNAME"}, {"TF_CLOUD_ORGANIZATION"});
  read_mapping(settings, cloud);
  if (!settings.ok()) return std::nullopt;
  return cloud;
}

diag::Checked<CloudSettings> read_remote_settings(const value::Value& values,
                                                  const net::EnvironmentVariable& environment,
                                                  diag::Diagnostics& diags) {
  const Settings settings("remote", values, environment, diags);
  CloudSettings cloud = read_common(Flavor::Remote, settings, {}, {});
  std::string prefix;
  if (const auto workspaces = settings.inside("workspaces")) {
    cloud.name = workspaces->text("name");
    prefix = workspaces->text("prefix");
  }
  if (cloud.name.empty() == prefix.empty()) {
    settings.refuse("workspaces", cloud.name.empty()
                                      ? "set either \"name\" or \"prefix\""
                                      : "\"name\" and \"prefix\" exclude each other");
  }
  if (!prefix.empty()) {
    cloud.mapping = Mapping::Prefix;
    cloud.name = std::move(prefix);
  }
  if (!settings.ok()) return std::nullopt;
  return cloud;
}

}  // namespace tofu::cloud
