#include <fmt/format.h>
#include <span>
#include <string>
#include <vector>

#include "addrs/provider.h"
#include "base/json_writer.h"
#include "base/trim.h"
#include "commands/command.h"
#include "commands/option_groups.h"
#include "commands/progress.h"
#include "commands/remote_workspace.h"
#include "commands/state_access.h"

namespace tofu::commands {

namespace {

struct ReplaceProviderOptions {
  bool auto_approve = false;
  StateFileOptions files;
  bool ignore_remote_version = false;
  JsonOptions json;
  StateChangeOptions change;
  std::vector<std::string> arguments;

  void declare(FlagSet& flags) {
    flags.add("auto-approve", auto_approve, {.help = "Do not ask before the change."});
    add_ignore_remote_version_flag(flags, ignore_remote_version);
    flags.include(json);
    add_state_flag(flags, files.state);
    add_backup_flag(flags, files.backup);
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
    diags.error("Two arguments are needed")
        .detail("Give the provider to replace and the one that takes its place.");
    return std::nullopt;
  }
  auto from = addrs::parse_provider_source(arguments[0], std::nullopt, diags);
  auto to = addrs::parse_provider_source(arguments[1], std::nullopt, diags);
  if (!from || !to) return std::nullopt;
  return Ends{std::move(*from), std::move(*to)};
}

// False if the answer is not yes, or, after an error, if there is none.
bool is_approved(Progress& progress, World& world, diag::Diagnostics& diags) {
  progress.line("\nDo you want to make these changes? Only \"yes\" is accepted to approve.");
  const auto listening = world.interrupts.listen();
  const auto answer = world.in.read_line(world.interrupts.token());
  if (!answer || !*answer || (*answer)->empty()) {
    diags.error("No answer")
        .detail("The change has to be approved. Answer \"yes\", or use -auto-approve.");
    return false;
  }
  return base::trim_space(**answer) == "yes";
}

void replace(const ReplaceProviderOptions& options, Progress& progress, World& world,
             diag::Diagnostics& diags) {
  const auto ends = read_ends(options.arguments, diags);
  if (!ends) return;
  if (options.files.state.empty() &&
      !check_remote_version(options.change.configuration, options.ignore_remote_version, world,
                            diags)) {
    return;
  }
  const auto listening = world.interrupts.listen();  // until the lock is given back
  auto open =
      open_for_surgery(options.files, "state-replace-provider", options.change, world, diags);
  if (!open) return;
  std::vector<addrs::AbsResource> resources;
  for (const state::Resource* resource : open->state.resources_by_address()) {
    if (resource->provider().provider == ends->from) resources.push_back(resource->address());
  }
  if (resources.empty()) return progress.line("No resource of the state has this provider.");

  std::string overview =
      fmt::format("The provider {} is replaced by {}, for {} resources:", ends->from.to_string(),
                  ends->to.to_string(), resources.size());
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
  if (!options.auto_approve && !is_approved(progress, world, diags)) {
    if (!diags.has_errors()) progress.line("Nothing was changed.");
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

int run_replace_provider(const ReplaceProviderOptions& options, World& world) {
  return run_with_progress(options.json, world, [&](Progress& progress, diag::Diagnostics& diags) {
    replace(options, progress, world, diags);
  });
}

}  // namespace

const Command kStateReplaceProviderCommand = {
    "state replace-provider",
    "Give the resources of one provider to another",
    "[options] FROM TO",
    "Writes another provider into the state for every resource that has the one given first, as "
    "after a provider has moved to another namespace.\n\n"
    "A backup of the state is always kept.",
    action<ReplaceProviderOptions, run_replace_provider>(),
};

}  // namespace tofu::commands
