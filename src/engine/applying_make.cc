#include <fmt/format.h>
#include <utility>

#include "base/uuid.h"
#include "engine/answers.h"
#include "engine/applying.h"
#include "engine/lifecycle.h"
#include "plans/object_label.h"
#include "schema/changes.h"
#include "schema/consistency.h"

namespace tofu::engine {

namespace {

using eval::ObjectId;
using plans::Action;
using value::Value;

state::Action in_journal(Action action) {
  if (action == Action::Update) return state::Action::Update;
  return action == Action::Delete ? state::Action::Delete : state::Action::Create;
}

std::string name_of_provider(const ConfiguredProvider& provider) {
  return provider.address.config.provider.to_string();
}

}  // namespace

// Whether all that is done is to change the state: then nothing can be lost that would have to
// be found again, and nobody waits for the disk.
bool Applying::is_only_recorded(const Task& task) const {
  if (!task.provider->provider->capabilities().objects_are_records) return false;
  if (task.config != nullptr) return task.config->provisioners.empty();
  const auto removal = removed_.find(addrs::config_of(task.address));
  return !removal || removal->provisioners->empty();
}

Async<bool> Applying::begin(const Task& task, Action action, const std::string& private_data,
                            diag::Diagnostics& diags) {
  if (journal_failed_) co_return false;
  if (is_only_recorded(task)) co_return true;
  const auto safe = co_await asking<base::Result<void>>(executor_, [&](auto done) {
    writer_.begin(task.operand(), in_journal(action), private_data, std::move(done));
  });
  if (safe) co_return true;
  if (!journal_failed_.exchange(true)) {
    diags.error("Journal cannot be written")
        .detail(fmt::format("Nothing more is begun, because what happens could be lost: {}.",
                            safe.error().what));
  }
  co_return false;
}

Async<void> Applying::finish(const Task& task, const std::optional<LiveObject>& object,
                             diag::Diagnostics& diags) {
  state::Object stored;
  if (object && object->is_there()) {
    auto made = to_state(*object, *task.schema);
    if (!made) {
      diags.error("Provider returned invalid result object after apply")
          .detail(fmt::format("{} cannot be stored: {}. This is a bug in the provider.",
                              task.address.to_string(), made.error().what));
      co_return;
    }
    stored = std::move(*made);
    stored_bytes_ += stored.text().size();
  } else if (planned_.plan.mode != plans::Mode::Destroy) {
    const std::lock_guard lock(mutex_);
    left_empty_.insert(addrs::resource_of(task.address));
  }
  if (is_only_recorded(task)) co_return writer_.note(task.operand(), std::move(stored));
  const auto safe = co_await asking<base::Result<void>>(executor_, [&](auto done) {
    writer_.finish(task.operand(), std::move(stored), std::move(done));
  });
  if (!safe && !journal_failed_.exchange(true)) {
    diags.error("Journal cannot be written")
        .detail(fmt::format("Nothing more is begun, because what happens could be lost: {}.",
                            safe.error().what));
  }
}

bool Applying::is_as_planned(const Task& task, const Change& now, diag::Diagnostics& diags) const {
  const plans::ResourceChange& planned = *task.change;
  const bool became_nothing = planned.action == Action::Update && now.action == Action::NoOp;
  const bool is_second_half = plans::is_replace(planned.action) && now.action == Action::Create;
  if (planned.action != now.action && !became_nothing && !is_second_half) {
    diags.error("Provider produced inconsistent final plan")
        .detail(fmt::format("With the values that are known now, the provider {} wants another "
                            "action for {} than was planned. This is a bug in the provider.",
                            name_of_provider(*task.provider), task.address.to_string()));
    return false;
  }
  const auto differences = schema::check_applied(task.schema->block, planned.after.deep_unmarked(),
                                                 now.after.deep_unmarked());
  for (const value::PathError& difference : differences) {
    diags.error("Provider produced inconsistent final plan")
        .detail(fmt::format("With the values that are known now, the provider {} planned something "
                            "else for {} than before: {}. This is a bug in the provider.",
                            name_of_provider(*task.provider), task.address.to_string(),
                            value::to_string(difference)));
  }
  return differences.empty();
}

std::optional<LiveObject> Applying::accept(const Task& task, const LiveObject* prior,
                                           const Change& change, providers::ApplyAnswer answer,
                                           diag::Diagnostics& diags) {
  const std::string address = task.address.to_string();
  const schema::Block& block = task.schema->block;
  const auto wrong = [&](std::string_view what) {
    diags.error("Provider returned invalid result object after apply")
        .detail(fmt::format("For {}, the provider {} answered {}. This is a bug in the provider.",
                            address, name_of_provider(*task.provider), what));
  };
  const bool deletes = change.action == Action::Delete;
  // What cannot be destroyed is not the fault of what is written now.
  const bool has_place = task.config != nullptr && !deletes;
  report(answer.problems, has_place ? &task.config->config : nullptr, address, diags);
  const auto before = [&]() -> std::optional<LiveObject> {
    if (prior == nullptr) return std::nullopt;
    return *prior;
  };
  bool fits = true;
  for (const value::PathError& misfit :
       schema::check_conforms(block.implied_type(), answer.object)) {
    fits = false;
    wrong(fmt::format("something that does not fit its schema: {}", value::to_string(misfit)));
  }
  if (!fits) return before();
  Value made = without_write_only({task.address, *task.provider, *task.schema}, write_only(block),
                                  answer.object, diags);
  if (!made.wholly_known()) {
    wrong("with something that is still unknown; it is stored as null");
    made = schema::unknown_as_null(made);
  }
  if (!deletes && !diags.has_errors() && !answer.legacy_types) {
    for (const value::PathError& difference :
         schema::check_applied(block, change.after.deep_unmarked(), made)) {
      diags.error("Provider produced inconsistent result after apply")
          .detail(fmt::format("For {}, the provider {} produced another value than was planned: "
                              "{}. This is a bug in the provider.",
                              address, name_of_provider(*task.provider),
                              value::to_string(difference)));
    }
  }
  if (!diags.has_errors() && deletes != made.is_null()) {
    wrong(deletes ? "with an object although it was to be destroyed"
                  : "that there is nothing although it was not to be destroyed");
  }
  if (made.is_null()) return diags.has_errors() ? before() : std::nullopt;
  LiveObject object;
  object.value = schema_marks(block).apply(schema::mark(made, schema::unmark(change.after).marks));
  object.private_data = std::move(answer.private_data);
  object.identity = std::move(answer.identity);
  object.tainted = diags.has_errors() && prior != nullptr && prior->tainted;
  if (deletes && prior != nullptr) {
    object.dependencies = prior->dependencies;
    object.create_before_destroy = prior->create_before_destroy;
    object.skip_destroy = prior->skip_destroy;
  }
  return object;
}

// The arguments, of which everything is known by now. Nothing if and only if an error was
// added.
std::optional<Value> Applying::final_arguments(const Task& task, const eval::Names& scope,
                                               ObjectId row, diag::Diagnostics& diags) const {
  Value arguments = program().row(row).body->evaluate(scope, diags);
  if (diags.has_errors()) return std::nullopt;
  if (arguments.wholly_known()) return arguments;
  diags.error("Configuration contains unknown value")
      .detail(fmt::format("Something in the arguments of {} is still unknown, so it cannot be "
                          "applied.",
                          task.address.to_string()))
      .at(task.config->range);
  return std::nullopt;
}

// What was unknown when it was planned was not checked then.
Async<bool> Applying::validate(const Task& task, const Value& arguments, diag::Diagnostics& diags) {
  Value plain = arguments.deep_unmarked();
  auto answer = co_await ask<providers::Answer>([&](auto done) {
    task.provider->provider->validate_resource(task.config->type, std::move(plain),
                                               std::move(done));
  });
  if (answer.problems.empty()) co_return true;
  report(answer.problems, &task.config->config, task.address.to_string(), diags);
  co_return !answer.has_errors();
}

// The current object makes room for the one that replaces it. Nothing if and only if an
// error was added; otherwise the key that it has now.
std::optional<std::string> Applying::depose(const Task& task, diag::Diagnostics& diags) {
  const auto random = base::random_uuid();
  if (!random) {
    diags.error("No key for a deposed object").detail(random.error().what);
    return std::nullopt;
  }
  std::string key = random->substr(0, 8);
  writer_.depose(task.operand(), key);
  const std::lock_guard lock(mutex_);
  deposed_[task.address] = key;
  return key;
}

// The change as the provider plans it now that everything is known. Nothing if and only if an
// error was added: it has to be what was planned before.
Async<std::optional<Change>> Applying::final_change(const Task& task, const Wanted& wanted,
                                                    diag::Diagnostics& diags) {
  auto change = co_await plan_change(
      wanted,
      [&](providers::PlanRequest request) {
        request.provider_meta = task.provider_meta;
        return ask<providers::PlanAnswer>([&, request = std::move(request)](auto done) mutable {
          task.provider->provider->plan(std::move(request), std::move(done));
        });
      },
      diags);
  if (!change || !is_as_planned(task, *change, diags)) co_return std::nullopt;
  // Mostly it is what the plan has, which stays in memory anyway.
  if (value::raw_equal(change->after, task.change->after)) change->after = task.change->after;
  co_return change;
}

// What there is after the provider was asked for the change; stored already. Nothing if there is
// nothing.
Async<std::optional<LiveObject>> Applying::carry_out(const Task& task, const Wanted& wanted,
                                                     const Change& change, const Place& place,
                                                     diag::Diagnostics& diags) {
  providers::ApplyRequest request;
  request.type = task.config->type;
  request.prior = change.before.deep_unmarked();
  request.planned = change.after.deep_unmarked();
  request.config = wanted.arguments.deep_unmarked();
  request.planned_private = change.private_data;
  request.planned_identity = change.identity;
  request.provider_meta = task.provider_meta;
  auto answer = co_await ask<providers::ApplyAnswer>(
      [&](auto done) { task.provider->provider->apply(std::move(request), std::move(done)); });
  auto made = accept(task, wanted.prior, change, std::move(answer), diags);
  if (made) {
    made->dependencies = *place.needs;
    made->create_before_destroy = wanted.creates_first || facts_.creates_first(place.row);
    made->skip_destroy = keeps_objects(*task.config);
    // What came of a failed creation cannot be trusted.
    if (change.action == Action::Create && diags.has_errors()) made->tainted = true;
  }
  co_await finish(task, made, diags);
  co_return made;
}

Async<std::optional<Value>> Applying::make(const Task& task, const eval::Names& scope,
                                           const Place& place, diag::Diagnostics& diags) {
  const plans::ResourceChange& planned = *task.change;
  auto arguments = final_arguments(task, scope, place.row, diags);
  if (!arguments) co_return std::nullopt;
  const bool is_valid = co_await validate(task, *arguments, diags);
  if (!is_valid) co_return std::nullopt;
  // The old object of a replacement is gone or on its way out.
  std::optional<LiveObject> prior;
  if (!plans::is_replace(planned.action)) prior = stored(task);
  const Wanted wanted{task.address,
                      *task.config,
                      *task.schema,
                      schema_marks(task.schema->block),
                      write_only(task.schema->block),
                      *task.provider,
                      prior ? &*prior : nullptr,
                      std::move(*arguments),
                      planned.action == Action::CreateThenDelete};
  const auto change = co_await final_change(task, wanted, diags);
  if (!change) co_return std::nullopt;
  if (change->action == Action::NoOp) co_return change->after;

  std::string deposed_key;
  if (wanted.creates_first) {
    const auto key = depose(task, diags);
    if (!key) co_return std::nullopt;
    deposed_key = *key;
  } else if (planned.action == Action::ForgetThenCreate) {
    writer_.note(task.operand(), {});
  }
  const Value before = change->before.deep_unmarked();
  const bool only_marks = change->action == Action::Update &&
                          schema::is_unchanged(before, change->after.deep_unmarked());
  if (only_marks) {
    prior->value = change->after;
    prior->dependencies = *place.needs;
    writer_.note(task.operand(), *to_state(*prior, *task.schema));
    co_return prior->value;
  }
  const bool may_begin = co_await begin(task, change->action, change->private_data, diags);
  if (!may_begin) co_return std::nullopt;
  const plans::Subject subject{task.address};
  inputs_.events.on(plans::ApplyStart{subject, change->action, plans::label_or_name_of(before)});
  const Ticker::Id ticking = tick(subject, change->action, plans::label_or_name_of(before));
  auto made = co_await carry_out(task, wanted, *change, place, diags);
  if (made && change->action == Action::Create && !diags.has_errors()) {
    const bool went_well = co_await provision(task, scope, *made, diags);
    if (!went_well) {
      made->tainted = true;
      co_await finish(task, made, diags);
    }
  }
  const auto elapsed = ticker_.ended(ticking);
  if (diags.has_errors()) {
    inputs_.events.on(plans::ApplyErrored{subject, change->action, elapsed});
    if (wanted.creates_first && !made) writer_.restore(task.operand(), deposed_key);
    co_return std::nullopt;
  }
  inputs_.events.on(plans::ApplyComplete{subject, change->action,
                                         plans::label_of(made->value.deep_unmarked()), elapsed});
  co_return made->value;
}

}  // namespace tofu::engine
