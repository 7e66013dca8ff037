#include <fmt/format.h>
#include <string>
#include <vector>

#include "base/file.h"
#include "cli/command.h"
#include "cli/flags.h"
#include "cli/option_groups.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/version_info.h"
#include "commands/context.h"
#include "commands/table.h"
#include "diag/source.h"
#include "state/object_text.h"
#include "state/state_file.h"
#include "workdir/command_encryption.h"
#include "workdir/journal_recovery.h"
#include "workdir/options.h"
#include "workdir/remote_workspace.h"
#include "workdir/state_access.h"

namespace tofu::commands {

namespace {

struct ListOptions {
  std::string id;
  cli::JsonOptions json;
  workdir::StateFileOptions files;
  workdir::ConfigurationOptions configuration;
  std::vector<std::string> addresses;

  void declare(cli::FlagSet& flags) {
    flags.add(
        "id", id,
        {.value = "ID", .help = "Show only instances whose \"id\" attribute has this value."});
    flags.include(json);
    workdir::add_state_flag(flags, files.state);
    flags.include(configuration);
    flags.arguments(addresses);
  }
};

struct PullOptions {
  workdir::ConfigurationOptions configuration;

  void declare(cli::FlagSet& flags) { flags.include(configuration); }
};

struct PushOptions {
  bool force = false;
  bool ignore_remote_version = false;
  cli::JsonOptions json;
  workdir::StateChangeOptions change;
  std::vector<std::string> arguments;

  void declare(cli::FlagSet& flags) {
    flags.add("force", force,
              {.help = "Overwrite a state with a different lineage or a higher serial."});
    workdir::add_ignore_remote_version_flag(flags, ignore_remote_version);
    flags.include(json);
    flags.include(change);
    flags.arguments(arguments);
  }
};

std::optional<std::vector<addrs::AbsResourceInstance>> listed(const state::State& state,
                                                              const ListOptions& options,
                                                              diag::SourceMap& sources,
                                                              diag::Diagnostics& diags) {
  std::vector<addrs::AbsResourceInstance> list;
  bool good = true;
  for (const std::string& argument : options.addresses) {
    const auto found = workdir::matching_instances(state, argument, false, sources, diags);
    good = good && found;
    if (found) list.insert(list.end(), found->begin(), found->end());
  }
  if (!good) return std::nullopt;
  return list;
}

void list(const ListOptions& options, cli::Progress& progress, Context& context,
          diag::Diagnostics& diags) {
  const auto store = workdir::open_store(options.files, context.access, diags);
  if (!store) return;
  const auto stored = workdir::read_for_showing(*store, context.terminal, diags);
  if (!stored) return;
  if (!stored->state) return workdir::report_no_state(diags);
  const auto show = [&](const addrs::AbsResourceInstance& address) {
    const state::Object* object = stored->state->object(address);
    if (!options.id.empty() && (object == nullptr || state::id_of(*object) != options.id)) return;
    progress.typed_line(address.to_string(),
                        [](base::JsonWriter& json) { json.field("type", "resource_address"); });
  };
  if (options.addresses.empty()) return workdir::for_each_instance(*stored->state, show);
  const auto instances = listed(*stored->state, options, context.sources, diags);
  if (!instances) return;
  for (const addrs::AbsResourceInstance& address : *instances) show(address);
}

int run_list(const ListOptions& options, cli::Session& session) {
  Context context(session, options);
  return cli::run_with_progress(options.json, context.terminal, context.environment(),
                                [&](cli::Progress& progress, diag::Diagnostics& diags) {
                                  list(options, progress, context, diags);
                                });
}

void pull(Context& context, diag::Diagnostics& diags) {
  const auto store = workdir::open_store({}, context.access, diags);
  if (!store) return;
  const auto stored = workdir::read_for_showing(*store, context.terminal, diags);
  if (!stored || (!stored->state && !store->exports_empty())) return;
  state::State empty;
  empty.terraform_version = cli::kTofuVersion;
  state::write_state(stored->state ? *stored->state : empty, state::Layout::Compact,
                     [&](std::string_view piece) {
                       context.terminal.out.write(piece);
                       return !context.terminal.out.failed();
                     });
}

int run_pull(const PullOptions& options, cli::Session& session) {
  Context context(session, options);
  diag::Diagnostics diags;
  pull(context, diags);
  cli::print_diagnostics(diags, context.terminal);
  return diags.has_errors() ? cli::kExitError : cli::kExitOk;
}

std::optional<state::State> read_given(const std::string& path, Context& context,
                                       diag::Diagnostics& diags) {
  auto text = path == "-" ? context.terminal.in.read_all() : base::read_file(path);
  if (!text) {
    diags.error("Cannot read the state file")
        .detail(fmt::format("Reading {} failed: {}.", path, text.error().what));
    return std::nullopt;
  }
  // Also one that is encrypted, such as an errored.tfstate.
  const auto encryption = context.access.encryption(diags);
  if (!encryption) return std::nullopt;
  return workdir::read_given_state(std::move(*text), path, encryption->state(), diags);
}

// The journals of the run that `given` is of, if it has everything that they tell, such as an
// errored.tfstate. Storing it ends them, so the stored state is not completed from them first.
std::optional<std::vector<workdir::PendingJournal>> ended_by(const state::State& given,
                                                             const backends::Store& store,
                                                             diag::Diagnostics& diags) {
  auto found = workdir::pending_journals(store, diags);
  if (!found) return std::nullopt;
  for (const workdir::PendingJournal& pending : *found) {
    if (pending.is_left_alone() || !state::contains_run(given, pending.journal)) {
      return std::vector<workdir::PendingJournal>();
    }
  }
  return found;
}

// Whether the journals are of `given`, but not of the stored state: then storing it lets them be
// recovered, as when a backup takes the place of a state that was lost.
bool is_awaited(const state::State& given, backends::Store& store, diag::Diagnostics& diags) {
  const auto found = workdir::pending_journals(store, diags);
  const auto stored = found ? store.read(diags) : std::nullopt;
  if (!stored) return false;
  bool is_any = false;
  for (const workdir::PendingJournal& pending : *found) {
    if (pending.is_left_alone()) continue;
    const auto verdict_on = [&](const state::State* state) {
      return state::recover(state, pending.journal).verdict;
    };
    if (verdict_on(&given) == state::Verdict::Conflict) return false;
    is_any =
        is_any || verdict_on(stored->state ? &*stored->state : nullptr) == state::Verdict::Conflict;
  }
  return is_any;
}

// Calls of which the state that ends the journal does not say what they did.
std::string describe_calls(const state::State& given, const workdir::PendingJournal& pending) {
  return workdir::describe(state::recover(&given, pending.journal), pending);
}

void push(const PushOptions& options, cli::Progress& progress, Context& context,
          diag::Diagnostics& diags) {
  if (options.arguments.size() != 1) {
    diags.error("Missing state file")
        .detail("Expected one argument: the state file to push, or - for standard input.");
    return;
  }
  const auto given = read_given(options.arguments[0], context, diags);
  if (!given) return;
  if (!workdir::check_remote_version(options.ignore_remote_version, context.access, diags)) {
    return;
  }
  const workdir::LockOptions& lock = options.change.lock;
  const auto listening = context.cancellation.listen();  // until the lock is given back
  const auto store = workdir::open_store({}, context.access, diags);
  if (!store || !workdir::lock_store(*store, "state-push", lock, context.settings,
                                     context.cancellation, diags))
    return;
  const auto ended = ended_by(*given, *store, diags);
  if (!ended) return;
  if (ended->empty() && !is_awaited(*given, *store, diags)) {
    if (diags.has_errors() || !workdir::read_for_change(*store, lock.lock, context.terminal, diags))
      return;
  }
  if (!lock.lock) {
    (void)store->push(*given, options.force, diags);
    return;
  }
  std::string calls;  // also of a state that is refused they are worth knowing
  for (const workdir::PendingJournal& pending : *ended) calls += describe_calls(*given, pending);
  const workdir::Told told = workdir::tell(calls, progress);
  if (!store->push(*given, options.force, diags)) return;
  for (const workdir::PendingJournal& pending : *ended) {
    if (!workdir::remove_journal(store->disk(), pending, told, diags)) return;
  }
}

int run_push(const PushOptions& options, cli::Session& session) {
  Context context(session, options);
  return cli::run_with_progress(options.json, context.terminal, context.environment(),
                                [&](cli::Progress& progress, diag::Diagnostics& diags) {
                                  push(options, progress, context, diags);
                                });
}

}  // namespace

const cli::Command kStateCommand = {
    "state",
    "Inspect and change the state directly",
    "<subcommand> [options]",
    "Lists, moves and removes resources in the state without changing the real objects. Commands "
    "that change the state write a backup first.",
};

const cli::Command kStateListCommand = {
    "state list",
    "List resource instances in the state",
    "[options] [address...]",
    "Prints the addresses of all resource instances in the state, or of those matching the given "
    "module, resource or instance addresses.",
    cli::action<ListOptions, run_list>(),
    cli::Completes::Addresses,
};

const cli::Command kStatePullCommand = {
    "state pull",
    "Print the state file",
    "[options]",
    "Prints the state of the current workspace from any backend, in the latest state file format.",
    cli::action<PullOptions, run_pull>(),
};

const cli::Command kStatePushCommand = {
    "state push",
    "Overwrite the state with a state file",
    "[options] PATH",
    "Overwrites the state with the given file, or with standard input if PATH is -. Without "
    "-force, refuses a state with a different lineage or a lower serial.",
    cli::action<PushOptions, run_push>(),
    cli::Completes::Files,
};

}  // namespace tofu::commands
