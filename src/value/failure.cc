#include "value/failure.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace tofu::value {

std::nullopt_t Failure::because(std::string what) {
  error_.path.steps.clear();
  error_.what = std::move(what);
  return std::nullopt;
}

std::nullopt_t Failure::in_attribute(std::string_view name) {
  error_.path.steps.emplace_back(AttributeStep{std::string(name)});
  return std::nullopt;
}

std::nullopt_t Failure::at_key(const Value& key) {
  error_.path.steps.emplace_back(IndexStep{key});
  return std::nullopt;
}

std::nullopt_t Failure::at_position(std::size_t index) {
  return at_key(Value::integer(static_cast<std::int64_t>(index)));
}

void Failure::mark_keys(const Marks& marks) {
  for (PathStep& step : error_.path.steps) {
    auto* index = std::get_if<IndexStep>(&step);
    const bool is_name = index != nullptr && index->key.type() == Type::string();
    if (is_name) index->key = index->key.with_marks(marks);
  }
}

PathError Failure::take() {
  std::reverse(error_.path.steps.begin(), error_.path.steps.end());
  return std::exchange(error_, {});
}

}  // namespace tofu::value
