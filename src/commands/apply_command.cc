#include <algorithm>
#include <fmt/format.h>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "base/crypto_library.h"
#include "cli/command.h"
#include "cli/flags.h"
#include "commands/context.h"
#include "commands/table.h"
#include "install/lock_file.h"
#include "runs/approval.h"
#include "runs/plan_file.h"
#include "runs/plan_libraries.h"
#include "runs/prepared_run.h"
#include "runs/remote_run.h"
#include "runs/run_state.h"
#include "workdir/backend_settings.h"
#include "workdir/command_encryption.h"
#include "workdir/root_module.h"

namespace tofu::commands {

namespace {

struct ApplyOptions {
  bool auto_approve = false;
  bool suppress_forget_errors = false;
  runs::RunFlags run;
  std::vector<std::string> arguments;

  void declare(cli::FlagSet& flags) {
    flags.add("auto-approve", auto_approve, {.help = "Skip the approval prompt."});
    flags.add(
        "suppress-forget-errors", suppress_forget_errors,
        {.help = "Do not report an error when a destroy only removes objects from the state."});
    flags.include(run);
    flags.arguments(arguments);
  }
};

enum class Verb : std::uint8_t { Apply, Destroy, Refresh };

// Sets the options that the verb decides, and refuses flags that conflict with it.
diag::Checked<void> settle_verb(Verb verb, const ApplyOptions& asked, runs::RunOptions& options,
                                diag::Diagnostics& diags) {
  const auto refuse = [&](std::string_view summary, std::string_view detail) {
    diags.error(std::string(summary)).detail(std::string(detail));
    return false;
  };
  if (verb != Verb::Apply && !asked.arguments.empty()) {
    return refuse("Too many arguments",
                  "\"tofu destroy\" takes no arguments. To apply a saved plan, including a destroy "
                  "plan, use \"tofu apply PLAN\".");
  }
  if (asked.arguments.size() > 1) {
    return refuse("Too many arguments", "Expected at most one argument: the path of a saved plan.");
  }
  if (options.plan.allow_deferral && (verb != Verb::Apply || !asked.arguments.empty())) {
    return refuse(
        "Conflicting options",
        "-allow-deferral is for plans that \"tofu plan\" and \"tofu apply\" make from the "
        "configuration. Remove it.");
  }
  if (options.plan.allow_deferral && !options.files.state_out.empty()) {
    return refuse("Conflicting options",
                  "-allow-deferral applies in rounds, and each begins with the state of the one "
                  "before. It cannot be combined with -state-out.");
  }
  if (options.plan.minimal_refresh && !asked.arguments.empty()) {
    return refuse(
        "Conflicting options",
        "-minimal-refresh has no effect on a saved plan, which is applied as it is. Use it "
        "with \"tofu plan\".");
  }
  if (verb == Verb::Refresh) {
    if (options.plan.minimal_refresh) {
      return refuse("Conflicting options",
                    "\"tofu refresh\" reads all objects and does not accept -minimal-refresh.");
    }
    // Outputs are to be what the configuration says, as far as it is known.
    options.plan.mode = plans::Mode::Normal;
    options.plan.refresh = true;
    return true;
  }
  if (asked.run.json.json && asked.arguments.empty() && !asked.auto_approve) {
    return refuse("Approval required",
                  "-json disables the approval prompt. Use -auto-approve, or apply a saved plan.");
  }
  if (verb != Verb::Destroy) return true;
  if (options.plan.mode != plans::Mode::Normal) {
    return refuse("Conflicting options",
                  "\"tofu destroy\" does not accept -destroy or -refresh-only.");
  }
  options.plan.mode = plans::Mode::Destroy;
  options.lint = {};
  return true;
}

// The diagnostics of a plan that needs no approval: conditions of checks are evaluated again
// after everything is applied.
diag::Diagnostics without_checks(const diag::Diagnostics& diags) {
  diag::Diagnostics rest;
  for (const diag::Diagnostic& diagnostic : diags.items()) {
    if (!diagnostic.of_check) rest.add(diagnostic);
  }
  return rest;
}

// A plan is good for the very state that it was made with.
bool check_not_stale(const state::State& prior, const runs::RunState& now,
                     diag::Diagnostics& diags) {
  const std::string lineage = now.state ? now.state->lineage : "";
  const std::uint64_t serial = now.state ? now.state->serial : 0;
  const bool was_new = prior.lineage.empty() && prior.serial == 0;
  if (!was_new && prior.lineage != lineage) {
    diags.error("Saved plan does not match the state")
        .detail(
            "This plan was created for a state with a different lineage, so it cannot be applied "
            "here. Run \"tofu plan\" to create a new plan.");
    return false;
  }
  if (prior.serial == serial) return true;
  diags.error("Saved plan is stale")
      .detail(
          "The state changed after this plan was created. Run \"tofu plan\" to create a new plan.");
  return false;
}

// Providers have to be those that the plan was made with, to the byte.
bool check_same_providers(const runs::PlanContext& context, diag::SourceMap& sources,
                          diag::Diagnostics& diags) {
  const std::string name(install::kLockFile);
  const auto now = install::LockFile::read(name, sources, diags);
  const auto then = install::LockFile::parse(name, context.lock_file, sources, diags);
  if (!now || !then) return false;
  const auto is_same = [](const auto& a, const auto& b) {
    return a.first == b.first && a.second.version == b.second.version &&
           a.second.hashes == b.second.hashes;
  };
  if (std::ranges::equal(now->providers, then->providers, is_same)) return true;
  diags.error("Inconsistent dependency lock file")
      .detail(
          "The saved plan was created with different provider versions than the lock file of this "
          "directory selects. Run \"tofu plan\" to create a new plan.");
  return false;
}

void report_left_behind(const plans::Plan& plan, diag::Diagnostics& diags) {
  for (const plans::ResourceChange& change : plan.changes) {
    if (change.action != plans::Action::Forget) continue;
    diags.error("Some objects were not destroyed")
        .detail(
            "Some objects were removed from the state without being destroyed, as configured. They "
            "still exist and may cost money; see the plan above for the list. To exit without an "
            "error in this case, use -suppress-forget-errors.");
    return;
  }
}

// One run of this command.
class Applying {
 public:
  Applying(Verb verb, const ApplyOptions& asked, runs::RunView& view, Context& context)
      : verb_(verb), asked_(asked), view_(view), context_(context) {}

  // False if the run failed; problems that were not shown yet are in `diags`.
  bool run(diag::Diagnostics& diags) {
    base::require_libcrypto();  // for the journal, before anything is planned and approved
    auto options = runs::run_options(asked_.run, context_.load, diags);
    if (!options || !settle_verb(verb_, asked_, *options, diags)) return false;
    const auto listening = context_.cancellation.listen();
    runs::PlanLibraries libraries(asked_.arguments.empty() ? "" : asked_.arguments[0],
                                  context_.sources);
    const auto remote = runs::find_remote_place(root_module(libraries), context_.access, diags);
    if (!remote) return false;
    if (remote->place) return apply_remotely(*options, *remote->place, diags);
    const runs::RunView::Stopping stopping(view_, stop_);
    return asked_.arguments.empty() ? apply_directory(*options, diags)
                                    : apply_saved(asked_.arguments[0], *options, diags);
  }

 private:
  // A saved plan has the values of variables; otherwise a service gets them, as their types say.
  workdir::RootModuleOptions root_module(symbols::LibraryFinder& of_plan) const {
    if (asked_.arguments.empty()) return {.libraries = workdir::RootModuleOptions::Libraries::All};
    return {.other_libraries = &of_plan};
  }

  bool apply_remotely(runs::RunOptions& options, const runs::RemoteTarget& place,
                      diag::Diagnostics& diags) {
    runs::RemoteRunOptions remote_options{.goal = cloud::RunOrder::Goal::Apply,
                                          .is_approved = asked_.auto_approve};
    if (!asked_.arguments.empty()) remote_options.saved = asked_.arguments[0];
    if (verb_ == Verb::Refresh) {
      if (!place.is_cloud()) {
        diags.error("Refresh is not available for remote runs")
            .detail(
                "Runs of this workspace happen remotely. Use \"tofu apply -refresh-only\" "
                "instead.");
        return false;
      }
      options.plan.mode = plans::Mode::RefreshOnly;
      remote_options.is_approved = true;
    }
    return runs::run_remotely(place, asked_.run, options, remote_options, view_, context_.access,
                              diags)
        .has_value();
  }

  bool apply_directory(const runs::RunOptions& options, diag::Diagnostics& diags) {
    const auto run =
        runs::prepare_run(options, context_.access, context_.providers, context_.keep_alive, diags);
    if (!run) return false;
    runs::RunOptions round = options;
    while (true) {
      const auto backend =
          workdir::open_backend(round.files, run->configuration(), context_.access, diags);
      if (!backend) return false;
      const std::optional<bool> goes_on = apply_round(round, *run, *backend, diags);
      if (!goes_on) return false;
      if (!*goes_on) return true;
      view_.next_round();
      // The first round replaced them, and its backup is of the state before the command.
      round.plan.replace.clear();
      round.files.backup = "-";
    }
  }

  // Whether this round may have made more plannable; nothing if the run ends here without success.
  std::optional<bool> apply_round(const runs::RunOptions& options, runs::PreparedRun& run,
                                  backends::Backend& backend, diag::Diagnostics& diags) {
    auto state = runs::open_run_state(backend, run.configuration().workspace, "OperationTypeApply",
                                      options.lock, context_.settings, context_.terminal,
                                      context_.cancellation, diags);
    if (!state) return std::nullopt;
    engine::Planned planned =
        run.plan(options, state->state.value_or(state::State()), view_, stop_, diags);
    if (diags.has_errors()) {
      const bool has_changes = !planned.plan.changes.empty() || !planned.plan.outputs.empty();
      if (planned.is_begun && has_changes && verb_ != Verb::Refresh) show(planned.plan, options);
      return std::nullopt;
    }
    if (!deferred_.empty() && planned.plan.deferrals == deferred_) {
      diags.warning("Deferred changes remain")
          .detail(
              "Another round would leave the same resources for later, so this one was not "
              "applied. Run \"tofu plan -allow-deferral\" to see the reasons.");
      return false;
    }
    deferred_ = planned.plan.deferrals;
    const bool goes_on = !deferred_.empty() && planned.plan.applyable;
    runs::PlanDigest digest(planned.plan);
    if (verb_ != Verb::Refresh) show(planned.plan, options);
    if (stop_.stop_requested()) {
      diags.error("Run interrupted").detail("Nothing was changed.");
      return std::nullopt;
    }
    if (!approve(planned.plan, *state, diags)) return std::nullopt;
    if (!carry_out(run, planned, digest, *state, options, diags)) return std::nullopt;
    return goes_on && !stop_.stop_requested();
  }

  bool apply_saved(const std::string& path, const runs::RunOptions& options,
                   diag::Diagnostics& diags) {
    // Configuration that is here has to be readable, though of it only the encryption is
    // used: the backend is the one that the plan was made for.
    // Further problems are reported for the configuration that is in the plan.
    diag::Diagnostics of_files;
    runs::PlanLibraries libraries(path, context_.sources);
    const auto here = workdir::load_root_module(asked_.run.change.configuration, context_.load,
                                                of_files, {.other_libraries = &libraries});
    if (!here) diags.take(std::move(of_files));
    const auto encryption = here ? context_.access.encryption_of(*here, diags) : std::nullopt;
    if (!encryption) return false;
    auto file = runs::read_plan_file(path, encryption->plan(), diags);
    if (!file) return false;
    engine::Planned& planned = file->planned;
    if (planned.plan.errored) {
      diags.error("Incomplete plan")
          .detail(
              "Planning reported errors, so this plan is incomplete and cannot be applied. Fix the "
              "errors and run \"tofu plan\" again.");
      return false;
    }
    runs::PlanDigest digest(planned.plan);
    const auto backend = workdir::open_recorded(file->context.backend, options.files,
                                                encryption->state(), context_.access, diags);
    if (!backend) return false;
    if (!check_same_providers(file->context, context_.sources, diags)) return false;
    const auto run = runs::prepare_saved_run(*file, options, context_.access, context_.providers,
                                             context_.keep_alive, diags);
    if (!run) return false;
    auto state =
        runs::open_run_state(*backend, file->context.workspace, "OperationTypeApply", options.lock,
                             context_.settings, context_.terminal, context_.cancellation, diags);
    if (!state || !check_not_stale(planned.prior, *state, diags)) return false;
    view_.saved_plan(planned.plan);
    return carry_out(*run, planned, digest, *state, options, diags);
  }

  void show(const plans::Plan& plan, const runs::RunOptions& options) {
    view_.plan(plan, context_.providers, options.in_automation);
  }

  bool approve(const plans::Plan& plan, const runs::RunState& state, diag::Diagnostics& diags) {
    if (verb_ == Verb::Refresh || asked_.auto_approve || !plan.applyable) {
      diags = without_checks(diags);
      return true;
    }
    view_.problems(diags);  // the user should see them before approving
    diags.clear();
    const runs::Approval approval = runs::ask_for_approval(
        plan.mode, state.workspace, context_.terminal, context_.cancellation, diags);
    if (approval == runs::Approval::Refused) {
      view_.message(plan.mode == plans::Mode::Destroy ? "Destroy cancelled." : "Apply cancelled.");
    }
    return approval == runs::Approval::Given;
  }

  bool carry_out(runs::PreparedRun& run, engine::Planned& planned, runs::PlanDigest& digest,
                 runs::RunState& state, const runs::RunOptions& options, diag::Diagnostics& diags) {
    diag::Diagnostics found;
    tell_imports(planned.plan);
    const auto apply = [&]() -> runs::Applied {
      if (verb_ == Verb::Refresh)
        return {runs::store_refreshed(planned, state, context_.terminal, found)};
      const runs::RunView::Live live(view_, planned.plan);
      return runs::apply_and_store(run.for_apply(options, view_, stop_), planned, digest, state,
                                   context_.terminal, found);
    };
    runs::Applied after = apply();
    const bool is_destroy = planned.plan.mode == plans::Mode::Destroy;
    if (is_destroy && !found.has_errors() && !asked_.suppress_forget_errors) {
      report_left_behind(planned.plan, found);
    }
    if (!planned.plan.deferrals.empty()) {
      // Of a plan that is not saved, the next round follows.
      if (!asked_.arguments.empty()) {
        found.warning("Deferred changes remain")
            .detail(
                "The plan left resources for a later run. Run \"tofu plan -allow-deferral\" again "
                "to plan them.");
      }
    } else if (!planned.plan.targets.empty() || !planned.plan.excludes.empty()) {
      found.warning("Applied changes may be incomplete")
          .detail(
              "The plan was created with -target or -exclude, so it may not include all changes "
              "required by the configuration. Run \"tofu plan\" to check for remaining changes.");
    }
    const bool failed = found.has_errors();
    diags.take(std::move(found));
    const workdir::Told told = workdir::tell(diags, context_.terminal);
    diags.clear();
    if (after.journal) workdir::end_journal(*after.journal, after.state.serial, told, diags);
    if (failed) return false;
    if (verb_ != Verb::Refresh) {
      view_.summary(verb_ == Verb::Destroy ? plans::Operation::Destroy : plans::Operation::Apply,
                    planned.plan);
    }
    if (verb_ != Verb::Destroy) view_.outputs(after.state);
    return true;
  }

  // Importing is done by the plan already: what is left is to store it.
  void tell_imports(const plans::Plan& plan) {
    for (const plans::ResourceChange& change : plan.changes) {
      if (change.importing() == nullptr) continue;
      const plans::Subject subject{plan.addresses.instance(change.resource, change.key)};
      for (const auto step : {plans::ImportStep::Importing, plans::ImportStep::Complete}) {
        view_.on(plans::ImportProgress{subject, step, *change.importing()});
      }
    }
  }

  Verb verb_;
  const ApplyOptions& asked_;
  runs::RunView& view_;
  Context& context_;
  std::stop_token stop_ = context_.cancellation.token();
  std::vector<plans::Deferral> deferred_;  // by the last round
};

template <Verb kVerb>
int run_apply(const ApplyOptions& options, cli::Session& session) {
  Context context(session, options);
  const auto view = runs::RunView::open(options.run, context.terminal, context.environment());
  if (view == nullptr) return cli::kExitError;
  diag::Diagnostics diags;
  const bool good = Applying(kVerb, options, *view, context).run(diags);
  view->problems(diags);
  return good ? cli::kExitOk : cli::kExitError;
}

}  // namespace

const cli::Command kApplyCommand = {
    "apply",
    "Create, update or delete resources to match the configuration",
    "[options] [PLAN]",
    "Creates a plan, shows it, and applies it after your approval. With PLAN, applies that saved "
    "plan without a prompt.",
    cli::action<ApplyOptions, run_apply<Verb::Apply>>(),
    cli::Completes::Files,
};

const cli::Command kDestroyCommand = {
    "destroy",
    "Destroy all resources in the state",
    "[options]",
    "Plans the destruction of all resources in the state, shows the plan, and applies it after "
    "your approval. Same as \"tofu apply -destroy\".",
    cli::action<ApplyOptions, run_apply<Verb::Destroy>>(),
};

const cli::Command kRefreshCommand = {
    "refresh",
    "Update the state to match the real objects",
    "[options]",
    "Records in the state all changes made outside of OpenTofu, without a prompt. \"tofu apply "
    "-refresh-only\" shows these changes first.",
    cli::action<ApplyOptions, run_apply<Verb::Refresh>>(),
};

}  // namespace tofu::commands
