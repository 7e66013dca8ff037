#include <algorithm>
#include <fmt/format.h>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "commands/approval.h"
#include "commands/backend_settings.h"
#include "commands/command.h"
#include "commands/command_encryption.h"
#include "commands/plan_file.h"
#include "commands/prepared_run.h"
#include "commands/remote_run.h"
#include "commands/run_state.h"
#include "install/lock_file.h"

namespace tofu::commands {

namespace {

struct ApplyOptions {
  bool auto_approve = false;
  bool suppress_forget_errors = false;
  RunFlags run;
  std::vector<std::string> arguments;

  void declare(FlagSet& flags) {
    flags.add("auto-approve", auto_approve, {.help = "Do not ask before anything changes."});
    flags.add("suppress-forget-errors", suppress_forget_errors,
              {.help = "Destroying that leaves objects behind, because they are only to be "
                       "forgotten, is not an error."});
    flags.include(run);
    flags.arguments(arguments);
  }
};

enum class Verb : std::uint8_t { Apply, Destroy, Refresh };

// What the command's own name says, beside its flags. False if and only if an error was
// added.
bool settle_verb(Verb verb, const ApplyOptions& asked, RunOptions& options,
                 diag::Diagnostics& diags) {
  const auto refuse = [&](std::string_view summary, std::string_view detail) {
    diags.error(std::string(summary)).detail(std::string(detail));
    return false;
  };
  if (verb != Verb::Apply && !asked.arguments.empty()) {
    return refuse("Too many arguments",
                  "This command takes no arguments. A saved plan is carried out with \"tofu "
                  "apply\", whatever it does.");
  }
  if (asked.arguments.size() > 1) {
    return refuse("Too many arguments", "At most one argument is taken: a saved plan.");
  }
  if (verb == Verb::Refresh) {
    // Outputs are to be what the configuration says, as far as it is known.
    options.plan.mode = plans::Mode::Normal;
    options.plan.refresh = true;
    return true;
  }
  if (asked.run.json.json && asked.arguments.empty() && !asked.auto_approve) {
    return refuse("Nobody can approve",
                  "With -json nobody is asked. Give a saved plan or the option -auto-approve.");
  }
  if (verb != Verb::Destroy) return true;
  if (options.plan.mode != plans::Mode::Normal) {
    return refuse("Options that exclude each other",
                  "\"tofu destroy\" takes neither -destroy nor -refresh-only.");
  }
  options.plan.mode = plans::Mode::Destroy;
  return true;
}

// What there is to say about a plan that nobody was asked about: conditions of checks are
// looked at again after everything is applied.
diag::Diagnostics without_checks(const diag::Diagnostics& diags) {
  diag::Diagnostics rest;
  for (const diag::Diagnostic& diagnostic : diags.items()) {
    if (!diagnostic.of_check) rest.add(diagnostic);
  }
  return rest;
}

// A plan is good for the very state that it was made with.
bool check_not_stale(const state::State& prior, const RunState& now, diag::Diagnostics& diags) {
  const std::string lineage = now.state ? now.state->lineage : "";
  const std::uint64_t serial = now.state ? now.state->serial : 0;
  const bool was_new = prior.lineage.empty() && prior.serial == 0;
  if (!was_new && prior.lineage != lineage) {
    diags.error("The saved plan belongs to another state")
        .detail("It was made with a state of another lineage, so it cannot be applied here.");
    return false;
  }
  if (prior.serial == serial) return true;
  diags.error("The saved plan is stale")
      .detail(
          "The state was changed after the plan was made, so it cannot be applied any more. "
          "Make a new plan.");
  return false;
}

// Providers have to be those that the plan was made with, to the byte.
bool check_same_providers(const PlanContext& context, World& world, diag::Diagnostics& diags) {
  const std::string name(install::kLockFile);
  const auto now = install::LockFile::read(name, world.sources, diags);
  const auto then = install::LockFile::parse(name, context.lock_file, world.sources, diags);
  if (!now || !then) return false;
  const auto is_same = [](const auto& a, const auto& b) {
    return a.first == b.first && a.second.version == b.second.version &&
           a.second.hashes == b.second.hashes;
  };
  if (std::ranges::equal(now->providers, then->providers, is_same)) return true;
  diags.error("Inconsistent dependency lock file")
      .detail(
          "The saved plan was made with other provider selections than those of this directory, "
          "so it cannot be applied here. Make a new plan.");
  return false;
}

void report_left_behind(const plans::Plan& plan, diag::Diagnostics& diags) {
  for (const plans::ResourceChange& change : plan.changes) {
    if (change.action != plans::Action::Forget) continue;
    diags.error("Some objects were not destroyed")
        .detail(
            "As the configuration asks, some objects were only forgotten: they are not in the "
            "state any more, but still exist and may cost money. The plan above names them. "
            "With -suppress-forget-errors this is not an error.");
    return;
  }
}

// One run of this command.
class Applying {
 public:
  Applying(Verb verb, const ApplyOptions& asked, RunView& view, World& world)
      : verb_(verb), asked_(asked), view_(view), world_(world) {}

  // False if the run failed; problems that were not shown yet are in `diags`.
  bool run(diag::Diagnostics& diags) {
    auto options = run_options(asked_.run, world_, diags);
    if (!options || !settle_verb(verb_, asked_, *options, diags)) return false;
    const auto listening = world_.interrupts.listen();
    const auto remote = find_remote_place(asked_.run.change.configuration, world_, diags);
    if (!remote) return false;
    if (remote->place) return apply_remotely(*options, *remote->place, diags);
    const RunView::Stopping stopping(view_, stop_);
    return asked_.arguments.empty() ? apply_directory(*options, diags)
                                    : apply_saved(asked_.arguments[0], *options, diags);
  }

 private:
  bool apply_remotely(RunOptions& options, const RemotePlace& place, diag::Diagnostics& diags) {
    RemoteWishes wishes{.goal = cloud::RunOrder::Goal::Apply, .is_approved = asked_.auto_approve};
    if (!asked_.arguments.empty()) wishes.saved = asked_.arguments[0];
    if (verb_ == Verb::Refresh) {
      if (!place.is_cloud()) {
        diags.error("The state cannot be refreshed this way")
            .detail(
                "Runs of this workspace are made elsewhere. Use \"tofu apply -refresh-only\" "
                "instead.");
        return false;
      }
      options.plan.mode = plans::Mode::RefreshOnly;
      wishes.is_approved = true;
    }
    return run_remotely(place, asked_.run, options, wishes, view_, world_, diags).has_value();
  }

  bool apply_directory(const RunOptions& options, diag::Diagnostics& diags) {
    const auto run = prepare_run(options, world_, diags);
    if (!run) return false;
    const Configuration& configuration = run->configuration();
    const auto backend = open_backend(options.files, configuration, world_, diags);
    if (!backend) return false;
    auto state = open_run_state(*backend, configuration.workspace, "OperationTypeApply",
                                options.lock, world_, diags);
    if (!state) return false;
    engine::Planned planned =
        run->plan(options, state->state.value_or(state::State()), view_, stop_, diags);
    if (diags.has_errors()) {
      const bool has_changes = !planned.plan.changes.empty() || !planned.plan.outputs.empty();
      if (has_changes && verb_ != Verb::Refresh) show(planned.plan, options);
      return false;
    }
    PlanDigest digest(planned.plan);
    if (verb_ != Verb::Refresh) show(planned.plan, options);
    if (stop_.stop_requested()) {
      diags.error("The run was interrupted").detail("Nothing was changed.");
      return false;
    }
    if (!approve(planned.plan, *state, diags)) return false;
    return carry_out(*run, planned, digest, *state, options, diags);
  }

  bool apply_saved(const std::string& path, const RunOptions& options, diag::Diagnostics& diags) {
    // Configuration that is here has to be readable, though of it only the encryption is
    // used: the backend is the one that the plan was made for.
    const auto here = load_root_module(asked_.run.change.configuration, world_, diags);
    if (!here || !set_up_encryption(*here, world_, diags)) return false;
    auto file = read_plan_file(path, encryptions(world_).plan(), diags);
    if (!file) return false;
    engine::Planned& planned = file->planned;
    if (planned.plan.errored) {
      diags.error("Incomplete plan")
          .detail("There were errors while this plan was made, so it cannot be applied.");
      return false;
    }
    PlanDigest digest(planned.plan);
    const auto backend = open_recorded(file->context.backend, options.files, world_, diags);
    if (!backend) return false;
    if (!check_same_providers(file->context, world_, diags)) return false;
    const auto run = prepare_saved_run(*file, options, world_, diags);
    if (!run) return false;
    auto state = open_run_state(*backend, file->context.workspace, "OperationTypeApply",
                                options.lock, world_, diags);
    if (!state || !check_not_stale(planned.prior, *state, diags)) return false;
    view_.saved_plan(planned.plan);
    return carry_out(*run, planned, digest, *state, options, diags);
  }

  void show(const plans::Plan& plan, const RunOptions& options) {
    view_.plan(plan, run_providers(world_), options.in_automation);
  }

  bool approve(const plans::Plan& plan, const RunState& state, diag::Diagnostics& diags) {
    if (verb_ == Verb::Refresh || asked_.auto_approve || !plan.applyable) {
      diags = without_checks(diags);
      return true;
    }
    view_.problems(diags);  // whoever decides should know of them
    diags.clear();
    const Approval approval = ask_for_approval(plan.mode, state.workspace, world_, diags);
    if (approval == Approval::Refused) {
      view_.message(plan.mode == plans::Mode::Destroy ? "Destroy cancelled." : "Apply cancelled.");
    }
    return approval == Approval::Given;
  }

  bool carry_out(PreparedRun& run, engine::Planned& planned, PlanDigest& digest, RunState& state,
                 const RunOptions& options, diag::Diagnostics& diags) {
    diag::Diagnostics found;
    tell_imports(planned.plan);
    const auto apply = [&] {
      if (verb_ == Verb::Refresh) return store_refreshed(planned, state, world_, found);
      const RunView::Live live(view_, planned.plan);
      return apply_and_store(run.for_apply(options, view_, stop_), planned, digest, state, world_,
                             found);
    };
    const state::State after = apply();
    const bool is_destroy = planned.plan.mode == plans::Mode::Destroy;
    if (is_destroy && !found.has_errors() && !asked_.suppress_forget_errors) {
      report_left_behind(planned.plan, found);
    }
    if (!planned.plan.targets.empty() || !planned.plan.excludes.empty()) {
      found.warning("Only a part was applied")
          .detail(
              "The plan was made with -target or -exclude, so that there may be more to do. \"tofu "
              "plan\" shows whether there is.");
    }
    const bool failed = found.has_errors();
    diags.take(std::move(found));
    view_.problems(diags);
    diags.clear();
    if (failed) return false;
    if (verb_ != Verb::Refresh) {
      view_.summary(verb_ == Verb::Destroy ? plans::Operation::Destroy : plans::Operation::Apply,
                    planned.plan);
    }
    if (verb_ != Verb::Destroy) view_.outputs(after);
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
  RunView& view_;
  World& world_;
  std::stop_token stop_ = world_.interrupts.token();
};

template <Verb kVerb>
int run_apply(const ApplyOptions& options, World& world) {
  const auto view = RunView::open(options.run, world);
  if (view == nullptr) return kExitError;
  diag::Diagnostics diags;
  const bool good = Applying(kVerb, options, *view, world).run(diags);
  view->problems(diags);
  return good ? kExitOk : kExitError;
}

}  // namespace

const Command kApplyCommand = {
    "apply",
    "Make everything as configured",
    "[options] [PLAN]",
    "Plans what has to change, shows it, and does it after you have approved. A saved plan is "
    "carried out as it is, without asking.",
    action<ApplyOptions, run_apply<Verb::Apply>>(),
    Completes::Files,
};

const Command kDestroyCommand = {
    "destroy",
    "Destroy everything that is in the state",
    "[options]",
    "Plans to destroy what the state has, shows it, and does it after you have approved. The same "
    "as \"tofu apply -destroy\".",
    action<ApplyOptions, run_apply<Verb::Destroy>>(),
};

const Command kRefreshCommand = {
    "refresh",
    "Bring the state up to date with what exists",
    "[options]",
    "Records in the state what was changed outside of OpenTofu, without asking. \"tofu apply "
    "-refresh-only\" shows it first.",
    action<ApplyOptions, run_apply<Verb::Refresh>>(),
};

}  // namespace tofu::commands
