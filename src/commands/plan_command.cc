#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/file.h"
#include "cli/command.h"
#include "cli/flags.h"
#include "commands/context.h"
#include "commands/table.h"
#include "diag/source.h"
#include "runs/generated_config.h"
#include "runs/plan_file.h"
#include "runs/plan_page_input.h"
#include "runs/prepared_run.h"
#include "runs/remote_run.h"
#include "runs/run_providers.h"
#include "runs/run_state.h"
#include "views/plan_page.h"
#include "workdir/backend_settings.h"
#include "workdir/command_encryption.h"
#include "workdir/root_module.h"

namespace tofu::commands {

namespace {

constexpr int kExitChanges = 2;

struct PlanOptions {
  bool detailed_exitcode = false;
  std::string out;
  std::string generate_config_out;
  std::string html_out;
  runs::RunFlags run;

  void declare(cli::FlagSet& flags) {
    flags.add("detailed-exitcode", detailed_exitcode,
              {.help = "Exit with status 0 if the plan is empty, 2 if it has changes, and 1 after "
                       "an error."});
    flags.add("out", out,
              {.value = "FILE",
               .help = "Save the plan to this file, for \"tofu apply FILE\".",
               .completes = cli::Completes::Files});
    flags.add("generate-config-out", generate_config_out,
              {.value = "FILE",
               .help = "Write configuration for imported objects without a resource block to this "
                       "file, which must not exist.",
               .completes = cli::Completes::Files});
    flags.add("html-out", html_out,
              {.value = "FILE",
               .help = "Also write the plan to this file as a self-contained HTML page, without "
                       "sensitive values.",
               .completes = cli::Completes::Files});
    flags.include(run);
  }
};

void show_next_step(const PlanOptions& options, runs::RunView& view) {
  view.rule();
  if (!options.generate_config_out.empty()) {
    view.note(fmt::format(
        "Generated configuration for imported objects in {}. Review it before you apply.",
        options.generate_config_out));
  }
  if (options.out.empty()) {
    view.note(
        "This plan was not saved. \"tofu apply\" will make a new plan, which may differ. To save a "
        "plan, use -out=FILE.");
  } else {
    view.note(
        fmt::format("Saved the plan to {}. To apply exactly these changes, run:\n  tofu apply {:?}",
                    options.out, options.out));
  }
}

// The file of a plan. It can be written in another thread than this is made and asked in.
class Saving {
 public:
  // All but the path outlive it.
  Saving(std::string path, const engine::Planned& planned, const runs::PreparedRun& run,
         workdir::PlanEncryption encryption, Context& context)
      : path_(std::move(path)),
        planned_(planned),
        run_(run),
        schemas_(context.providers),
        sources_(context.sources),
        encryption_(encryption) {
    const workdir::Configuration& configuration = run.configuration();
    context_.workspace = configuration.workspace;
    if (auto backend = workdir::current_backend(configuration, context.environment(),
                                                context.sources, diags_)) {
      context_.backend = std::move(backend->record);
    }
  }

  void write() {
    const workdir::Configuration& configuration = run_.configuration();
    context_.configuration = runs::save_configuration(configuration, run_.deprecations(), sources_);
    context_.schemas = runs::used_schemas(planned_, configuration.tree, schemas_);
    if (auto lock = base::read_file(".terraform.lock.hcl")) context_.lock_file = std::move(*lock);
    runs::write_plan_file(path_, planned_, context_, encryption_, diags_);
  }

  // Adds what there is to report, once it is written.
  void report(diag::Diagnostics& diags) { diags.take(std::move(diags_)); }

 private:
  std::string path_;
  const engine::Planned& planned_;
  const runs::PreparedRun& run_;
  const schema::ProviderSchemas& schemas_;
  const diag::SourceMap& sources_;
  workdir::PlanEncryption encryption_;
  runs::PlanContext context_;
  diag::Diagnostics diags_;
};

// With the problems found so far, an incomplete plan too.
void write_page(const std::string& path, const engine::Planned& planned,
                const runs::PreparedRun& run, Context& context, diag::Diagnostics& diags) {
  std::string page;
  views::write_plan_page(planned.plan, context.providers,
                         runs::page_facts(run.program(), planned.prior,
                                          run.configuration().workspace, diags, context.sources),
                         [&](std::string_view piece) { page += piece; });
  // Values are in it, as they are in the plan.
  const auto written = base::write_private_file(path, page, base::Permissions::New);
  if (written) return;
  diags.error("Cannot write the HTML plan")
      .detail(fmt::format("Writing {} failed: {}.", path, written.error().what));
}

// The same where runs are made elsewhere.
std::optional<bool> plan_remotely(const PlanOptions& asked, const runs::RunOptions& options,
                                  const runs::RemoteTarget& place, runs::RunView& view,
                                  Context& context, diag::Diagnostics& diags) {
  const auto listening = context.cancellation.listen();
  const auto result = runs::run_remotely(place, asked.run, options,
                                         {.out = asked.out,
                                          .generate_config_out = asked.generate_config_out,
                                          .html_out = asked.html_out},
                                         view, context.access, diags);
  if (!result) return std::nullopt;
  if (result->has_changes && !options.in_automation) show_next_step(asked, view);
  return result->has_changes;
}

// Whether something would change. Nothing after errors; those that were not shown yet
// were added.
std::optional<bool> plan(const PlanOptions& asked, runs::RunView& view, Context& context,
                         diag::Diagnostics& diags) {
  auto options = runs::run_options(asked.run, context.load, diags);
  if (!options) return std::nullopt;
  const auto remote = runs::find_remote_place(
      {.libraries = workdir::RootModuleOptions::Libraries::All}, context.access, diags);
  if (!remote) return std::nullopt;
  if (remote->place) return plan_remotely(asked, *options, *remote->place, view, context, diags);
  const std::string& generated = asked.generate_config_out;
  if (!generated.empty()) {
    if (!runs::check_generated_config_path(generated, options->plan.mode, diags))
      return std::nullopt;
    options->plan.generate_config = true;
  }
  options->load.notes_files = !asked.out.empty();
  const auto listening = context.cancellation.listen();
  const runs::RunView::Stopping stopping(view, context.cancellation.token());

  const auto run =
      runs::prepare_run(*options, context.access, context.providers, context.keep_alive, diags);
  if (!run) return std::nullopt;
  const workdir::Configuration& configuration = run->configuration();
  const auto encryption = context.access.encryption_of(configuration, diags);
  if (!encryption) return std::nullopt;
  const auto backend = workdir::open_backend(options->files, configuration, context.access, diags);
  if (!backend) return std::nullopt;
  auto state =
      runs::open_run_state(*backend, configuration.workspace, "OperationTypePlan", options->lock,
                           context.settings, context.terminal, context.cancellation, diags);
  if (!state) return std::nullopt;

  const auto kept = std::make_shared<const engine::Planned>(run->plan(
      *options, state->state.value_or(state::State()), view, context.cancellation.token(), diags));
  context.keep_alive.add(kept);
  const engine::Planned& planned = *kept;
  if (!planned.is_begun) return std::nullopt;
  std::optional<Saving> saving;
  if (!asked.out.empty()) saving.emplace(asked.out, planned, *run, encryption->plan(), context);
  if (!asked.html_out.empty()) write_page(asked.html_out, planned, *run, context, diags);
  if (!generated.empty()) runs::write_generated_config(generated, planned.plan, diags);
  view.plan(planned.plan, context.providers, options->in_automation, [&] {
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

int run_plan(const PlanOptions& options, cli::Session& session) {
  Context context(session, options);
  const auto view = runs::RunView::open(options.run, context.terminal, context.environment());
  if (view == nullptr) return cli::kExitError;
  diag::Diagnostics diags;
  const auto changes = plan(options, *view, context, diags);
  view->problems(diags);
  if (!changes) return cli::kExitError;
  return *changes && options.detailed_exitcode ? kExitChanges : cli::kExitOk;
}

}  // namespace

const cli::Command kPlanCommand = {
    "plan",
    "Preview the changes that apply would make",
    "[options]",
    "Compares the real objects with the configuration and prints the changes that \"tofu apply\" "
    "would make. Does not change any objects.",
    cli::action<PlanOptions, run_plan>(),
};

}  // namespace tofu::commands
