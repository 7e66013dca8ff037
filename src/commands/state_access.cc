#include "commands/state_access.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <utility>

#include "backends/local.h"
#include "base/overloaded.h"
#include "commands/address_argument.h"
#include "commands/backend_settings.h"
#include "commands/command_encryption.h"
#include "commands/configuration.h"
#include "commands/journal_recovery.h"
#include "commands/lock_owner.h"
#include "commands/version_info.h"
#include "commands/workspace.h"
#include "config/module_loader.h"
#include "config/no_modules.h"

namespace tofu::commands {

std::unique_ptr<backends::Backend> open_backend(const StateFileOptions& files,
                                                const Configuration& configuration, World& world,
                                                diag::Diagnostics& diags) {
  if (!set_up_encryption(configuration, world, diags)) return nullptr;
  const auto current = current_backend(configuration, world, diags);
  return current ? open_recorded(current->record, files, world, diags) : nullptr;
}

std::unique_ptr<Configuration> load_root_module(const ConfigurationOptions& configuration,
                                                World& world, diag::Diagnostics& diags) {
  const auto options = load_options(configuration, world, diags);
  if (!options) return nullptr;
  config::NoModules none;
  return load_configuration(*options, none, {}, world, diags);
}

std::unique_ptr<backends::Backend> open_backend(const StateFileOptions& files,
                                                const ConfigurationOptions& configuration,
                                                World& world, diag::Diagnostics& diags) {
  const auto loaded = load_root_module(configuration, world, diags);
  return loaded ? open_backend(files, *loaded, world, diags) : nullptr;
}

std::unique_ptr<backends::Store> open_store(const StateFileOptions& files,
                                            const ConfigurationOptions& configuration, World& world,
                                            diag::Diagnostics& diags) {
  // The configuration only says where the state is; its warnings are for those who plan.
  diag::Diagnostics found;
  const auto backend = open_backend(files, configuration, world, found);
  if (!backend) {
    diags.take(std::move(found));
    return nullptr;
  }
  const std::string workspace = workspace_name(world.environment);
  world.log.debug([&] { return fmt::format("Workspace: {}", workspace); });
  return backend->open(workspace, diags);
}

bool lock_store(backends::Store& store, std::string operation, const LockOptions& lock,
                World& world, diag::Diagnostics& diags) {
  if (!lock.lock) return true;
  backends::LockInfo info = new_lock(std::move(operation), world);
  if (info.id.empty()) {
    diags.error("Cannot acquire the state lock").detail("The system gives no random numbers.");
    return false;
  }
  world.log.debug(
      [&] { return fmt::format("Locking the state for {}: lock {}", info.operation, info.id); });
  const auto start = std::chrono::steady_clock::now();
  const auto listening = world.interrupts.listen();
  const bool locked = store.lock(
      std::move(info), {.timeout = lock.timeout, .stop = world.interrupts.token()}, diags);
  const auto took = std::chrono::steady_clock::now() - start;
  world.log.debug([&] {
    return fmt::format("{} after {} ms", locked ? "Locked the state" : "Did not get the lock",
                       std::chrono::duration_cast<std::chrono::milliseconds>(took).count());
  });
  return locked;
}

void report_no_state(diag::Diagnostics& diags) {
  diags.error("There is no state")
      .detail("This workspace has no state yet: nothing was ever applied in it.");
}

namespace {

std::optional<OpenState> lock_and_read(std::unique_ptr<backends::Store> store,
                                       std::string operation, const LockOptions& lock, World& world,
                                       diag::Diagnostics& diags) {
  if (!store || !lock_store(*store, std::move(operation), lock, world, diags)) return std::nullopt;
  auto stored = read_for_change(*store, lock.lock, diags);
  if (!stored) return std::nullopt;
  if (!stored->state) {
    report_no_state(diags);
    return std::nullopt;
  }
  return OpenState{std::move(store), std::move(*stored->state)};
}

}  // namespace

std::optional<OpenState> open_for_change(const StateFileOptions& files, std::string operation,
                                         const StateChangeOptions& options, World& world,
                                         diag::Diagnostics& diags) {
  return lock_and_read(open_store(files, options.configuration, world, diags), std::move(operation),
                       options.lock, world, diags);
}

std::optional<OpenState> open_for_surgery(StateFileOptions files, std::string operation,
                                          const StateChangeOptions& options, World& world,
                                          diag::Diagnostics& diags) {
  if (files.backup.empty() || files.backup == "-") {
    const std::string path =
        files.state.empty() ? backends::local_paths({}, workspace_name(world.environment)).write
                            : files.state;
    files.backup = fmt::format("{}.{}.backup", path, world.environment.now().first);
  }
  if (files.state.empty()) {
    return open_for_change(files, std::move(operation), options, world, diags);
  }
  // A file that is named here is not the state of the backend, and not encrypted.
  if (!set_up_encryption(options.configuration, world, diags)) return std::nullopt;
  backends::LocalPaths paths{.read = files.state,
                             .write = files.state_out.empty() ? files.state : files.state_out,
                             .backup = files.backup};
  return lock_and_read(backends::open_local_store(std::move(paths), std::string(kTofuVersion),
                                                  state::no_encryption()),
                       std::move(operation), options.lock, world, diags);
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

std::optional<std::vector<addrs::AbsResourceInstance>> matching_instances(
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
      .detail(fmt::format("The state has nothing at {}. What was added to the configuration is in "
                          "the state only after \"tofu apply\".",
                          addrs::to_string(*target)));
  return std::nullopt;
}

}  // namespace tofu::commands
