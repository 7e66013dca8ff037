#include <fmt/format.h>
#include <span>
#include <string>
#include <vector>

#include "addrs/provider.h"
#include "base/counted.h"
#include "base/json_writer.h"
#include "base/trim.h"
#include "cli/command.h"
#include "cli/flags.h"
#include "cli/option_groups.h"
#include "cli/progress.h"
#include "cli/prompt.h"
#include "commands/context.h"
#include "commands/table.h"
#include "workdir/options.h"
#include "workdir/remote_workspace.h"
#include "workdir/state_access.h"

namespace tofu::commands {

namespace {

struct ReplaceProviderOptions {
  bool auto_approve = false;
  workdir::StateFileOptions files;
  bool ignore_remote_version = false;
  cli::JsonOptions json;
  workdir::StateChangeOptions change;
  std::vector<std::string> arguments;

  void declare(cli::FlagSet& flags) {
    flags.add("auto-approve", auto_approve, {.help = "Skip the approval prompt."});
    workdir::add_ignore_remote_version_flag(flags, ignore_remote_version);
    flags.include(json);
    workdir::add_state_flag(flags, files.state);
    workdir::add_backup_flag(flags, files.backup);
    flags.include(change);
    flags.arguments(arguments);
  }
};

struct Ends {
  addrs::Provider from;
  addrs::Provider to;
};

std::optional<Ends> read_ends(std::span<const std::string> arguments, diag::Diagnostics& diags) {
  if (arguments.size() != 2) {
    diags.error("Missing provider addresses")
        .detail("Expected two arguments: the provider to replace and its replacement.");
    return std::nullopt;
  }
  auto from = addrs::parse_provider_source(arguments[0], std::nullopt, diags);
  auto to = addrs::parse_provider_source(arguments[1], std::nullopt, diags);
  if (!from || !to) return std::nullopt;
  return Ends{std::move(*from), std::move(*to)};
}

// False if the answer is not yes, or, after an error, if there is none.
bool is_approved(cli::Progress& progress, Context& context, diag::Diagnostics& diags) {
  progress.line("\nDo you want to make these changes?\nOnly 'yes' will be accepted to continue.");
  const auto listening = context.cancellation.listen();
  const auto answer = cli::read_answer(context.terminal, context.cancellation.token());
  if (!answer || answer->empty()) {
    diags.error("Approval required")
        .detail("No changes were made. Answer \"yes\" at the prompt, or use -auto-approve.");
    return false;
  }
  return base::trim_space(*answer) == "yes";
}

void replace(const ReplaceProviderOptions& options, cli::Progress& progress, Context& context,
             diag::Diagnostics& diags) {
  const auto ends = read_ends(options.arguments, diags);
  if (!ends) return;
  if (options.files.state.empty() &&
      !workdir::check_remote_version(options.ignore_remote_version, context.access, diags)) {
    return;
  }
  const auto listening = context.cancellation.listen();  // until the lock is given back
  auto open = workdir::open_for_edit(options.files, "state-replace-provider", options.change.lock,
                                     workdir::Edit::Write, context.access, diags);
  if (!open) return;
  std::vector<addrs::AbsResource> resources;
  for (const state::Resource* resource : open->state.resources_by_address()) {
    if (resource->provider().provider == ends->from) resources.push_back(resource->address());
  }
  if (resources.empty()) return progress.line("No resources in the state use this provider.");

  std::string overview =
      fmt::format("OpenTofu will replace the provider {} with {} for {}:", ends->from.to_string(),
                  ends->to.to_string(), base::counted(resources.size(), "resource"));
  for (const addrs::AbsResource& address : resources) overview += "\n  " + address.to_string();
  progress.typed_line(overview, [&](base::JsonWriter& json) {
    json.field("from", ends->from.to_string());
    json.key("resources");
    json.begin_array();
    for (const addrs::AbsResource& address : resources) json.string(address.to_string());
    json.end_array();
    json.field("to", ends->to.to_string());
    json.field("type", "replace_provider");
  });
  if (!options.auto_approve && !is_approved(progress, context, diags)) {
    if (!diags.has_errors()) progress.line("No changes were made.");
    return;
  }
  for (const addrs::AbsResource& address : resources) {
    state::Resource* resource = open->state.change(address);
    addrs::AbsProviderConfig provider = resource->provider();
    provider.provider = ends->to;
    resource->set_provider(open->state.share(provider));
  }
  if (!open->store->write(open->state, diags)) return;
  progress.line(fmt::format("Replaced the provider of {} resource(s).", resources.size()));
}

int run_replace_provider(const ReplaceProviderOptions& options, cli::Session& session) {
  Context context(session, options);
  return cli::run_with_progress(options.json, context.terminal, context.environment(),
                                [&](cli::Progress& progress, diag::Diagnostics& diags) {
                                  replace(options, progress, context, diags);
                                });
}

}  // namespace

const cli::Command kStateReplaceProviderCommand = {
    "state replace-provider",
    "Replace the provider of resources in the state",
    "[options] FROM TO",
    "Replaces the provider FROM with TO for all resources in the state that use FROM, for example "
    "after a provider moved to another namespace.\n\nA backup of the state is always written.",
    cli::action<ReplaceProviderOptions, run_replace_provider>(),
};

}  // namespace tofu::commands
