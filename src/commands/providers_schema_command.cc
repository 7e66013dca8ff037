#include <map>
#include <optional>
#include <set>
#include <string>

#include "base/json_writer.h"
#include "cli/command.h"
#include "cli/flags.h"
#include "cli/report.h"
#include "commands/context.h"
#include "commands/table.h"
#include "config/provider_requirements.h"
#include "documents/schema_json.h"
#include "runs/run_providers.h"
#include "workdir/configuration.h"
#include "workdir/options.h"

namespace tofu::commands {

namespace {

struct ProvidersSchemaOptions {
  bool json = false;
  workdir::ConfigurationOptions configuration;

  void declare(cli::FlagSet& flags) {
    flags.add("json", json, {.help = "Print as JSON. Required."});
    flags.include(configuration);
  }
};

using Schemas = std::map<std::string, const schema::ProviderSchema*>;

diag::Checked<Schemas> load(const ProvidersSchemaOptions& options, Context& context,
                            diag::Diagnostics& diags) {
  if (!options.json) {
    diags.error("The -json option is required")
        .detail(
            "Provider schemas are available only as JSON. Run \"tofu providers schema -json\".");
    return std::nullopt;
  }
  const auto how = workdir::load_options(options.configuration, context.load, diags);
  if (!how) return std::nullopt;
  const auto loaded = workdir::load_configuration(*how, context.load, diags);
  if (!loaded) return std::nullopt;
  config::ProviderRequirements requirements;
  config::add_requirements(loaded->tree, requirements);
  std::set<addrs::Provider> needed;
  for (const auto& [provider, constraints] : requirements) needed.insert(provider);
  runs::RunProviders& providers = context.providers;
  if (!providers.check_selections(requirements, diags)) return std::nullopt;
  if (!providers.load(needed, diags)) return std::nullopt;
  Schemas schemas;
  for (const addrs::Provider& each : needed) {
    schemas.emplace(each.to_string(), providers.find(each.to_string()));
  }
  return schemas;
}

int run_providers_schema(const ProvidersSchemaOptions& options, cli::Session& session) {
  Context context(session, options);
  diag::Diagnostics diags;
  const auto schemas = load(options, context, diags);
  cli::print_diagnostics(diags, context.terminal);
  if (!schemas) return cli::kExitError;
  std::string text;
  base::JsonWriter json(text);
  documents::write_schemas_json(json, *schemas);
  context.terminal.out.line(text);
  return cli::kExitOk;
}

}  // namespace

const cli::Command kProvidersSchemaCommand = {
    "providers schema",
    "Print the schemas of the required providers",
    "-json",
    "Prints the schemas of all providers that the configuration requires: provider configuration, "
    "resource types, data sources, ephemeral resources and functions.",
    cli::action<ProvidersSchemaOptions, run_providers_schema>(),
};

}  // namespace tofu::commands
