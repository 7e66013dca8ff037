#include <fmt/format.h>
#include <string>

#include "addrs/text.h"
#include "commands/command.h"
#include "commands/journal_recovery.h"
#include "commands/progress.h"
#include "commands/root_variables.h"
#include "commands/state_access.h"
#include "commands/version_mode.h"

namespace tofu::commands {

namespace {

constexpr Flag kFlags[] = {
    {"allow-missing", FlagKind::Bool, "false", "allow-missing",
     "An instance that is not in the state is no error."},
    kBackupFlag,
    kIgnoreRemoteVersionFlag,
    kJsonFlag,
    kJsonIntoFlag,
    kLockFlag,
    kLockTimeoutFlag,
    kStateFlag,
    {"state-out", FlagKind::Text, "", "state-out=FILE", "Write the state to this file instead.",
     Completes::Files},
    kVarFlag,
    kVarFileFlag,
    kVersionCheckFlag,
};

std::optional<addrs::AbsResourceInstance> subject(const Flags& flags, bool taint,
                                                  diag::Diagnostics& diags) {
  if (flags.positional().size() != 1) {
    diags.error("One argument is needed").detail("Give the address of one resource instance.");
    return std::nullopt;
  }
  auto address =
      addrs::parse_text(flags.positional()[0], addrs::parse_abs_resource_instance, diags);
  if (address && taint && address->object.resource.mode != addrs::ResourceMode::Managed) {
    diags.error("Only managed resources can be tainted")
        .detail(fmt::format("{} is not an object that could be replaced.", address->to_string()));
    return std::nullopt;
  }
  return address;
}

// Says why there is no object to change; with -allow-missing that is fine.
void report_missing(const addrs::AbsResourceInstance& address, const state::Instance* instance,
                    const Flags& flags, Progress& progress, diag::Diagnostics& diags) {
  if (instance != nullptr) {
    diags.error("No such object")
        .detail(fmt::format("{} is being replaced, and its new object does not exist yet. Run "
                            "\"tofu apply\" to complete that.",
                            address.to_string()));
  } else if (flags.is_true("allow-missing")) {
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

void change(bool taint, const Flags& flags, Progress& progress, World& world,
            diag::Diagnostics& diags) {
  const auto address = subject(flags, taint, diags);
  if (!address) return;
  const StateFiles files{.state = std::string(flags.text("state")),
                         .state_out = std::string(flags.text("state-out")),
                         .backup = std::string(flags.text("backup"))};
  const auto store = open_store(files, flags, world, diags);
  if (!store || !lock_store(*store, taint ? "taint" : "untaint", flags, world, diags)) return;
  const auto stored = read_for_change(*store, flags.is_true(kLockFlag.name), diags);
  if (!stored) return;
  state::State state = stored->state.value_or(state::State());
  const state::Instance* instance = state.instance(*address);
  const state::Object* object = state.object(*address);
  if (object == nullptr) return report_missing(*address, instance, flags, progress, diags);
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
                      : fmt::format("{} is not tainted any more.", address->to_string()));
}

int run(bool taint, const Request& request, World& world) {
  const auto progress = Progress::open(request, world);
  if (progress == nullptr) return kExitError;
  diag::Diagnostics diags;
  change(taint, request.flags, *progress, world, diags);
  progress->problems(diags);
  return diags.has_errors() ? kExitError : kExitOk;
}

int run_taint(const Request& request, World& world) { return run(true, request, world); }
int run_untaint(const Request& request, World& world) { return run(false, request, world); }

}  // namespace

const Command kTaintCommand = {
    "taint",
    "Mark a resource instance to be replaced",
    "[options] ADDRESS",
    "Marks the object of a resource instance as damaged, so that the next plan replaces it. "
    "\"tofu plan -replace=ADDRESS\" does the same without changing the state first.",
    kFlags,
    Completes::Nothing,
    run_taint,
};

const Command kUntaintCommand = {
    "untaint",
    "Take back that a resource instance is tainted",
    "[options] ADDRESS",
    "Takes the mark away that \"tofu taint\" or a failed creation left, so that the object is not "
    "replaced.",
    kFlags,
    Completes::Nothing,
    run_untaint,
};

}  // namespace tofu::commands
