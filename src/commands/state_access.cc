#include "commands/state_access.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>
#include <utility>

#include "addrs/text.h"
#include "base/overloaded.h"
#include "base/uuid.h"
#include "commands/configuration.h"
#include "commands/journal_recovery.h"
#include "commands/json_log.h"
#include "commands/version_info.h"
#include "commands/version_mode.h"
#include "commands/workspace.h"
#include "config/module_loader.h"
#include "config/no_modules.h"

namespace tofu::commands {

namespace {

bool check_backend(const Flags& flags, World& world, diag::Diagnostics& diags) {
  LoadOptions options;
  const auto mode = version_check_mode(flags, world, diags);
  if (!mode) return false;
  options.version_check = *mode;
  config::NoModules none;
  const auto loaded = load_configuration(options, flags, none, {}, world, diags);
  if (!loaded) return false;
  const config::Module& root = *loaded->tree.root().module;
  if (!root.backend && !root.cloud) return true;
  diags.error("Backend is not available")
      .detail("The backend that this configuration asks for cannot be used by this version yet.")
      .at(root.backend ? root.backend->type_range : root.cloud->range);
  return false;
}

std::string who() {
  const passwd* user = ::getpwuid(::getuid());
  char host[256] = "";
  ::gethostname(host, sizeof host - 1);
  return fmt::format("{}@{}", user != nullptr ? user->pw_name : "", host);
}

}  // namespace

std::unique_ptr<backends::Backend> open_backend(const StateFiles& files, const Flags& flags,
                                                World& world, diag::Diagnostics& diags) {
  if (!check_backend(flags, world, diags)) return nullptr;
  return backends::make_local_backend({.state_override = files.state,
                                       .state_out_override = files.state_out,
                                       .backup_override = files.backup,
                                       .version = std::string(kTofuVersion)},
                                      state::no_encryption());
}

std::unique_ptr<backends::Store> open_store(const StateFiles& files, const Flags& flags,
                                            World& world, diag::Diagnostics& diags) {
  const auto backend = open_backend(files, flags, world, diags);
  return backend ? backend->open(workspace_name(world.environment), diags) : nullptr;
}

bool lock_store(backends::Store& store, std::string operation, const Flags& flags, World& world,
                diag::Diagnostics& diags) {
  const auto timeout = parse_duration(flags.text(kLockTimeoutFlag.name));
  if (!timeout) {
    diags.error("Invalid lock timeout")
        .detail(fmt::format("\"{}\" is not a time. Write a number and a unit, such as 30s.",
                            flags.text(kLockTimeoutFlag.name)));
    return false;
  }
  if (!flags.is_true(kLockFlag.name)) return true;
  const auto id = base::random_uuid();
  if (!id) {
    diags.error("Cannot lock the state").detail(id.error().what + ".");
    return false;
  }
  backends::LockInfo info{.id = *id,
                          .operation = std::move(operation),
                          .who = who(),
                          .version = std::string(kTofuVersion),
                          .created = timestamp(world.environment),
                          .path = {}};
  return store.lock(std::move(info), {.timeout = *timeout}, diags);
}

void report_no_state(diag::Diagnostics& diags) {
  diags.error("There is no state")
      .detail("This workspace has no state yet: nothing was ever applied in it.");
}

namespace {

std::optional<OpenState> lock_and_read(std::unique_ptr<backends::Store> store,
                                       std::string operation, const Flags& flags, World& world,
                                       diag::Diagnostics& diags) {
  if (!store || !lock_store(*store, std::move(operation), flags, world, diags)) {
    return std::nullopt;
  }
  auto stored = read_for_change(*store, flags.is_true(kLockFlag.name), diags);
  if (!stored) return std::nullopt;
  if (!stored->state) {
    report_no_state(diags);
    return std::nullopt;
  }
  return OpenState{std::move(store), std::move(*stored->state)};
}

}  // namespace

std::optional<OpenState> open_for_change(const StateFiles& files, std::string operation,
                                         const Flags& flags, World& world,
                                         diag::Diagnostics& diags) {
  return lock_and_read(open_store(files, flags, world, diags), std::move(operation), flags, world,
                       diags);
}

std::optional<OpenState> open_for_surgery(const std::string& file, const std::string& backup,
                                          std::string operation, const Flags& flags, World& world,
                                          diag::Diagnostics& diags) {
  StateFiles files{.state = file, .backup = backup};
  if (backup.empty() || backup == "-") {
    const std::string path =
        file.empty() ? backends::local_paths({}, workspace_name(world.environment)).write : file;
    files.backup = fmt::format("{}.{}.backup", path, world.environment.now().first);
  }
  return open_for_change(files, std::move(operation), flags, world, diags);
}

std::optional<std::chrono::milliseconds> parse_duration(std::string_view text) {
  if (text == "0") return std::chrono::milliseconds(0);
  static constexpr std::pair<std::string_view, double> kUnits[] = {
      {"ms", 1}, {"us", 1e-3}, {"µs", 1e-3}, {"ns", 1e-6}, {"h", 3.6e6}, {"m", 6e4}, {"s", 1e3}};
  double total = 0;
  if (text.empty()) return std::nullopt;
  while (!text.empty()) {
    const std::size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
    const std::string number(text.substr(0, digits));
    if (number.find_first_of("0123456789") == std::string::npos ||
        std::ranges::count(number, '.') > 1) {
      return std::nullopt;
    }
    text.remove_prefix(digits);
    const auto* unit = std::ranges::find_if(
        kUnits, [&](const auto& known) { return text.starts_with(known.first); });
    if (unit == std::end(kUnits)) return std::nullopt;
    total += std::strtod(number.c_str(), nullptr) * unit->second;
    text.remove_prefix(unit->first.size());
  }
  constexpr double kLongest = 9e15;  // some hundred thousand years
  return std::chrono::milliseconds(static_cast<std::int64_t>(std::min(std::ceil(total), kLongest)));
}

std::vector<addrs::AbsResourceInstance> all_instances(const state::State& state) {
  std::vector<addrs::AbsResourceInstance> found;
  for (const state::Resource* resource : state.resources_by_address()) {
    resource->for_each([&](const state::Instance& instance) {
      found.push_back(addrs::instance_of(resource->address(), instance.key()));
    });
  }
  return found;
}

std::optional<std::vector<addrs::AbsResourceInstance>> matching_instances(
    const state::State& state, std::string_view argument, bool missing_is_fine,
    diag::Diagnostics& diags) {
  const auto target = addrs::parse_text(argument, addrs::parse_target, diags);
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
