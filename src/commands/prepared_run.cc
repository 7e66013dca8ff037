#include "commands/prepared_run.h"

#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <utility>

#include "commands/remote_workspace.h"
#include "commands/state_providers.h"
#include "commands/valid_program.h"
#include "engine/plan.h"
#include "install/module_directory.h"

namespace tofu::commands {

functions::Environment functions_of_run(const World& world, const std::string& plan_time,
                                        bool planning, functions::FoundFiles* found_files) {
  functions::Environment environment = function_environment(world.environment, found_files);
  environment.plan_timestamp = plan_time;
  environment.pure_only = planning;
  return environment;
}

std::string plan_time_now(const Environment& environment) {
  const std::time_t time = environment.now().first;
  std::tm parts{};
  ::gmtime_r(&time, &parts);
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", parts);
}

namespace {

bool check_configuration_is_there(const RunOptions& options, diag::Diagnostics& diags) {
  if (options.plan.mode == plans::Mode::Destroy ||
      install::has_configuration(options.load.directory)) {
    return true;
  }
  diags.error("No configuration files")
      .detail(
          "There is no configuration in this directory, so that everything in the state would "
          "be destroyed. If that is what you want, use \"tofu destroy\".");
  return false;
}

// An object may be imported before its block says all that it has to.
std::optional<ValidProgram> compile_for_import(const config::Tree& tree, World& world,
                                               diag::Diagnostics& diags) {
  auto program = compile_program(tree, world, diags);
  if (!program) return std::nullopt;
  return ValidProgram{std::move(program), eval::Deprecations(tree, eval::DeprecationLevel::None)};
}

// Asks for a value; nothing if there is no answer.
std::optional<std::string> ask(const config::Variable& variable, World& world) {
  world.out.line("var." + variable.name);
  if (variable.description) world.out.line("  " + *variable.description);
  if (variable.deprecated) world.out.line("  Deprecated: " + *variable.deprecated);
  world.out.write("\n  Enter a value: ");
  world.out.flush();
  auto answer = world.in.read_line(world.interrupts.token());
  world.out.line("");
  if (!answer) return std::nullopt;
  return std::move(*answer);
}

}  // namespace

PreparedRun::PreparedRun(std::shared_ptr<const Configuration> configuration, ValidProgram program,
                         std::map<std::string, value::Value> variables, std::string plan_time,
                         World& world)
    : configuration_(std::move(configuration)),
      program_(std::move(program.program)),
      deprecations_(std::move(program.deprecations)),
      variables_(std::move(variables)),
      plan_time_(std::move(plan_time)),
      planning_functions_(
          functions_of_run(world, plan_time_, true, configuration_->found_files.get())),
      applying_functions_(
          functions_of_run(world, plan_time_, false, configuration_->found_files.get())),
      planning_{configuration_->workspace, world.environment.working_directory},
      applying_{configuration_->workspace, world.environment.working_directory, true},
      environment_(world.environment),
      providers_(run_providers(world)) {}

engine::Planned PreparedRun::plan(const RunOptions& options, state::State state,
                                  plans::EventSink& events, std::stop_token stop,
                                  diag::Diagnostics& diags) {
  state = with_providers_of_here(std::move(state), configuration_->tree, environment_);
  // Objects that the configuration does not have any more have providers, too.
  if (!providers_.load(state, diags)) {
    engine::Planned nothing;
    nothing.plan.errored = true;
    nothing.is_begun = false;
    nothing.previous = nothing.prior = std::move(state);
    return nothing;
  }
  engine::Planned planned = engine::make_plan({.program = *program_,
                                               .functions = planning_functions_,
                                               .facts = planning_,
                                               .providers = providers_,
                                               .events = events,
                                               .variables = variables_,
                                               .stop = std::move(stop),
                                               .parallelism = options.parallelism,
                                               .deprecations = &deprecations_},
                                              options.plan, std::move(state), diags);
  planned.plan.timestamp = plan_time_;
  const bool is_import = !options.plan.imports.empty();
  if (!is_import && (!options.plan.targets.empty() || !options.plan.excludes.empty())) {
    diags.warning("Only a part is planned")
        .detail(
            "Because of -target or -exclude this plan may not be all that the configuration asks "
            "for. These options are for exceptional cases, such as recovering from mistakes.");
  }
  return planned;
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
          .parallelism = options.parallelism,
          .deprecations = &deprecations_};
}

std::unique_ptr<PreparedRun> prepare_run(const RunOptions& options, World& world,
                                         diag::Diagnostics& diags) {
  if (!check_configuration_is_there(options, diags)) return nullptr;
  std::shared_ptr<Configuration> loaded = load_configuration(options.load, world, diags);
  if (!loaded) return nullptr;
  world.kept.push_back(loaded);
  // Imports are made here, wherever other runs are made.
  if (!options.plan.imports.empty() &&
      !add_workspace_variables(
          {.variables = options.load.variables, .version_check = options.load.version_check},
          loaded->variables, world, diags)) {
    return nullptr;
  }
  std::map<std::string, value::Value> variables;
  RootVariables::Ask asking = nullptr;
  if (options.input) {
    asking = [&](const config::Variable& variable) { return ask(variable, world); };
  }
  if (!loaded->variables.collect_for_run(*loaded->tree.root().module, asking, variables, diags)) {
    return nullptr;
  }
  auto program =
      options.plan.imports.empty()
          ? compile_valid(loaded->tree, loaded->workspace, world, diags, loaded->found_files.get())
          : compile_for_import(loaded->tree, world, diags);
  if (!program) return nullptr;
  return std::make_unique<PreparedRun>(std::move(loaded), std::move(*program), std::move(variables),
                                       plan_time_now(world.environment), world);
}

namespace {

// Adds what the command line gives to ephemeral variables; a variable that the plan has
// cannot be given another value. False if and only if an error was added.
bool add_ephemeral(const RunOptions& options, const config::Module& root,
                   std::map<std::string, value::Value>& values, World& world,
                   diag::Diagnostics& diags) {
  const std::size_t errors = diags.error_count();
  RootVariables given(world);
  RootVariables::Settled inputs;
  if (!given.collect(options.load.variables, diags) || !given.settle(root, inputs, diags)) {
    return false;
  }
  for (const config::Variable& variable : root.variables) {
    const auto input = inputs.find(variable.name);
    const bool is_given = input != inputs.end() && input->second;
    // Of an ephemeral one the plan has the default only, to show it.
    if (variable.is_ephemeral()) values.erase(variable.name);
    const auto saved = values.find(variable.name);
    if (saved == values.end()) {
      if (is_given) values.insert_or_assign(variable.name, input->second->deep_unmarked());
      if (is_given || !variable.is_required()) continue;
      diags.error("No value for a required variable")
          .detail(fmt::format("var.{} is ephemeral, so the saved plan does not have its value. "
                              "Give it again with -var.",
                              variable.name))
          .at(variable.range);
    } else if (is_given && given.is_option(variable.name) &&
               !value::raw_equal(input->second->deep_unmarked(), saved->second)) {
      diags.error("Another value than that of the plan")
          .detail(fmt::format("var.{} has another value in the saved plan. Make a new plan to "
                              "change it.",
                              variable.name))
          .at(variable.range);
    }
  }
  return diags.error_count() == errors;
}

}  // namespace

std::unique_ptr<PreparedRun> prepare_saved_run(const PlanFile& file, const RunOptions& options,
                                               World& world, diag::Diagnostics& diags) {
  std::map<std::string, value::Value> values;
  for (const plans::VariableValue& each : file.planned.plan.variables) {
    values.insert_or_assign(each.name, each.value.deep_unmarked());
  }
  std::shared_ptr<Configuration> loaded =
      load_saved(file.context.configuration, file.context.workspace, values, world, diags);
  if (!loaded) return nullptr;
  world.kept.push_back(loaded);
  if (!add_ephemeral(options, *loaded->tree.root().module, values, world, diags)) return nullptr;
  diag::Diagnostics found;  // warnings were shown with the plan
  auto program =
      compile_valid(loaded->tree, loaded->workspace, world, found, loaded->found_files.get());
  if (!program) {
    diags.take(std::move(found));
    return nullptr;
  }
  if (!load_providers(file.planned.prior, world, diags)) return nullptr;
  // The plan said whatever there was to say of what it knew.
  program->deprecations = eval::Deprecations(loaded->tree, world.view.deprecation);
  program->deprecations.leave_out(
      [told = file.context.configuration.told, &sources = world.sources](
          const config::Variable& variable, diag::SourceRange place) {
        return told.contains(told_key(variable, place, sources));
      });
  return std::make_unique<PreparedRun>(std::move(loaded), std::move(*program), std::move(values),
                                       file.planned.plan.timestamp, world);
}

}  // namespace tofu::commands
