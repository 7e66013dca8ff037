#include <fmt/format.h>
#include <span>
#include <string>
#include <vector>

#include "addrs/parse.h"
#include "cli/command.h"
#include "cli/flags.h"
#include "cli/option_groups.h"
#include "cli/progress.h"
#include "commands/context.h"
#include "commands/table.h"
#include "diag/source.h"
#include "workdir/address_argument.h"
#include "workdir/journal_recovery.h"
#include "workdir/options.h"
#include "workdir/remote_workspace.h"
#include "workdir/state_access.h"

namespace tofu::commands {

namespace {

struct TaintOptions {
  bool allow_missing = false;
  bool ignore_remote_version = false;
  cli::JsonOptions json;
  workdir::StateChangeOptions change;
  workdir::StateFileOptions files;
  std::vector<std::string> arguments;

  void declare(cli::FlagSet& flags) {
    flags.add("allow-missing", allow_missing,
              {.help = "Succeed even if the instance is not in the state."});
    workdir::add_ignore_remote_version_flag(flags, ignore_remote_version);
    flags.include(json);
    flags.include(change);
    flags.include(files);
    flags.arguments(arguments);
  }
};

std::optional<addrs::AbsResourceInstance> subject(std::span<const std::string> arguments,
                                                  bool taint, diag::SourceMap& sources,
                                                  diag::Diagnostics& diags) {
  if (arguments.size() != 1) {
    diags.error("Missing address")
        .detail("Expected one argument: the address of a resource instance.");
    return std::nullopt;
  }
  auto address =
      workdir::read_address(arguments[0], addrs::parse_abs_resource_instance, sources, diags);
  if (address && taint && address->object.resource.mode != addrs::ResourceMode::Managed) {
    diags.error("Invalid taint target")
        .detail(fmt::format("{} is not a managed resource. Only managed resources can be tainted.",
                            address->to_string()));
    return std::nullopt;
  }
  return address;
}

// Says why there is no object to change; with -allow-missing that is fine.
void report_missing(const addrs::AbsResourceInstance& address, const state::Instance* instance,
                    bool allow_missing, cli::Progress& progress, diag::Diagnostics& diags) {
  if (instance != nullptr) {
    diags.error("No such object")
        .detail(fmt::format("{} is being replaced, and its new object does not exist yet. Run "
                            "\"tofu apply\" to complete the replacement.",
                            address.to_string()));
  } else if (allow_missing) {
    diags.warning("No such resource instance")
        .detail(fmt::format("{} is not in the state. With -allow-missing, this is not an error.",
                            address.to_string()));
    progress.line("No changes were made.");
  } else {
    diags.error("No such resource instance")
        .detail(fmt::format("{} is not in the state. Run \"tofu state list\" to see all addresses.",
                            address.to_string()));
  }
}

void change(bool taint, const TaintOptions& options, cli::Progress& progress, Context& context,
            diag::Diagnostics& diags) {
  const auto address = subject(options.arguments, taint, context.sources, diags);
  if (!address) return;
  const auto& [lock, configuration] = options.change;
  if (options.files.state.empty() &&
      !workdir::check_remote_version(options.ignore_remote_version, context.access, diags)) {
    return;
  }
  const auto listening = context.cancellation.listen();  // until the lock is given back
  const auto store = workdir::open_store(options.files, context.access, diags);
  if (!store || !workdir::lock_store(*store, taint ? "taint" : "untaint", lock, context.settings,
                                     context.cancellation, diags))
    return;
  const auto stored = workdir::read_for_change(*store, lock.lock, context.terminal, diags);
  if (!stored) return;
  state::State state = stored->state.value_or(state::State());
  const state::Instance* instance = state.instance(*address);
  const state::Object* object = state.object(*address);
  if (object == nullptr) {
    return report_missing(*address, instance, options.allow_missing, progress, diags);
  }
  if (!taint && object->status() != state::ObjectStatus::Tainted) {
    diags.error("Resource instance not tainted")
        .detail(fmt::format("{} is not tainted, so \"tofu untaint\" has nothing to do.",
                            address->to_string()));
    return;
  }
  const auto status = taint ? state::ObjectStatus::Tainted : state::ObjectStatus::Ready;
  const auto provider = state.resource(addrs::resource_of(*address))->provider_of(*instance);
  state.set_object(*address, "", object->with_status(status), provider);
  if (!store->write(state, diags)) return;
  progress.line(taint
                    ? fmt::format("{} has been marked as tainted. The next apply will replace it.",
                                  address->to_string())
                    : fmt::format("{} is no longer tainted.", address->to_string()));
}

template <bool kTaint>
int run_taint(const TaintOptions& options, cli::Session& session) {
  Context context(session, options);
  return cli::run_with_progress(options.json, context.terminal, context.environment(),
                                [&](cli::Progress& progress, diag::Diagnostics& diags) {
                                  change(kTaint, options, progress, context, diags);
                                });
}

}  // namespace

const cli::Command kTaintCommand = {
    "taint",
    "Mark a resource instance for replacement",
    "[options] ADDRESS",
    "Marks a resource instance as tainted, so that the next plan replaces its object. \"tofu plan "
    "-replace=ADDRESS\" does the same without changing the state.",
    cli::action<TaintOptions, run_taint<true>>(),
    cli::Completes::Addresses,
};

const cli::Command kUntaintCommand = {
    "untaint",
    "Remove the tainted mark from a resource instance",
    "[options] ADDRESS",
    "Removes the tainted mark set by \"tofu taint\" or by a failed creation, so that the object is "
    "not replaced.",
    cli::action<TaintOptions, run_taint<false>>(),
    cli::Completes::Addresses,
};

}  // namespace tofu::commands
