#include "runs/valid_program.h"

#include <fmt/format.h>
#include <string>
#include <utility>

#include "cli/keep_alive.h"
#include "cli/settings.h"
#include "eval/validate.h"
#include "functions/table.h"
#include "runs/deprecation_report.h"
#include "runs/provider_checks.h"
#include "runs/run_providers.h"
#include "workdir/configuration.h"
#include "workdir/load_context.h"

namespace tofu::runs {

std::shared_ptr<const eval::Program> compile_program(const config::Tree& tree,
                                                     RunProviders& providers,
                                                     cli::KeepAlive& keep_alive,
                                                     diag::Diagnostics& diags) {
  const std::size_t before = diags.error_count();
  load_providers(tree, providers, diags);
  eval::check_provisioners(tree, diags);
  if (diags.error_count() != before) return nullptr;
  const auto program = std::make_shared<const eval::Program>(eval::compile(tree, providers, diags));
  keep_alive.add(program);
  return diags.error_count() == before ? program : nullptr;
}

namespace {

void warn_of_overrides(const cli::Settings& settings, diag::Diagnostics& diags) {
  const auto& installation = settings.cli_config.installation;
  if (!installation || installation->overrides.empty()) return;
  std::string list;
  for (const auto& [provider, directory] : installation->overrides) {
    list += fmt::format("\n - {} in {}", provider.for_display(), directory);
  }
  diags.warning("Provider development overrides are in effect")
      .detail(fmt::format("The CLI configuration overrides these providers with development "
                          "builds:{}\n\nTheir behavior may differ from released versions, and "
                          "released versions may be unable to read the states they write.",
                          list));
}

}  // namespace

diag::Checked<ValidProgram> compile_valid(const config::Tree& tree, const std::string& workspace,
                                          const workdir::LoadContext& context,
                                          RunProviders& providers, cli::KeepAlive& keep_alive,
                                          diag::Diagnostics& diags,
                                          functions::FoundFiles* found_files) {
  const std::size_t before = diags.error_count();
  warn_of_overrides(context.settings, diags);
  const auto program = compile_program(tree, providers, keep_alive, diags);
  if (!program) return std::nullopt;
  functions::Environment environment = workdir::function_environment(context, found_files);
  environment.pure_only = true;
  const functions::Table functions(std::move(environment));
  const eval::RunInfo facts{workspace, context.environment().working_directory};
  ProviderChecks checks(providers);
  eval::Deprecations warned =
      eval::validate(*program, functions, facts, diags, context.deprecation,
                     [&](eval::ConfiguredBlock block) { checks.ask(std::move(block), diags); });
  checks.report(*program, diags);
  DeprecationPolicy{context.deprecation_errors, context.deprecation_baseline}.apply(
      tree, context.sources, diags);
  if (diags.error_count() != before) return std::nullopt;
  return ValidProgram{program, std::move(warned)};
}

}  // namespace tofu::runs
