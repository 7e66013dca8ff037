#include <fmt/format.h>
#include <memory>
#include <string>
#include <vector>

#include "addrs/parse.h"
#include "addrs/text.h"
#include "cli/command.h"
#include "cli/flags.h"
#include "cli/option_groups.h"
#include "cli/progress.h"
#include "commands/context.h"
#include "commands/table.h"
#include "runs/run_providers.h"
#include "runs/state_printing.h"
#include "views/state_decode.h"
#include "workdir/journal_recovery.h"
#include "workdir/options.h"
#include "workdir/state_access.h"

namespace tofu::commands {

namespace {

struct StateShowOptions {
  cli::JsonOptions json;
  bool show_sensitive = false;
  std::string state;
  workdir::ConfigurationOptions configuration;
  std::vector<std::string> arguments;

  void declare(cli::FlagSet& flags) {
    cli::add_show_sensitive_flag(flags, show_sensitive);
    workdir::add_state_flag(flags, state);
    flags.include(json);
    flags.include(configuration);
    flags.arguments(arguments);
  }
};

// The records of one instance.
diag::Checked<views::StateRecords> find_instance(const StateShowOptions& options, Context& context,
                                                 diag::Diagnostics& diags) {
  if (options.arguments.size() != 1) {
    diags.error("Missing address")
        .detail(
            "Expected one argument: the address of a resource instance, such as "
            "terraform_data.a[0].");
    return std::nullopt;
  }
  const auto store = workdir::open_store({.state = options.state}, context.access, diags);
  if (!store) return std::nullopt;
  const auto address =
      addrs::parse_text(options.arguments[0], addrs::parse_abs_resource_instance, diags);
  if (!address) return std::nullopt;
  const auto stored = workdir::read_for_showing(*store, context.terminal, diags);
  if (!stored) return std::nullopt;
  if (!stored->state) {
    workdir::report_no_state(diags);
    return std::nullopt;
  }
  if (stored->state->object(*address) == nullptr) {
    diags.error("No instance found for the given address")
        .detail(fmt::format(
            "The state has no instance {}. Run \"tofu state list\" to see all addresses.",
            address->to_string()));
    return std::nullopt;
  }
  if (!runs::load_providers(*stored->state, context.providers, diags)) return std::nullopt;
  auto records = views::instance_records(*stored->state, *address, context.providers, diags);
  if (!records) return std::nullopt;
  // Only what is in use; `show` has deposed objects too.
  std::erase_if(records->objects, [](const views::StateObject& o) { return !o.deposed.empty(); });
  return records;
}

int run_state_show(const StateShowOptions& options, cli::Session& session) {
  Context context(session, options);
  diag::Diagnostics diags;
  const auto progress = cli::Progress::open(options.json, context.terminal, context.environment());
  if (progress == nullptr) return cli::kExitError;
  const auto records = find_instance(options, context, diags);
  progress->problems(diags);
  if (!records) return cli::kExitError;
  runs::print_records(*records,
                      {.json = options.json.json, .show_sensitive = options.show_sensitive},
                      context.providers, context.terminal);
  return cli::kExitOk;
}

}  // namespace

const cli::Command kStateShowCommand = {
    "state show",
    "Show a resource instance in the state",
    "[options] ADDRESS",
    "Prints all attributes of one resource instance from the state.",
    cli::action<StateShowOptions, run_state_show>(),
    cli::Completes::Addresses,
};

}  // namespace tofu::commands
