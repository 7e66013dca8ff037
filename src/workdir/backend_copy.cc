#include "workdir/backend_copy.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <utility>

#include "cli/prompt.h"
#include "cli/view_options.h"
#include "state/state.h"
#include "workdir/backend_settings.h"
#include "workdir/journal_recovery.h"
#include "workdir/remote_workspace.h"
#include "workdir/state_access.h"
#include "workdir/workspace.h"

namespace tofu::workdir {

diag::Checked<std::vector<std::string>> BackendCopy::workspaces_of(backends::Backend& backend) {
  if (backend.has_workspaces()) return backend.workspaces(diags_);
  return std::vector<std::string>{std::string(backends::kDefaultWorkspace)};
}

diag::Checked<std::string> BackendCopy::ask(const std::string& question,
                                            const std::string& explain) {
  auto answer = cli::ask_person(
      fmt::format("{}\n  {}\n\n  Enter a value: ",
                  cli::colored(access_.terminal.view, cli::Color::None, question), explain),
      cli::Typing::Shown, access_.terminal, access_.cancellation);
  if (answer && !answer->empty()) return answer;
  diags_.error("Input required").detail("No changes were made.");
  return std::nullopt;
}

diag::Checked<bool> BackendCopy::confirm(const std::string& question, const std::string& explain) {
  if (!how_.may_ask) {
    diags_.error("Input is disabled")
        .detail(
            "Specify whether to copy existing states: use -force-copy to copy them, or "
            "-reconfigure to leave them where they are.");
    return std::nullopt;
  }
  const auto answer = ask(question, explain);
  if (!answer) return std::nullopt;
  if (*answer == "yes" || *answer == "no") return *answer == "yes";
  diags_.error("Invalid answer").detail("Answer \"yes\" or \"no\". No changes were made.");
  return std::nullopt;
}

// The same where there is no going on without a yes.
bool BackendCopy::confirm_or_stop(const std::string& question, const std::string& explain) {
  if (how_.force) return true;
  const auto answer = confirm(question, explain);
  if (!answer) return false;
  if (*answer) return true;
  diags_.error("States not copied").detail("No changes were made.");
  return false;
}

std::optional<std::string> BackendCopy::ask_for_name(const Side& to) {
  if (!how_.may_ask) {
    diags_.error("Input is disabled")
        .detail(fmt::format("{:?} has only named workspaces, and a name for the default workspace "
                            "must be entered at a prompt.",
                            to.type));
    return std::nullopt;
  }
  return ask(
      fmt::format("{:?} has only named workspaces. What name should the workspace \"default\" get?",
                  to.type),
      "OpenTofu will copy its state to a workspace with this name.");
}

std::optional<bool> BackendCopy::is_empty(const Side& side, const std::string& workspace) {
  const auto store = side.backend->open_existing(workspace, diags_);
  const auto stored = store ? store->read(diags_) : std::nullopt;
  if (!stored) return std::nullopt;
  return !stored->state || stored->state->is_empty();
}

bool BackendCopy::check_versions(const Side& to) {
  const auto names = workspaces_of(*to.backend);
  const auto service =
      names ? connect_service(*to.service, encryption_.state(), access_, diags_) : nullptr;
  if (!service) return false;
  for (const std::string& name : *names) {
    const auto found = service->find(to.service->remote_name(name));
    if (!found) {
      diags_.error("Cannot read the workspace").detail(found.error().what + ".");
      return false;
    }
    if (*found && !check_remote_version(**found, false, diags_)) return false;
  }
  return true;
}

diag::Checked<void> BackendCopy::copy_all(const Side& from, const Side& to) {
  const auto names = workspaces_of(*from.backend);
  if (!names) return false;
  // The journals of interrupted runs belong to the states that are copied.
  if (!complete_workspaces(*from.backend, *names, lock_, access_, diags_)) return false;
  if (to.service && !how_.ignores_remote_version && !check_versions(to)) return false;
  if (to.is_cloud()) return copy_to_cloud(*names, from, to);
  if (names->size() == 1) return copy({names->front(), names->front()}, from, to, how_.force);
  if (!to.backend->has_workspaces()) return copy_current(from, to);
  if (!confirm_or_stop(
          fmt::format("Do you want to migrate all workspaces to {:?}?", to.type),
          fmt::format(
              "Both the old backend {:?} and the new backend have workspaces. \"yes\" copies the "
              "states of all workspaces and replaces existing states in the new backend.",
              from.type))) {
    return false;
  }
  return std::ranges::all_of(*names, [&](const std::string& name) {
    return copy({name, name}, from, to, true);
  });
}

// If the destination holds one state only, this copies the current workspace.
bool BackendCopy::copy_current(const Side& from, const Side& to) {
  const std::string current = workspace_name(access_.environment());
  if (!confirm_or_stop(
          fmt::format("Do you want to copy only the current workspace to {:?}?", to.type),
          fmt::format(
              "The old backend {:?} has several workspaces, but the new backend supports only one. "
              "\"yes\" copies the state of the workspace {:?}; the others stay in the old backend.",
              from.type, current))) {
    return false;
  }
  if (to.is_cloud()) return copy({current, to.service->name}, from, to, false);
  const std::string only(backends::kDefaultWorkspace);
  return copy({current, only}, from, to, true) &&
         write_workspace_name(only, access_.environment(), diags_);
}

bool BackendCopy::copy_to_cloud(const std::vector<std::string>& names, const Side& from,
                                const Side& to) {
  if (names.empty()) return true;
  if (names.size() == 1) return copy_one_to_cloud(names.front(), from, to);
  return to.service->mapping == cloud::Mapping::Name ? copy_current(from, to)
                                                     : copy_many_to_cloud(names, from, to);
}

bool BackendCopy::copy_one_to_cloud(const std::string& source, const Side& from, const Side& to) {
  const auto nothing = is_empty(from, source);
  if (!nothing) return false;
  if (*nothing) return true;
  const auto answer =
      confirm("Do you want to copy the existing state to the cloud backend?",
              fmt::format("The old backend {:?} has a state. \"yes\" copies it to a workspace of "
                          "the organization {:?}; \"no\" uses the existing state there.",
                          from.type, to.service->organization));
  if (!answer) return false;
  if (!*answer) return true;
  std::string target = to.service->name;
  if (to.service->mapping != cloud::Mapping::Name) {
    const auto name = ask_for_name(to);
    if (!name || !write_workspace_name(*name, access_.environment(), diags_)) return false;
    target = *name;
  }
  return copy({source, target}, from, to, false);
}

std::optional<std::string> BackendCopy::ask_for_pattern(const Side& from) {
  // The names that workspaces had with a prefix are those that they have there already.
  if (from.service && from.service->mapping == cloud::Mapping::Prefix) {
    if (!confirm_or_stop("Do you want to continue?",
                         "Workspaces keep their names in the organization and get the configured "
                         "tags. Their states are not copied.")) {
      return std::nullopt;
    }
    return from.service->name + "*";
  }
  const auto choice =
      ask("Do you want to rename the workspaces?",
          "Workspace names must be unique in an organization, so they often include the component "
          "name.\n  1 renames all workspaces by a pattern; 2 keeps the names.");
  if (!choice) return std::nullopt;
  if (*choice == "2") return "*";
  if (*choice != "1") {
    diags_.error("Invalid answer").detail("Enter 1 or 2. No changes were made.");
    return std::nullopt;
  }
  auto pattern = ask("Enter the rename pattern:",
                     "A pattern with one asterisk for the old name: \"app-*\" renames \"prod\" to "
                     "\"app-prod\".!");
  if (pattern && std::ranges::count(*pattern, '*') != 1) {
    diags_.error("Invalid pattern").detail("The pattern must contain exactly one asterisk.");
    return std::nullopt;
  }
  return pattern;
}

bool BackendCopy::copy_many_to_cloud(const std::vector<std::string>& names, const Side& from,
                                     const Side& to) {
  std::string name_of_default;
  for (const std::string& name : names) {
    if (name != backends::kDefaultWorkspace) continue;
    const auto nothing = is_empty(from, name);
    if (!nothing) return false;
    if (*nothing) continue;
    const auto chosen = ask_for_name(to);
    if (!chosen) return false;
    name_of_default = *chosen;
  }
  const auto pattern = ask_for_pattern(from);
  if (!pattern) return false;
  const std::string current = workspace_name(access_.environment());
  for (const std::string& name : names) {
    const bool is_default = name == backends::kDefaultWorkspace;
    if (is_default && name_of_default.empty()) continue;
    std::string target = *pattern;
    target.replace(target.find('*'), 1, is_default ? name_of_default : name);
    if (!copy({name, target}, from, to, true)) return false;
    if (name == current && !write_workspace_name(target, access_.environment(), diags_))
      return false;
  }
  return true;
}

bool BackendCopy::copy(const Workspaces& names, const Side& from, const Side& to, bool asked) {
  const auto source = from.backend->open_existing(names.source, diags_);
  const auto before = source ? source->read(diags_) : std::nullopt;
  if (!before) return false;
  if (!before->state || before->state->is_empty()) return true;
  std::string name = names.target;
  if (name == backends::kDefaultWorkspace && !to.backend->has_default()) {
    const auto chosen = ask_for_name(to);
    if (!chosen || !write_workspace_name(*chosen, access_.environment(), diags_)) return false;
    name = *chosen;
  }
  const auto target = to.backend->open(name, diags_);
  const auto there = target ? target->read(diags_) : std::nullopt;
  if (!there) return false;
  // They may be the same file, which cannot be locked twice.
  if (there->state && there->state->lineage == before->state->lineage &&
      state::same_content(*there->state, *before->state)) {
    return true;
  }
  if (!lock_store(*source, "migration source state", lock_, access_.load.settings,
                  access_.cancellation, diags_) ||
      !lock_store(*target, "migration destination state", lock_, access_.load.settings,
                  access_.cancellation, diags_)) {
    return false;
  }
  const auto stored = read_for_change(*source, lock_.lock, access_.terminal, diags_);
  const auto replaced = stored ? target->read(diags_) : std::nullopt;
  if (!replaced) return false;
  if (!stored->state || stored->state->is_empty()) return true;
  const bool replaces = replaced->state && !replaced->state->is_empty();
  // Of a state that goes to the cloud and replaces nothing people were asked before.
  if (!asked && (replaces || !to.is_cloud())) {
    const auto answer =
        confirm("Do you want to copy existing state to the new backend?",
                fmt::format("The old backend {:?} has a state{}. \"yes\" copies it to the new "
                            "backend{}; \"no\" uses the new backend as it is.",
                            from.type, replaces ? ", and the new backend has one as well" : "",
                            replaces ? ", replacing the existing one" : ""));
    if (!answer) return false;
    if (!*answer) return true;
  }
  if (!target->push(*stored->state, true, diags_)) return false;
  copied_.push_back(names.source);
  return true;
}

}  // namespace tofu::workdir
