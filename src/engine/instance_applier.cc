#include "engine/instance_applier.h"

#include <fmt/format.h>
#include <string>
#include <string_view>
#include <utility>

#include "base/uuid.h"
#include "engine/answers.h"
#include "engine/check_results.h"
#include "engine/lifecycle.h"
#include "eval/validation.h"
#include "plans/object_label.h"
#include "schema/changes.h"
#include "schema/consistency.h"
#include "schema/marks.h"

namespace tofu::engine {

namespace {

using plans::Action;
using value::Value;

std::string name_of_provider(const ConfiguredProvider& provider) {
  return provider.address().config.provider.to_string();
}

bool is_as_planned(const InstanceTask& task, const Change& now, diag::Diagnostics& diags) {
  const plans::ResourceChange& planned = *task.change;
  const bool became_nothing = planned.action == Action::Update && now.action == Action::NoOp;
  const bool is_second_half = plans::is_replace(planned.action) && now.action == Action::Create;
  if (planned.action != now.action && !became_nothing && !is_second_half) {
    diags.error("Provider produced inconsistent final plan")
        .detail(fmt::format("With the final values, the provider {} planned a different action for "
                            "{} than before. This is a bug in the provider.",
                            name_of_provider(*task.provider), task.address.to_string()));
    return false;
  }
  const schema::Unmarked then = schema::unmark(planned.after);
  const auto differences =
      schema::check_applied(task.schema->block, then.value, now.after.deep_unmarked(), then.marks);
  for (const value::PathError& difference : differences) {
    diags.error("Provider produced inconsistent final plan")
        .detail(fmt::format("With the final values, the provider {} planned different values for "
                            "{} than before: {}. This is a bug in the provider.",
                            name_of_provider(*task.provider), task.address.to_string(),
                            value::to_string(difference)));
  }
  return differences.empty();
}

// An answer that does not fit the schema is as good as none.
void check_readable(const InstanceTask& task, providers::ApplyAnswer& answer) {
  for (const value::PathError& misfit :
       schema::check_conforms(task.schema->block.implied_type(), answer.object)) {
    answer.is_lost = true;
    answer.problems.push_back(
        {diag::Severity::Error,
         "Provider returned invalid result object after apply",
         fmt::format("For {}, the provider {} returned an object that does not match its schema: "
                     "{}. This is a bug in the provider.",
                     task.address.to_string(), name_of_provider(*task.provider),
                     value::to_string(misfit)),
         {}});
  }
}

// How the current object makes way for the one that replaces it: with a key of its own until it
// is destroyed. Nothing after an error, or if nothing makes way.
std::optional<Displaced> displace(const InstanceTask& task, const ChangeRequest& wanted,
                                  diag::Diagnostics& diags) {
  if (task.change->action == Action::ForgetThenCreate) return Displaced{};
  if (!wanted.creates_first) return std::nullopt;
  const auto random = base::random_uuid();
  if (!random) {
    diags.error("Cannot assign a key to a deposed object").detail(random.error().what);
    return std::nullopt;
  }
  return Displaced{random->substr(0, 8)};
}

}  // namespace

diag::Checked<Value> final_arguments(const RunContext& run, eval::ObjectId row,
                                     const InstanceTask& task, const eval::ModuleScope& scope,
                                     diag::Diagnostics& diags) {
  Value arguments = run.program.row(row).body->evaluate(scope, diags);
  if (diags.has_errors()) return std::nullopt;
  // An object that cannot be stored would be lost once it exists.
  eval::check_storable(arguments, task.schema->block, task.config->config, task.address.to_string(),
                       diags);
  if (diags.has_errors()) return std::nullopt;
  if (arguments.wholly_known()) return arguments;
  diags.error("Configuration contains unknown value")
      .detail(
          fmt::format("The arguments of {} still contain unknown values, so it cannot be applied.",
                      task.address.to_string()))
      .at(task.config->range);
  return std::nullopt;
}

std::optional<LiveObject> InstanceApplier::accept(const InstanceTask& task, const LiveObject* prior,
                                                  const Change& change,
                                                  providers::ApplyAnswer answer,
                                                  diag::Diagnostics& diags) {
  const std::string address = task.address.to_string();
  const schema::Block& block = task.schema->block;
  const auto wrong = [&](std::string_view what) {
    diags.error("Provider returned invalid result object after apply")
        .detail(fmt::format("For {}, the provider {} returned {}. This is a bug in the provider.",
                            address, name_of_provider(*task.provider), what));
  };
  const bool deletes = change.action == Action::Delete;
  // An object that cannot be destroyed is not an error of the configuration of now.
  const syntax::Body* body = deletes ? nullptr : task.body();
  report(answer.problems, body, address, diags);
  const auto before = [&]() -> std::optional<LiveObject> {
    if (prior == nullptr) return std::nullopt;
    return *prior;
  };
  Value made = without_write_only({task.address, *task.provider, *task.schema},
                                  run_.schemas.write_only(block), answer.object, diags);
  if (!made.wholly_known()) {
    wrong("unknown values; they are stored as null");
    made = schema::unknown_as_null(made);
  }
  const schema::Unmarked planned = schema::unmark(change.after);
  if (!deletes && !diags.has_errors() && !answer.legacy_types) {
    for (const value::PathError& difference :
         schema::check_applied(block, planned.value, made, planned.marks)) {
      diags.error("Provider produced inconsistent result after apply")
          .detail(fmt::format("For {}, the provider {} returned a value that differs from the "
                              "plan: {}. This is a bug in the provider.",
                              address, name_of_provider(*task.provider),
                              value::to_string(difference)));
    }
  }
  if (!diags.has_errors() && deletes != made.is_null()) {
    wrong(deletes ? "an object, although it should have been destroyed"
                  : "no object, although it should not have been destroyed");
  }
  if (made.is_null()) return diags.has_errors() ? before() : std::nullopt;
  LiveObject object;
  object.value = schema::mark(made, planned.marks);
  // After an error it may be the object before the change, secrets included.
  if (diags.has_errors()) {
    object.value = schema::mark(object.value, schema::unmark(change.before).marks);
  }
  object.value = run_.schemas.marks(block).apply(object.value);
  object.private_data = std::move(answer.private_data);
  object.identity = std::move(answer.identity);
  object.tainted = diags.has_errors() && prior != nullptr && prior->tainted;
  if (prior != nullptr) object.unknown = prior->unknown;
  if (deletes && prior != nullptr) {
    object.dependencies = prior->dependencies;
    object.create_before_destroy = prior->create_before_destroy;
    object.skip_destroy = prior->skip_destroy;
  }
  return object;
}

// What was unknown when it was planned was not checked then.
tasks::Async<bool> InstanceApplier::validate(const tasks::Gate::Place& place,
                                             const InstanceTask& task, const Value& arguments,
                                             diag::Diagnostics& diags) {
  Value plain = arguments.deep_unmarked();
  auto answer = co_await run_.calls.ask<providers::Answer>(place, [&](auto done) {
    task.provider->provider().validate_resource(task.config->type, std::move(plain),
                                                std::move(done));
  });
  if (answer.problems.empty()) co_return true;
  report(answer.problems, &task.config->config, task.address.to_string(), diags);
  co_return !answer.has_errors();
}

// The change as the provider plans it now that everything is known. It has to agree with
// the first plan.
tasks::Async<diag::Checked<Change>> InstanceApplier::final_change(const tasks::Gate::Place& place,
                                                                  const InstanceTask& task,
                                                                  const ChangeRequest& wanted,
                                                                  diag::Diagnostics& diags) {
  auto change = co_await plan_change(wanted, ask_plan_of(task, run_.calls, &place), diags);
  if (!change || !is_as_planned(task, *change, diags)) co_return std::nullopt;
  // Mostly it is what the plan has, which stays in memory anyway.
  if (value::raw_equal(change->after, task.change->after)) change->after = task.change->after;
  co_return change;
}

// Asks the provider for the change. Its result is stored already.
tasks::Async<InstanceApplier::Result> InstanceApplier::call_provider(const Operation& operation,
                                                                     const Beginning& beginning,
                                                                     diag::Diagnostics& diags) {
  const InstanceTask& task = beginning.instance.task;
  const Change& change = beginning.change;
  const bool is_recorded =
      co_await journal_.begin(operation, task, change.private_data, beginning.displaced, diags);
  if (!is_recorded) co_return Result{};
  providers::ApplyRequest request;
  request.type = task.config->type;
  request.prior = change.before.deep_unmarked();
  request.planned = change.after.deep_unmarked();
  request.config = beginning.wanted.arguments.deep_unmarked();
  request.planned_private = change.private_data;
  request.planned_identity = change.identity;
  request.provider_meta = task.provider_meta;
  auto answer = co_await run_.calls.ask<providers::ApplyAnswer>(operation.place(), [&](auto done) {
    task.provider->provider().apply(std::move(request), std::move(done));
  });
  check_readable(task, answer);
  co_return co_await settle(beginning, std::move(answer), diags);
}

tasks::Async<InstanceApplier::Result> InstanceApplier::settle(const Beginning& beginning,
                                                              providers::ApplyAnswer answer,
                                                              diag::Diagnostics& diags) {
  const auto& [instance, wanted, change, displaced] = beginning;
  const InstanceTask& task = instance.task;
  const bool deposes = displaced && !displaced->deposed_key.empty();
  if (answer.is_lost) {
    const auto& current_again = deposes ? displaced : std::nullopt;
    // The instance has failed, whether or not that could be recorded.
    (void)co_await journal_.lose(task, change.action, current_again, std::move(answer), diags);
    Result unknown;
    if (wanted.prior != nullptr) unknown.object = *wanted.prior;
    co_return unknown;
  }
  Result result{accept(task, wanted.prior, change, std::move(answer), diags)};
  if (!result.object && deposes) {
    (void)co_await journal_.finish_with_displaced(task, *displaced, diags);  // likewise
    co_return result;
  }
  const bool is_new = change.action == Action::Create;
  ApplyJournal::Next next = ApplyJournal::Next::Nothing;
  if (result.object) {
    result.object->dependencies = instance.needs;
    result.object->create_before_destroy =
        wanted.creates_first || dependencies_.creates_first(instance.row);
    result.object->skip_destroy = keeps_objects(*task.config);
    // What came of a failed creation cannot be trusted.
    if (is_new && diags.has_errors()) result.object->tainted = true;
    if (is_new) next = provisioners_.next_of_new(task, *result.object);
  }
  const bool is_recorded = co_await journal_.finish(task, result.object, next, diags);
  result.ok = is_recorded && !diags.has_errors();
  co_return result;
}

tasks::Async<ApplyOutcome> InstanceApplier::make(const AppliedInstance& instance,
                                                 diag::Diagnostics& diags) {
  const InstanceTask& task = instance.task;
  const plans::ResourceChange& planned = *task.change;
  auto arguments = final_arguments(run_, instance.row, task, run_.scope(instance.scope), diags);
  if (!arguments) co_return ApplyOutcome{};
  auto place = co_await run_.calls.enter();
  if (!place) co_return ApplyOutcome{};
  const bool is_valid = co_await validate(*place, task, *arguments, diags);
  if (!is_valid) co_return ApplyOutcome{};
  // The old object of a replacement is gone or on its way out.
  std::optional<LiveObject> prior;
  if (!plans::is_replace(planned.action)) prior = stored_object(apply_, task);
  const BlockInfo& info = run_.schemas.info(task.schema->block);
  ChangeRequest wanted{task.address,
                       *task.config,
                       *task.schema,
                       info.marks,
                       info.write_only,
                       *task.provider,
                       prior ? &*prior : nullptr,
                       std::move(*arguments),
                       planned.action == Action::CreateThenDelete};
  if (planned.details != nullptr) wanted.planned_private = planned.details->private_data;
  const auto change = co_await final_change(*place, task, wanted, diags);
  if (!change) co_return ApplyOutcome{};
  if (change->action == Action::NoOp) co_return ApplyOutcome{change->after, true};
  if (!run_.cancellation.may_begin()) co_return ApplyOutcome{};
  co_return co_await carry_out(std::move(*place), instance, wanted, *change, diags);
}

tasks::Async<ApplyOutcome> InstanceApplier::carry_out(tasks::Gate::Place place,
                                                      const AppliedInstance& instance,
                                                      const ChangeRequest& wanted,
                                                      const Change& change,
                                                      diag::Diagnostics& diags) {
  const InstanceTask& task = instance.task;
  const bool only_marks =
      change.action == Action::Update &&
      schema::is_unchanged(change.before.deep_unmarked(), change.after.deep_unmarked());
  Beginning beginning{instance, wanted, change};
  if (!only_marks) beginning.displaced = displace(task, wanted, diags);
  if (diags.has_errors()) co_return ApplyOutcome{};
  Operation operation(std::move(place), run_.observers, {task.address}, change.action,
                      run_.schemas.label_or_name(task.schema->block, change.before));
  if (only_marks) co_return change_marks(operation, instance, wanted, change);
  co_return co_await change_object(operation, beginning, diags);
}

// What changes only in what is sensitive of it is changed in the state alone.
ApplyOutcome InstanceApplier::change_marks(Operation& operation, const AppliedInstance& instance,
                                           const ChangeRequest& wanted, const Change& change) {
  LiveObject object = *wanted.prior;
  object.value = change.after;
  object.dependencies = instance.needs;
  journal_.note(instance.task, *to_state(object, *instance.task.schema));
  operation.complete(plans::label_of(object.value));
  return {object.value, true};
}

tasks::Async<ApplyOutcome> InstanceApplier::change_object(Operation& operation,
                                                          const Beginning& beginning,
                                                          diag::Diagnostics& diags) {
  const auto& [instance, wanted, change, displaced] = beginning;
  Result result = co_await call_provider(operation, beginning, diags);
  if (result.ok && change.action == Action::Create) {
    result.ok = co_await provisioners_.run_for_new(
        operation, instance.task, run_.scope(instance.scope), *result.object, diags);
  }
  ApplyOutcome outcome{std::nullopt, result.ok};
  if (result.object) outcome.value = result.object->value;
  if (result.ok) {
    operation.complete(plans::label_of(*outcome.value));
  } else {
    operation.fail();
  }
  co_return outcome;
}

tasks::Async<void> InstanceApplier::destroy(const InstanceTask& task, const LiveObject& object,
                                            diag::Diagnostics& diags) {
  auto place = co_await run_.calls.enter();
  if (!place) co_return;
  Operation operation(std::move(*place), run_.observers, {task.address, task.deposed_key},
                      Action::Delete, run_.schemas.label_or_name(task.schema->block, object.value));
  const bool ok = co_await destroy_in(operation, task, object, diags);
  if (ok) {
    operation.complete();
  } else {
    operation.fail();
  }
}

// Whether the object is gone, and that recorded.
tasks::Async<bool> InstanceApplier::destroy_in(const Operation& operation, const InstanceTask& task,
                                               const LiveObject& object, diag::Diagnostics& diags) {
  const plans::ResourceChange& change = *task.change;
  const plans::ChangeDetails* details =
      plans::is_replace(change.action) ? nullptr : change.details.get();
  const Value before = object.value.deep_unmarked();
  const std::string planned_private =
      details != nullptr ? details->private_data : object.private_data;
  const bool is_provisioned =
      co_await provisioners_.run_before_destroy(operation, task, object, diags);
  if (!is_provisioned) co_return false;
  const bool is_recorded = co_await journal_.begin(operation, task, planned_private, {}, diags);
  if (!is_recorded) co_return false;
  const Value nothing = Value::null(before.type());
  providers::ApplyRequest request;
  request.type = task.address.object.resource.type;
  request.prior = before;
  request.planned = nothing;
  request.config = nothing;
  request.planned_private = planned_private;
  request.provider_meta = task.provider_meta;
  if (details != nullptr) request.planned_identity = details->identity_after;
  auto answer = co_await run_.calls.ask<providers::ApplyAnswer>(operation.place(), [&](auto done) {
    task.provider->provider().apply(std::move(request), std::move(done));
  });
  check_readable(task, answer);
  bool ok = false;
  if (answer.is_lost) {
    // The object stays in the state, whether or not the loss could be recorded.
    (void)co_await journal_.lose(task, Action::Delete, {}, std::move(answer), diags);
  } else {
    Change deletion;
    deletion.action = Action::Delete;
    deletion.before = object.value;
    deletion.after = nothing;
    const auto left = accept(task, &object, deletion, std::move(answer), diags);
    ok = co_await journal_.finish(task, left, ApplyJournal::Next::Nothing, diags);
  }
  apply_.changes.release_before(change);
  co_return ok && !diags.has_errors();
}

using addrs::CheckRuleKind;
using value::Value;

tasks::Async<std::optional<Value>> ReadApplier::read(eval::ObjectId row, const InstanceTask& task,
                                                     const eval::ModuleScope& scope,
                                                     diag::Diagnostics& diags) {
  const Value arguments = run_.program.row(row).body->evaluate(scope, diags);
  eval::check_storable(arguments, task.schema->block, task.config->config, task.address.to_string(),
                       diags);
  if (diags.has_errors()) co_return std::nullopt;
  diag::Diagnostics own;
  ReadSource source{task.address, *task.config, *task.schema, *task.provider, task.provider_meta};
  const schema::Unmarked plain = schema::unmark(arguments);
  auto result = co_await data_.read(std::move(source), plain, own);
  if (task.config->check.empty()) {
    diags.take(std::move(own));
  } else {
    const addrs::AbsCheck check{task.address.module, {task.config->check}};
    add_as_warnings(own, check, diags);
    // What the plan found is still what is stored.
    if (own.has_errors()) {
      run_.checks.report(check_row(run_.program, row), check, plans::CheckStatus::Fail,
                         failure_message(own));
      co_return without_result(*task.schema, plain);
    }
  }
  if (!result) co_return std::nullopt;
  // What the schema makes sensitive is not kept in the state as such.
  LiveObject object;
  object.value = schema::mark(result->deep_unmarked(), plain.marks);
  const state::Object* before = apply_.prior().object(task.address);
  if (before != nullptr) object.unknown = before->unknown();
  if (result->wholly_known()) {
    auto stored = to_state(object, *task.schema);
    if (stored) apply_.writer.note({task.address, {}, task.provider->address()}, *stored);
  }
  co_return result;
}

tasks::Async<std::optional<Value>> ReadApplier::open(eval::ObjectId row, InstanceTask task,
                                                     eval::InstanceScope scope,
                                                     diag::Diagnostics& diags) {
  const config::Resource& config = *task.config;
  const eval::ModuleScope outside = run_.scope(scope);
  const bool holds =
      !has_conditions(config) ||
      check_rules({config.preconditions, CheckRuleKind::ResourcePrecondition, row, task.address},
                  outside, run_.checks, diags);
  if (!holds) co_return std::nullopt;
  task.provider = providers_.of_resource(row, task.address, outside, diags);
  if (task.provider == nullptr) co_return std::nullopt;
  const auto arguments = final_arguments(run_, row, task, outside, diags);
  if (!arguments) co_return std::nullopt;
  ReadSource source{task.address, config, *task.schema, *task.provider};
  schema::Unmarked plain = schema::unmark(*arguments);
  auto opened = co_await ephemerals_.open(row, std::move(source), std::move(plain), diags);
  if (!opened || config.postconditions.empty()) co_return opened;
  scope.self = &config;
  scope.self_value = *opened;
  (void)check_rules(
      {config.postconditions, CheckRuleKind::ResourcePostcondition, row, task.address},
      run_.scope(std::move(scope)), run_.checks, diags);
  co_return opened;
}

}  // namespace tofu::engine
