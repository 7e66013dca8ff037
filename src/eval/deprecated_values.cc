#include "eval/deprecated_values.h"

#include <utility>
#include <vector>

#include "eval/shape.h"
#include "schema/deprecated.h"
#include "value/marks.h"

namespace tofu::eval {

using value::Marks;
using value::Value;

namespace {

// All instances: one stands for each.
Value repeated(const config::Repetition& repetition, Value one) {
  if (repetition.count != nullptr) return Value::tuple({std::move(one)});
  if (repetition.for_each != nullptr) return Value::object({{"any", std::move(one)}});
  return one;
}

}  // namespace

void DeprecatedValues::keep(ObjectId object, std::optional<Value> v) {
  if (v) kept_.insert_or_assign(object, std::move(*v));
}

void DeprecatedValues::find_parts(Deprecations& deprecations) {
  std::map<const schema::Block*, bool> is_marked;
  for (std::uint32_t i = 0; i < program_.objects.size(); ++i) {
    const auto* resource = std::get_if<const config::Resource*>(&program_.objects[i].declaration);
    const schema::Block* block = resource == nullptr ? nullptr : program_.row({i}).block();
    if (block == nullptr) continue;
    const auto [known, is_new] = is_marked.try_emplace(block);
    if (is_new) known->second = schema::contains_deprecated(*block);
    if (!known->second) continue;
    const std::string address = (*resource)->address().to_string();
    Value one = schema::unknown_value_of_deprecated(*block, address);
    for (const value::Deprecation& part : one.deep_marks().deprecations()) {
      deprecations.add_part(part.source);
    }
    instances_.emplace(ObjectId{i}, std::move(one));
  }
}

std::optional<Value> DeprecatedValues::one_instance(ObjectId resource) const {
  const auto found = instances_.find(resource);
  if (found == instances_.end()) return std::nullopt;
  return found->second;
}

Value DeprecatedValues::of(ModuleInstanceId module, ObjectId object) const {
  if (const auto kept = kept_.find(object); kept != kept_.end()) return kept->second;
  const auto one = instances_.find(object);
  if (one == instances_.end()) return plain_.of(module, object);
  const auto& resource = *std::get<const config::Resource*>(program_.object(object).declaration);
  return repeated(resource.repetition, one->second);
}

std::optional<Value> DeprecatedValues::of_instance(ModuleInstanceId module, ObjectId resource,
                                                   const Value& key) const {
  if (auto one = one_instance(resource)) return one;
  return plain_.of_instance(module, resource, key);
}

// Its own, and those that were not reported where it passes other outputs on.
Marks DeprecatedValues::marks_of(ObjectId id) const {
  const Object& object = program_.object(id);
  const auto& output = *std::get<const config::Output*>(object.declaration);
  const Marks own = deprecations_.marks_of(program_.node(object.module), output);
  const auto kept = kept_.find(id);
  return kept == kept_.end() ? own : own.with(kept->second.deep_marks());
}

Value DeprecatedValues::of_call(ModuleInstanceId caller, config::ModuleId called) const {
  const ModuleRows& rows = program_.modules[called.index];
  std::vector<value::Attr> outputs;
  bool is_marked = false;
  for (const config::Output& output : rows.shape->module().outputs) {
    const Marks marks = marks_of({rows.first.index + rows.shape->row_of(&output)});
    is_marked |= !marks.empty();
    outputs.push_back({output.name, Value::unknown().with_marks(marks)});
  }
  if (!is_marked) return plain_.of_call(caller, called);
  return repeated(program_.node(called).call->repetition, Value::object(std::move(outputs)));
}

std::optional<Value> DeprecatedValues::of_output(ModuleInstanceId caller, ObjectId output,
                                                 const Value* key) const {
  auto plain = plain_.of_output(caller, output, key);
  if (plain) plain = plain->with_marks(marks_of(output));
  return plain;
}

}  // namespace tofu::eval
