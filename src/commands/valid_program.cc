#include "commands/valid_program.h"

#include <fmt/format.h>
#include <string>
#include <utility>

#include "commands/configuration.h"
#include "commands/provider_checks.h"
#include "commands/run_providers.h"
#include "eval/validate.h"
#include "functions/table.h"

namespace tofu::commands {

std::shared_ptr<const eval::Program> compile_program(const config::Tree& tree, World& world,
                                                     diag::Diagnostics& diags) {
  const std::size_t before = diags.error_count();
  load_providers(tree, world, diags);
  eval::check_provisioners(tree, diags);
  if (diags.error_count() != before) return nullptr;
  const auto program =
      std::make_shared<const eval::Program>(eval::compile(tree, run_providers(world), diags));
  world.kept.push_back(program);
  return diags.error_count() == before ? program : nullptr;
}

namespace {

void warn_of_overrides(const World& world, diag::Diagnostics& diags) {
  const auto& installation = world.cli_config.installation;
  if (!installation || installation->overrides.empty()) return;
  std::string list;
  for (const auto& [provider, directory] : installation->overrides) {
    list += fmt::format("\n - {} in {}", provider.for_display(), directory);
  }
  diags.warning("Provider development overrides are in effect")
      .detail(fmt::format("The CLI configuration has directories of developers in the place of "
                          "these providers:{}\n\nThey may behave as no released version does, and "
                          "leave states that no released version can read.",
                          list));
}

}  // namespace

std::optional<ValidProgram> compile_valid(const config::Tree& tree, const std::string& workspace,
                                          World& world, diag::Diagnostics& diags,
                                          functions::FoundFiles* found_files) {
  const std::size_t before = diags.error_count();
  warn_of_overrides(world, diags);
  const auto program = compile_program(tree, world, diags);
  if (!program) return std::nullopt;
  functions::Environment environment = function_environment(world.environment, found_files);
  environment.pure_only = true;
  const functions::Table functions(std::move(environment));
  const eval::Facts facts{workspace, world.environment.working_directory};
  ProviderChecks checks(run_providers(world));
  eval::Deprecations warned =
      eval::validate(*program, functions, facts, diags, world.view.deprecation,
                     [&](eval::ConfiguredBlock block) { checks.ask(std::move(block), diags); });
  checks.report(*program, diags);
  if (diags.error_count() != before) return std::nullopt;
  return ValidProgram{program, std::move(warned)};
}

}  // namespace tofu::commands
