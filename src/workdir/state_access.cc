#include "workdir/state_access.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <utility>

#include "backends/local.h"
#include "base/overloaded.h"
#include "cli/cancellation.h"
#include "cli/settings.h"
#include "cli/version_info.h"
#include "config/module_loader.h"
#include "diag/source.h"
#include "workdir/access.h"
#include "workdir/address_argument.h"
#include "workdir/backend_settings.h"
#include "workdir/command_encryption.h"
#include "workdir/configuration.h"
#include "workdir/journal_recovery.h"
#include "workdir/lock_owner.h"
#include "workdir/root_module.h"
#include "workdir/workspace.h"

namespace tofu::workdir {

diag::Checked<std::unique_ptr<backends::Backend>> open_backend(const StateFileOptions& files,
                                                               const Configuration& configuration,
                                                               StateAccess& access,
                                                               diag::Diagnostics& diags) {
  const auto encryption = access.encryption_of(configuration, diags);
  if (!encryption) return nullptr;
  const auto current =
      current_backend(configuration, access.environment(), access.load.sources, diags);
  return current ? open_recorded(current->record, files, encryption->state(), access, diags)
                 : nullptr;
}

diag::Checked<std::unique_ptr<backends::Backend>> open_backend(const StateFileOptions& files,
                                                               StateAccess& access,
                                                               diag::Diagnostics& diags) {
  const auto loaded = load_root_module(access.options, access.load, diags);
  return loaded ? open_backend(files, *loaded, access, diags) : nullptr;
}

diag::Checked<std::unique_ptr<backends::Store>> open_store(const StateFileOptions& files,
                                                           StateAccess& access,
                                                           diag::Diagnostics& diags) {
  // The configuration only says where the state is; its warnings are for those who plan.
  diag::Diagnostics found;
  const auto backend = open_backend(files, access, found);
  if (!backend) {
    diags.take(std::move(found));
    return nullptr;
  }
  const std::string workspace = workspace_name(access.environment());
  access.load.settings.log.debug([&] { return fmt::format("Workspace: {}", workspace); });
  return backend->open(workspace, diags);
}

diag::Checked<void> lock_store(backends::Store& store, std::string operation,
                               const LockOptions& lock, const cli::Settings& settings,
                               cli::Cancellation& cancellation, diag::Diagnostics& diags) {
  if (!lock.lock) return true;
  backends::LockInfo info = new_lock(std::move(operation), settings.environment);
  if (info.id.empty()) {
    diags.error("Error acquiring the state lock").detail("Cannot read random bytes.");
    return false;
  }
  settings.log.debug(
      [&] { return fmt::format("Locking the state for {}: lock {}", info.operation, info.id); });
  const auto start = std::chrono::steady_clock::now();
  const auto listening = cancellation.listen();
  const bool locked =
      store.lock(std::move(info), {.timeout = lock.timeout, .stop = cancellation.token()}, diags);
  const auto took = std::chrono::steady_clock::now() - start;
  settings.log.debug([&] {
    return fmt::format("{} after {} ms", locked ? "Locked the state" : "Did not get the lock",
                       std::chrono::duration_cast<std::chrono::milliseconds>(took).count());
  });
  return locked;
}

void report_no_state(diag::Diagnostics& diags) {
  diags.error("No state")
      .detail("This workspace has no state yet. Run \"tofu apply\" to create one.");
}

namespace {

diag::Checked<OpenState> lock_and_read(std::unique_ptr<backends::Store> store,
                                       std::string operation, const LockOptions& lock, Edit edit,
                                       StateAccess& access, diag::Diagnostics& diags) {
  if (!store || !lock_store(*store, std::move(operation), lock, access.load.settings,
                            access.cancellation, diags))
    return std::nullopt;
  const bool may_store = lock.lock && edit == Edit::Write;
  auto stored = read_for_change(*store, may_store, access.terminal, diags);
  if (!stored) return std::nullopt;
  if (!stored->state) {
    report_no_state(diags);
    return std::nullopt;
  }
  return OpenState{std::move(store), std::move(*stored->state)};
}

}  // namespace

diag::Checked<OpenState> open_for_change(const StateFileOptions& files, std::string operation,
                                         const LockOptions& lock, StateAccess& access,
                                         diag::Diagnostics& diags) {
  return lock_and_read(open_store(files, access, diags), std::move(operation), lock, Edit::Write,
                       access, diags);
}

diag::Checked<OpenState> open_for_edit(StateFileOptions files, std::string operation,
                                       const LockOptions& lock, Edit edit, StateAccess& access,
                                       diag::Diagnostics& diags) {
  if (files.backup.empty() || files.backup == "-") {
    const std::string path =
        files.state.empty() ? backends::local_paths({}, workspace_name(access.environment())).write
                            : files.state;
    files.backup = fmt::format("{}.{}.backup", path, access.environment().now().first);
  }
  if (files.state.empty()) {
    return lock_and_read(open_store(files, access, diags), std::move(operation), lock, edit, access,
                         diags);
  }
  // A file that is named here is not the state of the backend, and not encrypted.
  // The configuration has to be readable all the same.
  if (!access.encryption(diags)) return std::nullopt;
  backends::LocalPaths paths{.read = files.state,
                             .write = files.state_out.empty() ? files.state : files.state_out,
                             .backup = files.backup};
  return lock_and_read(
      backends::open_local_store(
          std::move(paths), std::string(cli::kTofuVersion), state::no_encryption(),
          [&terminal = access.terminal](const std::string& line) { terminal.err.line(line); }),
      std::move(operation), lock, edit, access, diags);
}

void for_each_instance(const state::State& state,
                       const std::function<void(const addrs::AbsResourceInstance&)>& visit) {
  for (const state::Resource* resource : state.resources_by_address()) {
    resource->for_each([&](const state::Instance& instance) {
      visit(addrs::instance_of(resource->address(), instance.key()));
    });
  }
}

std::vector<addrs::AbsResourceInstance> all_instances(const state::State& state) {
  std::vector<addrs::AbsResourceInstance> found;
  for_each_instance(state,
                    [&](const addrs::AbsResourceInstance& address) { found.push_back(address); });
  return found;
}

diag::Checked<std::vector<addrs::AbsResourceInstance>> matching_instances(
    const state::State& state, const std::string& argument, bool missing_is_fine,
    diag::SourceMap& sources, diag::Diagnostics& diags) {
  const auto target = read_address(argument, addrs::parse_target, sources, diags);
  if (!target) return std::nullopt;
  std::vector<addrs::AbsResourceInstance> found;
  const auto take_resource = [&](const state::Resource& resource) {
    resource.for_each([&](const state::Instance& instance) {
      found.push_back(addrs::instance_of(resource.address(), instance.key()));
    });
  };
  const bool there =
      std::visit(base::Overloaded{
                     [&](const addrs::ModuleInstance& module) {
                       bool any = false;
                       for (const state::Resource* resource : state.resources_by_address()) {
                         if (!addrs::target_contains(module, addrs::Target(resource->address())))
                           continue;
                         any = true;
                         take_resource(*resource);
                       }
                       return any;
                     },
                     [&](const addrs::AbsResource& address) {
                       const state::Resource* resource = state.resource(address);
                       if (resource != nullptr) take_resource(*resource);
                       return resource != nullptr;
                     },
                     [&](const addrs::AbsResourceInstance& address) {
                       if (state.instance(address) == nullptr) return false;
                       found.push_back(address);
                       return true;
                     },
                 },
                 *target);
  if (there || missing_is_fine) return found;
  diags.error("Not in the state")
      .detail(fmt::format(
          "The state has no object at {}. Objects are added to the state by \"tofu apply\".",
          addrs::to_string(*target)));
  return std::nullopt;
}

}  // namespace tofu::workdir
