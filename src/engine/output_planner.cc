#include "engine/output_planner.h"

#include <utility>

#include "eval/outputs.h"
#include "eval/shape.h"
#include "schema/consistency.h"
#include "value/operations.h"

namespace tofu::engine {

using plans::Action;
using value::Value;

bool OutputPlanner::keep(const config::Output& output, const Value& v, diag::Diagnostics& diags) {
  // A test that only plans inspects the values; no state has to hold them.
  if (!run_.inputs.inspect && !eval::check_storable(output, v, diags)) return false;
  const std::lock_guard lock(mutex_);
  outputs_.insert_or_assign(output.name, v);
  return true;
}

void OutputPlanner::refresh(state::State& prior) const {
  if (plan_.destroys()) return;
  if (plan_.only_imports()) prior.outputs.clear();
  for (const auto& [name, v] : outputs_) {
    Value plain = v.deep_unmarked();
    if (!plain.wholly_known()) {
      if (!plan_.only_imports()) continue;
      plain = schema::unknown_as_null(plain);
    } else if (plain.is_null()) {
      prior.outputs.erase(name);
      continue;
    }
    const config::Output* output = run_.program.tree->root().module->outputs.find(name);
    prior.outputs.insert_or_assign(
        name, state::Output{plain, output->is_sensitive(), output->deprecated.value_or("")});
  }
}

void OutputPlanner::plan_changes(plans::Plan& plan) const {
  const auto& before = plan_.previous().outputs;
  const config::Module& root = *run_.program.tree->root().module;
  const bool destroys = plan_.destroys();
  if (destroys && !plan_.destroy_targeting.is_everything()) return;
  std::map<std::string, plans::OutputChange> made;
  for (const config::Output& output : root.outputs) {
    const auto now = outputs_.find(output.name);
    if (now == outputs_.end() || destroys) continue;
    plans::OutputChange change;
    change.name = output.name;
    const auto old = before.find(output.name);
    const bool was_there = old != before.end();
    change.before = was_there ? old->second.value : Value();
    change.after = now->second.deep_unmarked();
    const bool was_sensitive = was_there && old->second.sensitive;
    const bool same_words =
        output.deprecated.value_or("") == (was_there ? old->second.deprecated : "");
    change.sensitive = output.is_sensitive() || was_sensitive;
    const Value same = value::equals(change.before, change.after);
    const bool is_same = was_there && same.is_known() && same.unmarked().as_bool() &&
                         was_sensitive == output.is_sensitive() && same_words;
    // An output that is null is not stored.
    const bool stays_away = change.before.is_null() && change.after.is_null() && same_words;
    change.action = is_same || stays_away ? Action::NoOp
                    : was_there           ? Action::Update
                                          : Action::Create;
    if (change.action == Action::NoOp) change.after = change.before;  // a null has no type
    made.emplace(output.name, std::move(change));
  }
  for (const auto& [name, old] : before) {
    if (!destroys && !plan_.targeting.is_everything()) break;  // who knows what else is missing
    if (made.contains(name) || (root.outputs.find(name) != nullptr && !destroys)) continue;
    made.emplace(name,
                 plans::OutputChange{name, Action::Delete, old.sensitive, old.value, Value()});
  }
  for (auto& [name, change] : made) plan.outputs.push_back(std::move(change));
}

std::vector<ModuleOutput> OutputPlanner::module_outputs() const {
  std::vector<ModuleOutput> found;
  for (std::uint32_t module = 1; module < run_.program.modules.size(); ++module) {
    const eval::ModuleRows& rows = run_.program.modules[module];
    for (const config::Output& output : rows.shape->module().outputs) {
      const eval::ObjectId row{rows.first.index + rows.shape->row_of(&output)};
      if (!plan_.rows.has(row) || !run_.cells.is_open(row)) continue;
      for (std::uint32_t i = 0; i < run_.cells.instances({module}).size(); ++i) {
        if (!run_.cells.is_set(row, {i})) continue;
        const bool has_value = !run_.cells.of({i}, row).unmarked().is_null() || output.deprecated;
        if (has_value) found.push_back({run_.cells.instance({module}, {i}).address, &output});
      }
    }
  }
  return found;
}

void OutputPlanner::expect_checks() const {
  if (!plan_.destroys() || !plan_.destroy_targeting.is_everything()) return;
  const eval::ModuleRows& rows = run_.program.modules[0];
  std::vector<plans::CheckedObject> expected;
  std::vector<std::uint32_t> expected_rows;
  for (const config::Output& output : run_.program.tree->root().module->outputs) {
    plans::CheckedObject checked{
        addrs::ConfigOutputValue{{}, {output.name}}, plans::CheckStatus::Unknown, {}};
    const addrs::AbsOutputValue address{{}, {output.name}};
    checked.instances.push_back({address, plans::CheckStatus::Unknown, {}});
    expected.push_back(std::move(checked));
    expected_rows.push_back(rows.first.index + rows.shape->row_of(&output));
  }
  run_.checks.plan(expected, expected_rows);
}

}  // namespace tofu::engine
