#include <fmt/format.h>
#include <string>
#include <vector>

#include "base/file.h"
#include "commands/command.h"
#include "commands/command_encryption.h"
#include "commands/journal_recovery.h"
#include "commands/option_groups.h"
#include "commands/progress.h"
#include "commands/remote_workspace.h"
#include "commands/state_access.h"
#include "state/state_file.h"
#include "value/json_scanner.h"

namespace tofu::commands {

namespace {

struct ListOptions {
  std::string id;
  JsonOptions json;
  StateFileOptions files;
  ConfigurationOptions configuration;
  std::vector<std::string> addresses;

  void declare(FlagSet& flags) {
    flags.add("id", id, {.value = "ID", .help = "Only instances whose attribute \"id\" is this."});
    flags.include(json);
    add_state_flag(flags, files.state);
    flags.include(configuration);
    flags.arguments(addresses);
  }
};

struct PullOptions {
  ConfigurationOptions configuration;

  void declare(FlagSet& flags) { flags.include(configuration); }
};

struct PushOptions {
  bool force = false;
  bool ignore_remote_version = false;
  JsonOptions json;
  StateChangeOptions change;
  std::vector<std::string> arguments;

  void declare(FlagSet& flags) {
    flags.add("force", force, {.help = "Replace a state of another lineage, or a newer one."});
    add_ignore_remote_version_flag(flags, ignore_remote_version);
    flags.include(json);
    flags.include(change);
    flags.arguments(arguments);
  }
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
                                                              const ListOptions& options,
                                                              diag::SourceMap& sources,
                                                              diag::Diagnostics& diags) {
  std::vector<addrs::AbsResourceInstance> list;
  bool good = true;
  for (const std::string& argument : options.addresses) {
    const auto found = matching_instances(state, argument, false, sources, diags);
    good = good && found;
    if (found) list.insert(list.end(), found->begin(), found->end());
  }
  if (!good) return std::nullopt;
  return list;
}

void list(const ListOptions& options, Progress& progress, World& world, diag::Diagnostics& diags) {
  const auto store = open_store(options.files, options.configuration, world, diags);
  if (!store) return;
  const auto stored = read_for_showing(*store, world, diags);
  if (!stored) return;
  if (!stored->state) return report_no_state(diags);
  const auto show = [&](const addrs::AbsResourceInstance& address) {
    const state::Object* object = stored->state->object(address);
    if (!options.id.empty() && (object == nullptr || id_of(*object) != options.id)) return;
    progress.typed_line(address.to_string(),
                        [](base::JsonWriter& json) { json.field("type", "resource_address"); });
  };
  if (options.addresses.empty()) return for_each_instance(*stored->state, show);
  const auto instances = listed(*stored->state, options, world.sources, diags);
  if (!instances) return;
  for (const addrs::AbsResourceInstance& address : *instances) show(address);
}

int run_list(const ListOptions& options, World& world) {
  return run_with_progress(options.json, world, [&](Progress& progress, diag::Diagnostics& diags) {
    list(options, progress, world, diags);
  });
}

void pull(const PullOptions& options, World& world, diag::Diagnostics& diags) {
  const auto store = open_store({}, options.configuration, world, diags);
  if (!store) return;
  const auto stored = read_for_showing(*store, world, diags);
  if (!stored || !stored->state) return;
  state::write_state(*stored->state, state::Layout::Compact, [&](std::string_view piece) {
    world.out.write(piece);
    return !world.out.failed();
  });
}

int run_pull(const PullOptions& options, World& world) {
  diag::Diagnostics diags;
  pull(options, world, diags);
  print_diagnostics(diags, world);
  return diags.has_errors() ? kExitError : kExitOk;
}

std::optional<state::State> read_given(const std::string& path,
                                       const ConfigurationOptions& configuration, World& world,
                                       diag::Diagnostics& diags) {
  auto text = path == "-" ? world.in.read_all() : base::read_file(path);
  if (!text) {
    diags.error("Cannot read the state to push")
        .detail(fmt::format("Reading {} failed: {}.", path, text.error().what));
    return std::nullopt;
  }
  // Also one that is encrypted, such as an errored.tfstate.
  if (!set_up_encryption(configuration, world, diags)) return std::nullopt;
  return read_given_state(std::move(*text), path, world, diags);
}

void push(const PushOptions& options, World& world, diag::Diagnostics& diags) {
  if (options.arguments.size() != 1) {
    diags.error("One argument is needed")
        .detail("Give the state file to push, or - for standard input.");
    return;
  }
  const auto given = read_given(options.arguments[0], options.change.configuration, world, diags);
  if (!given) return;
  if (!check_remote_version(options.change.configuration, options.ignore_remote_version, world,
                            diags)) {
    return;
  }
  const LockOptions& lock = options.change.lock;
  const auto listening = world.interrupts.listen();  // until the lock is given back
  const auto store = open_store({}, options.change.configuration, world, diags);
  if (!store || !lock_store(*store, "state-push", lock, world, diags)) return;
  if (!read_for_change(*store, lock.lock, diags)) return;
  store->push(*given, options.force, diags);
}

int run_push(const PushOptions& options, World& world) {
  return run_with_progress(options.json, world, [&](Progress&, diag::Diagnostics& diags) {
    push(options, world, diags);
  });
}

}  // namespace

const Command kStateCommand = {
    "state",
    "Look at and change the state by hand",
    "<subcommand> [options]",
    "Lists, moves and removes what the state has, without touching the objects themselves. "
    "Changes keep a backup.",
};

const Command kStateListCommand = {
    "state list",
    "List the resource instances of the state",
    "[options] [address...]",
    "Prints the address of every resource instance in the state, or of those that belong to the "
    "modules, resources and instances given.",
    action<ListOptions, run_list>(),
    Completes::Addresses,
};

const Command kStatePullCommand = {
    "state pull",
    "Print the state as it is stored",
    "[options]",
    "Prints the state of the current workspace in the newest format, whatever backend has it.",
    action<PullOptions, run_pull>(),
};

const Command kStatePushCommand = {
    "state push",
    "Store a state file in place of the state",
    "[options] PATH",
    "Stores the state of a file, or of standard input if PATH is -. A state of another lineage, "
    "or one that is older than the state in use, is refused unless -force is given.",
    action<PushOptions, run_push>(),
    Completes::Files,
};

}  // namespace tofu::commands
