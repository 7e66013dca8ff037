#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backends/journal_place.h"
#include "backends/workspace_name.h"
#include "base/file.h"
#include "base/suggest.h"
#include "cli/command.h"
#include "cli/flags.h"
#include "cli/option_groups.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "commands/context.h"
#include "commands/table.h"
#include "diag/wrap.h"
#include "state/state_file.h"
#include "workdir/command_encryption.h"
#include "workdir/journal_recovery.h"
#include "workdir/options.h"
#include "workdir/state_access.h"
#include "workdir/workspace.h"

namespace tofu::commands {

namespace {

struct ShowOptions {
  workdir::ConfigurationOptions configuration;

  void declare(cli::FlagSet& flags) { flags.include(configuration); }
};

struct ListOptions {
  cli::JsonOptions json;
  workdir::ConfigurationOptions configuration;
  std::vector<std::string> arguments;

  void declare(cli::FlagSet& flags) {
    flags.include(json);
    flags.include(configuration);
    flags.arguments(arguments);
  }
};

struct NewOptions {
  std::string state;
  cli::JsonOptions json;
  workdir::StateChangeOptions change;
  std::vector<std::string> arguments;

  void declare(cli::FlagSet& flags) {
    flags.include(json);
    flags.add("state", state,
              {.value = "FILE",
               .help = "Initialize the workspace with this state file.",
               .completes = cli::Completes::Files});
    flags.include(change);
    flags.arguments(arguments);
  }
};

struct SelectOptions {
  bool or_create = false;
  cli::JsonOptions json;
  workdir::ConfigurationOptions configuration;
  std::vector<std::string> arguments;

  void declare(cli::FlagSet& flags) {
    flags.include(json);
    flags.add("or-create", or_create, {.help = "Create the workspace if it does not exist."});
    flags.include(configuration);
    flags.arguments(arguments);
  }
};

struct DeleteOptions {
  bool force = false;
  cli::JsonOptions json;
  workdir::StateChangeOptions change;
  std::vector<std::string> arguments;

  void declare(cli::FlagSet& flags) {
    flags.add("force", force,
              {.help = "Delete the workspace even if its state is not empty. Its objects are no "
                       "longer managed."});
    flags.include(json);
    flags.include(change);
    flags.arguments(arguments);
  }
};

// What all workspace commands have at hand.
struct Work {
  cli::Progress& progress;
  Context& context;
  diag::Diagnostics& diags;
  bool failed = false;  // an error was reported without a diagnostic
};

// The one argument. Empty after an error.
std::string wanted_name(std::span<const std::string> arguments, Work& work) {
  if (arguments.size() != 1) {
    work.diags.error("Missing workspace name")
        .detail("Expected one argument: the name of a workspace.");
    return "";
  }
  return arguments[0];
}

bool check_name(const std::string& name, Work& work) {
  return backends::check_workspace_name(name, work.diags);
}

// TF_WORKSPACE says which workspace it is, so another cannot be selected.
bool check_not_overridden(const std::string& name, Work& work) {
  const std::string_view chosen = work.context.environment().variable("TF_WORKSPACE");
  if (chosen.empty() || chosen == name) return true;
  work.diags.error("Workspace is set by TF_WORKSPACE")
      .detail(
          "The environment variable TF_WORKSPACE overrides the selected workspace. Unset it to "
          "select another one.");
  return false;
}

bool select(const std::string& name, Work& work) {
  return workdir::write_workspace_name(name, work.context.environment(), work.diags);
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

// OpenTofu reports this to programs as a plain message, so it is not a diagnostic.
void no_such(const std::string& name, const std::vector<std::string>& names, Work& work) {
  work.progress.failure(fmt::format(
      "Error: Workspace \"{}\" doesn't exist.{}\n\nRun \"tofu workspace list\" to see "
      "all workspaces, or \"tofu workspace new\" to create one.",
      name, base::did_you_mean(name, std::vector<std::string_view>(names.begin(), names.end()))));
  work.failed = true;
}

void list(const ListOptions& options, Work& work) {
  if (!cli::check_no_arguments(options.arguments, work.diags)) return;
  const auto backend = workdir::open_backend({}, work.context.access, work.diags);
  const auto names = backend ? backend->workspaces(work.diags) : std::nullopt;
  if (!names) return;
  const std::string current = workdir::workspace_name(work.context.environment());
  std::string lines;
  for (const std::string& name : *names) {
    lines += fmt::format("{}{}{}", lines.empty() ? "" : "\n", name == current ? "* " : "  ",
                         diag::safe_for_terminal(name));
  }
  work.progress.typed_line(lines, "Workspaces", [&](base::JsonWriter& json) {
    json.field("current_workspace", current);
    json.field("type", "workspace_list");
    json.key("workspaces");
    json.begin_array();
    for (const std::string& name : *names) json.string(name);
    json.end_array();
  });
  if (!work.context.environment().variable("TF_WORKSPACE").empty()) {
    work.progress.line("\nThe workspace is set by the environment variable TF_WORKSPACE.");
  }
}

bool copy_state(const NewOptions& options, backends::Backend& backend, const std::string& name,
                Work& work) {
  auto text = base::read_file(options.state);
  if (!text) {
    work.diags.error("Cannot read the state file")
        .detail(fmt::format("Reading {} failed: {}.", options.state, text.error().what));
    return false;
  }
  const auto encryption = work.context.access.encryption(work.diags);
  if (!encryption) return false;
  auto state =
      workdir::read_given_state(std::move(*text), options.state, encryption->state(), work.diags);
  if (!state) return false;
  const auto listening = work.context.cancellation.listen();  // until the lock is given back
  const auto store = backend.open(name, work.diags);
  return store &&
         workdir::lock_store(*store, "workspace-new", options.change.lock, work.context.settings,
                             work.context.cancellation, work.diags) &&
         store->write(*state, work.diags);
}

void create(const NewOptions& options, Work& work) {
  const auto listening = work.context.cancellation.listen();  // files are replaced as a whole
  const std::string name = wanted_name(options.arguments, work);
  if (name.empty() && work.diags.has_errors()) return;
  if (!check_name(name, work) || !check_not_overridden(name, work)) return;
  const auto backend = workdir::open_backend({}, work.context.access, work.diags);
  const auto names = backend ? backend->workspaces(work.diags) : std::nullopt;
  if (!names) return;
  if (contains(*names, name)) {
    work.diags.error("The workspace exists already")
        .detail(fmt::format(
            "The workspace \"{}\" already exists. Select it with \"tofu workspace select\".",
            name));
    return;
  }
  if (!backend->open(name, work.diags) || !select(name, work)) return;
  work.progress.success(fmt::format("Created and selected the workspace \"{}\".", name));
  if (!options.state.empty()) copy_state(options, *backend, name, work);
}

void choose(const SelectOptions& options, Work& work) {
  const auto listening = work.context.cancellation.listen();  // files are replaced as a whole
  const std::string name = wanted_name(options.arguments, work);
  if (name.empty() && work.diags.has_errors()) return;
  if (!check_not_overridden(name, work)) return;
  const auto backend = workdir::open_backend({}, work.context.access, work.diags);
  if (!backend || !check_name(name, work)) return;
  const auto names = backend->workspaces(work.diags);
  if (!names) return;
  if (name == workdir::workspace_name(work.context.environment())) return;
  const bool is_new = !contains(*names, name);
  if (is_new && !options.or_create) return no_such(name, *names, work);
  if (is_new && !backend->open(name, work.diags)) return;
  if (!select(name, work)) return;
  work.progress.success(
      fmt::format("{} the workspace \"{}\".", is_new ? "Created and selected" : "Selected", name));
}

diag::Checked<void> check_no_objects(const backends::Stored& stored, const backends::Store& store,
                                     const std::string& name, Work& work) {
  std::string objects;
  const std::vector<addrs::AbsResourceInstance> instances =
      stored.state ? workdir::all_instances(*stored.state)
                   : std::vector<addrs::AbsResourceInstance>();
  for (const addrs::AbsResourceInstance& address : instances) {
    if (address.object.resource.mode != addrs::ResourceMode::Managed) continue;
    objects += "\n  - " + address.to_string();
  }
  const auto of_journals =
      workdir::objects_of_journals_only(store, stored.state ? &*stored.state : nullptr, work.diags);
  if (!of_journals) return false;
  std::string only_there;
  for (const std::string& subject : *of_journals) only_there += "\n  - " + subject;
  if (objects.empty() && only_there.empty()) return true;
  std::string detail;
  if (!objects.empty()) {
    detail += fmt::format(
        "The state of the workspace \"{}\" has these objects, which would no longer be "
        "managed:{}\n\n",
        name, objects);
  }
  if (!only_there.empty()) {
    detail += fmt::format(
        "The journal of an interrupted run in the workspace \"{}\" has these objects, which are "
        "not in the state:{}\n\n",
        name, only_there);
  }
  work.diags.error("Workspace is not empty")
      .detail(detail + "Destroy them first, or use -force to delete the workspace anyway.");
  return false;
}

// The journals that go with the workspace. It is an error if the workspace has objects.
diag::Checked<std::vector<std::string>> check_deletion(const DeleteOptions& options,
                                                       backends::Backend& backend,
                                                       const std::string& name, Work& work) {
  const auto listening = work.context.cancellation.listen();  // until the lock is given back
  const auto store = backend.open(name, work.diags);
  const workdir::LockOptions& lock = options.change.lock;
  if (!store || !workdir::lock_store(*store, "workspace-delete", lock, work.context.settings,
                                     work.context.cancellation, work.diags)) {
    return std::nullopt;
  }
  const auto stored = store->read(work.diags);
  if (!stored) return std::nullopt;
  if (!options.force && !check_no_objects(*stored, *store, name, work)) return std::nullopt;
  return backends::existing_journals(store->disk(), store->journal_places());
}

void remove(const DeleteOptions& options, Work& work) {
  const auto listening = work.context.cancellation.listen();  // files are replaced as a whole
  const std::string name = wanted_name(options.arguments, work);
  if (name.empty() && work.diags.has_errors()) return;
  const auto backend = workdir::open_backend({}, work.context.access, work.diags);
  const auto names = backend ? backend->workspaces(work.diags) : std::nullopt;
  if (!names) return;
  if (!contains(*names, name)) return no_such(name, *names, work);
  if (name == workdir::workspace_name(work.context.environment())) {
    work.diags.error("The workspace is in use")
        .detail(fmt::format("The workspace \"{}\" is currently selected. Select another workspace "
                            "before deleting it.",
                            name));
    return;
  }
  const auto journals = check_deletion(options, *backend, name, work);
  if (!journals || !backend->delete_workspace(name, work.diags)) return;
  std::error_code ignored;  // those beside the state went with it
  for (const std::string& path : *journals) std::filesystem::remove(path, ignored);
  work.progress.success(fmt::format("Deleted the workspace \"{}\".", name));
}

template <class Options, void (*kDo)(const Options&, Work&)>
int run(const Options& options, cli::Session& session) {
  Context context(session, options);
  const auto progress = cli::Progress::open(options.json, context.terminal, context.environment());
  if (progress == nullptr) return cli::kExitError;
  diag::Diagnostics diags;
  Work work{*progress, context, diags};
  kDo(options, work);
  progress->problems(diags);
  return diags.has_errors() || work.failed ? cli::kExitError : cli::kExitOk;
}

int run_show(const ShowOptions&, cli::Session& session) {
  diag::Diagnostics diags;
  if (workdir::check_workspace(session.settings.environment, diags)) {
    session.terminal.out.line(workdir::workspace_name(session.settings.environment));
    return cli::kExitOk;
  }
  cli::print_diagnostics(diags, session.terminal);
  return cli::kExitError;
}

}  // namespace

const cli::Command kWorkspaceCommand = {
    "workspace",
    "Manage workspaces",
    "<subcommand> [options]",
    "Each workspace of a configuration has its own state. The workspace \"default\" always exists.",
};

const cli::Command kWorkspaceDeleteCommand = {
    "workspace delete",
    "Delete a workspace",
    "[options] NAME",
    "Deletes a workspace and its state. Without -force, refuses to delete a workspace whose state "
    "is not empty.",
    cli::action<DeleteOptions, run<DeleteOptions, remove>>(),
    cli::Completes::Workspaces,
};

const cli::Command kWorkspaceListCommand = {
    "workspace list",
    "List workspaces",
    "[options]",
    "Prints the names of all workspaces. The current one is marked with an asterisk.",
    cli::action<ListOptions, run<ListOptions, list>>(),
};

const cli::Command kWorkspaceNewCommand = {
    "workspace new",
    "Create and select a workspace",
    "[options] NAME",
    "Creates a workspace and selects it. Its state is empty, or a copy of the file given by "
    "-state.",
    cli::action<NewOptions, run<NewOptions, create>>(),
};

const cli::Command kWorkspaceSelectCommand = {
    "workspace select",
    "Select another workspace",
    "[options] NAME",
    "Selects the workspace that subsequent commands use.",
    cli::action<SelectOptions, run<SelectOptions, choose>>(),
    cli::Completes::Workspaces,
};

const cli::Command kWorkspaceShowCommand = {
    "workspace show",
    "Print the current workspace",
    "[options]",
    "Prints the name of the current workspace.",
    cli::action<ShowOptions, run_show>(),
};

}  // namespace tofu::commands
