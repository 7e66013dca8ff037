#include "commands/remote_run.h"

#include <fmt/format.h>
#include <utility>

#include "addrs/parse.h"
#include "base/file.h"
#include "commands/generated_config.h"
#include "commands/remote_plan.h"
#include "commands/remote_workspace.h"
#include "install/module_directory.h"
#include "schema/generate_config.h"
#include "transport/json_fields.h"

namespace tofu::commands {

namespace {

constexpr int kUsualParallelism = 10;

// Shows what a run elsewhere tells.
class RemoteView final : public cloud::RunSink {
 public:
  RemoteView(bool for_people, plans::Mode mode, RunView& view, World& world)
      : for_people_(for_people), mode_(mode), view_(view), world_(world) {}

  void line(std::string_view text) override { tell(safe(text)); }
  void note(std::string_view text) override { tell(std::string(text)); }
  void heading(std::string_view text) override {
    tell("");
    tell(colored(world_.view, Color::None, fmt::format("{}:", text)));
  }
  void warning(std::string_view text) override { tell(fmt::format("Warning: {}", safe(text))); }
  void plan(const base::Result<std::string>& json) override {
    if (!for_people_) return;  // programs get the messages of the log
    const auto printed =
        json ? print_plan_document(*json, {.mode = mode_, .has_changes = true}, false, world_)
             : base::Result<void>(json.error());
    if (!printed) warning(fmt::format("The plan cannot be shown: {}.", printed.error().what));
    world_.out.flush();
  }

  std::optional<std::string> ask(const std::string& question, const std::string& explain,
                                 const std::stop_token& stop) override {
    world_.out.write(fmt::format("\n{}\n  {}\n\n  {}", colored(world_.view, Color::None, question),
                                 explain, colored(world_.view, Color::None, "Enter a value: ")));
    world_.out.flush();
    const auto answer = world_.in.read_line(stop);
    world_.out.line("\n");
    world_.out.flush();
    if (!answer || !*answer) return std::nullopt;
    return **answer;
  }

 private:
  void tell(const std::string& text) {
    if (!for_people_) {
      if (!text.empty()) view_.message(text);
      return;
    }
    world_.out.line(text);
    world_.out.flush();
  }

  // Of what controls a terminal only colours are kept, and those only if they are wanted.
  std::string safe(std::string_view text) const {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const auto c = static_cast<unsigned char>(text[i]);
      if (c == 0x1b && i + 1 < text.size() && text[i + 1] == '[') {
        std::size_t end = text.find_first_not_of("0123456789;", i + 2);
        if (end != std::string_view::npos && text[end] == 'm') {
          if (world_.view.color && for_people_) out += text.substr(i, end - i + 1);
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
  World& world_;
};

// What the plan of the service has for resources that are imported and not declared.
bool write_generated(const std::string& path, const std::string& plan, diag::Diagnostics& diags) {
  std::string text;
  const auto document = transport::parse_json_object(plan);
  const value::Value* changes = document ? document->unmarked().find("resource_changes") : nullptr;
  if (changes != nullptr && changes->kind() == value::Kind::Tuple) {
    for (const value::Value& each : changes->unmarked().items()) {
      const value::Value* change = transport::object_at(each, "change");
      if (change == nullptr) continue;
      const std::string config = transport::text_at(*change, "generated_config");
      if (config.empty()) continue;
      const value::Value* from = transport::object_at(*change, "importing");
      if (text.empty()) text = schema::generated_file_header();
      text += schema::generated_entry(
          config, from == nullptr ? std::string() : transport::text_at(*from, "id"));
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
  Ordering(const RemotePlace& place, const RunFlags& flags, const RunOptions& options,
           const RemoteWishes& wishes, World& world, diag::Diagnostics& diags)
      : place_(place),
        flags_(flags),
        options_(options),
        wishes_(wishes),
        world_(world),
        diags_(diags) {}

  // Nothing if and only if an error was added.
  std::optional<cloud::RunOrder> make();

 private:
  void refuse(std::string_view what, std::string_view why) {
    diags_.error(fmt::format("{} cannot be used for runs elsewhere", what))
        .detail(std::string(why));
  }
  void check_flags();
  void check_versions();
  void add_variables(cloud::RunOrder& order);

  const RemotePlace& place_;
  const RunFlags& flags_;
  const RunOptions& options_;
  const RemoteWishes& wishes_;
  World& world_;
  diag::Diagnostics& diags_;
};

void Ordering::check_flags() {
  const int parallelism = flags_.operation.parallelism;
  if (parallelism != 0 && parallelism != kUsualParallelism) {
    refuse("-parallelism", "The service decides how many things are done at once.");
  }
  const StateFileOptions& files = flags_.files;
  if (!files.state.empty() || !files.state_out.empty() || !files.backup.empty()) {
    refuse("-state, -state-out and -backup",
           "The service keeps the state, and every version of it.");
  }
  if (!options_.plan.excludes.empty()) {
    refuse("-exclude", "The service does not know it. -target names what is planned instead.");
  }
  if (!wishes_.html_out.empty()) {
    refuse("-html-out", "The plan is made by the service, which shows it in a browser itself.");
  }
  const std::string& generated = wishes_.generate_config_out;
  if (place_.is_cloud()) {
    if (!generated.empty()) {
      (void)check_generated_config_path(generated, options_.plan.mode, diags_);
    }
    return;
  }
  if (!wishes_.out.empty()) {
    refuse("-out", "The backend \"remote\" saves no plans. With a cloud block it can be done.");
  }
  if (!wishes_.saved.empty()) {
    refuse("A saved plan",
           "The backend \"remote\" saves no plans, so that there are none to apply.");
  }
  if (!generated.empty()) {
    refuse("-generate-config-out", "The backend \"remote\" writes no configuration.");
  }
  if (!flags_.change.configuration.variables.uses.empty()) {
    refuse("-var and -var-file",
           fmt::format("The backend \"remote\" passes no variables. Write them to a file "
                       "*.auto.tfvars, or set them at {}",
                       place_.service->page(place_.workspace.name + "/variables")));
  }
}

// Old services do not know all options.
void Ordering::check_versions() {
  const bool has_targets = place_.service->api().is_at_least(2, 3);
  const bool has_modes = place_.service->api().is_at_least(2, 4);
  constexpr std::string_view kOld = "The service is too old for it.";
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

std::optional<cloud::RunOrder> Ordering::make() {
  const std::size_t errors = diags_.error_count();
  check_flags();
  check_versions();
  const bool has_configuration = install::has_configuration(options_.load.directory);
  const bool is_destroy = options_.plan.mode == plans::Mode::Destroy;
  if (!has_configuration && !is_destroy && wishes_.saved.empty()) {
    diags_.error("No configuration files")
        .detail(
            "There is no configuration in this directory, so that everything in the state would "
            "be destroyed. If that is what you want, use \"tofu destroy\".");
  }
  cloud::RunOrder order{
      .goal = wishes_.goal,
      .is_destroy = is_destroy,
      .is_refresh_only = options_.plan.mode == plans::Mode::RefreshOnly,
      .refreshes = options_.plan.refresh,
      .is_approved = wishes_.is_approved,
      .is_saved = !wishes_.out.empty(),
      .generates_config = !wishes_.generate_config_out.empty(),
      .may_ask = options_.input,
      .directory = has_configuration ? world_.environment.working_directory : std::string(),
      .lock_timeout = options_.lock.timeout};
  for (const addrs::Target& target : options_.plan.targets) {
    order.targets.push_back(addrs::to_string(target));
  }
  for (const addrs::AbsResourceInstance& address : options_.plan.replace) {
    order.replaced.push_back(address.to_string());
  }
  if (place_.is_cloud() && wishes_.saved.empty()) add_variables(order);
  if (diags_.error_count() != errors) return std::nullopt;
  return order;
}

}  // namespace

std::optional<FoundPlace> find_remote_place(const ConfigurationOptions& configuration, World& world,
                                            diag::Diagnostics& diags) {
  auto connection = connect(configuration, world, diags);
  if (!connection) return std::nullopt;
  if (!connection->service) return FoundPlace{};
  auto selected = selected_workspace(*connection->service, world, diags);
  if (!selected) return std::nullopt;
  // Where runs are made here, the configuration is loaded again, with its warnings.
  if (connection->service->runs_only_here()) return FoundPlace{};
  if (!selected->found) {
    diags.error("The workspace does not exist")
        .detail(
            fmt::format("There is no workspace {:?}, or the token gives no access to it. \"tofu "
                        "init\" makes one, and \"tofu workspace select\" selects another.",
                        selected->name));
    return std::nullopt;
  }
  if (selected->found->runs_locally()) return FoundPlace{};
  diags.take(std::move(connection->warnings));
  return FoundPlace{RemotePlace{std::move(connection->configuration),
                                std::move(connection->service), std::move(*selected->found)}};
}

std::optional<cloud::RunResult> run_remotely(const RemotePlace& place, const RunFlags& flags,
                                             const RunOptions& options, const RemoteWishes& wishes,
                                             RunView& view, World& world,
                                             diag::Diagnostics& diags) {
  const auto order = Ordering(place, flags, options, wishes, world, diags).make();
  if (!order) return std::nullopt;
  const std::string host = place.service->settings().host.for_display();
  RemoteView sink(!flags.json.json, options.plan.mode, view, world);
  const cloud::RunContext context{*place.service, place.workspace,          *order,
                                  sink,           world.interrupts.token(), diags};
  if (!wishes.saved.empty()) {
    const auto bookmark = read_bookmark(wishes.saved);
    if (!bookmark) {
      diags.error("The saved plan cannot be applied")
          .detail(fmt::format("{} is not a plan that was saved by a run of the service, and the "
                              "workspace {:?} has its runs made there.",
                              wishes.saved, place.workspace.name));
      return std::nullopt;
    }
    if (bookmark->host != host) {
      diags.error("The saved plan cannot be applied")
          .detail(
              fmt::format("It was made at {}, and this directory uses {}.", bookmark->host, host));
      return std::nullopt;
    }
    const auto applied = cloud::apply_saved_run(context, bookmark->run);
    if (applied.end == cloud::RunEnd::Failed) return std::nullopt;
    return applied;
  }
  auto result = cloud::make_run(context);
  if (!wishes.generate_config_out.empty() && !result.plan.empty()) {
    const auto plan = cloud::plan_with_configuration(context, result);
    if (!plan) {
      diags.error("Cannot read the plan").detail(plan.error().what + ".");
      return std::nullopt;
    }
    if (*plan && !write_generated(wishes.generate_config_out, **plan, diags)) return std::nullopt;
  }
  if (result.end == cloud::RunEnd::Failed) return std::nullopt;
  if (!wishes.out.empty() && !write_bookmark(wishes.out, {result.id, host}, diags)) {
    return std::nullopt;
  }
  return result;
}

}  // namespace tofu::commands
