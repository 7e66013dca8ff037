#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <string>
#include <vector>

#include "base/file.h"
#include "commands/command.h"
#include "commands/journal_recovery.h"
#include "commands/progress.h"
#include "commands/root_variables.h"
#include "commands/state_access.h"
#include "commands/version_mode.h"
#include "commands/workspace.h"
#include "state/state_file.h"

namespace tofu::commands {

namespace {

constexpr Flag kShowFlags[] = {kVarFlag, kVarFileFlag, kVersionCheckFlag};
constexpr Flag kListFlags[] = {kJsonFlag, kJsonIntoFlag, kVarFlag, kVarFileFlag, kVersionCheckFlag};
constexpr Flag kNewFlags[] = {
    kJsonFlag,
    kJsonIntoFlag,
    kLockFlag,
    kLockTimeoutFlag,
    {"state", FlagKind::Text, "", "state=FILE", "Begin with the state of this file.",
     Completes::Files},
    kVarFlag,
    kVarFileFlag,
    kVersionCheckFlag,
};
constexpr Flag kSelectFlags[] = {
    kJsonFlag,
    kJsonIntoFlag,
    {"or-create", FlagKind::Bool, "false", "or-create", "Make the workspace if it is not there."},
    kVarFlag,
    kVarFileFlag,
    kVersionCheckFlag,
};
constexpr Flag kDeleteFlags[] = {
    {"force", FlagKind::Bool, "false", "force",
     "Delete it even if its state has objects, which nobody looks after then."},
    kJsonFlag,
    kJsonIntoFlag,
    kLockFlag,
    kLockTimeoutFlag,
    kVarFlag,
    kVarFileFlag,
    kVersionCheckFlag,
};

// What all workspace commands have at hand.
struct Work {
  const Flags& flags;
  Progress& progress;
  World& world;
  diag::Diagnostics& diags;
  bool failed = false;  // an error was told without a diagnostic
};

// Names stand in paths and addresses of the network, where they must not need escapes.
bool is_workspace_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("-_.~$&+:=@").find(c) != std::string_view::npos;
  });
}

// The one argument. Empty if and only if an error was added.
std::string wanted_name(Work& work) {
  if (work.flags.positional().size() != 1) {
    work.diags.error("One argument is needed").detail("Give the name of a workspace.");
    return "";
  }
  return work.flags.positional()[0];
}

bool check_name(const std::string& name, Work& work) {
  if (is_workspace_name(name)) return true;
  work.diags.error("Invalid name of a workspace")
      .detail(fmt::format("\"{}\" cannot be the name of a workspace. Use letters, digits and - _ . "
                          "only.",
                          name));
  return false;
}

// TF_WORKSPACE says which workspace it is, so another cannot be selected.
bool check_not_overridden(const std::string& name, Work& work) {
  const std::string_view chosen = work.world.environment.variable("TF_WORKSPACE");
  if (chosen.empty() || chosen == name) return true;
  work.diags.error("The workspace is set in the environment")
      .detail("TF_WORKSPACE says which workspace is used. Unset it to select another one.");
  return false;
}

bool select(const std::string& name, Work& work) {
  const std::string directory = data_directory(work.world.environment);
  std::error_code failed;
  std::filesystem::create_directories(directory, failed);
  const auto written = failed ? base::Result<void>(base::Error{failed.message()})
                              : base::write_file(directory + "/environment", name);
  if (written) return true;
  work.diags.error("Cannot select the workspace")
      .detail(fmt::format("Writing {}/environment failed: {}.", directory, written.error().what));
  return false;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

// OpenTofu tells programs of this by a plain message, so it is no diagnostic.
void no_such(const std::string& name, Work& work) {
  work.progress.failure(
      fmt::format("Error: there is no workspace \"{}\". \"tofu workspace list\" shows what is "
                  "there, and \"tofu "
                  "workspace new\" makes one.",
                  name));
  work.failed = true;
}

void list(Work& work) {
  if (!check_no_arguments(work.flags, work.diags)) return;
  const auto backend = open_backend({}, work.flags, work.world, work.diags);
  const auto names = backend ? backend->workspaces(work.diags) : std::nullopt;
  if (!names) return;
  const std::string current = workspace_name(work.world.environment);
  for (const std::string& name : *names) {
    work.progress.line((name == current ? "* " : "  ") + name);
  }
  if (!work.world.environment.variable("TF_WORKSPACE").empty()) {
    work.progress.line("\nTF_WORKSPACE says which workspace is used.");
  }
}

bool copy_state(backends::Backend& backend, const std::string& name, Work& work) {
  const std::string path(work.flags.text("state"));
  const auto text = base::read_file(path);
  if (!text) {
    work.diags.error("Cannot read the state to begin with")
        .detail(fmt::format("Reading {} failed: {}.", path, text.error().what));
    return false;
  }
  auto state = state::read_state(*text, work.diags);
  if (!state) return false;
  const auto store = backend.open(name, work.diags);
  return store && lock_store(*store, "workspace-new", work.flags, work.world, work.diags) &&
         store->write(*state, work.diags);
}

void create(Work& work) {
  const std::string name = wanted_name(work);
  if (name.empty() && work.diags.has_errors()) return;
  if (!check_name(name, work) || !check_not_overridden(name, work)) return;
  const auto backend = open_backend({}, work.flags, work.world, work.diags);
  const auto names = backend ? backend->workspaces(work.diags) : std::nullopt;
  if (!names) return;
  if (contains(*names, name)) {
    work.diags.error("The workspace exists already")
        .detail(fmt::format("There is a workspace \"{}\". \"tofu workspace select\" selects it.",
                            name));
    return;
  }
  if (!backend->open(name, work.diags) || !select(name, work)) return;
  work.progress.success(fmt::format("Created and selected the workspace \"{}\".", name));
  if (!work.flags.text("state").empty()) copy_state(*backend, name, work);
}

void choose(Work& work) {
  const std::string name = wanted_name(work);
  if (name.empty() && work.diags.has_errors()) return;
  if (!check_not_overridden(name, work)) return;
  const auto backend = open_backend({}, work.flags, work.world, work.diags);
  if (!backend || !check_name(name, work)) return;
  const auto names = backend->workspaces(work.diags);
  if (!names) return;
  if (name == workspace_name(work.world.environment)) return;
  const bool is_new = !contains(*names, name);
  if (is_new && !work.flags.is_true("or-create")) return no_such(name, work);
  if (is_new && !backend->open(name, work.diags)) return;
  if (!select(name, work)) return;
  work.progress.success(
      fmt::format("{} the workspace \"{}\".", is_new ? "Created and selected" : "Selected", name));
}

// False if and only if an error was added.
bool check_no_objects(backends::Backend& backend, const std::string& name, Work& work) {
  const auto store = backend.open(name, work.diags);
  if (!store || !lock_store(*store, "workspace-delete", work.flags, work.world, work.diags)) {
    return false;
  }
  const auto stored = read_for_showing(*store, work.world, work.diags);
  if (!stored) return false;
  if (!stored->state || work.flags.is_true("force")) return true;
  std::string objects;
  for (const addrs::AbsResourceInstance& address : all_instances(*stored->state)) {
    if (address.object.resource.mode != addrs::ResourceMode::Managed) continue;
    objects += "\n  - " + address.to_string();
  }
  if (objects.empty()) return true;
  work.diags.error("The workspace is not empty")
      .detail(fmt::format("The state of the workspace \"{}\" has these objects, which nobody would "
                          "look after any more:{}\n\nDestroy them first, or use -force.",
                          name, objects));
  return false;
}

void remove(Work& work) {
  const std::string name = wanted_name(work);
  if (name.empty() && work.diags.has_errors()) return;
  const auto backend = open_backend({}, work.flags, work.world, work.diags);
  const auto names = backend ? backend->workspaces(work.diags) : std::nullopt;
  if (!names) return;
  if (!contains(*names, name)) return no_such(name, work);
  if (name == workspace_name(work.world.environment)) {
    work.diags.error("The workspace is in use")
        .detail(fmt::format("\"{}\" is the current workspace. Select another one first.", name));
    return;
  }
  if (!check_no_objects(*backend, name, work) || !backend->delete_workspace(name, work.diags)) {
    return;
  }
  work.progress.success(fmt::format("Deleted the workspace \"{}\".", name));
}

template <void (*kDo)(Work&)>
int run(const Request& request, World& world) {
  const auto progress = Progress::open(request, world);
  if (progress == nullptr) return kExitError;
  diag::Diagnostics diags;
  Work work{request.flags, *progress, world, diags};
  kDo(work);
  progress->problems(diags);
  return diags.has_errors() || work.failed ? kExitError : kExitOk;
}

int run_show(const Request& request, World& world) {
  diag::Diagnostics diags;
  if (check_no_arguments(request.flags, diags)) {
    world.out.line(workspace_name(world.environment));
  }
  print_diagnostics(diags, request.view, world);
  return diags.has_errors() ? kExitError : kExitOk;
}

}  // namespace

const Command kWorkspaceCommand = {
    "workspace",
    "Work with several states of one configuration",
    "<subcommand> [options]",
    "Every workspace of a configuration has a state of its own. The one called \"default\" is "
    "always there.",
    {},
    Completes::Nothing,
    nullptr,
};

const Command kWorkspaceDeleteCommand = {
    "workspace delete",
    "Delete a workspace",
    "[options] NAME",
    "Deletes a workspace with its state. One that still has objects is kept unless -force is "
    "given.",
    kDeleteFlags,
    Completes::Nothing,
    run<remove>,
};

const Command kWorkspaceListCommand = {
    "workspace list", "List the workspaces",
    "[options]",      "Prints the name of every workspace; the current one has a star.",
    kListFlags,       Completes::Nothing,
    run<list>,
};

const Command kWorkspaceNewCommand = {
    "workspace new",
    "Make a workspace and select it",
    "[options] NAME",
    "Makes a workspace, which has no state yet unless -state gives one, and selects it.",
    kNewFlags,
    Completes::Nothing,
    run<create>,
};

const Command kWorkspaceSelectCommand = {
    "workspace select", "Select another workspace",
    "[options] NAME",   "Selects the workspace that the commands after this one work on.",
    kSelectFlags,       Completes::Nothing,
    run<choose>,
};

const Command kWorkspaceShowCommand = {
    "workspace show", "Print the current workspace",
    "[options]",      "Prints the name of the workspace that commands work on.",
    kShowFlags,       Completes::Nothing,
    run_show,
};

}  // namespace tofu::commands
