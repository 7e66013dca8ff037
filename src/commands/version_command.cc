#include <fmt/format.h>
#include <map>
#include <optional>
#include <string>

#include "addrs/provider.h"
#include "base/json_writer.h"
#include "commands/command.h"
#include "commands/provider_doors.h"
#include "commands/version_info.h"
#include "commands/version_mode.h"
#include "commands/workspace.h"
#include "features/features.h"
#include "install/lock_file.h"
#include "install/selected_providers.h"

namespace tofu::commands {

namespace {

struct VersionOptions {
  bool json = false;
  bool verbose = false;

  void declare(FlagSet& flags) {
    flags.add("json", json, {.help = "Print the versions as a JSON object."});
    flags.add("verbose", verbose,
              {.help = "Also print the Terraform language release this one is equivalent to, how "
                       "the program was built, the plugin protocols it speaks and its optional "
                       "language features."});
    flags.ignore_arguments();  // as OpenTofu does
  }
};

std::string terraform_equivalent() { return fmt::format("{}.x", kTerraformLine); }

// The providers that the lock file of the working directory selects. One that cannot be
// read is not this command's concern.
std::map<addrs::Provider, std::string> selected_providers(World& world) {
  diag::Diagnostics unread;
  const auto lock = install::LockFile::read(std::string(install::kLockFile), world.sources, unread);
  if (!lock) return {};
  return install::SelectedProviders(data_directory(world.environment), current_platform(world),
                                    *lock)
      .versions();
}

// Where only constraints for OpenTofu count, the other language has no say.
bool has_equivalent(const World& world) {
  diag::Diagnostics unread;
  const auto mode = version_check_mode(std::nullopt, world, unread);
  return mode != config::VersionCheck::TofuOnly;
}

void print_json(World& world) {
  std::string text;
  base::JsonWriter json(text, "  ");
  json.begin_object();
  json.field("terraform_version", kTofuVersion);
  json.field("platform", world.environment.platform);
  json.key("provider_selections");
  json.begin_object();
  for (const auto& [provider, version] : selected_providers(world)) {
    json.field(provider.to_string(), version);
  }
  json.end_object();
  if (has_equivalent(world)) json.field("terraform_equivalent", terraform_equivalent());
  json.end_object();
  world.out.line(text);
}

void print_verbose(World& world) {
  world.out.line(fmt::format("Terraform language equivalent: v{}", terraform_equivalent()));
  world.out.line(fmt::format("Built with: {}", kBuildCompiler));
  world.out.line(fmt::format("Commit: {}", kBuildCommit.empty() ? "unknown" : kBuildCommit));
  // No plugin can be started yet, so no protocol is listed as spoken.
  world.out.line("Plugin protocols: none");
  world.out.line("Language features:");
  for (const features::Row& feature : features::all_rows()) {
    if (feature.state == features::State::Selectable) {
      world.out.line(fmt::format("  {} (by a \"{}\" block)", feature.name, feature.block_type));
    }
  }
}

int run_version(const VersionOptions& options, World& world) {
  if (options.json) {
    print_json(world);
    return kExitOk;
  }
  world.out.line(fmt::format("OpenTofu v{}", kTofuVersion));
  world.out.line(fmt::format("on {}", world.environment.platform));
  for (const auto& [provider, version] : selected_providers(world)) {
    world.out.line(fmt::format("+ provider {} v{}", provider.to_string(), version));
  }
  if (options.verbose) print_verbose(world);
  return kExitOk;
}

}  // namespace

const Command kVersionCommand = {
    "version",
    "Show the version of this program",
    "[options]",
    "Prints the OpenTofu version that this program matches, the platform it runs on, and the "
    "providers that the lock file selects.",
    action<VersionOptions, run_version>(),
};

}  // namespace tofu::commands
