#include "commands/prepared_run.h"

#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <utility>

#include "commands/valid_program.h"
#include "install/module_directory.h"

namespace tofu::commands {

namespace {

functions::Environment functions_of_run(const World& world, const std::string& plan_time,
                                        bool planning) {
  functions::Environment environment = function_environment(world.environment);
  environment.plan_timestamp = plan_time;
  environment.pure_only = planning;
  return environment;
}

// The time as plantimestamp() gives it: whole seconds.
std::string now_text(const Environment& environment) {
  const std::time_t time = environment.now().first;
  std::tm parts{};
  ::gmtime_r(&time, &parts);
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", parts);
}

bool check_configuration_is_there(const RunOptions& options, diag::Diagnostics& diags) {
  if (options.plan.mode == plans::Mode::Destroy || install::has_configuration(".")) return true;
  diags.error("No configuration files")
      .detail(
          "There is no configuration in this directory, so that everything in the state would "
          "be destroyed. If that is what you want, use \"tofu destroy\".");
  return false;
}

// Asks for a value; nothing if there is no answer.
std::optional<std::string> ask(const config::Variable& variable, World& world) {
  world.out.line("var." + variable.name);
  if (variable.description) world.out.line("  " + *variable.description);
  world.out.write("\n  Enter a value: ");
  world.out.flush();
  auto answer = world.in.read_line(world.interrupts.token());
  world.out.line("");
  if (!answer) return std::nullopt;
  return std::move(*answer);
}

}  // namespace

PreparedRun::PreparedRun(std::shared_ptr<const Configuration> configuration,
                         std::shared_ptr<const eval::Program> program,
                         std::map<std::string, value::Value> variables, std::string plan_time,
                         const World& world)
    : configuration_(std::move(configuration)),
      program_(std::move(program)),
      variables_(std::move(variables)),
      plan_time_(std::move(plan_time)),
      planning_functions_(functions_of_run(world, plan_time_, true)),
      applying_functions_(functions_of_run(world, plan_time_, false)),
      planning_{configuration_->workspace, world.environment.working_directory},
      applying_{configuration_->workspace, world.environment.working_directory, true} {}

engine::RunInputs PreparedRun::for_plan(const RunOptions& options, RunView& view,
                                        std::stop_token stop) {
  return {.program = *program_,
          .functions = planning_functions_,
          .facts = planning_,
          .providers = providers_,
          .events = view,
          .variables = variables_,
          .stop = std::move(stop),
          .parallelism = options.parallelism};
}

engine::RunInputs PreparedRun::for_apply(const RunOptions& options, RunView& view,
                                         std::stop_token stop) {
  return {.program = *program_,
          .functions = applying_functions_,
          .facts = applying_,
          .providers = providers_,
          .events = view,
          .variables = variables_,
          .stop = std::move(stop),
          .parallelism = options.parallelism};
}

std::unique_ptr<PreparedRun> prepare_run(const RunOptions& options, World& world,
                                         diag::Diagnostics& diags) {
  if (!check_configuration_is_there(options, diags)) return nullptr;
  std::shared_ptr<Configuration> loaded = load_configuration(options.load, world, diags);
  if (!loaded) return nullptr;
  world.kept.push_back(loaded);
  std::map<std::string, value::Value> variables;
  RootVariables::Ask asking = nullptr;
  if (options.input) {
    asking = [&](const config::Variable& variable) { return ask(variable, world); };
  }
  if (!loaded->variables.collect_for_run(*loaded->tree.root().module, asking, variables, diags)) {
    return nullptr;
  }
  auto program = compile_valid(loaded->tree, loaded->workspace, world, diags);
  if (!program) return nullptr;
  return std::make_unique<PreparedRun>(std::move(loaded), std::move(program), std::move(variables),
                                       now_text(world.environment), world);
}

}  // namespace tofu::commands
