#include "engine/cells.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "eval/shape.h"

namespace tofu::engine {

using value::Value;

Cells::Cells(const eval::Program& program)
    : program_(program), modules_(program.modules.size()), objects_(program.objects.size()) {}

void Cells::expand(config::ModuleId module, std::vector<Expansion> expansions) {
  const config::TreeNode& node = program_.node(module);
  ModuleCells& cells = modules_[module.index];
  cells.is_expanded = true;
  if (!node.parent) {
    cells.rows.push_back({});
    return;
  }
  for (std::uint32_t parent = 0; parent < expansions.size(); ++parent) {
    auto call = std::make_unique<Call>();
    call->expansion = std::move(expansions[parent]);
    call->first = static_cast<std::uint32_t>(cells.rows.size());
    const addrs::ModuleInstance& around = instance(*node.parent, {parent}).address;
    for (std::uint32_t i = 0; i < call->expansion.size(); ++i) {
      cells.rows.push_back(
          {{parent}, i, &call->expansion, around.child(node.call->name, call->expansion.key(i))});
    }
    cells.calls.push_back(std::move(call));
  }
}

std::optional<eval::ModuleInstanceId> Cells::find(const addrs::ModuleInstance& address) const {
  config::ModuleId module;
  eval::ModuleInstanceId at;
  if (modules_[0].rows.empty()) return std::nullopt;
  for (const addrs::ModuleStep& step : address.steps) {
    const auto child = program_.node(module).children.find(step.name);
    if (child == program_.node(module).children.end()) return std::nullopt;
    const ModuleCells& cells = modules_[child->second.index];
    if (at.index >= cells.calls.size()) return std::nullopt;
    const Call& call = *cells.calls[at.index];
    const auto position = call.expansion.find(step.key);
    if (!position) return std::nullopt;
    module = child->second;
    at = {call.first + static_cast<std::uint32_t>(*position)};
  }
  return at;
}

void Cells::open(eval::ObjectId object) {
  const std::size_t instances = modules_[program_.object(object).module.index].rows.size();
  ObjectCells& cells = objects_[object.index];
  if (program_.object(object).kind == eval::ObjectKind::Resource) {
    cells.resources.resize(instances);
  } else {
    cells.values.assign(instances, Value::unknown());
    if (program_.object(object).kind == eval::ObjectKind::Output) {
      cells.are_set.assign(instances, false);
    }
  }
}

void Cells::set(eval::ObjectId object, eval::ModuleInstanceId module, Value v) {
  ObjectCells& cells = objects_[object.index];
  cells.values[module.index] = std::move(v);
  if (!cells.are_set.empty()) cells.are_set[module.index] = true;
}

bool Cells::is_set(eval::ObjectId output, eval::ModuleInstanceId module) const {
  const std::vector<bool>& are_set = objects_[output.index].are_set;
  return module.index < are_set.size() && are_set[module.index];
}

ResourceCell& Cells::open_resource(eval::ObjectId object, eval::ModuleInstanceId module,
                                   Expansion expansion) {
  auto cell = std::make_unique<ResourceCell>();
  cell->expansion = std::move(expansion);
  cell->values.assign(cell->expansion.size(), Value::unknown());
  auto& place = objects_[object.index].resources[module.index];
  place = std::move(cell);
  return *place;
}

const ResourceCell* Cells::resource(eval::ObjectId object, eval::ModuleInstanceId module) const {
  const auto& resources = objects_[object.index].resources;
  return module.index < resources.size() ? resources[module.index].get() : nullptr;
}

VisibleInstances see_existing(const config::Repetition& repetition,
                              std::vector<ExistingInstance> instances, const value::Type& type) {
  VisibleInstances seen;
  if (repetition.count != nullptr) {
    for (ExistingInstance& one : instances) {
      if (one.key.number() == nullptr || *one.key.number() < 0) continue;
      const auto position = static_cast<std::size_t>(*one.key.number());
      if (position >= seen.values.size()) seen.values.resize(position + 1, Value::unknown(type));
      seen.values[position] = std::move(one.value);
    }
    seen.expansion = Expansion::counted(seen.values.size());
  } else if (repetition.for_each != nullptr) {
    std::map<std::string, Value> by_key;
    for (ExistingInstance& one : instances) {
      if (one.key.text() != nullptr) by_key.insert_or_assign(*one.key.text(), std::move(one.value));
    }
    std::vector<value::Attr> keys;
    for (auto& [key, v] : by_key) {
      keys.push_back({key, Value()});
      seen.values.push_back(std::move(v));
    }
    seen.expansion = Expansion::over(Value::object(std::move(keys)));
  } else {
    const auto only = std::ranges::find_if(
        instances, [](const ExistingInstance& one) { return one.key.is_none(); });
    const bool exists = only != instances.end();
    if (repetition.enabled != nullptr) seen.expansion = Expansion::enabled(exists);
    if (exists) {
      seen.values.push_back(std::move(only->value));
    } else if (repetition.enabled == nullptr) {
      seen.values.push_back(Value::unknown(type));
    }
  }
  return seen;
}

Value Cells::of(eval::ModuleInstanceId module, eval::ObjectId object) const {
  if (program_.object(object).kind != eval::ObjectKind::Resource) {
    const auto& values = objects_[object.index].values;
    return module.index < values.size() ? values[module.index] : Value::unknown();
  }
  const ResourceCell* cell = resource(object, module);
  if (cell == nullptr) return Value::unknown();
  cell->built.call([&] {
    const Expansion& expansion = cell->seen ? cell->seen->expansion : cell->expansion;
    const schema::Block* schema = program_.row(object).block();
    const bool is_disabled = expansion.by() == Expansion::By::Enabled && expansion.size() == 0;
    cell->whole = is_disabled && schema != nullptr
                      ? Value::null(schema->implied_type())
                      : expansion.assemble(cell->seen ? cell->seen->values : cell->values);
  });
  return cell->whole;
}

std::optional<Value> Cells::of_instance(eval::ModuleInstanceId module, eval::ObjectId object,
                                        const Value& key) const {
  const ResourceCell* cell = resource(object, module);
  if (cell == nullptr) return std::nullopt;
  const Expansion& expansion = cell->seen ? cell->seen->expansion : cell->expansion;
  const auto position = expansion.find(key);
  if (!position) return std::nullopt;
  return cell->seen ? cell->seen->values[*position] : cell->values[*position];
}

Value Cells::outputs_of(config::ModuleId module, std::uint32_t instance) const {
  const eval::ModuleRows& rows = program_.modules[module.index];
  std::vector<value::Attr> outputs;
  for (const config::Output& output : program_.node(module).module->outputs) {
    const eval::ObjectId row{rows.first.index + rows.shape->row_of(&output)};
    outputs.push_back({output.name, of({instance}, row)});
  }
  return Value::object(std::move(outputs));
}

Value Cells::of_call(eval::ModuleInstanceId caller, config::ModuleId called) const {
  const ModuleCells& cells = modules_[called.index];
  if (caller.index >= cells.calls.size()) return Value::unknown();
  const Call& call = *cells.calls[caller.index];
  call.built.call([&] {
    std::vector<Value> values;
    for (std::uint32_t i = 0; i < call.expansion.size(); ++i) {
      values.push_back(outputs_of(called, call.first + i));
    }
    call.whole = call.expansion.assemble(std::move(values));
  });
  return call.whole;
}

std::optional<Value> Cells::of_output(eval::ModuleInstanceId caller, eval::ObjectId output,
                                      const Value* key) const {
  const ModuleCells& cells = modules_[program_.object(output).module.index];
  if (caller.index >= cells.calls.size()) return Value::unknown();
  const Call& call = *cells.calls[caller.index];
  const bool repeated =
      call.expansion.by() == Expansion::By::Count || call.expansion.by() == Expansion::By::ForEach;
  if (repeated != (key != nullptr)) return std::nullopt;
  const auto position =
      key == nullptr ? call.expansion.find(addrs::InstanceKey()) : call.expansion.find(*key);
  if (!position) return std::nullopt;
  return of({call.first + static_cast<std::uint32_t>(*position)}, output);
}

}  // namespace tofu::engine
