#include "eval/deprecated_values.h"

#include <utility>
#include <vector>

#include "eval/shape.h"
#include "value/marks.h"

namespace tofu::eval {

using value::Marks;
using value::Value;

void DeprecatedValues::keep(ObjectId object, std::optional<Value> v) {
  if (v) kept_.insert_or_assign(object, std::move(*v));
}

Value DeprecatedValues::of(ModuleInstanceId module, ObjectId object) const {
  const auto kept = kept_.find(object);
  return kept == kept_.end() ? plain_.of(module, object) : kept->second;
}

std::optional<Value> DeprecatedValues::of_instance(ModuleInstanceId module, ObjectId resource,
                                                   const Value& key) const {
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
  Value one = Value::object(std::move(outputs));
  const config::Repetition& repetition = program_.node(called).call->repetition;
  if (repetition.count != nullptr) return Value::tuple({std::move(one)});
  if (repetition.for_each != nullptr) return Value::object({{"any", std::move(one)}});
  return one;
}

std::optional<Value> DeprecatedValues::of_output(ModuleInstanceId caller, ObjectId output,
                                                 const Value* key) const {
  auto plain = plain_.of_output(caller, output, key);
  if (plain) plain = plain->with_marks(marks_of(output));
  return plain;
}

}  // namespace tofu::eval
