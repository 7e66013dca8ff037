#include "providers/plugin_messages.h"

#include <utility>

#include "base/unicode.h"
#include "value/json.h"
#include "value/msgpack.h"

namespace tofu::providers {

using value::Value;

Problem to_problem(const wire6::Diagnostic& diagnostic) {
  Problem made;
  made.severity = diagnostic.severity() == wire6::Diagnostic::WARNING ? diag::Severity::Warning
                                                                      : diag::Severity::Error;
  made.summary = base::to_valid_utf8(diagnostic.summary());
  made.detail = base::to_valid_utf8(diagnostic.detail());
  if (diagnostic.has_attribute()) made.attribute = to_path(diagnostic.attribute());
  return made;
}

void add_problems(const google::protobuf::RepeatedPtrField<wire6::Diagnostic>& from,
                  std::vector<Problem>& to) {
  for (const wire6::Diagnostic& each : from) to.push_back(to_problem(each));
}

void write_flat(const std::map<std::string, std::string>& flat, wire6::RawState& to) {
  for (const auto& [path, text] : flat) {
    wire6::RawState::FlatEntry& entry = *to.add_flatmap();
    entry.set_key(path);
    entry.set_value(text);
  }
}

value::Path to_path(const wire6::AttributePath& path) {
  value::Path made;
  for (const wire6::AttributePath::Step& step : path.steps()) {
    switch (step.selector_case()) {
      case wire6::AttributePath::Step::kAttributeName:
        made.steps.emplace_back(value::AttributeStep{base::to_valid_utf8(step.attribute_name())});
        break;
      case wire6::AttributePath::Step::kElementKeyString:
        made.steps.emplace_back(
            value::IndexStep{Value::string(base::to_valid_utf8(step.element_key_string()))});
        break;
      case wire6::AttributePath::Step::kElementKeyInt:
        made.steps.emplace_back(value::IndexStep{Value::integer(step.element_key_int())});
        break;
      case wire6::AttributePath::Step::SELECTOR_NOT_SET: break;
    }
  }
  return made;
}

base::Result<void> write_value(const Value& v, value::Type type, wire6::DynamicValue& to) {
  auto bytes = value::to_msgpack(v, type);
  if (!bytes) return base::Error{value::to_string(bytes.error())};
  to.set_msgpack(std::move(*bytes));
  return {};
}

value::PathResult<Value> read_value(const wire6::DynamicValue& from, value::Type type,
                                    std::span<const Value> alike) {
  if (!from.msgpack().empty()) return value::parse_msgpack(from.msgpack(), type, alike);
  if (!from.json().empty()) return value::parse_json(from.json(), type);
  return Value::null(type);
}

}  // namespace tofu::providers
