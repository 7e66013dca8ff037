#include "runs/remote_run.h"

#include <fmt/format.h>
#include <utility>

#include "addrs/parse.h"
#include "base/file.h"
#include "cli/option_groups.h"
#include "cli/prompt.h"
#include "cli/view_options.h"
#include "install/module_directory.h"
#include "net/json_fields.h"
#include "runs/generated_config.h"
#include "runs/remote_plan.h"
#include "schema/generate_config.h"
#include "workdir/access.h"
#include "workdir/remote_workspace.h"

namespace tofu::runs {

namespace {

constexpr int kUsualParallelism = 10;

// Shows what a run elsewhere tells.
class RemoteView final : public cloud::RunSink {
 public:
  RemoteView(bool for_people, plans::Mode mode, RunView& view, workdir::StateAccess& access)
      : for_people_(for_people), mode_(mode), view_(view), access_(access) {}

  void line(std::string_view text) override { tell(safe(text)); }
  void note(std::string_view text) override { tell(std::string(text)); }
  void heading(std::string_view text) override {
    tell("");
    tell(cli::colored(access_.terminal.view, cli::Color::None, fmt::format("{}:", text)));
  }
  void warning(std::string_view text) override { tell(fmt::format("Warning: {}", safe(text))); }
  void plan(const base::Result<std::string>& json) override {
    if (!for_people_) return;  // programs get the messages of the log
    const auto printed = json ? print_plan_document(*json, {.mode = mode_, .has_changes = true},
                                                    false, access_.terminal)
                              : base::Result<void>(json.error());
    if (!printed) warning(fmt::format("Cannot show the plan: {}.", printed.error().what));
    access_.terminal.out.flush();
  }

  std::optional<std::string> ask(const std::string& question, const std::string& explain,
                                 const std::stop_token& stop) override {
    auto answer = cli::ask_person(
        fmt::format("\n{}\n  {}\n\n  {}",
                    cli::colored(access_.terminal.view, cli::Color::None, question), explain,
                    cli::colored(access_.terminal.view, cli::Color::None, "Enter a value: ")),
        access_.terminal, stop);
    access_.terminal.out.line("");
    access_.terminal.out.flush();
    return answer;
  }

 private:
  void tell(const std::string& text) {
    if (!for_people_) {
      if (!text.empty()) view_.message(text);
      return;
    }
    access_.terminal.out.line(text);
    access_.terminal.out.flush();
  }

  // Of control sequences of terminals only colors are kept, and those only if they are wanted.
  std::string safe(std::string_view text) const {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const auto c = static_cast<unsigned char>(text[i]);
      if (c == 0x1b && i + 1 < text.size() && text[i + 1] == '[') {
        std::size_t end = text.find_first_not_of("0123456789;", i + 2);
        if (end != std::string_view::npos && text[end] == 'm') {
          if (access_.terminal.view.color && for_people_) out += text.substr(i, end - i + 1);
          i = end;
          continue;
        }
      }
      if ((c >= 0x20 && c != 0x7f) || c == '\t') out += text[i];
    }
    return out;
  }

  bool for_people_;
  plans::Mode mode_;
  RunView& view_;
  workdir::StateAccess& access_;
};

// What the plan of the service has for resources that are imported and not declared.
bool write_generated(const std::string& path, const std::string& plan, diag::Diagnostics& diags) {
  std::string text;
  const auto document = net::parse_json_object(plan);
  const value::Value* changes = document ? document->unmarked().find("resource_changes") : nullptr;
  if (changes != nullptr && changes->kind() == value::Kind::Tuple) {
    for (const value::Value& each : changes->unmarked().items()) {
      const value::Value* change = net::object_at(each, "change");
      if (change == nullptr) continue;
      const std::string config = net::text_at(*change, "generated_config");
      if (config.empty()) continue;
      const value::Value* from = net::object_at(*change, "importing");
      if (text.empty()) text = schema::generated_file_header();
      text += schema::generated_entry(config,
                                      from == nullptr ? std::string() : net::text_at(*from, "id"));
    }
  }
  if (text.empty()) return true;
  const auto written = base::write_file(path, text);
  if (written) return true;
  diags.error("Cannot write generated configuration")
      .detail(fmt::format("Writing {} failed: {}.", path, written.error().what));
  return false;
}

class Ordering {
 public:
  Ordering(const RemoteTarget& place, const RunFlags& flags, const RunOptions& options,
           const RemoteRunOptions& remote_options, workdir::StateAccess& access,
           diag::Diagnostics& diags)
      : place_(place),
        flags_(flags),
        options_(options),
        remote_options_(remote_options),
        access_(access),
        diags_(diags) {}

  diag::Checked<cloud::RunOrder> make();

 private:
  void refuse(std::string_view what, std::string_view why) {
    diags_.error(fmt::format("{} is not supported for remote runs", what)).detail(std::string(why));
  }
  void check_flags();
  void check_versions();
  void add_variables(cloud::RunOrder& order);

  const RemoteTarget& place_;
  const RunFlags& flags_;
  const RunOptions& options_;
  const RemoteRunOptions& remote_options_;
  workdir::StateAccess& access_;
  diag::Diagnostics& diags_;
};

void Ordering::check_flags() {
  const int parallelism = flags_.operation.parallelism;
  if (parallelism != 0 && parallelism != kUsualParallelism) {
    refuse("-parallelism", "The service sets the number of concurrent operations.");
  }
  if (!options_.lint.selection.empty()) {
    refuse("-lint", "The service makes the plan. Lint here with \"tofu lint\" instead.");
  }
  const workdir::StateFileOptions& files = flags_.files;
  if (!files.state.empty() || !files.state_out.empty() || !files.backup.empty()) {
    refuse("-state, -state-out and -backup", "The service stores the state and all its versions.");
  }
  if (!options_.plan.excludes.empty()) {
    refuse("-exclude", "The service does not support it. Use -target instead.");
  }
  if (!remote_options_.html_out.empty()) {
    refuse("-html-out", "The service creates the plan and shows it in the browser.");
  }
  if (options_.plan.allow_deferral) {
    refuse("-allow-deferral", "The service makes the plan.");
  }
  if (options_.plan.minimal_refresh) {
    refuse("-minimal-refresh", "Remote runs read all objects.");
  }
  const std::string& generated = remote_options_.generate_config_out;
  if (place_.is_cloud()) {
    if (!generated.empty()) {
      (void)check_generated_config_path(generated, options_.plan.mode, diags_);
    }
    return;
  }
  if (!remote_options_.out.empty()) {
    refuse("-out",
           "The backend \"remote\" does not support saved plans. Use a cloud block instead.");
  }
  if (!remote_options_.saved.empty()) {
    refuse("A saved plan", "The backend \"remote\" does not support saved plans.");
  }
  if (!generated.empty()) {
    refuse("-generate-config-out",
           "The backend \"remote\" does not support generating configuration.");
  }
  if (!flags_.change.configuration.variables.uses.empty()) {
    refuse("-var and -var-file",
           fmt::format("The backend \"remote\" does not support these options. Set variables in an "
                       "*.auto.tfvars file, or in the workspace at {}",
                       place_.service->page(place_.workspace.name + "/variables")));
  }
}

// Old services do not know all options.
void Ordering::check_versions() {
  const bool has_targets = place_.service->api().is_at_least(2, 3);
  const bool has_modes = place_.service->api().is_at_least(2, 4);
  constexpr std::string_view kOld = "The version of the service does not support it.";
  if (!options_.plan.targets.empty() && !has_targets) refuse("-target", kOld);
  if (has_modes) return;
  if (!options_.plan.refresh) refuse("-refresh=false", kOld);
  if (!options_.plan.replace.empty()) refuse("-replace", kOld);
  if (options_.plan.mode == plans::Mode::RefreshOnly) refuse("-refresh-only", kOld);
}

void Ordering::add_variables(cloud::RunOrder& order) {
  const config::Module& root = *place_.configuration->tree.root().module;
  place_.configuration->variables.collect_explicit(root, order.variables, diags_);
}

diag::Checked<cloud::RunOrder> Ordering::make() {
  const std::size_t errors = diags_.error_count();
  check_flags();
  check_versions();
  const bool has_configuration = install::has_configuration(options_.load.directory);
  const bool is_destroy = options_.plan.mode == plans::Mode::Destroy;
  if (!has_configuration && !is_destroy && remote_options_.saved.empty()) {
    diags_.error("No configuration files")
        .detail(
            "This directory contains no configuration files, so applying would destroy everything "
            "in the state. To do that, use \"tofu destroy\".");
  }
  cloud::RunOrder order{
      .goal = remote_options_.goal,
      .is_destroy = is_destroy,
      .is_refresh_only = options_.plan.mode == plans::Mode::RefreshOnly,
      .refreshes = options_.plan.refresh,
      .is_approved = remote_options_.is_approved,
      .is_saved = !remote_options_.out.empty(),
      .generates_config = !remote_options_.generate_config_out.empty(),
      .may_ask = options_.input,
      .directory = has_configuration ? access_.environment().working_directory : std::string(),
      .lock_timeout = options_.lock.timeout};
  for (const addrs::Target& target : options_.plan.targets) {
    order.targets.push_back(addrs::to_string(target));
  }
  for (const addrs::AbsResourceInstance& address : options_.plan.replace) {
    order.replaced.push_back(address.to_string());
  }
  if (place_.is_cloud() && remote_options_.saved.empty()) add_variables(order);
  if (diags_.error_count() != errors) return std::nullopt;
  return order;
}

}  // namespace

diag::Checked<FoundPlace> find_remote_place(const workdir::RootModuleOptions& root_module,
                                            workdir::StateAccess& access,
                                            diag::Diagnostics& diags) {
  auto connection = workdir::connect(access, diags, root_module);
  if (!connection) return std::nullopt;
  if (!connection->service) return FoundPlace{};
  auto selected = workdir::selected_workspace(*connection->service, access.environment(), diags);
  if (!selected) return std::nullopt;
  // Where runs are made here, the configuration is loaded again, with its warnings.
  if (connection->service->runs_only_here()) return FoundPlace{};
  if (!selected->found) {
    diags.error("Workspace not found")
        .detail(
            fmt::format("The workspace {:?} does not exist, or the token has no access to it. "
                        "\"tofu init\" creates it; \"tofu workspace select\" selects another one.",
                        selected->name));
    return std::nullopt;
  }
  if (selected->found->runs_locally()) return FoundPlace{};
  diags.take(std::move(connection->warnings));
  return FoundPlace{RemoteTarget{std::move(connection->configuration),
                                 std::move(connection->service), std::move(*selected->found)}};
}

diag::Checked<cloud::RunResult> run_remotely(const RemoteTarget& place, const RunFlags& flags,
                                             const RunOptions& options,
                                             const RemoteRunOptions& remote_options, RunView& view,
                                             workdir::StateAccess& access,
                                             diag::Diagnostics& diags) {
  const auto order = Ordering(place, flags, options, remote_options, access, diags).make();
  if (!order) return std::nullopt;
  const std::string host = place.service->settings().host.for_display();
  RemoteView sink(!flags.json.json, options.plan.mode, view, access);
  const cloud::RunContext context{
      *place.service, place.workspace, *order, sink, access.cancellation.token(), diags};
  if (!remote_options.saved.empty()) {
    const auto bookmark = read_bookmark(remote_options.saved);
    if (!bookmark) {
      diags.error("Cannot apply the saved plan")
          .detail(fmt::format(
              "{} was not saved by a remote run, but the workspace {:?} uses remote runs.",
              remote_options.saved, place.workspace.name));
      return std::nullopt;
    }
    if (bookmark->host != host) {
      diags.error("Cannot apply the saved plan")
          .detail(fmt::format("The plan was created at {}, but this directory uses {}.",
                              bookmark->host, host));
      return std::nullopt;
    }
    const auto applied = cloud::apply_saved_run(context, bookmark->run);
    if (applied.end == cloud::RunEnd::Failed) return std::nullopt;
    return applied;
  }
  auto result = cloud::make_run(context);
  if (!remote_options.generate_config_out.empty() && !result.plan.empty()) {
    const auto plan = cloud::plan_with_configuration(context, result);
    if (!plan) {
      diags.error("Cannot read the plan").detail(plan.error().what + ".");
      return std::nullopt;
    }
    if (*plan && !write_generated(remote_options.generate_config_out, **plan, diags))
      return std::nullopt;
  }
  if (result.end == cloud::RunEnd::Failed) return std::nullopt;
  if (!remote_options.out.empty() &&
      !write_bookmark(remote_options.out, {result.id, host}, diags)) {
    return std::nullopt;
  }
  return result;
}

}  // namespace tofu::runs
