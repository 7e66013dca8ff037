#include "runs/prepared_run.h"

#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <utility>

#include "cli/cancellation.h"
#include "cli/keep_alive.h"
#include "cli/prompt.h"
#include "cli/terminal.h"
#include "config/files.h"
#include "engine/plan.h"
#include "engine/saved_order.h"
#include "install/module_directory.h"
#include "lint/lint.h"
#include "runs/valid_program.h"
#include "workdir/access.h"
#include "workdir/load_context.h"
#include "workdir/remote_workspace.h"
#include "workdir/state_providers.h"

namespace tofu::runs {

functions::Environment functions_of_run(const workdir::LoadContext& context,
                                        const std::string& plan_time, bool planning,
                                        functions::FoundFiles* found_files) {
  functions::Environment environment = workdir::function_environment(context, found_files);
  environment.plan_timestamp = plan_time;
  environment.pure_only = planning;
  return environment;
}

std::string plan_time_now(const cli::Environment& environment) {
  const std::time_t time = environment.now().first;
  std::tm parts{};
  ::gmtime_r(&time, &parts);
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", parts);
}

namespace {

bool check_configuration_is_there(const RunOptions& options, diag::Diagnostics& diags) {
  if (options.plan.mode == plans::Mode::Destroy) return true;
  const std::string& directory = options.load.directory;
  const auto names = install::file_names(directory);
  if (!names) {
    diags.error("Cannot read a module's directory")
        .detail(fmt::format("{} is not a directory that can be read.", directory));
    return false;
  }
  if (!config::choose_module_files(*names).empty()) return true;
  diags.error("No configuration files")
      .detail(
          "This directory contains no configuration files, so applying would destroy everything in "
          "the state. To do that, use \"tofu destroy\".");
  return false;
}

// An object may be imported before its block says all that it has to.
std::optional<ValidProgram> compile_for_import(const config::Tree& tree, RunProviders& providers,
                                               cli::KeepAlive& keep_alive,
                                               diag::Diagnostics& diags) {
  auto program = compile_program(tree, providers, keep_alive, diags);
  if (!program) return std::nullopt;
  return ValidProgram{std::move(program), eval::Deprecations(tree, eval::DeprecationLevel::None)};
}

// Asks for a value; nothing if there is no answer.
std::optional<std::string> ask(const config::Variable& variable, cli::Terminal& terminal,
                               cli::Cancellation& cancellation) {
  terminal.out.line("var." + variable.name);
  if (variable.description) terminal.out.line("  " + *variable.description);
  if (variable.deprecated) terminal.out.line("  Deprecated: " + *variable.deprecated);
  return cli::ask_person(
      "\n  Enter a value: ", variable.is_sensitive() ? cli::Typing::Hidden : cli::Typing::Shown,
      terminal, cancellation);
}

}  // namespace

PreparedRun::PreparedRun(std::shared_ptr<const workdir::Configuration> configuration,
                         ValidProgram program, std::map<std::string, value::Value> variables,
                         std::string plan_time, const workdir::LoadContext& context,
                         RunProviders& providers)
    : configuration_(std::move(configuration)),
      program_(std::move(program.program)),
      deprecations_(std::move(program.deprecations)),
      variables_(std::move(variables)),
      plan_time_(std::move(plan_time)),
      planning_functions_(
          functions_of_run(context, plan_time_, true, configuration_->found_files.get())),
      applying_functions_(
          functions_of_run(context, plan_time_, false, configuration_->found_files.get())),
      planning_{configuration_->workspace, context.environment().working_directory},
      applying_{configuration_->workspace, context.environment().working_directory, true},
      environment_(context.environment()),
      providers_(providers) {}

engine::Planned PreparedRun::plan(const RunOptions& options, state::State state,
                                  plans::EventSink& events, std::stop_token stop,
                                  diag::Diagnostics& diags) {
  state = workdir::with_providers_of_here(std::move(state), configuration_->tree, environment_);
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
    diags.warning("Resource targeting is in effect")
        .detail(
            "The plan is limited by -target or -exclude and may not include all changes required "
            "by the configuration. Use these options only in exceptional cases, such as recovering "
            "from errors.");
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

diag::Checked<std::unique_ptr<PreparedRun>> prepare_run(const RunOptions& options,
                                                        workdir::StateAccess& access,
                                                        RunProviders& providers,
                                                        cli::KeepAlive& keep_alive,
                                                        diag::Diagnostics& diags) {
  if (!check_configuration_is_there(options, diags)) return nullptr;
  std::shared_ptr<workdir::Configuration> loaded =
      workdir::load_configuration(options.load, access.load, diags);
  if (!loaded) return nullptr;
  keep_alive.add(loaded);
  // Imports are made here, wherever other runs are made.
  if (!options.plan.imports.empty() &&
      !workdir::add_workspace_variables(loaded->variables, access, diags)) {
    return nullptr;
  }
  std::map<std::string, value::Value> variables;
  workdir::RootVariables::Ask asking = nullptr;
  if (options.input) {
    asking = [&](const config::Variable& variable) {
      return ask(variable, access.terminal, access.cancellation);
    };
  }
  if (!loaded->variables.collect_for_run(*loaded->tree.root().module, asking, variables, diags)) {
    return nullptr;
  }
  if (!check_selections(loaded->tree, providers, diags)) return nullptr;
  auto program = options.plan.imports.empty()
                     ? compile_valid(loaded->tree, loaded->workspace, access.load, providers,
                                     keep_alive, diags, loaded->found_files.get())
                     : compile_for_import(loaded->tree, providers, keep_alive, diags);
  if (!program) return nullptr;
  lint::add_warnings(options.lint, loaded->tree, access.load.sources, diags);
  return std::make_unique<PreparedRun>(std::move(loaded), std::move(*program), std::move(variables),
                                       plan_time_now(access.environment()), access.load, providers);
}

namespace {

// Adds what the command line gives to ephemeral variables; a variable that the plan has cannot be
// given another value.
diag::Checked<void> add_ephemeral(const RunOptions& options, const config::Module& root,
                                  std::map<std::string, value::Value>& values,
                                  const workdir::LoadContext& context, diag::Diagnostics& diags) {
  const std::size_t errors = diags.error_count();
  workdir::RootVariables given(context);
  workdir::RootVariables::Settled inputs;
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
      diags.error("No value for required variable")
          .detail(fmt::format("var.{} is ephemeral, so its value is not stored in the saved plan. "
                              "Set it again with -var or -var-file.",
                              variable.name))
          .at(variable.range);
    } else if (is_given && given.is_option(variable.name) &&
               !value::raw_equal(input->second->deep_unmarked(), saved->second)) {
      diags.error("Variable differs from the saved plan")
          .detail(fmt::format("The saved plan has a different value for var.{}. Run \"tofu plan\" "
                              "to create a new plan.",
                              variable.name))
          .at(variable.range);
    }
  }
  return diags.error_count() == errors;
}

}  // namespace

std::unique_ptr<PreparedRun> prepare_saved_run(PlanFile& file, const RunOptions& options,
                                               workdir::StateAccess& access,
                                               RunProviders& providers, cli::KeepAlive& keep_alive,
                                               diag::Diagnostics& diags) {
  std::map<std::string, value::Value> values;
  for (const plans::VariableValue& each : file.planned.plan.variables) {
    values.insert_or_assign(each.name, each.value.deep_unmarked());
  }
  std::shared_ptr<workdir::Configuration> loaded =
      load_saved(file.context.configuration, file.context.workspace, values, access.load, diags);
  if (!loaded) return nullptr;
  keep_alive.add(loaded);
  if (!add_ephemeral(options, *loaded->tree.root().module, values, access.load, diags))
    return nullptr;
  diag::Diagnostics found;  // warnings were shown with the plan
  workdir::LoadContext approved = access.load;
  approved.deprecation_errors = false;
  auto program = compile_valid(loaded->tree, loaded->workspace, approved, providers, keep_alive,
                               found, loaded->found_files.get());
  if (!program) {
    diags.take(std::move(found));
    return nullptr;
  }
  if (!engine::complete_order(*program->program, file.planned, diags)) return nullptr;
  if (!load_providers(file.planned.prior, providers, diags)) return nullptr;
  // The plan said whatever there was to say of what it knew.
  program->deprecations = eval::Deprecations(loaded->tree, access.terminal.view.deprecation);
  program->deprecations.leave_out(
      [told = file.context.configuration.told, &sources = access.load.sources](
          const config::Variable& variable, diag::SourceRange place) {
        return told.contains(reported_key(variable, place, sources));
      });
  return std::make_unique<PreparedRun>(std::move(loaded), std::move(*program), std::move(values),
                                       file.planned.plan.timestamp, access.load, providers);
}

}  // namespace tofu::runs
