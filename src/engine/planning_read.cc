#include <utility>

#include "engine/lifecycle.h"
#include "engine/planning.h"
#include "schema/marks.h"
#include "schema/proposed.h"

namespace tofu::engine {

namespace {

using addrs::CheckRuleKind;
using plans::Action;
using plans::ActionReason;
using value::Value;

}  // namespace

eval::Standing Planning::standing_at(const ResourcePart& part, std::size_t position) const {
  eval::Standing standing(program().object(part.row).module, part.module);
  part.cell->expansion.place(standing, position);
  return standing;
}

std::optional<Planning::Asked> Planning::evaluate_asked(const ResourcePart& part,
                                                        const InstanceTask& task,
                                                        const eval::Names& scope,
                                                        diag::Diagnostics& diags) {
  const config::Resource& config = *task.config;
  if (has_conditions(config)) {
    const Rules rules{config.preconditions, CheckRuleKind::ResourcePrecondition, task.address,
                      rule_severity()};
    if (!judge(rules, scope, diags)) return std::nullopt;
  }
  const Value arguments = program().row(part.row).body->evaluate(scope, diags);
  if (diags.has_errors() || !are_kept_well(arguments, task, diags)) return std::nullopt;
  Asked asked{schema::unmark(arguments)};
  asked.is_known = asked.arguments.value.wholly_known();
  return asked;
}

// What is known of something that is read later.
Value Planning::deferred(const ResourcePart& part, const schema::Unmarked& arguments) {
  return schema::mark(schema::planned_data(part.schema->block, arguments.value), arguments.marks);
}

void Planning::judge_read(const InstanceTask& task, eval::Standing standing, const Value& result,
                          diag::Diagnostics& diags) {
  if (task.config->postconditions.empty()) return;
  standing.self = task.config;
  standing.self_value = result;
  judge({task.config->postconditions, CheckRuleKind::ResourcePostcondition, task.address,
         rule_severity()},
        names_at(std::move(standing)), diags);
}

Async<void> Planning::data_instance(ResourcePart& part, std::size_t position,
                                    diag::Diagnostics& diags) {
  const config::Resource& config = resource_at(part.row);
  const eval::Standing standing = standing_at(part, position);
  const eval::Names scope = names_at(standing);
  InstanceTask task = task_of(part, part.cell->expansion.key(position));
  if (!part.filter.includes(task.address.object.key)) {
    co_return leave_as_it_is(part, position, task);
  }
  if (!set_provider(task, provider_of(part.row, scope, diags), diags)) co_return;
  const auto asked = evaluate_asked(part, task, scope, diags);
  if (!asked) co_return;
  const bool is_refresh_only = options_.mode == plans::Mode::RefreshOnly;
  Value result;
  ActionReason reason = ActionReason::None;
  if (!asked->is_known || part.has_pending) {
    if (is_refresh_only) {
      // It is read later, and a plan that only refreshes has no later: there is no such object.
      forget_stored(task);
      judge_read(task, standing, part.cell->values[position], diags);
      co_return;
    }
    if (!asked->is_known) {
      reason = ActionReason::ReadBecauseConfigUnknown;
    } else {
      reason = ActionReason::ReadBecauseDependencyPending;
    }
    result = deferred(part, asked->arguments);
  } else {
    diag::Diagnostics own;
    Source source{task.address, config, *part.schema, *task.provider, task.provider_meta};
    auto read = co_await read_data(std::move(source), asked->arguments, own);
    if (!config.check.empty()) {
      const addrs::AbsCheck check{part.address.module, {config.check}};
      reason = ActionReason::ReadBecauseCheckNested;
      if (own.has_errors()) {
        checks_.report(check, plans::CheckStatus::Fail, own.items().front().summary);
        note_data(task, without_result(*part.schema, asked->arguments), asked->arguments.marks,
                  diags);
        read = schema::mark(schema::planned_data(part.schema->block, asked->arguments.value),
                            asked->arguments.marks);
      }
      add_as_warnings(own, check, diags);
    } else {
      diags.take(std::move(own));
    }
    if (!read) co_return;
    result = std::move(*read);
    if (result.wholly_known()) note_data(task, result, asked->arguments.marks, diags);
  }
  if (reason != ActionReason::None && !is_refresh_only) {
    plans::ResourceChange change = change_of(task);
    change.action = Action::Read;
    change.reason = reason;
    change.before = Value::null(part.schema->block.implied_type());
    change.after = result;
    note_change(part, position, task, std::move(change));
    if (reason != ActionReason::ReadBecauseCheckNested) forget_stored(task);
  }
  // Who refers to it sees what is sensitive of it, also where it is not read yet. The plan of
  // reading it says only what is sensitive of its arguments.
  result = schema_marks(part.schema->block).apply(result);
  set_value(part, position, result);
  judge_read(task, standing, result, diags);
}

// Opened in the plan, too, because providers and others may need it there. Nothing of it is
// kept: whoever applies the plan opens it again.
Async<void> Planning::ephemeral_instance(ResourcePart& part, std::size_t position,
                                         diag::Diagnostics& diags) {
  const eval::Standing standing = standing_at(part, position);
  const eval::Names scope = names_at(standing);
  InstanceTask task = task_of(part, part.cell->expansion.key(position));
  Value& result = part.cell->values[position];
  result = schema::unknown_value(part.schema->block);
  part.instances[position].exists = true;
  if (!part.filter.includes(task.address.object.key)) co_return;
  task.provider = provider_of(part.row, scope, diags);
  if (task.provider == nullptr) co_return;
  const auto asked = evaluate_asked(part, task, scope, diags);
  if (!asked) co_return;
  if (!asked->is_known || part.has_pending) {
    if (options_.mode == plans::Mode::RefreshOnly) {
      part.instances[position].exists = false;  // there is no later, as with what is read
    } else {
      result = schema_marks(part.schema->block).apply(deferred(part, asked->arguments));
      inputs_.events.on(plans::EphemeralDeferred{{task.address},
                                                 asked->is_known
                                                     ? plans::DeferReason::PendingDependencies
                                                     : plans::DeferReason::UnknownConfig});
    }
  } else {
    Source source{task.address, *task.config, *part.schema, *task.provider};
    auto opened = co_await open_ephemeral(part.row, std::move(source), asked->arguments, diags);
    if (!opened) co_return;
    result = std::move(*opened);
  }
  judge_read(task, standing, result, diags);
}

}  // namespace tofu::engine
