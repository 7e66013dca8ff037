#include <fmt/format.h>
#include <memory>
#include <string>
#include <vector>

#include "addrs/parse.h"
#include "addrs/text.h"
#include "commands/command.h"
#include "commands/journal_recovery.h"
#include "commands/option_groups.h"
#include "commands/progress.h"
#include "commands/run_providers.h"
#include "commands/state_access.h"
#include "commands/state_printing.h"
#include "views/state_decode.h"

namespace tofu::commands {

namespace {

struct StateShowOptions {
  JsonOptions json;
  bool show_sensitive = false;
  std::string state;
  ConfigurationOptions configuration;
  std::vector<std::string> arguments;

  void declare(FlagSet& flags) {
    add_show_sensitive_flag(flags, show_sensitive);
    add_state_flag(flags, state);
    flags.include(json);
    flags.include(configuration);
    flags.arguments(arguments);
  }
};

// The records of one instance. Nothing if and only if an error was added.
std::optional<views::StateRecords> find_instance(const StateShowOptions& options, World& world,
                                                 diag::Diagnostics& diags) {
  if (options.arguments.size() != 1) {
    diags.error("One argument is needed")
        .detail("Give the address of one resource instance, such as terraform_data.a[0].");
    return std::nullopt;
  }
  const auto store = open_store({.state = options.state}, options.configuration, world, diags);
  if (!store) return std::nullopt;
  const auto address =
      addrs::parse_text(options.arguments[0], addrs::parse_abs_resource_instance, diags);
  if (!address) return std::nullopt;
  const auto stored = read_for_showing(*store, world, diags);
  if (!stored) return std::nullopt;
  if (!stored->state) {
    report_no_state(diags);
    return std::nullopt;
  }
  if (stored->state->object(*address) == nullptr) {
    diags.error("Not in the state")
        .detail(fmt::format("The state has no instance {}. \"tofu state list\" prints what it has.",
                            address->to_string()));
    return std::nullopt;
  }
  if (!load_providers(*stored->state, world, diags)) return std::nullopt;
  auto records = views::instance_records(*stored->state, *address, run_providers(world), diags);
  if (!records) return std::nullopt;
  // Only what is in use; `show` has deposed objects too.
  std::erase_if(records->objects, [](const views::StateObject& o) { return !o.deposed.empty(); });
  return records;
}

int run_state_show(const StateShowOptions& options, World& world) {
  diag::Diagnostics diags;
  const auto progress = Progress::open(options.json, world);
  if (progress == nullptr) return kExitError;
  const auto records = find_instance(options, world, diags);
  progress->problems(diags);
  if (!records) return kExitError;
  print_records(*records, {.json = options.json.json, .show_sensitive = options.show_sensitive},
                world);
  return kExitOk;
}

}  // namespace

const Command kStateShowCommand = {
    "state show",
    "Show one resource instance of the state",
    "[options] ADDRESS",
    "Prints all attributes that the state has for one resource instance.",
    action<StateShowOptions, run_state_show>(),
    Completes::Addresses,
};

}  // namespace tofu::commands
