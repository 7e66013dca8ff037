#include "engine/cells.h"

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
  }
}

void Cells::set(eval::ObjectId object, eval::ModuleInstanceId module, Value v) {
  objects_[object.index].values[module.index] = std::move(v);
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

Value Cells::of(eval::ModuleInstanceId module, eval::ObjectId object) const {
  if (program_.object(object).kind != eval::ObjectKind::Resource) {
    const auto& values = objects_[object.index].values;
    return module.index < values.size() ? values[module.index] : Value::unknown();
  }
  const ResourceCell* cell = resource(object, module);
  if (cell == nullptr) return Value::unknown();
  std::call_once(cell->built, [&] { cell->whole = cell->expansion.assemble(cell->values); });
  return cell->whole;
}

std::optional<Value> Cells::of_instance(eval::ModuleInstanceId module, eval::ObjectId object,
                                        const Value& key) const {
  const ResourceCell* cell = resource(object, module);
  if (cell == nullptr) return std::nullopt;
  const auto position = cell->expansion.find(key);
  if (!position) return std::nullopt;
  return cell->values[*position];
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
  std::call_once(call.built, [&] {
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
