#include <map>
#include <optional>
#include <set>
#include <string>

#include "base/json_writer.h"
#include "commands/command.h"
#include "commands/configuration.h"
#include "commands/option_groups.h"
#include "commands/run_providers.h"
#include "config/provider_requirements.h"
#include "views/schema_json.h"

namespace tofu::commands {

namespace {

struct ProvidersSchemaOptions {
  bool json = false;
  ConfigurationOptions configuration;

  void declare(FlagSet& flags) {
    flags.add("json", json, {.help = "Print a JSON document. Required: there is no other form."});
    flags.include(configuration);
  }
};

using Schemas = std::map<std::string, const schema::ProviderSchema*>;

// Nothing if and only if an error was added.
std::optional<Schemas> load(const ProvidersSchemaOptions& options, World& world,
                            diag::Diagnostics& diags) {
  if (!options.json) {
    diags.error("Schemas are printed only as JSON").detail("Run \"tofu providers schema -json\".");
    return std::nullopt;
  }
  const auto how = load_options(options.configuration, world, diags);
  if (!how) return std::nullopt;
  const auto loaded = load_configuration(*how, world, diags);
  if (!loaded) return std::nullopt;
  config::ProviderRequirements requirements;
  config::add_requirements(loaded->tree, requirements);
  std::set<addrs::Provider> needed;
  for (const auto& [provider, constraints] : requirements) needed.insert(provider);
  RunProviders& providers = run_providers(world);
  if (!providers.load(needed, diags)) return std::nullopt;
  Schemas schemas;
  for (const addrs::Provider& each : needed) {
    schemas.emplace(each.to_string(), providers.find(each.to_string()));
  }
  return schemas;
}

int run_providers_schema(const ProvidersSchemaOptions& options, World& world) {
  diag::Diagnostics diags;
  const auto schemas = load(options, world, diags);
  print_diagnostics(diags, world);
  if (!schemas) return kExitError;
  std::string text;
  base::JsonWriter json(text);
  views::write_schemas_json(json, *schemas);
  world.out.line(text);
  return kExitOk;
}

}  // namespace

const Command kProvidersSchemaCommand = {
    "providers schema",
    "Print what the providers of the configuration offer",
    "-json",
    "Prints the schemas of all providers that the configuration in this directory needs: their "
    "own configuration, resource types, data sources, ephemeral resources and functions.",
    action<ProvidersSchemaOptions, run_providers_schema>(),
};

}  // namespace tofu::commands
