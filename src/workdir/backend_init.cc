#include "workdir/backend_init.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "cli/settings.h"
#include "cloud/state_storage.h"
#include "state/state.h"
#include "workdir/access.h"
#include "workdir/backend_copy.h"
#include "workdir/backend_settings.h"
#include "workdir/command_encryption.h"
#include "workdir/journal_recovery.h"
#include "workdir/workspace.h"

namespace tofu::workdir {

namespace {

class BackendInit {
 public:
  BackendInit(const BackendOptions& options, bool may_ask, const CommandEncryption& encryption,
              cli::Progress& progress, StateAccess& access, diag::Diagnostics& diags)
      : options_(options),
        may_ask_(may_ask),
        progress_(progress),
        encryption_(encryption),
        access_(access),
        diags_(diags),
        copying_(options.lock,
                 {.force = options.force_copy,
                  .may_ask = may_ask,
                  .ignores_remote_version = options.ignore_remote_version},
                 encryption, access, diags) {}

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
  // Says which journals of interrupted runs the backend has that is left. Null: none is used
  // from now on.
  void warn_of_journals(const std::optional<BackendRecord>& from, backends::Backend* used);
  diag::Checked<bool> has_objects(backends::Backend& backend);
  bool clear(backends::Backend& backend, const std::vector<std::string>& workspaces);
  bool select_workspace(const Side& side);
  bool make_first_workspace(const Side& side);
  bool choose_workspace(const std::vector<std::string>& names, const std::string& current);
  // Of a record or a block; what its settings say was checked already.
  Side side_of(const BackendRecord& record);
  Side configured(const BackendSettings& settings);

  const BackendOptions& options_;
  bool may_ask_;
  cli::Progress& progress_;
  const CommandEncryption& encryption_;
  StateAccess& access_;
  diag::Diagnostics& diags_;
  BackendCopy copying_;
  std::optional<BackendRecord> left_;  // as recorded, of which nothing is copied
};

bool BackendInit::run(const Configuration& configuration) {
  const auto found =
      backend_settings(configuration, options_.settings, access_.load.sources, diags_);
  if (!found) return false;
  if (!found->settings && !options_.settings.empty()) {
    diags_.warning("Missing backend configuration")
        .detail(
            "-backend-config was given, but the configuration has no backend block, so it has no "
            "effect. Add a backend block, or remove the option.");
  }
  auto recorded = read_backend_record(access_.environment(), diags_);
  if (!recorded) return false;
  std::optional<BackendRecord> record = recorded->record;
  if (options_.reconfigure) left_ = std::exchange(record, std::nullopt);
  if (found->settings && found->settings->kind == &cloud::kCloudKind &&
      !options_.settings.empty()) {
    diags_.error("Invalid options for the cloud block")
        .detail(
            "-backend-config does not apply to cloud blocks. Set these options in the cloud block "
            "or in environment variables.");
    return false;
  }
  if (!found->settings) {
    if (record) return unset(*record);
    if (!recorded->record) return true;
    warn_of_journals(*recorded->record, nullptr);
    return write_backend_record(std::nullopt, access_.environment(), diags_);
  }
  const BackendSettings& settings = *found->settings;
  if (!record) return set_up(settings);
  const bool same_block = record->hash == settings.hash && options_.settings.empty();
  if (!same_block && !is_unchanged(settings, *record)) return change(settings, *record);
  // The same settings may be written in another place now.
  if (record->hash != settings.hash) {
    record->hash = settings.hash;
    if (!write_backend_record(record, access_.environment(), diags_)) return false;
  }
  const Side side = side_of(*record);
  return side.backend && select_workspace(side);
}

Side BackendInit::side_of(const BackendRecord& record) {
  Side side{record.type, open_recorded(record, {}, encryption_.state(), access_, diags_)};
  const backends::Kind* kind = find_backend_kind(record.type);
  diag::Diagnostics ignored;
  const auto settings = kind == nullptr ? std::nullopt : record.read_settings(*kind, ignored);
  if (settings) side.service = service_settings(*kind, *settings, access_.environment(), ignored);
  return side;
}

Side BackendInit::configured(const BackendSettings& settings) {
  diag::Diagnostics ignored;  // reported when the backend is opened
  return {std::string(settings.kind->name), open_block(settings),
          service_settings(*settings.kind, settings.settings, access_.environment(), ignored)};
}

// Options for changing backends mean nothing where the cloud has a part in it.
bool BackendInit::check_cloud_options() {
  const std::string_view option = options_.reconfigure     ? "-reconfigure"
                                  : options_.force_copy    ? "-force-copy"
                                  : options_.migrate_state ? "-migrate-state"
                                                           : "";
  if (option.empty()) return true;
  diags_.error("Invalid options for the cloud block")
      .detail(fmt::format("{} applies only to changes of the backend. \"tofu init\" without it "
                          "uses changed cloud settings directly, and asks before it copies states.",
                          option));
  return false;
}

void BackendInit::warn_of_journals(const std::optional<BackendRecord>& from,
                                   backends::Backend* used) {
  diag::Diagnostics ignored;  // a backend that cannot be opened any more is left all the same
  const auto backend = open_recorded(from, {}, encryption_.state(), access_, ignored);
  if (!backend) return;
  std::vector<std::string> journals = backend->journals();
  if (used != nullptr) {
    // The two may be the same.
    const std::vector<std::string> still_used = used->journals();
    std::erase_if(journals, [&](const std::string& path) {
      return std::ranges::find(still_used, path) != still_used.end();
    });
  }
  if (journals.empty()) return;
  diags_.warning("Interrupted run in the previous backend")
      .detail(fmt::format("Interrupted runs left journals for states in {}, which this directory "
                          "no longer uses. The journals were not changed:\n  {}\nTo complete those "
                          "states, configure that backend again and run \"tofu state recover\".",
                          backend->identity(), fmt::join(journals, "\n  ")));
}

bool BackendInit::refuse_leaving_cloud() {
  diags_.error("Migration from the cloud is not supported")
      .detail(
          "This directory was initialized with a cloud block. To move the state to another "
          "backend, save it with \"tofu state pull\", run \"tofu init -reconfigure\", and store it "
          "with \"tofu state push\".");
  return false;
}

bool BackendInit::refuse_change() {
  diags_.error("Backend configuration changed")
      .detail(
          "The backend configuration differs from the one this directory was initialized with, and "
          "the old backend may have states.\n\nTo copy existing states to the new backend, run "
          "\"tofu init -migrate-state\". To use the new backend without copying, run \"tofu init "
          "-reconfigure\".");
  return false;
}

bool BackendInit::unset(const BackendRecord& from) {
  if (from.type == cloud::kCloudKind.name) return refuse_leaving_cloud();
  if (!options_.migrate_state && !options_.force_copy) return refuse_change();
  progress_.line(fmt::format("The backend {:?} is no longer configured.", from.type));
  const Side old = side_of(from);
  const Side here{"local", open_recorded(std::nullopt, {}, encryption_.state(), access_, diags_)};
  if (!old.backend || !here.backend || !copying_.copy_all(old, here)) return false;
  warn_of_journals(from, here.backend.get());
  if (!write_backend_record(std::nullopt, access_.environment(), diags_)) return false;
  progress_.success(fmt::format(
      "Successfully unset the backend {:?}. OpenTofu will now store states in local files.",
      from.type));
  return true;
}

// Whether any workspace has a state with something in it.
diag::Checked<bool> BackendInit::has_objects(backends::Backend& backend) {
  const auto names = copying_.workspaces_of(backend);
  if (!names) return std::nullopt;
  if (!complete_workspaces(backend, *names, options_.lock, access_, diags_)) return std::nullopt;
  bool has_any = false;
  for (const std::string& name : *names) {
    const auto store = backend.open_existing(name, diags_);
    const auto stored = store ? store->read(diags_) : std::nullopt;
    if (!stored) return std::nullopt;
    has_any = has_any || (stored->state && !stored->state->is_empty());
  }
  return has_any;
}

bool BackendInit::clear(backends::Backend& backend, const std::vector<std::string>& workspaces) {
  for (const std::string& name : workspaces) {
    const auto store = backend.open(name, diags_);
    if (!store || !store->clear(diags_)) return false;
  }
  return true;
}

// Errors in the settings are errors in the block.
std::unique_ptr<backends::Backend> BackendInit::open_block(const BackendSettings& settings) {
  const std::size_t before = diags_.size();
  auto backend =
      open_kind(*settings.kind, settings.settings, {}, encryption_.state(), access_, diags_);
  for (diag::Diagnostic& each : diags_.items_from(before)) {
    if (!each.subject) each.subject = settings.place;
  }
  return backend;
}

bool BackendInit::set_up(const BackendSettings& settings) {
  if (settings.kind == &cloud::kCloudKind && !check_cloud_options()) return false;
  const Side here{"local", open_recorded(std::nullopt, {}, encryption_.state(), access_, diags_)};
  const Side there = configured(settings);
  if (!here.backend || !there.backend) return false;
  const auto has_any = has_objects(*here.backend);
  if (!has_any) return false;
  // A block may only say what is so without it.
  const bool same_place = here.backend->identity() == there.backend->identity();
  if (*has_any && !same_place) {
    // What was not copied stays where it is: it is nowhere else.
    if (!copying_.copy_all(here, there) || !clear(*here.backend, copying_.copied())) return false;
  }
  if (!same_place) warn_of_journals(std::nullopt, there.backend.get());
  return finish(settings, there);
}

bool BackendInit::change(const BackendSettings& settings, const BackendRecord& from) {
  const bool was_cloud = from.type == cloud::kCloudKind.name;
  if (settings.kind == &cloud::kCloudKind) {
    if (!check_cloud_options()) return false;
    // Other workspaces are used then; their states stay where they are.
    if (was_cloud) {
      const Side there = configured(settings);
      left_ = from;
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
  progress_.line(
      from.type == there.type
          ? std::string("The backend settings have changed.")
          : fmt::format("The backend type has changed from {:?} to {:?}.", from.type, there.type));
  if (!copying_.copy_all(old, there)) return false;
  warn_of_journals(from, there.backend.get());
  return finish(settings, there);
}

bool BackendInit::finish(const BackendSettings& settings, const Side& side) {
  const bool selected = select_workspace(side);
  // With "remote", workspaces are made by "workspace new", which needs the record.
  if (!selected && settings.kind != &cloud::kRemoteKind) return false;
  if (left_) warn_of_journals(*left_, side.backend.get());
  if (!write_backend_record(settings.record(), access_.environment(), diags_)) return false;
  if (!selected) return false;
  progress_.success(
      fmt::format("Successfully configured the backend {:?}! OpenTofu will use this backend unless "
                  "the configuration changes.",
                  settings.kind->name));
  return true;
}

// The one that is selected has to be there.
bool BackendInit::select_workspace(const Side& side) {
  if (!side.backend->has_workspaces()) return true;
  const auto names = side.backend->workspaces(diags_);
  if (!names) return false;
  if (names->empty()) return make_first_workspace(side);
  const std::string current = workspace_name(access_.environment());
  if (std::ranges::find(*names, current) != names->end()) return true;
  if (names->size() == 1)
    return write_workspace_name(names->front(), access_.environment(), diags_);
  return choose_workspace(*names, current);
}

bool BackendInit::make_first_workspace(const Side& side) {
  if (!may_ask_ || !side.is_cloud()) {
    diags_.error("No workspaces available")
        .detail(fmt::format(
            "{} has no workspace for this directory. Create one with \"tofu workspace new\".",
            side.backend->identity()));
    return false;
  }
  const auto name = copying_.ask(
      "No existing workspaces.",
      fmt::format("{} has no workspace for this directory. Enter a name to create one.",
                  side.backend->identity()));
  return name && side.backend->open(*name, diags_) &&
         write_workspace_name(*name, access_.environment(), diags_);
}

bool BackendInit::choose_workspace(const std::vector<std::string>& names,
                                   const std::string& current) {
  if (!may_ask_ || !access_.environment().variable("TF_WORKSPACE").empty()) {
    diags_.error("Workspace not found")
        .detail(fmt::format("The selected workspace {:?} does not exist in this backend. Available "
                            "workspaces: {}. Select one with TF_WORKSPACE.",
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
    diags_.error("Invalid workspace selection").detail("Enter a number from the list.");
    return false;
  }
  return write_workspace_name(names[number - 1], access_.environment(), diags_);
}

}  // namespace

void BackendOptions::declare(cli::FlagSet& flags) {
  flags.add("backend-config", settings,
            {.value = "KEY=VALUE",
             .help = "A backend setting (KEY=VALUE), or a file of settings, in addition to the "
                     "backend block. Can be repeated.",
             .completes = cli::Completes::Files});
  flags.add("force-copy", force_copy,
            {.help = "Copy states to another backend without a prompt. Implies -migrate-state."});
  flags.add("migrate-state", migrate_state,
            {.help = "If the backend has changed, copy existing states to the new one."});
  flags.add("reconfigure", reconfigure,
            {.help = "Use the configured backend without copying states from the previous one."});
  add_ignore_remote_version_flag(flags, ignore_remote_version);
  flags.include(lock);
}

diag::Checked<void> BackendOptions::check(diag::Diagnostics& diags) const {
  if (!reconfigure || (!migrate_state && !force_copy)) return true;
  diags.error("Conflicting options")
      .detail(
          "-migrate-state copies states from the previous backend, but -reconfigure ignores it. "
          "Use only one of them.");
  return false;
}

diag::Checked<void> init_backend(const BackendOptions& options, bool may_ask,
                                 const Configuration& configuration,
                                 const CommandEncryption& encryption, cli::Progress& progress,
                                 StateAccess& access, diag::Diagnostics& diags) {
  const auto listening = access.cancellation.listen();
  const std::size_t before = diags.size();
  const bool done =
      BackendInit(options, may_ask, encryption, progress, access, diags).run(configuration);
  configuration.tree.root().module->name_blocks(diags.items_from(before));
  return done;
}

}  // namespace tofu::workdir
