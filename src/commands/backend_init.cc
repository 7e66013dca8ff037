#include "commands/backend_init.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <utility>

#include "commands/backend_settings.h"
#include "commands/command_encryption.h"
#include "commands/journal_recovery.h"
#include "commands/state_access.h"
#include "commands/workspace.h"
#include "state/state.h"

namespace tofu::commands {

namespace {

// An old or a new backend while states are copied.
struct Side {
  std::string type;
  std::unique_ptr<backends::Backend> backend;
};

// Those that a state is copied between.
struct Workspaces {
  std::string source;
  std::string target;
};

class BackendInit {
 public:
  BackendInit(const BackendOptions& options, bool may_ask, Progress& progress, World& world,
              diag::Diagnostics& diags)
      : options_(options), may_ask_(may_ask), progress_(progress), world_(world), diags_(diags) {}

  bool run(const Configuration& configuration);

 private:
  bool set_up(const BackendSettings& settings);
  std::unique_ptr<backends::Backend> open_block(const BackendSettings& settings);
  bool change(const BackendSettings& settings, const BackendRecord& from);
  bool unset(const BackendRecord& from);
  bool finish(const BackendSettings& settings, backends::Backend& backend);

  bool copy_all(const Side& from, const Side& to);
  bool copy_current(const Side& from, const Side& to);
  bool copy(const Workspaces& names, const Side& from, const Side& to, bool asked);
  std::optional<std::vector<std::string>> workspaces_of(backends::Backend& backend);
  std::optional<bool> confirm(const std::string& question, const std::string& explain);
  bool refuse_change();
  bool has_objects(backends::Backend& backend, std::vector<std::string>& workspaces);
  bool clear(backends::Backend& backend, const std::vector<std::string>& workspaces);
  bool select_workspace(backends::Backend& backend);

  const BackendOptions& options_;
  bool may_ask_;
  Progress& progress_;
  World& world_;
  diag::Diagnostics& diags_;
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
  std::optional<BackendRecord> record = std::move(recorded->record);
  if (options_.reconfigure) record.reset();
  if (!found->settings) return record ? unset(*record) : true;
  const BackendSettings& settings = *found->settings;
  if (!record) return set_up(settings);
  const bool same_block = record->hash == settings.hash && options_.settings.empty();
  if (!same_block && !is_unchanged(settings, *record)) return change(settings, *record);
  // The same settings may be written in another place now.
  if (record->hash != settings.hash) {
    record->hash = settings.hash;
    if (!write_backend_record(record, world_, diags_)) return false;
  }
  const auto backend = open_recorded(record, {}, world_, diags_);
  return backend && select_workspace(*backend);
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
  if (!options_.migrate_state && !options_.force_copy) return refuse_change();
  progress_.line(fmt::format("The backend {:?} is not configured any more.", from.type));
  const Side old{from.type, open_recorded(from, {}, world_, diags_)};
  const Side here{"local", open_recorded(std::nullopt, {}, world_, diags_)};
  if (!old.backend || !here.backend || !copy_all(old, here)) return false;
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
  const auto names = workspaces_of(backend);
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
  const Side here{"local", open_recorded(std::nullopt, {}, world_, diags_)};
  const Side there{std::string(settings.kind->name), open_block(settings)};
  if (!here.backend || !there.backend) return false;
  std::vector<std::string> workspaces;
  if (!has_objects(*here.backend, workspaces)) return false;
  // A block may only say what is so without it.
  const bool same_place = here.backend->identity() == there.backend->identity();
  if (!workspaces.empty() && !same_place) {
    if (!copy_all(here, there) || !clear(*here.backend, workspaces)) return false;
  }
  return finish(settings, *there.backend);
}

bool BackendInit::change(const BackendSettings& settings, const BackendRecord& from) {
  if (!options_.migrate_state && !options_.force_copy) return refuse_change();
  const Side old{from.type, open_recorded(from, {}, world_, diags_)};
  const Side there{std::string(settings.kind->name), open_block(settings)};
  if (!old.backend || !there.backend) return false;
  progress_.line(from.type == there.type ? std::string("The settings of the backend were changed.")
                                         : fmt::format("The backend was changed from {:?} to {:?}.",
                                                       from.type, there.type));
  return copy_all(old, there) && finish(settings, *there.backend);
}

bool BackendInit::finish(const BackendSettings& settings, backends::Backend& backend) {
  if (!select_workspace(backend)) return false;
  if (!write_backend_record(settings.record(), world_, diags_)) return false;
  progress_.success(
      fmt::format("Successfully configured the backend {:?}! OpenTofu uses it from now on, unless "
                  "its settings change.",
                  settings.kind->name));
  return true;
}

// The one that is selected has to be there.
bool BackendInit::select_workspace(backends::Backend& backend) {
  if (!backend.has_workspaces()) return true;
  const auto names = backend.workspaces(diags_);
  if (!names) return false;
  const std::string current = workspace_name(world_.environment);
  if (std::ranges::find(*names, current) != names->end()) return true;
  if (names->size() == 1) return write_workspace_name(names->front(), world_.environment, diags_);
  diags_.error("The workspace does not exist")
      .detail(
          fmt::format("The selected workspace {:?} is not in this backend, which has: {}. Select "
                      "one of them with TF_WORKSPACE.",
                      current, fmt::join(*names, ", ")));
  return false;
}

std::optional<std::vector<std::string>> BackendInit::workspaces_of(backends::Backend& backend) {
  if (backend.has_workspaces()) return backend.workspaces(diags_);
  return std::vector<std::string>{std::string(backends::kDefaultWorkspace)};
}

// Where there is room for one state only, the current workspace is what is copied.
bool BackendInit::copy_current(const Side& from, const Side& to) {
  const std::string current = workspace_name(world_.environment);
  if (!options_.force_copy) {
    const auto answer = confirm(
        fmt::format("Do you want to copy only the current workspace to {:?}?", to.type),
        fmt::format("The old backend {:?} has several workspaces, and the new one has room for "
                    "one state. \"yes\" copies the state of the workspace {:?}; the others stay "
                    "where they are.",
                    from.type, current));
    if (!answer) return false;
    if (!*answer) {
      diags_.error("States were not copied").detail("Nothing was changed.");
      return false;
    }
  }
  const std::string only(backends::kDefaultWorkspace);
  return copy({current, only}, from, to, true) &&
         write_workspace_name(only, world_.environment, diags_);
}

bool BackendInit::copy_all(const Side& from, const Side& to) {
  const auto names = workspaces_of(*from.backend);
  if (!names) return false;
  if (names->size() == 1) {
    return copy({names->front(), names->front()}, from, to, options_.force_copy);
  }
  if (!to.backend->has_workspaces()) return copy_current(from, to);
  if (!options_.force_copy) {
    const auto answer = confirm(
        fmt::format("Do you want to migrate all workspaces to {:?}?", to.type),
        fmt::format("Both the old backend {:?} and the new one have workspaces. The states of all "
                    "workspaces would be copied; those that are in the new one are replaced.",
                    from.type));
    if (!answer) return false;
    if (!*answer) {
      diags_.error("States were not copied").detail("Nothing was changed.");
      return false;
    }
  }
  return std::ranges::all_of(*names, [&](const std::string& name) {
    return copy({name, name}, from, to, true);
  });
}

bool BackendInit::copy(const Workspaces& names, const Side& from, const Side& to, bool asked) {
  const auto source = from.backend->open_existing(names.source, diags_);
  const auto before = source ? source->read(diags_) : std::nullopt;
  if (!before) return false;
  if (!before->state || before->state->is_empty()) return true;
  const auto target = to.backend->open(names.target, diags_);
  const auto there = target ? target->read(diags_) : std::nullopt;
  if (!there) return false;
  // They may be the same file, which cannot be locked twice.
  if (there->state && there->state->lineage == before->state->lineage &&
      state::same_content(*there->state, *before->state)) {
    return true;
  }
  if (!lock_store(*source, "migration source state", options_.lock, world_, diags_) ||
      !lock_store(*target, "migration destination state", options_.lock, world_, diags_)) {
    return false;
  }
  const auto stored = read_for_change(*source, options_.lock.lock, diags_);
  const auto replaced = stored ? target->read(diags_) : std::nullopt;
  if (!replaced) return false;
  if (!stored->state || stored->state->is_empty()) return true;
  if (!asked) {
    const bool replaces = replaced->state && !replaced->state->is_empty();
    const auto answer = confirm(
        "Do you want to copy existing state to the new backend?",
        fmt::format("There is a state in the old backend {:?}{}. \"yes\" copies it to the new "
                    "one{}, \"no\" goes on with what the new one has.",
                    from.type, replaces ? ", and another in the new one" : "",
                    replaces ? ", in the place of what is there" : ""));
    if (!answer) return false;
    if (!*answer) return true;
  }
  return target->push(*stored->state, true, diags_);
}

// Nothing if and only if an error was added.
std::optional<bool> BackendInit::confirm(const std::string& question, const std::string& explain) {
  if (!may_ask_) {
    diags_.error("Nobody can be asked")
        .detail(
            "Whether states are copied has to be decided. Use -force-copy to copy them or "
            "-reconfigure to leave them where they are.");
    return std::nullopt;
  }
  world_.out.write(fmt::format(
      "{}\n  {}\n\n  Enter a value: ", colored(world_.view, Color::None, question), explain));
  world_.out.flush();
  const auto answer = world_.in.read_line(world_.interrupts.token());
  world_.out.line("");
  if (answer && *answer && (**answer == "yes" || **answer == "no")) return **answer == "yes";
  diags_.error("No answer").detail("The answer has to be \"yes\" or \"no\". Nothing was changed.");
  return std::nullopt;
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
