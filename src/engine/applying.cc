#include "engine/applying.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "base/memory.h"
#include "base/overloaded.h"
#include "engine/lifecycle.h"
#include "engine/program_rows.h"
#include "schema/consistency.h"
#include "value/json.h"
#include "value/marks.h"

namespace tofu::engine {

namespace {

using addrs::CheckRuleKind;
using eval::ObjectId;
using plans::Action;
using value::Value;

state::CheckStatus in_state(plans::CheckStatus status) {
  switch (status) {
    case plans::CheckStatus::Unknown: return state::CheckStatus::Unknown;
    case plans::CheckStatus::Pass: return state::CheckStatus::Pass;
    case plans::CheckStatus::Fail: return state::CheckStatus::Fail;
    case plans::CheckStatus::Error: return state::CheckStatus::Error;
  }
  return state::CheckStatus::Unknown;
}

state::CheckKind kind_of(const addrs::ConfigCheckable& address) {
  return std::visit(
      base::Overloaded{
          [](const addrs::ConfigResource&) { return state::CheckKind::Resource; },
          [](const addrs::ConfigOutputValue&) { return state::CheckKind::Output; },
          [](const addrs::ConfigCheck&) { return state::CheckKind::Check; },
          [](const addrs::ConfigInputVariable&) { return state::CheckKind::Variable; },
      },
      address);
}

std::vector<state::CheckResult> in_state(const std::vector<plans::CheckedObject>& checks) {
  std::vector<state::CheckResult> made;
  for (const plans::CheckedObject& object : checks) {
    state::CheckResult result{kind_of(object.address), addrs::to_string(object.address),
                              in_state(object.status)};
    for (const plans::CheckedInstance& one : object.instances) {
      result.objects.push_back({addrs::to_string(one.address), in_state(one.status), one.problems});
    }
    made.push_back(std::move(result));
  }
  return made;
}

// As many bytes of the state are made before memory is given back.
constexpr std::size_t kGivenBack = std::size_t{32} << 20;

Async<void> nothing() { co_return; }

}  // namespace

const plans::ResourceChange* ResourceChanges::find(const addrs::InstanceKey& key) const {
  const auto found = current.find(key);
  return found == current.end() ? nullptr : found->second;
}

Applying::Applying(const RunInputs& inputs, const Planned& planned,
                   std::vector<plans::ResourceChange>* spent, StateWriter& writer)
    : Pass(inputs),
      planned_(planned),
      spent_(spent),
      writer_(writer),
      referred_(referred_rows(inputs.program)),
      works_(find_work()),
      facts_(inputs.program, without_work()),
      removed_(*inputs.program.tree),
      order_(execution_order(inputs.program, planned.plan, planned.prior)) {
  const plans::Plan& plan = planned.plan;
  for (const plans::ResourceChange& change : plan.changes) {
    const plans::ResourceRow& row = plan.addresses[change.resource];
    const addrs::AbsResource address{plan.addresses[row.module], row.resource};
    ResourceChanges& changes = changes_[address.to_string()];
    if (change.deposed().empty()) changes.current.emplace(change.key, &change);
    if (change.action == Action::Forget) {
      facts_.note_undeclared(addrs::ConfigResource{address.module.path(), address.object});
    }
  }
  open_rows_.resize(program().objects.size());
  checks_.plan(plan.checks);
  choose_rows();
}

// What the plan left out is not evaluated now, and neither is what nobody asks for.
void Applying::choose_rows() {
  const plans::Plan& plan = planned_.plan;
  if (plan.mode == plans::Mode::Destroy) {
    const DestroyTargeting destroyed(planned_.prior, {plan.targets, plan.excludes});
    return leave_out(unneeded_to_destroy(program(), planned_.prior, destroyed));
  }
  const Targeting targeting(program(), planned_.prior, {plan.targets, plan.excludes});
  AppliedRows rows = targeting.is_everything() ? rows_to_apply(program(), works_)
                                               : rows_to_apply_part(program(), works_, targeting);
  expanded_ = std::move(rows.expanded);
  std::vector<bool>& unneeded = rows.unneeded;
  // A part that is only refreshed has nothing that outputs could be made of anew.
  if (!targeting.is_everything() && plan.mode == plans::Mode::RefreshOnly) {
    unneeded.assign(unneeded.size(), true);
  }
  // Whoever looks at the values may ask for any of them.
  for (std::uint32_t row = 0; inputs_.inspect && row < unneeded.size(); ++row) {
    if (is_value(program().objects[row])) unneeded[row] = false;
  }
  leave_out(std::move(unneeded));
}

// Whether an object is a value that expressions have of it, and evaluating it is all that
// there is to do. Outputs of the root are kept in the state, so they are more than that.
bool Applying::is_value(const eval::Object& object) const {
  switch (object.kind) {
    case eval::ObjectKind::ModuleStart:
    case eval::ObjectKind::Argument:
    case eval::ObjectKind::Variable:
    case eval::ObjectKind::Local:
    case eval::ObjectKind::Resource: return true;
    case eval::ObjectKind::Output: return !program().node(object.module).path.is_root();
    case eval::ObjectKind::Provider:
    case eval::ObjectKind::Check:
    case eval::ObjectKind::Import:
    case eval::ObjectKind::ModuleEnd: return false;
  }
  return false;
}

std::vector<bool> Applying::without_work() const {
  std::vector<bool> without = works_;
  without.flip();
  return without;
}

// Which resources have something to be done: made, changed, read, or rules to be judged
// once more.
std::vector<bool> Applying::find_work() const {
  const plans::Plan& plan = planned_.plan;
  std::vector<bool> works(program().objects.size());
  std::vector<std::optional<std::optional<ObjectId>>> rows(plan.addresses.resource_count());
  for (const plans::ResourceChange& change : plan.changes) {
    if (!change.deposed().empty()) continue;
    if (change.action == Action::Delete || change.action == Action::Forget) continue;
    auto& row = rows[change.resource.index];
    if (!row) {
      const plans::ResourceRow& resource = plan.addresses[change.resource];
      row = resource_row(program(), {plan.addresses[resource.module].path(), resource.resource});
    }
    if (!*row) continue;
    const config::Resource& config = resource_at(**row);
    if (change.action != Action::NoOp || has_conditions(config)) {
      works[(*row)->index] = true;
    }
  }
  for (std::uint32_t row = 0; row < works.size(); ++row) {
    if (program().objects[row].kind != eval::ObjectKind::Resource) continue;
    if (resource_at({row}).mode == addrs::ResourceMode::Ephemeral) works[row] = true;
  }
  return works;
}

const ResourceChanges* Applying::changes_of(const addrs::AbsResource& address) const {
  const auto found = changes_.find(address.to_string());
  return found == changes_.end() ? nullptr : &found->second;
}

Async<bool> Applying::resource(ObjectId row, diag::Diagnostics& diags) {
  const eval::Object& object = program().object(row);
  const std::size_t modules = cells_.instances(object.module).size();
  if (!works_[row.index]) {
    for (std::uint32_t module = 0; module < modules; ++module) {
      show_stored(row, {module});
      note_begun(row, {module});
    }
    co_return true;
  }
  if (!order_.is_made_in_steps(row)) {
    open_row(row, diags);
    co_await instances(row, Which::All, diags);
  }
  const plans::Plan& plan = planned_.plan;
  // Nothing ephemeral is in the state, so it is seen as it was opened.
  const bool is_ephemeral = resource_at(row).mode == addrs::ResourceMode::Ephemeral;
  if (!is_ephemeral && (!plan.complete || plan.mode != plans::Mode::Normal)) {
    for (std::uint32_t module = 0; module < modules; ++module) {
      ResourceCell* cell = open_rows_[row.index]->cells[module];
      if (cell != nullptr) show_what_exists(row, {module}, *cell);
    }
  }
  co_return !diags.has_errors();
}

// Finds the instances of a row, whose values are unknown so far.
void Applying::open_row(ObjectId row, diag::Diagnostics& diags) {
  const config::ModuleId module = program().object(row).module;
  const config::Resource& config = resource_at(row);
  const std::size_t modules = cells_.instances(module).size();
  cells_.open(row);
  OpenRow& open = open_rows_[row.index].emplace();
  open.needs = facts_.dependencies(row);
  open.cells.resize(modules);
  for (std::uint32_t i = 0; i < modules; ++i) {
    auto expansion = expand(config.repetition, names(module, {i}), diags);
    if (!expansion) continue;
    open.cells[i] = &cells_.open_resource(row, {i}, std::move(*expansion));
    note_begun(row, {i});
  }
  if (has_conditions(config)) {
    checks_.expanded(addrs::ConfigResource{program().node(module).path, config.address()});
  }
}

Async<void> Applying::instances(ObjectId row, Which which, diag::Diagnostics& diags) {
  const OpenRow& open = *open_rows_[row.index];
  for (std::uint32_t module = 0; module < open.cells.size(); ++module) {
    ResourceCell* cell = open.cells[module];
    if (cell == nullptr) continue;
    const ResourceChanges* changes = changes_of(address_of(row, {module}));
    const auto has_step = [&](std::size_t position) {
      if (which == Which::All || changes == nullptr) return false;
      const plans::ResourceChange* change = changes->find(cell->expansion.key(position));
      return change != nullptr && makes(change->action);
    };
    co_await for_each(
        cell->values.size(),
        [&](std::size_t i, diag::Diagnostics& own) {
          if (has_step(i)) return nothing();
          return instance({row, {module}, cell, i, changes, &open.needs}, own);
        },
        diags);
  }
}

Async<void> Applying::make_step(const plans::ResourceChange& change, diag::Diagnostics& diags) {
  const plans::Plan& plan = planned_.plan;
  const plans::ResourceRow& resource = plan.addresses[change.resource];
  const addrs::ModuleInstance& address = plan.addresses[resource.module];
  const auto row = resource_row(program(), {address.path(), resource.resource});
  const auto module = cells_.find(address);
  if (!row || !module) co_return;
  const OpenRow& open = *open_rows_[row->index];
  ResourceCell* cell = open.cells[module->index];
  const auto position = cell == nullptr ? std::nullopt : cell->expansion.find(change.key);
  if (!position) co_return;
  const Place place{*row,       *module, cell, *position, changes_of({address, resource.resource}),
                    &open.needs};
  co_await instance(place, diags);
  name_blocks(*row, diags);
}

bool Applying::set_provider(Task& task, ConfiguredProvider* provider, diag::Diagnostics& diags) {
  task.provider = provider;
  if (provider == nullptr) return false;
  auto meta = provider_meta(task.address, *provider, diags);
  if (!meta) return false;
  task.provider_meta = std::move(*meta);
  return true;
}

Async<void> Applying::instance(Place place, diag::Diagnostics& diags) {
  const config::Resource& config = resource_at(place.row);
  const config::ModuleId module = program().object(place.row).module;
  eval::Standing standing(module, place.module);
  place.cell->expansion.place(standing, place.position);
  const eval::Names scope = names_at(standing);
  Task task;
  const addrs::InstanceKey key = place.cell->expansion.key(place.position);
  task.address = addrs::instance_of(address_of(place.row, place.module), key);
  task.config = &config;
  task.change = place.changes == nullptr ? nullptr : place.changes->find(key);
  task.schema = schema_of(place.row);
  if (config.mode == addrs::ResourceMode::Ephemeral) {
    co_await ephemeral(task, place, std::move(standing), diags);
    co_return;
  }
  // What goes is the business of the nodes that destroy, and no condition holds that up.
  if (task.change != nullptr &&
      (task.change->action == Action::Delete || task.change->action == Action::Forget)) {
    co_return;
  }
  Value& result = place.cell->values[place.position];
  const addrs::Checkable checkable = task.address;
  // Where nothing was planned there is nothing to hold back.
  const bool has_rules = task.change != nullptr;
  if (has_rules && has_conditions(config)) {
    const bool holds =
        judge({config.preconditions, CheckRuleKind::ResourcePrecondition, checkable}, scope, diags);
    if (!holds) co_return;
  }
  if (task.change == nullptr || task.change->action == Action::NoOp) {
    result = value_in_state(task);
  } else {
    if (!set_provider(task, provider_of(place.row, scope, diags), diags)) {
      co_return;
    }
    std::optional<Value> made;
    if (task.change->action == Action::Read) {
      made = co_await read(task, scope, place.row, diags);
    } else {
      made = co_await make(task, scope, place, diags);
    }
    if (!made) co_return;
    result = std::move(*made);
  }
  if (has_rules && !config.postconditions.empty()) {
    standing.self = &config;
    standing.self_value = result;
    judge({config.postconditions, CheckRuleKind::ResourcePostcondition, checkable},
          names_at(std::move(standing)), diags);
  }
  if (task.change != nullptr) let_go_of_made(place, *task.change);
}

// The change as it can be written to; null if its values are kept.
plans::ResourceChange* Applying::spent(const plans::ResourceChange& change) const {
  if (spent_ == nullptr) return nullptr;
  return &(*spent_)[static_cast<std::size_t>(&change - planned_.plan.changes.data())];
}

// What was made is in the state, as text. Its value is needed only by those who refer to it.
void Applying::let_go_of_made(const Place& place, const plans::ResourceChange& change) {
  plans::ResourceChange* gone = spent(change);
  if (gone == nullptr) return;
  gone->after = {};
  // The old object of a replacement is destroyed by a node of its own.
  if (!plans::is_replace(change.action)) gone->before = {};
  if (!is_read(place.row)) {
    place.cell->values[place.position] = Value::unknown(type_of(schema_of(place.row)));
  }
  // The plan was mostly made by another thread than the texts that come in its place.
  if (stored_bytes_ < kGivenBack || stored_bytes_.exchange(0) < kGivenBack) return;
  base::give_back_freed();
}

// A resource that nothing is done about is as the state has it. What nobody looks at need not
// be made a value of.
void Applying::show_stored(ObjectId row, eval::ModuleInstanceId module) {
  ResourceCell& cell = cells_.open_resource(row, module, Expansion::counted(0));
  if (is_read(row)) show_what_exists(row, module, cell);
}

// Where only a part was planned, or nothing, expressions see the objects there are.
void Applying::show_what_exists(ObjectId row, eval::ModuleInstanceId module, ResourceCell& cell) {
  const addrs::AbsResource address = address_of(row, module);
  const config::Resource& config = resource_at(row);
  const ResourceChanges* changes = changes_of(address);
  const state::Resource* stored = planned_.prior.resource(address);
  const schema::ResourceSchema* schema =
      stored == nullptr ? nullptr : find_schema(stored->provider().provider, address.object);
  std::vector<ExistingInstance> instances;
  for (std::size_t i = 0; i < cell.expansion.size(); ++i) {
    const addrs::InstanceKey key = cell.expansion.key(i);
    const bool is_planned = changes != nullptr && changes->find(key) != nullptr;
    if (is_planned || planned_.prior.object(addrs::instance_of(address, key)) != nullptr) {
      instances.push_back({key, cell.values[i]});
    }
  }
  if (stored != nullptr && schema != nullptr) {
    stored->for_each([&](const state::Instance& instance) {
      if (instance.current() == nullptr || cell.expansion.find(instance.key())) return;
      const auto* change = changes == nullptr ? nullptr : changes->find(instance.key());
      if (change != nullptr && change->action != Action::NoOp) return;
      instances.push_back({instance.key(), stored_value(*instance.current(), *schema)});
    });
  }
  cell.seen = see_existing(config.repetition, std::move(instances), type_of(schema));
}

// What the plan found, which is what it is still.
Value Applying::value_in_state(const Task& task) {
  if (task.change != nullptr) return task.change->after;
  const state::Object* object = planned_.prior.object(task.address);
  if (object == nullptr || task.schema == nullptr) return Value::unknown();
  return stored_value(*object, *task.schema);
}

Async<std::optional<Value>> Applying::read(const Task& task, const eval::Names& scope, ObjectId row,
                                           diag::Diagnostics& diags) {
  const Value arguments = program().row(row).body->evaluate(scope, diags);
  if (diags.has_errors()) co_return std::nullopt;
  diag::Diagnostics own;
  Source source{task.address, *task.config, *task.schema, *task.provider, task.provider_meta};
  const schema::Unmarked plain = schema::unmark(arguments);
  auto result = co_await read_data(std::move(source), plain, own);
  if (task.config->check.empty()) {
    diags.take(std::move(own));
    if (!result) co_return std::nullopt;
  } else {
    const addrs::AbsCheck check{task.address.module, {task.config->check}};
    add_as_warnings(own, check, diags);
    // What the plan found is still what is stored.
    if (own.has_errors()) {
      checks_.report(check, plans::CheckStatus::Fail, own.items().front().summary);
      co_return without_result(*task.schema, plain);
    }
  }
  // What the schema makes sensitive is not kept in the state as such.
  LiveObject object;
  object.value = schema::mark(result->deep_unmarked(), plain.marks);
  if (result->wholly_known()) {
    if (auto stored = to_state(object, *task.schema)) writer_.note(task.operand(), *stored);
  }
  co_return result;
}

void Applying::root_output(const config::Output& output, const Value& v) {
  // What was known when it was planned is what was agreed to, even if a function of a provider
  // says something else by now.
  const auto& outputs = planned_.plan.outputs;  // sorted by name
  const auto planned =
      std::ranges::lower_bound(outputs, output.name, {}, &plans::OutputChange::name);
  const bool was_known = planned != outputs.end() && planned->name == output.name &&
                         planned->action != Action::Delete && planned->after.wholly_known();
  const std::lock_guard lock(mutex_);
  outputs_.insert_or_assign(output.name, was_known ? planned->after : v);
}

// A resource of which there is nothing yet.
void Applying::note_begun(ObjectId row, eval::ModuleInstanceId module) {
  if (expanded_.empty() || !expanded_[row.index]) return;
  if (resource_at(row).mode == addrs::ResourceMode::Ephemeral) return;
  addrs::AbsResource address = address_of(row, module);
  if (planned_.prior.resource(address) != nullptr) return;
  const std::lock_guard lock(mutex_);
  begun_.emplace(std::move(address), address_of_provider(row));
}

// In OpenTofu a resource has an entry in the state as soon as its instances are found out. One
// that has none goes at the end of a run without errors, and before that when a provider says
// that nothing was made, or the last is destroyed.
void Applying::keep_begun() {
  for (const auto& [address, provider] : begun_) {
    if (!left_empty_.contains(address)) writer_.keep_entry(address, provider);
  }
}

// What was read is not destroyed, but not kept, either.
void Applying::forget_data() {
  const DestroyTargeting targeting(planned_.prior, {planned_.plan.targets, planned_.plan.excludes});
  for (const state::Resource* resource : planned_.prior.resources()) {
    if (resource->address().object.mode != addrs::ResourceMode::Data) continue;
    resource->for_each([&](const state::Instance& instance) {
      const auto address = addrs::instance_of(resource->address(), instance.key());
      if (targeting.has(address)) writer_.note({address, {}, resource->provider_of(instance)}, {});
    });
  }
}

void Applying::end(bool failed) {
  if (planned_.plan.mode == plans::Mode::Destroy) {
    forget_data();
  } else if (failed) {
    keep_begun();
  }
  const config::Module& root = *program().tree->root().module;
  for (const plans::OutputChange& change : planned_.plan.outputs) {
    if (change.action == Action::Delete) writer_.set_output(change.name, std::nullopt);
  }
  if (planned_.plan.mode != plans::Mode::Destroy) {
    for (const auto& [name, v] : outputs_) {
      const config::Output* output = root.outputs.find(name);
      Value plain = v.deep_unmarked();
      // An output that is null is not there.
      if (plain.is_null()) {
        writer_.set_output(name, std::nullopt);
        continue;
      }
      // Only what was not made by this plan is unknown still.
      if (!plain.wholly_known()) plain = schema::unknown_as_null(plain);
      writer_.set_output(
          name, state::Output{plain, output->is_sensitive(), output->deprecated.value_or("")});
    }
  }
  // Nothing is evaluated anew by a plan that only refreshes.
  const bool is_refresh = planned_.plan.mode == plans::Mode::RefreshOnly;
  writer_.set_checks(in_state(is_refresh ? planned_.plan.checks : checks_.results()));
}

void Applying::run_to_end(diag::Diagnostics& diags) {
  report_cycles(order_, program(), planned_.plan, diags);
  if (diags.has_errors()) return;
  if (has_ephemerals()) choose_ephemerals();
  run(diags);
  end(diags.has_errors());
  let_inspect(diags);
}

state::State apply_plan(const RunInputs& inputs, const Planned& planned, StateWriter& writer,
                        diag::Diagnostics& diags) {
  Applying(inputs, planned, nullptr, writer).run_to_end(diags);
  return writer.snapshot();
}

state::State apply_and_spend(const RunInputs& inputs, Planned& planned, StateWriter& writer,
                             diag::Diagnostics& diags) {
  Applying(inputs, planned, &planned.plan.changes, writer).run_to_end(diags);
  return writer.snapshot();
}

}  // namespace tofu::engine
