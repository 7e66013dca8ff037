#include "cloud/service.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "backends/remote.h"
#include "install/discovery.h"

namespace tofu::cloud {

namespace {

Workspace read_workspace(const Resource& resource) {
  Workspace workspace{.id = resource.id,
                      .name = resource.text("name"),
                      .execution_mode = resource.text("execution-mode"),
                      .terraform_version = resource.text("terraform-version"),
                      .working_directory = resource.text("working-directory"),
                      .current_run = resource.related("current-run"),
                      .tags = resource.texts("tag-names"),
                      .is_locked = resource.flag("locked"),
                      .lock_reason = resource.text("locked-reason"),
                      .is_connected_to_vcs = resource.attribute("vcs-repo") != nullptr,
                      .has_structured_output = resource.flag("structured-run-output-enabled"),
                      .can_queue_run = resource.flag("permissions", "can-queue-run"),
                      .can_apply = resource.flag("permissions", "can-queue-apply") ||
                                   resource.flag("permissions", "can-update")};
  const value::Value* permissions = resource.attribute("permissions");
  const value::Value* force = permissions == nullptr || permissions->kind() != value::Kind::Object
                                  ? nullptr
                                  : permissions->unmarked().find("can-force-delete");
  if (force != nullptr && force->kind() == value::Kind::Bool) {
    workspace.can_force_delete = force->unmarked().as_bool();
  }
  // Old services know only whether runs are made there.
  if (workspace.execution_mode.empty()) {
    workspace.execution_mode = resource.flag("operations") ? "remote" : "local";
  }
  return workspace;
}

net::WebOptions web_options(const backends::BackendContext& context) {
  net::WebOptions options = backends::backend_web_options(context);
  options.retry_wait = std::chrono::milliseconds(500);
  options.longest_retry_wait = std::chrono::seconds(5);
  return options;
}

// The first of its versions that the host offers.
base::Result<install::Service> find_service(install::Discovery& discovery,
                                            const CloudSettings& settings) {
  if (settings.flavor == Flavor::Remote && settings.must_run_here) {
    return discovery.find(settings.host, "state.v2");
  }
  const bool is_cloud = settings.flavor == Flavor::Cloud;
  auto found = discovery.find(settings.host, is_cloud ? "tfe.v2" : "tfe.v2.1");
  for (const std::string_view name : {"tfe.v2.2", "tfe.v2.1", "tfe.v2"}) {
    if (found) break;
    if (auto other = discovery.find(settings.host, name)) found = std::move(other);
  }
  return found;
}

}  // namespace

Service::Service(Key, CloudSettings settings, const backends::BackendContext& context)
    : settings_(std::move(settings)),
      program_version_(context.version),
      web_(web_options(context), backends::no_cancellation()),
      credentials_(context.credentials == nullptr ? net::CredentialSources()
                                                  : *context.credentials) {}

diag::Checked<std::unique_ptr<Service>> Service::connect(CloudSettings settings,
                                                         const backends::BackendContext& context,
                                                         diag::Diagnostics& diags) {
  const backends::ReadCancellation::Scope reading(context.reading.get());
  auto service = std::make_unique<Service>(Key(), std::move(settings), context);
  if (!service->find_api(diags) || !service->check_organization(diags) ||
      !service->check_workspace_variable(diags)) {
    return nullptr;
  }
  service->api_->set_patient();
  if (context.reading) service->api_->hurry_on(context.reading->interrupts());
  return service;
}

bool Service::find_api(diag::Diagnostics& diags) {
  const std::string host = settings_.host.for_display();
  const auto failed = [&](const std::string& why) {
    diags.error(fmt::format("Cannot connect to {}", host)).detail(why + ".");
    return false;
  };
  install::Discovery discovery(web_, credentials_);
  auto found = find_service(discovery, settings_);
  if (!found) return failed(found.error().what);
  std::optional<net::Secret> token;
  if (!settings_.token.empty()) {
    token = net::Secret(settings_.token);
  } else {
    token = credentials_.token(settings_.host);
  }
  if (!token) {
    diags.error("Token required")
        .detail(fmt::format("The API of {} needs a token. To get one and store it, run:\n  tofu "
                            "login {}",
                            host, host));
    return false;
  }
  if (!found->takes_token) return failed("its API is reached without https, so no token is sent");
  std::vector<net::WebHeader> headers = {{"Terraform-Version", program_version_}};
  if (settings_.flavor == Flavor::Cloud) headers.push_back({"X-Terraform-Integration", "cloud"});
  api_ = std::make_unique<Api>(web_, std::move(found->url), *token, std::move(headers));
  if (const auto shaken = api_->handshake(); !shaken) return failed(shaken.error().what);
  if (settings_.flavor == Flavor::Remote || api_->is_at_least(2, 5)) return true;
  return failed(
      "its API is older than version 2.5, which the cloud block needs. Use the backend \"remote\" "
      "instead");
}

bool Service::check_organization(diag::Diagnostics& diags) {
  const auto rights = api_->read(
      fmt::format("organizations/{}/entitlement-set", path_part(settings_.organization)));
  if (!rights) {
    const std::string host = settings_.host.for_display();
    diags.error(fmt::format("Cannot use the organization {:?} at {}", settings_.organization, host))
        .detail(rights.error().is_missing()
                    ? fmt::format("It was not found, or the token for {} does not give access to "
                                  "it. See whether the names are right, or get another token with "
                                  "\"tofu login {}\".",
                                  host, host)
                    : fmt::format("Reading its entitlements failed: {}.", rights.error().what));
    return false;
  }
  runs_only_here_ = settings_.must_run_here || !rights->flag("operations");
  return true;
}

// TF_WORKSPACE has to name one of the workspaces with the tags.
bool Service::check_workspace_variable(diag::Diagnostics& diags) {
  const bool applies = settings_.flavor == Flavor::Cloud && !settings_.workspace.empty() &&
                       settings_.mapping == Mapping::Tags;
  if (!applies) return true;
  const auto names = list();
  if (!names) {
    diags.error("Cannot list the workspaces").detail(names.error().what + ".");
    return false;
  }
  if (std::ranges::find(*names, settings_.workspace) != names->end()) return true;
  diags.error("The workspace does not exist")
      .detail(fmt::format(
          "TF_WORKSPACE names the workspace {:?}, but the organization {:?} has none "
          "of that name with the tags that are configured: {}.",
          settings_.workspace, settings_.organization, fmt::join(settings_.tags, ", ")));
  return false;
}

std::string Service::page(const std::string& below) const {
  return fmt::format("https://{}/app/{}/{}", settings_.host.for_display(), settings_.organization,
                     below);
}

base::Result<std::optional<Workspace>> Service::find(const std::string& name) {
  const auto found = api_->read(fmt::format("organizations/{}/workspaces/{}",
                                            path_part(settings_.organization), path_part(name)));
  if (found) return std::optional(read_workspace(*found));
  if (found.error().is_missing()) return std::optional<Workspace>();
  return base::Error{found.error().what};
}

// Empty if there is none, and none was to be made.
base::Result<std::string> Service::project_id(bool make) {
  const std::string path =
      fmt::format("organizations/{}/projects", path_part(settings_.organization));
  const auto projects = api_->list(path, {{"filter[names]", settings_.project}});
  if (!projects && !projects.error().is_missing()) return base::Error{projects.error().what};
  if (projects) {
    for (const Resource& each : *projects) {
      if (each.text("name") == settings_.project) return each.id;
    }
  }
  if (!make) return std::string();
  const auto made = api_->create(path, Draft("projects").set("name", settings_.project).json());
  if (!made) {
    return base::Error{
        fmt::format("the project {:?} cannot be made: {}", settings_.project, made.error().what)};
  }
  return made->id;
}

base::Result<std::vector<std::string>> Service::list() {
  if (settings_.flavor == Flavor::Cloud && settings_.mapping == Mapping::Name) {
    return std::vector<std::string>{settings_.name};  // made when it is first used
  }
  base::UrlArguments query;
  if (settings_.mapping == Mapping::Tags) {
    query.emplace_back("search[tags]", fmt::format("{}", fmt::join(settings_.tags, ",")));
  } else {
    query.emplace_back("search[name]", settings_.name);
  }
  if (!settings_.project.empty()) {
    const auto project = project_id(false);
    if (!project) return project.error();
    if (!project->empty()) query.emplace_back("filter[project][id]", *project);
  }
  const auto found = api_->list(
      fmt::format("organizations/{}/workspaces", path_part(settings_.organization)), query);
  if (!found) return base::Error{found.error().what};
  std::vector<std::string> names;
  for (const Resource& each : *found) {
    if (auto name = settings_.local_name(each.text("name")); name && !name->empty()) {
      names.push_back(std::move(*name));
    }
  }
  return names;
}

base::Result<Workspace> Service::make(const std::string& name) {
  Draft draft("workspaces");
  draft.set("name", name);
  if (settings_.flavor == Flavor::Remote) draft.set("terraform-version", program_version_);
  if (!settings_.project.empty()) {
    const auto project = project_id(true);
    if (!project) return project.error();
    draft.relate("project", "projects", *project);
  }
  if (!settings_.tags.empty()) draft.relate_named("tags", "tags", settings_.tags);
  const auto made = api_->create(
      fmt::format("organizations/{}/workspaces", path_part(settings_.organization)), draft.json());
  if (!made) return base::Error{made.error().what};
  Workspace workspace = read_workspace(*made);
  if (settings_.flavor == Flavor::Remote) return workspace;
  // A service may not have this version; it uses another then.
  const auto updated =
      api_->update("workspaces/" + path_part(workspace.id),
                   Draft("workspaces").set("terraform-version", program_version_).json());
  if (updated) workspace.terraform_version = updated->text("terraform-version");
  return workspace;
}

base::Result<Workspace> Service::find_or_make(const std::string& name) {
  auto found = find(name);
  if (!found) return found.error();
  if (!*found) return make(name);
  Workspace workspace = std::move(**found);
  const bool lacks_tags = std::ranges::any_of(settings_.tags, [&](const std::string& tag) {
    return std::ranges::find(workspace.tags, tag) == workspace.tags.end();
  });
  if (lacks_tags) {
    const auto tagged =
        api_->act(fmt::format("workspaces/{}/relationships/tags", path_part(workspace.id)),
                  named_list_json("tags", settings_.tags), true);
    if (!tagged) return base::Error{tagged.error().what};
  }
  return workspace;
}

base::Result<void> Service::remove(const std::string& name) {
  const auto found = find(name);
  if (!found) return found.error();
  if (!*found) return {};
  const std::string path = "workspaces/" + path_part((*found)->id);
  // Without the right to delete whatever is in it, an empty one can be deleted all the same.
  const auto removed = (*found)->can_force_delete.value_or(true)
                           ? api_->remove(path)
                           : api_->act(path + "/actions/safe-delete", "");
  if (removed || removed.error().is_missing()) return {};
  return base::Error{removed.error().what};
}

}  // namespace tofu::cloud
