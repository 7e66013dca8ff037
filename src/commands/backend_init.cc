#include "commands/backend_init.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <utility>

#include "cloud/state_storage.h"
#include "commands/backend_copy.h"
#include "commands/backend_settings.h"
#include "commands/command_encryption.h"
#include "commands/workspace.h"
#include "state/state.h"

namespace tofu::commands {

namespace {

class BackendInit {
 public:
  BackendInit(const BackendOptions& options, bool may_ask, Progress& progress, World& world,
              diag::Diagnostics& diags)
      : options_(options),
        may_ask_(may_ask),
        progress_(progress),
        world_(world),
        diags_(diags),
        copying_(options.lock,
                 {.force = options.force_copy,
                  .may_ask = may_ask,
                  .ignores_remote_version = options.ignore_remote_version},
                 world, diags) {}

  bool run(const Configuration& configuration);

 private:
  bool set_up(const BackendSettings& settings);
  std::unique_ptr<backends::Backend> open_block(const BackendSettings& settings);
  bool change(const BackendSettings& settings, const BackendRecord& from);
  bool unset(const BackendRecord& from);
  bool finish(const BackendSettings& settings, const Side& side);

  bool check_cloud_options();
  bool refuse_change();
  bool refuse_leaving_cloud();
  bool has_objects(backends::Backend& backend, std::vector<std::string>& workspaces);
  bool clear(backends::Backend& backend, const std::vector<std::string>& workspaces);
  bool select_workspace(const Side& side);
  bool make_first_workspace(const Side& side);
  bool choose_workspace(const std::vector<std::string>& names, const std::string& current);
  // Of a record or a block; what its settings say was checked already.
  Side side_of(const BackendRecord& record);
  Side configured(const BackendSettings& settings);

  const BackendOptions& options_;
  bool may_ask_;
  Progress& progress_;
  World& world_;
  diag::Diagnostics& diags_;
  BackendCopy copying_;
};

bool BackendInit::run(const Configuration& configuration) {
  const auto found = backend_settings(configuration, options_.settings, world_, diags_);
  if (!found) return false;
  if (!found->settings && !options_.settings.empty()) {
    diags_.warning("Missing backend configuration")
        .detail(
            "-backend-config gives settings of a backend, but the configuration has no backend "
            "block, so they are not used.");
  }
  auto recorded = read_backend_record(world_, diags_);
  if (!recorded) return false;
  std::optional<BackendRecord> record = recorded->record;
  if (options_.reconfigure) record.reset();
  if (found->settings && found->settings->kind == &cloud::kCloudKind &&
      !options_.settings.empty()) {
    diags_.error("Invalid options for the cloud block")
        .detail(
            "-backend-config gives settings of backends. Those of the cloud block stand in the "
            "block, or in environment variables.");
    return false;
  }
  if (!found->settings) {
    if (record) return unset(*record);
    return !recorded->record || write_backend_record(std::nullopt, world_, diags_);
  }
  const BackendSettings& settings = *found->settings;
  if (!record) return set_up(settings);
  const bool same_block = record->hash == settings.hash && options_.settings.empty();
  if (!same_block && !is_unchanged(settings, *record)) return change(settings, *record);
  // The same settings may be written in another place now.
  if (record->hash != settings.hash) {
    record->hash = settings.hash;
    if (!write_backend_record(record, world_, diags_)) return false;
  }
  const Side side = side_of(*record);
  return side.backend && select_workspace(side);
}

Side BackendInit::side_of(const BackendRecord& record) {
  Side side{record.type, open_recorded(record, {}, world_, diags_)};
  const backends::Kind* kind = find_backend_kind(record.type);
  diag::Diagnostics ignored;
  const auto settings = kind == nullptr ? std::nullopt : record.read_settings(*kind, ignored);
  if (settings) side.service = service_settings(*kind, *settings, world_, ignored);
  return side;
}

Side BackendInit::configured(const BackendSettings& settings) {
  diag::Diagnostics ignored;  // whoever opens the backend reports what is wrong
  return {std::string(settings.kind->name), open_block(settings),
          service_settings(*settings.kind, settings.settings, world_, ignored)};
}

// Options for changing backends mean nothing where the cloud has a part in it.
bool BackendInit::check_cloud_options() {
  const std::string_view option = options_.reconfigure     ? "-reconfigure"
                                  : options_.force_copy    ? "-force-copy"
                                  : options_.migrate_state ? "-migrate-state"
                                                           : "";
  if (option.empty()) return true;
  diags_.error("Invalid options for the cloud block")
      .detail(fmt::format("{} is for changing from one backend to another. Settings of the cloud "
                          "block are used as soon as \"tofu init\" is run without it, and states "
                          "are copied after asking.",
                          option));
  return false;
}

bool BackendInit::refuse_leaving_cloud() {
  diags_.error("States are not copied from the cloud backend")
      .detail(
          "This directory was initialized with a cloud block. To use another place for its state, "
          "save it first with \"tofu state pull\", run \"tofu init -reconfigure\", and store it "
          "with \"tofu state push\".");
  return false;
}

bool BackendInit::refuse_change() {
  diags_.error("Backend configuration changed")
      .detail(
          "The backend is not the one with which this directory was initialized, and there may be "
          "states in the old one.\n\nTo copy them to the new one, use \"tofu init "
          "-migrate-state\". To use the new one as it is, use \"tofu init -reconfigure\".");
  return false;
}

bool BackendInit::unset(const BackendRecord& from) {
  if (from.type == cloud::kCloudKind.name) return refuse_leaving_cloud();
  if (!options_.migrate_state && !options_.force_copy) return refuse_change();
  progress_.line(fmt::format("The backend {:?} is not configured any more.", from.type));
  const Side old = side_of(from);
  const Side here{"local", open_recorded(std::nullopt, {}, world_, diags_)};
  if (!old.backend || !here.backend || !copying_.copy_all(old, here)) return false;
  if (!write_backend_record(std::nullopt, world_, diags_)) return false;
  progress_.success(
      fmt::format("Successfully unset the backend {:?}. States are files of this "
                  "directory from now on.",
                  from.type));
  return true;
}

// Which workspaces have a state with something in it. False if and only if an error was
// added.
bool BackendInit::has_objects(backends::Backend& backend, std::vector<std::string>& workspaces) {
  const auto names = copying_.workspaces_of(backend);
  if (!names) return false;
  for (const std::string& name : *names) {
    const auto store = backend.open_existing(name, diags_);
    const auto stored = store ? store->read(diags_) : std::nullopt;
    if (!stored) return false;
    if (stored->state && !stored->state->is_empty()) workspaces.push_back(name);
  }
  return true;
}

bool BackendInit::clear(backends::Backend& backend, const std::vector<std::string>& workspaces) {
  for (const std::string& name : workspaces) {
    const auto store = backend.open(name, diags_);
    if (!store || !store->clear(diags_)) return false;
  }
  return true;
}

// Mistakes in the settings are mistakes of the block.
std::unique_ptr<backends::Backend> BackendInit::open_block(const BackendSettings& settings) {
  const std::size_t before = diags_.size();
  auto backend =
      open_kind(*settings.kind, settings.settings, {}, encryptions(world_).state(), world_, diags_);
  for (diag::Diagnostic& each : diags_.items_from(before)) {
    if (!each.subject) each.subject = settings.place;
  }
  return backend;
}

bool BackendInit::set_up(const BackendSettings& settings) {
  if (settings.kind == &cloud::kCloudKind && !check_cloud_options()) return false;
  const Side here{"local", open_recorded(std::nullopt, {}, world_, diags_)};
  const Side there = configured(settings);
  if (!here.backend || !there.backend) return false;
  std::vector<std::string> workspaces;
  if (!has_objects(*here.backend, workspaces)) return false;
  // A block may only say what is so without it.
  const bool same_place = here.backend->identity() == there.backend->identity();
  if (!workspaces.empty() && !same_place) {
    if (!copying_.copy_all(here, there) || !clear(*here.backend, workspaces)) return false;
  }
  return finish(settings, there);
}

bool BackendInit::change(const BackendSettings& settings, const BackendRecord& from) {
  const bool was_cloud = from.type == cloud::kCloudKind.name;
  if (settings.kind == &cloud::kCloudKind) {
    if (!check_cloud_options()) return false;
    // Other workspaces are used then; their states stay where they are.
    if (was_cloud) {
      const Side there = configured(settings);
      return there.backend && finish(settings, there);
    }
  } else if (was_cloud) {
    return refuse_leaving_cloud();
  } else if (!options_.migrate_state && !options_.force_copy) {
    return refuse_change();
  }
  const Side old = side_of(from);
  const Side there = configured(settings);
  if (!old.backend || !there.backend) return false;
  progress_.line(from.type == there.type ? std::string("The settings of the backend were changed.")
                                         : fmt::format("The backend was changed from {:?} to {:?}.",
                                                       from.type, there.type));
  return copying_.copy_all(old, there) && finish(settings, there);
}

bool BackendInit::finish(const BackendSettings& settings, const Side& side) {
  const bool selected = select_workspace(side);
  // With "remote", workspaces are made by "workspace new", which needs the record.
  if (!selected && settings.kind != &cloud::kRemoteKind) return false;
  if (!write_backend_record(settings.record(), world_, diags_)) return false;
  if (!selected) return false;
  progress_.success(
      fmt::format("Successfully configured the backend {:?}! OpenTofu uses it from now on, unless "
                  "its settings change.",
                  settings.kind->name));
  return true;
}

// The one that is selected has to be there.
bool BackendInit::select_workspace(const Side& side) {
  if (!side.backend->has_workspaces()) return true;
  const auto names = side.backend->workspaces(diags_);
  if (!names) return false;
  if (names->empty()) return make_first_workspace(side);
  const std::string current = workspace_name(world_.environment);
  if (std::ranges::find(*names, current) != names->end()) return true;
  if (names->size() == 1) return write_workspace_name(names->front(), world_.environment, diags_);
  return choose_workspace(*names, current);
}

bool BackendInit::make_first_workspace(const Side& side) {
  if (!may_ask_ || !side.is_cloud()) {
    diags_.error("There are no workspaces")
        .detail(fmt::format("{} has no workspace that this directory could use. Make one with "
                            "\"tofu workspace new\".",
                            side.backend->identity()));
    return false;
  }
  const auto name = copying_.ask(
      "There are no workspaces yet.",
      fmt::format("No workspace of {} can be used by this directory. Enter a name to make one.",
                  side.backend->identity()));
  return name && side.backend->open(*name, diags_) &&
         write_workspace_name(*name, world_.environment, diags_);
}

bool BackendInit::choose_workspace(const std::vector<std::string>& names,
                                   const std::string& current) {
  if (!may_ask_ || !world_.environment.variable("TF_WORKSPACE").empty()) {
    diags_.error("The workspace does not exist")
        .detail(
            fmt::format("The selected workspace {:?} is not in this backend, which has: {}. Select "
                        "one of them with TF_WORKSPACE.",
                        current, fmt::join(names, ", ")));
    return false;
  }
  std::string list;
  for (std::size_t i = 0; i < names.size(); ++i) {
    list += fmt::format("\n  {}. {}", i + 1, names[i]);
  }
  const auto answer =
      copying_.ask(fmt::format("The selected workspace {:?} does not exist.", current),
                   "Enter the number of the workspace to select:" + list);
  if (!answer) return false;
  std::size_t number = 0;
  const auto [end, error] =
      std::from_chars(answer->data(), answer->data() + answer->size(), number);
  if (error != std::errc() || end != answer->data() + answer->size() || number < 1 ||
      number > names.size()) {
    diags_.error("No workspace was selected").detail("That is not a number of the list.");
    return false;
  }
  return write_workspace_name(names[number - 1], world_.environment, diags_);
}

}  // namespace

void BackendOptions::declare(FlagSet& flags) {
  flags.add("backend-config", settings,
            {.value = "KEY=VALUE",
             .help = "A setting of the backend, besides those of its block; or a file of settings. "
                     "May be given several times.",
             .completes = Completes::Files});
  flags.add("force-copy", force_copy,
            {.help = "Copy states to another backend without asking. Implies -migrate-state."});
  flags.add("migrate-state", migrate_state,
            {.help = "If the backend was changed, copy the states to the new one."});
  flags.add("reconfigure", reconfigure,
            {.help = "Use the backend as it is configured, whatever it was before."});
  add_ignore_remote_version_flag(flags, ignore_remote_version);
  flags.include(lock);
}

bool BackendOptions::check(diag::Diagnostics& diags) const {
  if (!reconfigure || (!migrate_state && !force_copy)) return true;
  diags.error("Options that exclude each other")
      .detail(
          "-migrate-state copies states from the backend that was used before, which -reconfigure "
          "forgets. Give only one of them.");
  return false;
}

bool init_backend(const BackendOptions& options, bool may_ask, const Configuration& configuration,
                  Progress& progress, World& world, diag::Diagnostics& diags) {
  const auto listening = world.interrupts.listen();
  const std::size_t before = diags.size();
  const bool done = BackendInit(options, may_ask, progress, world, diags).run(configuration);
  configuration.tree.root().module->name_blocks(diags.items_from(before));
  return done;
}

}  // namespace tofu::commands
