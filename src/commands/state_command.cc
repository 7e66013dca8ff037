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
#include "state/state_file.h"
#include "value/json_scanner.h"

namespace tofu::commands {

namespace {

constexpr Flag kListFlags[] = {
    {"id", FlagKind::Text, "", "id=ID", "Only instances whose attribute \"id\" is this."},
    kJsonFlag,
    kJsonIntoFlag,
    kStateFlag,
    kVarFlag,
    kVarFileFlag,
    kVersionCheckFlag,
};

constexpr Flag kPullFlags[] = {kVarFlag, kVarFileFlag, kVersionCheckFlag};

constexpr Flag kPushFlags[] = {
    {"force", FlagKind::Bool, "false", "force",
     "Replace a state of another lineage, or a newer one."},
    kIgnoreRemoteVersionFlag,
    kJsonFlag,
    kJsonIntoFlag,
    kLockFlag,
    kLockTimeoutFlag,
    kVarFlag,
    kVarFileFlag,
    kVersionCheckFlag,
};

// The attribute "id" of an object; empty if it has none or it is not a string.
std::string id_of(const state::Object& object) {
  const state::ObjectFields fields = object.fields();
  if (fields.attributes_flat) {
    const auto found = fields.attributes_flat->find("id");
    return found == fields.attributes_flat->end() ? "" : found->second;
  }
  value::JsonScanner scanner(fields.attributes);
  if (scanner.peek() != '{' || !scanner.expect('{')) return "";
  for (bool first = true; scanner.more('}', first).value_or(false); first = false) {
    const auto name = scanner.member_name();
    if (!name) return "";
    if (*name == "id" && scanner.peek() == '"') return std::string(scanner.string().value_or(""));
    if (!scanner.skip_value()) return "";
  }
  return "";
}

std::optional<std::vector<addrs::AbsResourceInstance>> listed(const state::State& state,
                                                              const Flags& flags,
                                                              diag::Diagnostics& diags) {
  if (flags.positional().empty()) return all_instances(state);
  std::vector<addrs::AbsResourceInstance> list;
  bool good = true;
  for (const std::string& argument : flags.positional()) {
    const auto found = matching_instances(state, argument, false, diags);
    good = good && found;
    if (found) list.insert(list.end(), found->begin(), found->end());
  }
  if (!good) return std::nullopt;
  return list;
}

void list(const Flags& flags, Progress& progress, World& world, diag::Diagnostics& diags) {
  const auto store = open_store({.state = std::string(flags.text("state"))}, flags, world, diags);
  if (!store) return;
  const auto stored = read_for_showing(*store, world, diags);
  if (!stored) return;
  if (!stored->state) return report_no_state(diags);
  const auto instances = listed(*stored->state, flags, diags);
  if (!instances) return;
  const std::string_view id = flags.text("id");
  for (const addrs::AbsResourceInstance& address : *instances) {
    const state::Object* object = stored->state->object(address);
    if (!id.empty() && (object == nullptr || id_of(*object) != id)) continue;
    progress.line(address.to_string());
  }
}

int run_list(const Request& request, World& world) {
  return run_with_progress(request, world, list);
}

void pull(const Flags& flags, World& world, diag::Diagnostics& diags) {
  if (!check_no_arguments(flags, diags)) return;
  const auto store = open_store({}, flags, world, diags);
  if (!store) return;
  const auto stored = read_for_showing(*store, world, diags);
  if (!stored || !stored->state) return;
  state::write_state(*stored->state, state::Layout::Compact, [&](std::string_view piece) {
    world.out.write(piece);
    return !world.out.failed();
  });
}

int run_pull(const Request& request, World& world) {
  diag::Diagnostics diags;
  pull(request.flags, world, diags);
  print_diagnostics(diags, request.view, world);
  return diags.has_errors() ? kExitError : kExitOk;
}

std::optional<state::State> read_given(const std::string& path, diag::Diagnostics& diags) {
  const auto text = path == "-" ? base::read_descriptor(0) : base::read_file(path);
  if (!text) {
    diags.error("Cannot read the state to push")
        .detail(fmt::format("Reading {} failed: {}.", path, text.error().what));
    return std::nullopt;
  }
  return state::read_state(*text, diags);
}

void push(const Flags& flags, World& world, diag::Diagnostics& diags) {
  if (flags.positional().size() != 1) {
    diags.error("One argument is needed")
        .detail("Give the state file to push, or - for standard input.");
    return;
  }
  const auto given = read_given(flags.positional()[0], diags);
  if (!given) return;
  const auto store = open_store({}, flags, world, diags);
  if (!store || !lock_store(*store, "state-push", flags, world, diags)) return;
  if (!read_for_change(*store, flags.is_true(kLockFlag.name), diags)) return;
  store->push(*given, flags.is_true("force"), diags);
}

int run_push(const Request& request, World& world) {
  const auto progress = Progress::open(request, world);
  if (progress == nullptr) return kExitError;
  diag::Diagnostics diags;
  push(request.flags, world, diags);
  progress->problems(diags);
  return diags.has_errors() ? kExitError : kExitOk;
}

}  // namespace

const Command kStateCommand = {
    "state",
    "Look at and change the state by hand",
    "<subcommand> [options]",
    "Lists, moves and removes what the state has, without touching the objects themselves. "
    "Changes keep a backup.",
    {},
    Completes::Nothing,
    nullptr,
};

const Command kStateListCommand = {
    "state list",
    "List the resource instances of the state",
    "[options] [address...]",
    "Prints the address of every resource instance in the state, or of those that belong to the "
    "modules, resources and instances given.",
    kListFlags,
    Completes::Nothing,
    run_list,
};

const Command kStatePullCommand = {
    "state pull",
    "Print the state as it is stored",
    "[options]",
    "Prints the state of the current workspace in the newest format, whatever backend has it.",
    kPullFlags,
    Completes::Nothing,
    run_pull,
};

const Command kStatePushCommand = {
    "state push",
    "Store a state file in place of the state",
    "[options] PATH",
    "Stores the state of a file, or of standard input if PATH is -. A state of another lineage, "
    "or one that is older than the state in use, is refused unless -force is given.",
    kPushFlags,
    Completes::Files,
    run_push,
};

}  // namespace tofu::commands
