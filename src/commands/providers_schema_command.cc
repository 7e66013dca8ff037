#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_writer.h"
#include "base/suggest.h"
#include "cli/command.h"
#include "cli/flags.h"
#include "cli/report.h"
#include "commands/context.h"
#include "commands/table.h"
#include "config/provider_requirements.h"
#include "documents/schema_json.h"
#include "runs/run_providers.h"
#include "views/resource_types.h"
#include "workdir/configuration.h"
#include "workdir/options.h"

namespace tofu::commands {

namespace {

struct ProvidersSchemaOptions {
  bool json = false;
  std::vector<std::string> types;
  workdir::ConfigurationOptions configuration;

  void declare(cli::FlagSet& flags) {
    flags.add("json", json, {.help = "Print as JSON. Required without -type."});
    flags.add(
        "type", types,
        {.value = "TYPE",
         .help = "Print the arguments of this resource type as a type of a symbol library. Can "
                 "be repeated."});
    flags.include(configuration);
  }
};

using Schemas = std::map<std::string, const schema::ProviderSchema*>;

diag::Checked<Schemas> load(const ProvidersSchemaOptions& options, Context& context,
                            diag::Diagnostics& diags) {
  if (options.json && !options.types.empty()) {
    diags.error("Conflicting options")
        .detail(
            "Use either -json, which prints all schemas, or -type=TYPE, which prints a symbol "
            "library.");
    return std::nullopt;
  }
  if (!options.json && options.types.empty()) {
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

// The library of the requested types, each of the first provider that has it.
diag::Checked<std::string> library_of(const std::vector<std::string>& types, const Schemas& schemas,
                                      diag::Diagnostics& diags) {
  std::map<std::string, const schema::Block*> found;
  for (const std::string& type : types) {
    std::vector<std::string_view> names;
    for (const auto& [provider, schema] : schemas) {
      const auto resource = schema->resources.find(type);
      if (resource != schema->resources.end()) found.emplace(type, &resource->second.block);
      for (const std::string_view name : schema->resources.names()) names.push_back(name);
    }
    if (found.contains(type)) continue;
    diags.error("Unknown resource type")
        .detail(
            fmt::format("No provider that the configuration requires has a resource type {:?}.{}",
                        type, base::did_you_mean(type, names)));
  }
  if (diags.has_errors()) return std::nullopt;
  return views::resource_types_library(found);
}

int run_providers_schema(const ProvidersSchemaOptions& options, cli::Session& session) {
  Context context(session, options);
  diag::Diagnostics diags;
  const auto schemas = load(options, context, diags);
  const auto library =
      schemas && !options.types.empty() ? library_of(options.types, *schemas, diags) : std::nullopt;
  cli::print_diagnostics(diags, context.terminal);
  if (diags.has_errors() || !schemas) return cli::kExitError;
  if (library) {
    context.terminal.out.write(*library);
    return cli::kExitOk;
  }
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
    "resource types, data sources, ephemeral resources and functions.\n\nWith -type=TYPE instead, "
    "prints a symbol library with the type of the arguments of that resource, for modules that "
    "take "
    "them as a variable.",
    cli::action<ProvidersSchemaOptions, run_providers_schema>(),
};

}  // namespace tofu::commands
