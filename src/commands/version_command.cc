#include <fmt/format.h>

#include "base/json_writer.h"
#include "commands/command.h"
#include "commands/version_info.h"
#include "features/features.h"

namespace tofu::commands {

namespace {

struct Options {
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

void print_json(World& world) {
  std::string text;
  base::JsonWriter json(text, "  ");
  json.begin_object();
  json.field("terraform_version", kTofuVersion);
  json.field("platform", world.environment.platform);
  json.key("provider_selections");
  json.begin_object();
  json.end_object();
  json.field("terraform_equivalent", terraform_equivalent());
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

int run(const Options& options, World& world) {
  if (options.json) {
    print_json(world);
    return kExitOk;
  }
  world.out.line(fmt::format("OpenTofu v{}", kTofuVersion));
  world.out.line(fmt::format("on {}", world.environment.platform));
  if (options.verbose) print_verbose(world);
  return kExitOk;
}

}  // namespace

const Command kVersionCommand = {
    "version",
    "Show the version of this program",
    "[options]",
    "Prints the OpenTofu version that this program matches, and the platform it runs on.",
    action<Options, run>(),
};

}  // namespace tofu::commands
