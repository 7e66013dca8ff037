#include "engine/changing.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <utility>

#include "engine/answers.h"
#include "engine/lifecycle.h"
#include "schema/changes.h"
#include "schema/checks.h"
#include "schema/consistency.h"
#include "schema/marks.h"
#include "schema/proposed.h"
#include "value/json.h"
#include "value/operations.h"

namespace tofu::engine {

namespace {

using plans::Action;
using plans::ActionReason;
using value::Value;

schema::IgnoredChanges ignored_changes(const config::Resource& resource) {
  schema::IgnoredChanges made;
  made.all = resource.ignore_all_changes;
  for (const syntax::Traversal& traversal : resource.ignore_changes) {
    made.paths.push_back(schema::path_of(traversal));
  }
  return made;
}

// Write-only arguments may be ephemeral. Of these nothing is kept, so nothing that is kept is.
std::vector<schema::PathMarks> lasting(std::vector<schema::PathMarks> marks) {
  for (schema::PathMarks& one : marks) one.marks = one.marks.without_ephemeral();
  std::erase_if(marks, [](const schema::PathMarks& one) { return one.marks.empty(); });
  return marks;
}

class ChangePlanner {
 public:
  ChangePlanner(const ChangeRequest& wanted, const AskPlan& ask, diag::Diagnostics& diags)
      : wanted_(wanted), block_(wanted.schema.block), ask_(ask), diags_(diags) {}

  tasks::Async<std::optional<Change>> plan();

 private:
  tasks::Async<std::optional<providers::PlanAnswer>> ask(const Value& prior, const Value& config,
                                                         std::string private_data, Value identity,
                                                         bool again);
  bool accept(const providers::PlanAnswer& answer, const Value& prior, const Value& config);
  bool keeps_secrets(const Value& planned);
  bool has_errors(const std::vector<value::PathError>& errors);
  void decide(const Value& prior, const Value& planned);
  bool is_storable();
  tasks::Async<bool> plan_new_object();

  const ChangeRequest& wanted_;
  const schema::Block& block_;
  const AskPlan& ask_;
  diag::Diagnostics& diags_;
  std::vector<schema::PathMarks> marks_;  // of the arguments
  bool replaces_write_only_ = false;
  Change change_;
};

bool ChangePlanner::has_errors(const std::vector<value::PathError>& errors) {
  for (const value::PathError& error : errors) {
    diags_.error("Provider produced invalid plan")
        .detail(fmt::format(
            "The provider {} planned an invalid value for {}: {}. This is a bug in the provider, "
            "which should be reported to its authors.",
            wanted_.provider.address().config.provider.to_string(), wanted_.address.to_string(),
            value::to_string(error)));
  }
  return !errors.empty();
}

// Whether the plan would keep a write-only value, which is reported as an error.
bool ChangePlanner::keeps_secrets(const Value& planned) {
  const std::size_t before = diags_.error_count();
  (void)without_write_only({wanted_.address, wanted_.provider, wanted_.schema}, wanted_.write_only,
                           planned, diags_);
  return diags_.error_count() != before;
}

bool ChangePlanner::accept(const providers::PlanAnswer& answer, const Value& prior,
                           const Value& config) {
  if (has_errors(schema::check_conforms(block_.implied_type(), answer.planned))) return false;
  if (keeps_secrets(answer.planned)) return false;
  // Providers of the legacy type system cannot keep all promises.
  if (answer.legacy_types) return true;
  if (schema::check_planned(block_, prior, config, answer.planned).empty()) return true;
  // Once more, for words without the values that are sensitive.
  std::vector<schema::PathMarks> hidden = marks_;
  if (wanted_.prior != nullptr) {
    std::ranges::move(schema::unmark(wanted_.prior->value).marks, std::back_inserter(hidden));
  }
  return !has_errors(schema::check_planned(block_, prior, config, answer.planned, hidden));
}

tasks::Async<std::optional<providers::PlanAnswer>> ChangePlanner::ask(const Value& prior,
                                                                      const Value& config,
                                                                      std::string private_data,
                                                                      Value identity, bool again) {
  providers::PlanRequest request;
  request.type = wanted_.config.type;
  request.prior = prior;
  request.proposed = schema::proposed_new(block_, prior, config);
  request.config = config;
  request.prior_private = std::move(private_data);
  request.prior_identity = std::move(identity);
  if (!again) request.planned_private = wanted_.planned_private;
  auto answer = co_await ask_(std::move(request));
  // The warnings of a second request were reported after the first.
  if (!answer.problems.empty() && (!again || answer.has_errors())) {
    report(answer.problems, &wanted_.config.config, wanted_.address.to_string(), diags_);
  }
  if (answer.has_errors()) co_return std::nullopt;
  co_return std::move(answer);
}

// Chooses the action, by what changed.
void ChangePlanner::decide(const Value& prior, const Value& planned) {
  const auto replace = [&] {
    change_.action = wanted_.creates_first ? Action::CreateThenDelete : Action::DeleteThenCreate;
    if (wanted_.is_forced) {
      change_.reason = ActionReason::ReplaceByRequest;
    } else if (!change_.replace_paths.empty()) {
      change_.reason = ActionReason::ReplaceBecauseCannotUpdate;
    }
  };
  const bool is_forced = wanted_.is_forced || wanted_.is_triggered;
  if (prior.is_null()) {
    change_.action = Action::Create;
  } else if (replaces_write_only_) {
    replace();
  } else if (!is_forced && schema::is_unchanged(prior, planned)) {
    change_.action = Action::NoOp;
  } else if (is_forced || !change_.replace_paths.empty()) {
    replace();
  } else {
    change_.action = Action::Update;
  }
}

// Whether a state can hold the object, which may be larger than its arguments: it would be lost
// once it exists. If not, that is an error.
bool ChangePlanner::is_storable() {
  if (change_.action == Action::NoOp) return true;
  const auto problem = value::json_problem(change_.after);
  if (!problem) return true;
  const std::string address = wanted_.address.to_string();
  diags_.error("Object cannot be stored")
      .detail(fmt::format("The state cannot store the planned values of the provider {} for {}: "
                          "{}. Change its arguments.",
                          wanted_.provider.address().config.provider.to_string(), address,
                          value::to_string(*problem)))
      .at(schema::place_of(wanted_.config.config, problem->path))
      .about(address);
  return false;
}

// The object that takes the place of the old one begins with nothing.
tasks::Async<bool> ChangePlanner::plan_new_object() {
  const Value nothing = Value::null(block_.implied_type());
  const Value config = wanted_.arguments.deep_unmarked();
  std::string private_data = change_.private_data;
  Value no_identity;
  auto answer =
      co_await ask(nothing, config, std::move(private_data), std::move(no_identity), true);
  if (!answer) co_return false;
  if (has_errors(schema::check_conforms(block_.implied_type(), answer->planned))) co_return false;
  if (keeps_secrets(answer->planned)) co_return false;
  change_.after = wanted_.schema_marks.apply(schema::mark(answer->planned, marks_));
  change_.private_data = std::move(answer->planned_private);
  change_.identity = std::move(answer->planned_identity);
  co_return true;
}

tasks::Async<std::optional<Change>> ChangePlanner::plan() {
  const bool is_tainted = wanted_.prior != nullptr && wanted_.prior->tainted;
  const bool has_prior = wanted_.prior != nullptr && !is_tainted;
  Value marked_prior = has_prior ? wanted_.prior->value : Value::null(block_.implied_type());
  const Value prior = marked_prior.deep_unmarked();
  const schema::IgnoredChanges ignored = ignored_changes(wanted_.config);
  Value kept = wanted_.arguments;
  if (!ignored.empty()) {
    kept = schema::with_ignored_changes(ignored, marked_prior, kept,
                                        schema::computed_only_attributes(block_));
  }
  schema::Unmarked config = schema::unmark(kept);
  marks_ = lasting(std::move(config.marks));

  std::string private_data;
  Value identity;
  if (has_prior) {
    private_data = wanted_.prior->private_data;
    identity = wanted_.prior->identity;
  }
  auto answer =
      co_await ask(prior, config.value, std::move(private_data), std::move(identity), false);
  if (!answer || !accept(*answer, prior, config.value)) co_return std::nullopt;
  Value planned = answer->planned;
  if (answer->legacy_types) {
    planned = schema::with_ignored_changes(ignored, prior, planned);
  }
  change_.after = wanted_.schema_marks.apply(schema::mark(planned, marks_));
  change_.private_data = std::move(answer->planned_private);
  change_.identity = std::move(answer->planned_identity);
  schema::Replacing replacing =
      schema::changes_that_replace(block_, prior, planned, answer->requires_replace);
  for (const value::Path& path : replacing.nowhere) {
    (void)has_errors({{path, "it requires replacement, but the attribute does not exist"}});
  }
  if (!replacing.nowhere.empty()) co_return std::nullopt;
  change_.replace_paths = std::move(replacing.changed);
  replaces_write_only_ = replacing.write_only;
  decide(prior, planned);
  if (plans::is_replace(change_.action)) {
    const bool ok = co_await plan_new_object();
    if (!ok) co_return std::nullopt;
  }
  if (change_.action == Action::Create && is_tainted) {
    change_.action = wanted_.creates_first ? Action::CreateThenDelete : Action::DeleteThenCreate;
    change_.reason = ActionReason::ReplaceBecauseTainted;
    marked_prior = wanted_.prior->value;
  }
  if (plans::is_replace(change_.action) && keeps_objects(wanted_.config)) {
    change_.action = Action::ForgetThenCreate;
  }
  if (change_.action == Action::NoOp &&
      !schema::same_sensitive_parts(marked_prior, change_.after)) {
    change_.action = Action::Update;
  }
  if (!is_storable()) co_return std::nullopt;
  if (wanted_.is_triggered) change_.reason = ActionReason::ReplaceByTriggers;
  change_.before = std::move(marked_prior);
  co_return std::move(change_);
}

}  // namespace

tasks::Async<diag::Checked<Change>> plan_change(const ChangeRequest& wanted, AskPlan ask,
                                                diag::Diagnostics& diags) {
  ChangePlanner changing(wanted, ask, diags);
  co_return co_await changing.plan();
}

}  // namespace tofu::engine
