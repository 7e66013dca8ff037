#include "commands/backend_copy.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <utility>

#include "commands/backend_settings.h"
#include "commands/journal_recovery.h"
#include "commands/remote_workspace.h"
#include "commands/state_access.h"
#include "commands/workspace.h"
#include "state/state.h"

namespace tofu::commands {

std::optional<std::vector<std::string>> BackendCopy::workspaces_of(backends::Backend& backend) {
  if (backend.has_workspaces()) return backend.workspaces(diags_);
  return std::vector<std::string>{std::string(backends::kDefaultWorkspace)};
}

std::optional<std::string> BackendCopy::ask(const std::string& question,
                                            const std::string& explain) {
  world_.out.write(fmt::format(
      "{}\n  {}\n\n  Enter a value: ", colored(world_.view, Color::None, question), explain));
  world_.out.flush();
  const auto answer = world_.in.read_line(world_.interrupts.token());
  world_.out.line("");
  if (answer && *answer && !(*answer)->empty()) return **answer;
  diags_.error("No answer").detail("Nothing was changed.");
  return std::nullopt;
}

// Nothing if and only if an error was added.
std::optional<bool> BackendCopy::confirm(const std::string& question, const std::string& explain) {
  if (!how_.may_ask) {
    diags_.error("Nobody can be asked")
        .detail(
            "Whether states are copied has to be decided. Use -force-copy to copy them or "
            "-reconfigure to leave them where they are.");
    return std::nullopt;
  }
  const auto answer = ask(question, explain);
  if (!answer) return std::nullopt;
  if (*answer == "yes" || *answer == "no") return *answer == "yes";
  diags_.error("No answer").detail("The answer has to be \"yes\" or \"no\". Nothing was changed.");
  return std::nullopt;
}

// The same where there is no going on without a yes.
bool BackendCopy::confirm_or_stop(const std::string& question, const std::string& explain) {
  if (how_.force) return true;
  const auto answer = confirm(question, explain);
  if (!answer) return false;
  if (*answer) return true;
  diags_.error("States were not copied").detail("Nothing was changed.");
  return false;
}

std::optional<std::string> BackendCopy::ask_for_name(const Side& to) {
  if (!how_.may_ask) {
    diags_.error("Nobody can be asked")
        .detail(
            fmt::format("Workspaces of {:?} have names, and somebody has to choose one for what "
                        "is in the default workspace.",
                        to.type));
    return std::nullopt;
  }
  return ask(fmt::format("All workspaces of {:?} have names. Which name should the workspace "
                         "\"default\" get?",
                         to.type),
             "Its state is copied to a workspace of that name.");
}

std::optional<bool> BackendCopy::is_empty(const Side& side, const std::string& workspace) {
  const auto store = side.backend->open_existing(workspace, diags_);
  const auto stored = store ? store->read(diags_) : std::nullopt;
  if (!stored) return std::nullopt;
  return !stored->state || stored->state->is_empty();
}

bool BackendCopy::check_versions(const Side& to) {
  const auto names = workspaces_of(*to.backend);
  const auto service = names ? connect_service(*to.service, world_, diags_) : nullptr;
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

bool BackendCopy::copy_all(const Side& from, const Side& to) {
  const auto names = workspaces_of(*from.backend);
  if (!names) return false;
  if (to.service && !how_.ignores_remote_version && !check_versions(to)) return false;
  if (to.is_cloud()) return copy_to_cloud(*names, from, to);
  if (names->size() == 1) return copy({names->front(), names->front()}, from, to, how_.force);
  if (!to.backend->has_workspaces()) return copy_current(from, to);
  if (!confirm_or_stop(
          fmt::format("Do you want to migrate all workspaces to {:?}?", to.type),
          fmt::format(
              "Both the old backend {:?} and the new one have workspaces. The states of all "
              "workspaces would be copied; those that are in the new one are replaced.",
              from.type))) {
    return false;
  }
  return std::ranges::all_of(*names, [&](const std::string& name) {
    return copy({name, name}, from, to, true);
  });
}

// Where there is room for one state only, the current workspace is what is copied.
bool BackendCopy::copy_current(const Side& from, const Side& to) {
  const std::string current = workspace_name(world_.environment);
  if (!confirm_or_stop(
          fmt::format("Do you want to copy only the current workspace to {:?}?", to.type),
          fmt::format("The old backend {:?} has several workspaces, and the new one has room for "
                      "one state. \"yes\" copies the state of the workspace {:?}; the others stay "
                      "where they are.",
                      from.type, current))) {
    return false;
  }
  if (to.is_cloud()) return copy({current, to.service->name}, from, to, false);
  const std::string only(backends::kDefaultWorkspace);
  return copy({current, only}, from, to, true) &&
         write_workspace_name(only, world_.environment, diags_);
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
              fmt::format("There is a state in the old backend {:?}. \"yes\" copies it to a "
                          "workspace of the organization {:?}, \"no\" goes on with what is there.",
                          from.type, to.service->organization));
  if (!answer) return false;
  if (!*answer) return true;
  std::string target = to.service->name;
  if (to.service->mapping != cloud::Mapping::Name) {
    const auto name = ask_for_name(to);
    if (!name || !write_workspace_name(*name, world_.environment, diags_)) return false;
    target = *name;
  }
  return copy({source, target}, from, to, false);
}

std::optional<std::string> BackendCopy::ask_for_pattern(const Side& from) {
  // The names that workspaces had with a prefix are those that they have there already.
  if (from.service && from.service->mapping == cloud::Mapping::Prefix) {
    if (!confirm_or_stop("Do you want to go on?",
                         "Workspaces keep the names that they have in the organization, and get "
                         "the tags that are configured. Their states stay where they are.")) {
      return std::nullopt;
    }
    return from.service->name + "*";
  }
  const auto choice =
      ask("Do you want to rename the workspaces?",
          "Names of workspaces are unique in an organization, so that many put the name of the "
          "component into them.\n  1 renames all by a pattern, 2 keeps the names.");
  if (!choice) return std::nullopt;
  if (*choice == "2") return "*";
  if (*choice != "1") {
    diags_.error("No answer").detail("The answer has to be 1 or 2. Nothing was changed.");
    return std::nullopt;
  }
  auto pattern = ask("How are they renamed?",
                     "A pattern with one star, which stands for the name: \"app-*\" makes "
                     "\"app-prod\" of \"prod\".");
  if (pattern && std::ranges::count(*pattern, '*') != 1) {
    diags_.error("Invalid pattern").detail("The pattern needs exactly one star.");
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
  const std::string current = workspace_name(world_.environment);
  for (const std::string& name : names) {
    const bool is_default = name == backends::kDefaultWorkspace;
    if (is_default && name_of_default.empty()) continue;
    std::string target = *pattern;
    target.replace(target.find('*'), 1, is_default ? name_of_default : name);
    if (!copy({name, target}, from, to, true)) return false;
    if (name == current && !write_workspace_name(target, world_.environment, diags_)) return false;
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
    if (!chosen || !write_workspace_name(*chosen, world_.environment, diags_)) return false;
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
  if (!lock_store(*source, "migration source state", lock_, world_, diags_) ||
      !lock_store(*target, "migration destination state", lock_, world_, diags_)) {
    return false;
  }
  const auto stored = read_for_change(*source, lock_.lock, diags_);
  const auto replaced = stored ? target->read(diags_) : std::nullopt;
  if (!replaced) return false;
  if (!stored->state || stored->state->is_empty()) return true;
  const bool replaces = replaced->state && !replaced->state->is_empty();
  // Of a state that goes to the cloud and replaces nothing people were asked before.
  if (!asked && (replaces || !to.is_cloud())) {
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

}  // namespace tofu::commands
