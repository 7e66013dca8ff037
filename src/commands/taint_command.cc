#include <fmt/format.h>
#include <span>
#include <string>
#include <vector>

#include "addrs/parse.h"
#include "commands/address_argument.h"
#include "commands/command.h"
#include "commands/journal_recovery.h"
#include "commands/option_groups.h"
#include "commands/progress.h"
#include "commands/remote_workspace.h"
#include "commands/state_access.h"

namespace tofu::commands {

namespace {

struct TaintOptions {
  bool allow_missing = false;
  bool ignore_remote_version = false;
  JsonOptions json;
  StateChangeOptions change;
  StateFileOptions files;
  std::vector<std::string> arguments;

  void declare(FlagSet& flags) {
    flags.add("allow-missing", allow_missing,
              {.help = "An instance that is not in the state is not an error."});
    add_ignore_remote_version_flag(flags, ignore_remote_version);
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
    diags.error("One argument is needed").detail("Give the address of one resource instance.");
    return std::nullopt;
  }
  auto address = read_address(arguments[0], addrs::parse_abs_resource_instance, sources, diags);
  if (address && taint && address->object.resource.mode != addrs::ResourceMode::Managed) {
    diags.error("Only managed resources can be tainted")
        .detail(fmt::format("{} is not an object that could be replaced.", address->to_string()));
    return std::nullopt;
  }
  return address;
}

// Says why there is no object to change; with -allow-missing that is fine.
void report_missing(const addrs::AbsResourceInstance& address, const state::Instance* instance,
                    bool allow_missing, Progress& progress, diag::Diagnostics& diags) {
  if (instance != nullptr) {
    diags.error("No such object")
        .detail(fmt::format("{} is being replaced, and its new object does not exist yet. Run "
                            "\"tofu apply\" to complete that.",
                            address.to_string()));
  } else if (allow_missing) {
    diags.warning("No such resource instance")
        .detail(fmt::format("{} is not in the state, which is fine with -allow-missing.",
                            address.to_string()));
    progress.line("Nothing was changed.");
  } else {
    diags.error("No such resource instance")
        .detail(fmt::format("{} is not in the state. \"tofu state list\" shows what is.",
                            address.to_string()));
  }
}

void change(bool taint, const TaintOptions& options, Progress& progress, World& world,
            diag::Diagnostics& diags) {
  const auto address = subject(options.arguments, taint, world.sources, diags);
  if (!address) return;
  const auto& [lock, configuration] = options.change;
  if (options.files.state.empty() &&
      !check_remote_version(configuration, options.ignore_remote_version, world, diags)) {
    return;
  }
  const auto listening = world.interrupts.listen();  // until the lock is given back
  const auto store = open_store(options.files, configuration, world, diags);
  if (!store || !lock_store(*store, taint ? "taint" : "untaint", lock, world, diags)) return;
  const auto stored = read_for_change(*store, lock.lock, diags);
  if (!stored) return;
  state::State state = stored->state.value_or(state::State());
  const state::Instance* instance = state.instance(*address);
  const state::Object* object = state.object(*address);
  if (object == nullptr) {
    return report_missing(*address, instance, options.allow_missing, progress, diags);
  }
  if (!taint && object->status() != state::ObjectStatus::Tainted) {
    diags.error("Not tainted")
        .detail(fmt::format("{} is not marked as tainted.", address->to_string()));
    return;
  }
  const auto status = taint ? state::ObjectStatus::Tainted : state::ObjectStatus::Ready;
  const auto provider = state.resource(addrs::resource_of(*address))->provider_of(*instance);
  state.set_object(*address, "", object->with_status(status), provider);
  if (!store->write(state, diags)) return;
  progress.line(taint ? fmt::format("{} is marked as tainted: the next apply replaces it.",
                                    address->to_string())
                      : fmt::format("{} is no longer tainted.", address->to_string()));
}

template <bool kTaint>
int run_taint(const TaintOptions& options, World& world) {
  return run_with_progress(options.json, world, [&](Progress& progress, diag::Diagnostics& diags) {
    change(kTaint, options, progress, world, diags);
  });
}

}  // namespace

const Command kTaintCommand = {
    "taint",
    "Mark a resource instance to be replaced",
    "[options] ADDRESS",
    "Marks the object of a resource instance as damaged, so that the next plan replaces it. "
    "\"tofu plan -replace=ADDRESS\" does the same without changing the state first.",
    action<TaintOptions, run_taint<true>>(),
    Completes::Addresses,
};

const Command kUntaintCommand = {
    "untaint",
    "Remove the taint of a resource instance",
    "[options] ADDRESS",
    "Removes the mark that \"tofu taint\" or a failed creation left, so that the object is not "
    "replaced.",
    action<TaintOptions, run_taint<false>>(),
    Completes::Addresses,
};

}  // namespace tofu::commands
