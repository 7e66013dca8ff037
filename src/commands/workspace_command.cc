#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <span>
#include <string>
#include <vector>

#include "base/ascii.h"
#include "base/file.h"
#include "commands/command.h"
#include "commands/command_encryption.h"
#include "commands/journal_recovery.h"
#include "commands/option_groups.h"
#include "commands/progress.h"
#include "commands/state_access.h"
#include "commands/workspace.h"
#include "state/state_file.h"

namespace tofu::commands {

namespace {

struct ShowOptions {
  ConfigurationOptions configuration;

  void declare(FlagSet& flags) { flags.include(configuration); }
};

struct ListOptions {
  JsonOptions json;
  ConfigurationOptions configuration;
  std::vector<std::string> arguments;

  void declare(FlagSet& flags) {
    flags.include(json);
    flags.include(configuration);
    flags.arguments(arguments);
  }
};

struct NewOptions {
  std::string state;
  JsonOptions json;
  StateChangeOptions change;
  std::vector<std::string> arguments;

  void declare(FlagSet& flags) {
    flags.include(json);
    flags.add("state", state,
              {.value = "FILE",
               .help = "Begin with the state of this file.",
               .completes = Completes::Files});
    flags.include(change);
    flags.arguments(arguments);
  }
};

struct SelectOptions {
  bool or_create = false;
  JsonOptions json;
  ConfigurationOptions configuration;
  std::vector<std::string> arguments;

  void declare(FlagSet& flags) {
    flags.include(json);
    flags.add("or-create", or_create, {.help = "Create the workspace if it does not exist."});
    flags.include(configuration);
    flags.arguments(arguments);
  }
};

struct DeleteOptions {
  bool force = false;
  JsonOptions json;
  StateChangeOptions change;
  std::vector<std::string> arguments;

  void declare(FlagSet& flags) {
    flags.add("force", force,
              {.help = "Delete it even if its state has objects, which are no longer managed "
                       "then."});
    flags.include(json);
    flags.include(change);
    flags.arguments(arguments);
  }
};

// What all workspace commands have at hand.
struct Work {
  Progress& progress;
  World& world;
  diag::Diagnostics& diags;
  bool failed = false;  // an error was reported without a diagnostic
};

// Names stand in paths and addresses of the network, where they must not need escapes.
bool is_workspace_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && std::ranges::all_of(name, [](char c) {
    return base::is_ascii_alphanumeric(c) ||
           std::string_view("-_.~$&+:=@").find(c) != std::string_view::npos;
  });
}

// The one argument. Empty if and only if an error was added.
std::string wanted_name(std::span<const std::string> arguments, Work& work) {
  if (arguments.size() != 1) {
    work.diags.error("One argument is needed").detail("Give the name of a workspace.");
    return "";
  }
  return arguments[0];
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
  return write_workspace_name(name, work.world.environment, work.diags);
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

// OpenTofu reports this to programs as a plain message, so it is not a diagnostic.
void no_such(const std::string& name, Work& work) {
  work.progress.failure(
      fmt::format("Error: there is no workspace \"{}\". \"tofu workspace list\" shows those that "
                  "exist, and \"tofu "
                  "workspace new\" creates one.",
                  name));
  work.failed = true;
}

void list(const ListOptions& options, Work& work) {
  if (!check_no_arguments(options.arguments, work.diags)) return;
  const auto backend = open_backend({}, options.configuration, work.world, work.diags);
  const auto names = backend ? backend->workspaces(work.diags) : std::nullopt;
  if (!names) return;
  const std::string current = workspace_name(work.world.environment);
  std::string lines;
  for (const std::string& name : *names) {
    lines += fmt::format("{}{}{}", lines.empty() ? "" : "\n", name == current ? "* " : "  ", name);
  }
  work.progress.typed_line(lines, "Workspaces", [&](base::JsonWriter& json) {
    json.field("current_workspace", current);
    json.field("type", "workspace_list");
    json.key("workspaces");
    json.begin_array();
    for (const std::string& name : *names) json.string(name);
    json.end_array();
  });
  if (!work.world.environment.variable("TF_WORKSPACE").empty()) {
    work.progress.line("\nTF_WORKSPACE says which workspace is used.");
  }
}

bool copy_state(const NewOptions& options, backends::Backend& backend, const std::string& name,
                Work& work) {
  auto text = base::read_file(options.state);
  if (!text) {
    work.diags.error("Cannot read the state to begin with")
        .detail(fmt::format("Reading {} failed: {}.", options.state, text.error().what));
    return false;
  }
  auto state = read_given_state(std::move(*text), options.state, work.world, work.diags);
  if (!state) return false;
  const auto listening = work.world.interrupts.listen();  // until the lock is given back
  const auto store = backend.open(name, work.diags);
  return store &&
         lock_store(*store, "workspace-new", options.change.lock, work.world, work.diags) &&
         store->write(*state, work.diags);
}

void create(const NewOptions& options, Work& work) {
  const std::string name = wanted_name(options.arguments, work);
  if (name.empty() && work.diags.has_errors()) return;
  if (!check_name(name, work) || !check_not_overridden(name, work)) return;
  const auto backend = open_backend({}, options.change.configuration, work.world, work.diags);
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
  if (!options.state.empty()) copy_state(options, *backend, name, work);
}

void choose(const SelectOptions& options, Work& work) {
  const std::string name = wanted_name(options.arguments, work);
  if (name.empty() && work.diags.has_errors()) return;
  if (!check_not_overridden(name, work)) return;
  const auto backend = open_backend({}, options.configuration, work.world, work.diags);
  if (!backend || !check_name(name, work)) return;
  const auto names = backend->workspaces(work.diags);
  if (!names) return;
  if (name == workspace_name(work.world.environment)) return;
  const bool is_new = !contains(*names, name);
  if (is_new && !options.or_create) return no_such(name, work);
  if (is_new && !backend->open(name, work.diags)) return;
  if (!select(name, work)) return;
  work.progress.success(
      fmt::format("{} the workspace \"{}\".", is_new ? "Created and selected" : "Selected", name));
}

// False if and only if an error was added.
bool check_no_objects(const DeleteOptions& options, backends::Backend& backend,
                      const std::string& name, Work& work) {
  const auto listening = work.world.interrupts.listen();  // until the lock is given back
  const auto store = backend.open(name, work.diags);
  const LockOptions& lock = options.change.lock;
  if (!store || !lock_store(*store, "workspace-delete", lock, work.world, work.diags)) return false;
  const auto stored = read_for_showing(*store, work.world, work.diags);
  if (!stored) return false;
  if (!stored->state || options.force) return true;
  std::string objects;
  for (const addrs::AbsResourceInstance& address : all_instances(*stored->state)) {
    if (address.object.resource.mode != addrs::ResourceMode::Managed) continue;
    objects += "\n  - " + address.to_string();
  }
  if (objects.empty()) return true;
  work.diags.error("The workspace is not empty")
      .detail(fmt::format("The state of the workspace \"{}\" has these objects, which would no "
                          "longer be managed:{}\n\nDestroy them first, or use -force.",
                          name, objects));
  return false;
}

void remove(const DeleteOptions& options, Work& work) {
  const std::string name = wanted_name(options.arguments, work);
  if (name.empty() && work.diags.has_errors()) return;
  const auto backend = open_backend({}, options.change.configuration, work.world, work.diags);
  const auto names = backend ? backend->workspaces(work.diags) : std::nullopt;
  if (!names) return;
  if (!contains(*names, name)) return no_such(name, work);
  if (name == workspace_name(work.world.environment)) {
    work.diags.error("The workspace is in use")
        .detail(fmt::format("\"{}\" is the current workspace. Select another one first.", name));
    return;
  }
  if (!check_no_objects(options, *backend, name, work) ||
      !backend->delete_workspace(name, work.diags)) {
    return;
  }
  work.progress.success(fmt::format("Deleted the workspace \"{}\".", name));
}

template <class Options, void (*kDo)(const Options&, Work&)>
int run(const Options& options, World& world) {
  const auto progress = Progress::open(options.json, world);
  if (progress == nullptr) return kExitError;
  diag::Diagnostics diags;
  Work work{*progress, world, diags};
  kDo(options, work);
  progress->problems(diags);
  return diags.has_errors() || work.failed ? kExitError : kExitOk;
}

int run_show(const ShowOptions&, World& world) {
  world.out.line(workspace_name(world.environment));
  return kExitOk;
}

}  // namespace

const Command kWorkspaceCommand = {
    "workspace",
    "Work with several states of one configuration",
    "<subcommand> [options]",
    "Every workspace of a configuration has a state of its own. The one called \"default\" is "
    "always there.",
};

const Command kWorkspaceDeleteCommand = {
    "workspace delete",
    "Delete a workspace",
    "[options] NAME",
    "Deletes a workspace with its state. One that still has objects is kept unless -force is "
    "given.",
    action<DeleteOptions, run<DeleteOptions, remove>>(),
    Completes::Workspaces,
};

const Command kWorkspaceListCommand = {
    "workspace list",
    "List the workspaces",
    "[options]",
    "Prints the name of every workspace; the current one has a star.",
    action<ListOptions, run<ListOptions, list>>(),
};

const Command kWorkspaceNewCommand = {
    "workspace new",
    "Make a workspace and select it",
    "[options] NAME",
    "Makes a workspace, which has no state yet unless -state gives one, and selects it.",
    action<NewOptions, run<NewOptions, create>>(),
};

const Command kWorkspaceSelectCommand = {
    "workspace select",
    "Select another workspace",
    "[options] NAME",
    "Selects the workspace that the commands after this one work on.",
    action<SelectOptions, run<SelectOptions, choose>>(),
    Completes::Workspaces,
};

const Command kWorkspaceShowCommand = {
    "workspace show",
    "Print the current workspace",
    "[options]",
    "Prints the name of the workspace that commands work on.",
    action<ShowOptions, run_show>(),
};

}  // namespace tofu::commands
