#include "commands/valid_program.h"

#include <utility>

#include "commands/configuration.h"
#include "commands/provider_checks.h"
#include "commands/run_providers.h"
#include "eval/validate.h"
#include "functions/table.h"

namespace tofu::commands {

namespace {

// Some providers count which modules use them by it; nothing else depends on it.
void warn_of_provider_meta(const config::Tree& tree, diag::Diagnostics& diags) {
  for (const config::TreeNode& node : tree.nodes) {
    for (const config::ProviderMeta& meta : node.module->provider_metas) {
      diags.warning("Metadata is not sent to providers")
          .detail(
              "This version does not send provider_meta blocks to the providers that they are for. "
              "Resources are not affected.")
          .at(meta.range);
      return;  // once is enough
    }
  }
}

}  // namespace

std::shared_ptr<const eval::Program> compile_program(const config::Tree& tree, World& world,
                                                     diag::Diagnostics& diags) {
  const std::size_t before = diags.error_count();
  load_providers(tree, world, diags);
  warn_of_provider_meta(tree, diags);
  eval::check_provisioners(tree, diags);
  if (diags.error_count() != before) return nullptr;
  const auto program =
      std::make_shared<const eval::Program>(eval::compile(tree, run_providers(world), diags));
  world.kept.push_back(program);
  return diags.error_count() == before ? program : nullptr;
}

std::optional<ValidProgram> compile_valid(const config::Tree& tree, const std::string& workspace,
                                          World& world, diag::Diagnostics& diags) {
  const std::size_t before = diags.error_count();
  const auto program = compile_program(tree, world, diags);
  if (!program) return std::nullopt;
  functions::Environment environment = function_environment(world.environment);
  environment.pure_only = true;
  const functions::Table functions(std::move(environment));
  const eval::Facts facts{workspace, world.environment.working_directory};
  ProviderChecks checks(run_providers(world));
  eval::Deprecations warned =
      eval::validate(*program, functions, facts, diags, world.view.deprecation,
                     [&](eval::ConfiguredBlock block) { checks.ask(std::move(block), diags); });
  checks.report(diags);
  if (diags.error_count() != before) return std::nullopt;
  return ValidProgram{program, std::move(warned)};
}

}  // namespace tofu::commands
