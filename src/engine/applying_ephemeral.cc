#include <utility>

#include "engine/applying.h"
#include "engine/lifecycle.h"
#include "engine/order_nodes.h"
#include "engine/program_rows.h"
#include "engine/targets.h"

namespace tofu::engine {

namespace {

using addrs::CheckRuleKind;
using eval::ObjectId;
using eval::ObjectKind;

}  // namespace

// Whether something is evaluated in a row that others do not only pass on.
bool Applying::has_work(ObjectId row) const {
  const eval::Object& object = program().object(row);
  if (planned_.plan.mode == plans::Mode::Destroy) return false;
  switch (object.kind) {
    case ObjectKind::Resource: {
      const config::Resource& config = resource_at(row);
      if (config.mode == addrs::ResourceMode::Ephemeral) return false;
      return has_conditions(config);
    }
    case ObjectKind::Output: return program().node(object.module).path.is_root();
    case ObjectKind::Check: return true;
    case ObjectKind::ModuleStart:
    case ObjectKind::Argument:
    case ObjectKind::Variable:
    case ObjectKind::Local:
    case ObjectKind::Provider:
    case ObjectKind::Import:
    case ObjectKind::ModuleEnd: return false;
  }
  return false;
}

// Ephemeral resources are opened where something has to be done that needs them: what is
// changed or read, or the configuration of a provider.
void Applying::choose_ephemerals() {
  const plans::Plan& plan = planned_.plan;
  std::vector<std::uint32_t> users;
  for (std::uint32_t row = 0; row < program().objects.size(); ++row) {
    if (used_providers()[row] || has_work({row})) users.push_back(row);
  }
  std::vector<bool> seen(plan.addresses.resource_count());
  for (const plans::ResourceChange& change : plan.changes) {
    if (!makes(change.action) || seen[change.resource.index]) continue;
    seen[change.resource.index] = true;
    const plans::ResourceRow& resource = plan.addresses[change.resource];
    const auto row =
        resource_row(program(), {plan.addresses[resource.module].path(), resource.resource});
    if (row) users.push_back(row->index);
  }
  needed_.resize(program().objects.size());
  for (const std::uint32_t row : facts_.reached(std::move(users))) needed_[row] = true;
  if (plan.mode == plans::Mode::Destroy) return;
  const Targeting targeting(program(), planned_.prior, {plan.targets, plan.excludes});
  for (std::uint32_t row = 0; row < needed_.size(); ++row) {
    if (!targeting.has({row})) needed_[row] = false;
  }
}

Async<void> Applying::ephemeral(const Task& task, const Place& place, eval::Standing standing,
                                diag::Diagnostics& diags) {
  const config::Resource& config = *task.config;
  value::Value& result = place.cell->values[place.position];
  result = schema::unknown_value(task.schema->block);
  if (!needed_[place.row.index]) co_return;
  const eval::Names scope = names_at(standing);
  if (has_conditions(config)) {
    const Rules rules{config.preconditions, CheckRuleKind::ResourcePrecondition, task.address};
    if (!judge(rules, scope, diags)) co_return;
  }
  ConfiguredProvider* provider = provider_of(place.row, scope, diags);
  if (provider == nullptr) co_return;
  const auto arguments = final_arguments(task, scope, place.row, diags);
  if (!arguments) co_return;
  Source source{task.address, config, *task.schema, *provider};
  schema::Unmarked plain = schema::unmark(*arguments);
  auto opened = co_await open_ephemeral(place.row, std::move(source), std::move(plain), diags);
  if (!opened) co_return;
  result = std::move(*opened);
  if (config.postconditions.empty()) co_return;
  standing.self = &config;
  standing.self_value = result;
  judge({config.postconditions, CheckRuleKind::ResourcePostcondition, task.address},
        names_at(std::move(standing)), diags);
}

}  // namespace tofu::engine
