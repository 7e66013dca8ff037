#include "commands/remote_run.h"

#include <fmt/format.h>
#include <utility>

#include "addrs/parse.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "cloud/state_storage.h"
#include "commands/backend_settings.h"
#include "commands/command_encryption.h"
#include "commands/generated_config.h"
#include "commands/state_access.h"
#include "commands/version_mode.h"
#include "commands/workspace.h"
#include "config/version.h"
#include "install/module_directory.h"
#include "schema/generate_config.h"
#include "syntax/eval.h"
#include "syntax/parser.h"
#include "transport/json_fields.h"

namespace tofu::commands {

namespace {

constexpr std::uint64_t kLargestBookmark = std::uint64_t{1} << 16;
constexpr int kUsualParallelism = 10;

// Shows what a run elsewhere tells.
class RemoteView final : public cloud::RunSink {
 public:
  RemoteView(bool for_people, RunView& view, World& world)
      : for_people_(for_people), view_(view), world_(world) {}

  void line(std::string_view text) override { tell(safe(text)); }
  void note(std::string_view text) override { tell(std::string(text)); }
  void heading(std::string_view text) override {
    tell("");
    tell(colored(world_.view, Color::None, fmt::format("{}:", text)));
  }
  void warning(std::string_view text) override { tell(fmt::format("Warning: {}", safe(text))); }

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
  RunView& view_;
  World& world_;
};

// What was saved by -out: the run that has the plan.
struct Bookmark {
  std::string run;
  std::string host;
};

std::optional<Bookmark> read_bookmark(const std::string& path) {
  const auto text = base::read_file(path, kLargestBookmark);
  const auto document = text ? transport::parse_json_object(*text) : std::nullopt;
  if (!document) return std::nullopt;
  Bookmark bookmark{transport::text_at(*document, "run_id"),
                    transport::text_at(*document, "hostname")};
  if (!bookmark.run.starts_with("run-") || bookmark.host.empty()) return std::nullopt;
  return bookmark;
}

bool write_bookmark(const std::string& path, const Bookmark& bookmark, diag::Diagnostics& diags) {
  std::string json;
  base::JsonWriter writer(json);
  writer.begin_object();
  writer.field("remote_plan_format", 1);
  writer.field("run_id", std::string_view(bookmark.run));
  writer.field("hostname", std::string_view(bookmark.host));
  writer.end_object();
  const auto written = base::write_file(path, json);
  if (written) return true;
  diags.error("Cannot save the plan")
      .detail(fmt::format("Writing {} failed: {}.", path, written.error().what));
  return false;
}

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

namespace {

// The service of this directory and its workspace there; without a service if the backend
// is of another kind. Nothing if and only if an error was added.
struct Connection {
  std::unique_ptr<Configuration> configuration = {};
  std::unique_ptr<cloud::Service> service = {};
  std::optional<cloud::Workspace> workspace = {};
  std::string name = {};            // of the workspace
  diag::Diagnostics warnings = {};  // of the configuration
};

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
  const std::string here = workspace_name(world.environment);
  const cloud::CloudSettings& service = connection.service->settings();
  if (here == backends::kDefaultWorkspace && !service.is_single_default()) {
    diags.error("There is no default workspace")
        .detail(
            "Every workspace of the organization has a name of its own. Select one with \"tofu "
            "workspace select\", or make one with \"tofu workspace new\".");
    return std::nullopt;
  }
  connection.name = service.remote_name(here);
  auto found = connection.service->find(connection.name);
  if (!found) {
    diags.error("Cannot read the workspace").detail(found.error().what + ".");
    return std::nullopt;
  }
  connection.workspace = std::move(*found);
  return connection;
}

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

}  // namespace

std::optional<FoundPlace> find_remote_place(const ConfigurationOptions& configuration, World& world,
                                            diag::Diagnostics& diags) {
  auto connection = connect(configuration, world, diags);
  if (!connection) return std::nullopt;
  // Where runs are made here, the configuration is loaded again, with its warnings.
  if (!connection->service || connection->service->runs_only_here()) return FoundPlace{};
  if (!connection->workspace) {
    diags.error("The workspace does not exist")
        .detail(
            fmt::format("There is no workspace {:?}, or the token gives no access to it. \"tofu "
                        "init\" makes one, and \"tofu workspace select\" selects another.",
                        connection->name));
    return std::nullopt;
  }
  if (connection->workspace->runs_locally()) return FoundPlace{};
  diags.take(std::move(connection->warnings));
  return FoundPlace{RemotePlace{std::move(connection->configuration),
                                std::move(connection->service), std::move(*connection->workspace)}};
}

namespace {

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
  if (!connection->service || !connection->workspace || connection->workspace->runs_locally()) {
    return true;
  }
  const auto stored = connection->service->api().list(
      fmt::format("workspaces/{}/vars", cloud::path_part(connection->workspace->id)));
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

bool check_remote_version(const ConfigurationOptions& configuration, bool ignored, World& world,
                          diag::Diagnostics& diags) {
  const auto connection = connect(configuration, world, diags);
  if (!connection) return false;
  if (!connection->service || !connection->workspace) return true;
  const cloud::Workspace& workspace = *connection->workspace;
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

std::optional<cloud::RunResult> run_remotely(const RemotePlace& place, const RunFlags& flags,
                                             const RunOptions& options, const RemoteWishes& wishes,
                                             RunView& view, World& world,
                                             diag::Diagnostics& diags) {
  const auto order = Ordering(place, flags, options, wishes, world, diags).make();
  if (!order) return std::nullopt;
  const std::string host = place.service->settings().host.for_display();
  RemoteView sink(!flags.json.json, view, world);
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
