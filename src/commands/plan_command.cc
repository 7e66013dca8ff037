#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/file.h"
#include "commands/backend_settings.h"
#include "commands/command.h"
#include "commands/command_encryption.h"
#include "commands/generated_config.h"
#include "commands/plan_file.h"
#include "commands/plan_page_facts.h"
#include "commands/prepared_run.h"
#include "commands/remote_run.h"
#include "commands/run_providers.h"
#include "commands/run_state.h"
#include "views/plan_page.h"

namespace tofu::commands {

namespace {

constexpr int kExitChanges = 2;

struct PlanOptions {
  bool detailed_exitcode = false;
  std::string out;
  std::string generate_config_out;
  std::string html_out;
  RunFlags run;

  void declare(FlagSet& flags) {
    flags.add("detailed-exitcode", detailed_exitcode,
              {.help = "End with status 0 if nothing would change, 2 if something would, 1 after "
                       "an error."});
    flags.add("out", out,
              {.value = "FILE",
               .help = "Save the plan in this file, for \"tofu apply FILE\".",
               .completes = Completes::Files});
    flags.add("generate-config-out", generate_config_out,
              {.value = "FILE",
               .help = "Write configuration for what is imported and not declared to this file, "
                       "which may not exist.",
               .completes = Completes::Files});
    flags.add("html-out", html_out,
              {.value = "FILE",
               .help = "Write the plan to this file as a page for a browser, which needs nothing "
                       "else. Sensitive values are not in it.",
               .completes = Completes::Files});
    flags.include(run);
  }
};

void show_next_step(const PlanOptions& options, RunView& view) {
  view.rule();
  if (!options.generate_config_out.empty()) {
    view.note(
        fmt::format("Configuration for what is imported was written to {}. Look it over "
                    "before you apply it.",
                    options.generate_config_out));
  }
  if (options.out.empty()) {
    view.note(
        "The plan was not saved, so \"tofu apply\" may do something else if things change until "
        "then. Use -out=FILE to save it.");
  } else {
    view.note(fmt::format("The plan was saved in {}. To do exactly this, run:\n  tofu apply {:?}",
                          options.out, options.out));
  }
}

// The file of a plan. It can be written in another thread than this is made and asked in.
class Saving {
 public:
  // All but the path outlive it.
  Saving(std::string path, const engine::Planned& planned, const PreparedRun& run, World& world)
      : path_(std::move(path)),
        planned_(planned),
        run_(run),
        schemas_(run_providers(world)),
        sources_(world.sources),
        encryption_(encryptions(world).plan()) {
    const Configuration& configuration = run.configuration();
    context_.workspace = configuration.workspace;
    if (auto backend = current_backend(configuration, world, diags_)) {
      context_.backend = std::move(backend->record);
    }
  }

  void write() {
    const Configuration& configuration = run_.configuration();
    context_.configuration = save_configuration(configuration, run_.deprecations(), sources_);
    context_.schemas = used_schemas(planned_, configuration.tree, schemas_);
    if (auto lock = base::read_file(".terraform.lock.hcl")) context_.lock_file = std::move(*lock);
    write_plan_file(path_, planned_, context_, encryption_, diags_);
  }

  // Adds what there is to report, once it is written.
  void report(diag::Diagnostics& diags) { diags.take(std::move(diags_)); }

 private:
  std::string path_;
  const engine::Planned& planned_;
  const PreparedRun& run_;
  const schema::ProviderSchemas& schemas_;
  const diag::SourceMap& sources_;
  const state::Encryption& encryption_;
  PlanContext context_;
  diag::Diagnostics diags_;
};

// With the problems found so far, an incomplete plan too.
void write_page(const std::string& path, const engine::Planned& planned, const PreparedRun& run,
                World& world, diag::Diagnostics& diags) {
  std::string page;
  views::write_plan_page(
      planned.plan, run_providers(world),
      page_facts(run.program(), planned.prior, run.configuration().workspace, diags, world),
      [&](std::string_view piece) { page += piece; });
  // Values are in it, as they are in the plan.
  const auto written = base::write_private_file(path, page);
  if (written) return;
  diags.error("The page of the plan could not be written")
      .detail(fmt::format("Writing {} failed: {}.", path, written.error().what));
}

// The same where runs are made elsewhere.
std::optional<bool> plan_remotely(const PlanOptions& asked, const RunOptions& options,
                                  const RemotePlace& place, RunView& view, World& world,
                                  diag::Diagnostics& diags) {
  const auto listening = world.interrupts.listen();
  const auto result = run_remotely(place, asked.run, options,
                                   {.out = asked.out,
                                    .generate_config_out = asked.generate_config_out,
                                    .html_out = asked.html_out},
                                   view, world, diags);
  if (!result) return std::nullopt;
  if (result->has_changes && !options.in_automation) show_next_step(asked, view);
  return result->has_changes;
}

// Whether something would change. Nothing after errors; those that were not shown yet
// were added.
std::optional<bool> plan(const PlanOptions& asked, RunView& view, World& world,
                         diag::Diagnostics& diags) {
  auto options = run_options(asked.run, world, diags);
  if (!options) return std::nullopt;
  const auto remote = find_remote_place(asked.run.change.configuration, world, diags);
  if (!remote) return std::nullopt;
  if (remote->place) return plan_remotely(asked, *options, *remote->place, view, world, diags);
  const std::string& generated = asked.generate_config_out;
  if (!generated.empty()) {
    if (!check_generated_config_path(generated, options->plan.mode, diags)) return std::nullopt;
    options->plan.generate_config = true;
  }
  options->load.notes_files = !asked.out.empty();
  const auto listening = world.interrupts.listen();
  const RunView::Stopping stopping(view, world.interrupts.token());

  const auto run = prepare_run(*options, world, diags);
  if (!run) return std::nullopt;
  const Configuration& configuration = run->configuration();
  const auto backend = open_backend(options->files, configuration, world, diags);
  if (!backend) return std::nullopt;
  auto state = open_run_state(*backend, configuration.workspace, "OperationTypePlan", options->lock,
                              world, diags);
  if (!state) return std::nullopt;

  const auto kept = std::make_shared<const engine::Planned>(run->plan(
      *options, state->state.value_or(state::State()), view, world.interrupts.token(), diags));
  world.kept.push_back(kept);
  const engine::Planned& planned = *kept;
  if (!planned.is_begun) return std::nullopt;
  std::optional<Saving> saving;
  if (!asked.out.empty()) saving.emplace(asked.out, planned, *run, world);
  if (!asked.html_out.empty()) write_page(asked.html_out, planned, *run, world, diags);
  if (!generated.empty()) write_generated_config(generated, planned.plan, diags);
  view.plan(planned.plan, run_providers(world), options->in_automation, [&] {
    if (saving) saving->write();
  });
  if (saving) saving->report(diags);
  view.problems(diags);
  const bool failed = diags.has_errors();
  diags.clear();
  if (failed) return std::nullopt;
  if (planned.plan.applyable && !options->in_automation) show_next_step(asked, view);
  return planned.plan.applyable;
}

int run_plan(const PlanOptions& options, World& world) {
  const auto view = RunView::open(options.run, world);
  if (view == nullptr) return kExitError;
  diag::Diagnostics diags;
  const auto changes = plan(options, *view, world, diags);
  view->problems(diags);
  if (!changes) return kExitError;
  return *changes && options.detailed_exitcode ? kExitChanges : kExitOk;
}

}  // namespace

const Command kPlanCommand = {
    "plan",
    "Show what has to change for everything to be as configured",
    "[options]",
    "Compares what exists with what the configuration says and prints what \"tofu apply\" would "
    "do. Nothing is changed.",
    action<PlanOptions, run_plan>(),
};

}  // namespace tofu::commands
