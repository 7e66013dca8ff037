#include "value/path.h"

#include <fmt/format.h>
#include <utility>

#include "base/overloaded.h"
#include "base/unicode.h"
#include "value/operations.h"

namespace tofu::value {

Path Path::with_attribute(std::string name) const {
  Path longer = *this;
  longer.steps.emplace_back(AttributeStep{std::move(name)});
  return longer;
}

Path Path::with_index(Value key) const {
  Path longer = *this;
  longer.steps.emplace_back(IndexStep{std::move(key)});
  return longer;
}

bool operator==(const Path& a, const Path& b) {
  if (a.steps.size() != b.steps.size()) return false;
  for (std::size_t i = 0; i < a.steps.size(); ++i) {
    if (a.steps[i].index() != b.steps[i].index()) return false;
    if (const auto* attribute = std::get_if<AttributeStep>(&a.steps[i])) {
      if (attribute->name != std::get_if<AttributeStep>(&b.steps[i])->name) return false;
    } else if (!raw_equal(std::get_if<IndexStep>(&a.steps[i])->key,
                          std::get_if<IndexStep>(&b.steps[i])->key)) {
      return false;
    }
  }
  return true;
}

namespace {

// How a key is written in a path; elements of sets have no short form.
std::string key_text(const Value& key) {
  const auto bare = key.unmarked();
  if (key.contains_sensitive()) return "(sensitive value)";
  if (bare.kind() == Kind::Number) return bare.as_number().to_string();
  if (bare.kind() == Kind::String) return base::quote_go(bare.as_string());
  if (bare.kind() == Kind::Bool) return bare.as_bool() ? "true" : "false";
  return "...";
}

}  // namespace

std::string to_string(const Path& path) {
  std::string text;
  for (const PathStep& step : path.steps) {
    std::visit(base::Overloaded{
                   [&](const AttributeStep& attribute) { text.append(".").append(attribute.name); },
                   [&](const IndexStep& index) {
                     text.append("[").append(key_text(index.key)).append("]");
                   },
               },
               step);
  }
  return text;
}

std::string to_string(const PathError& error) {
  std::string text;
  for (const PathStep& step : error.path.steps) {
    std::visit(base::Overloaded{
                   [&](const AttributeStep& attribute) {
                     text.append(fmt::format("attribute {}: ", base::quote_go(attribute.name)));
                   },
                   [&](const IndexStep& index) {
                     text.append(fmt::format("element {}: ", key_text(index.key)));
                   },
               },
               step);
  }
  return text.append(error.what);
}

namespace {

PathResult<Value> step_to_attribute(const Value& from, const AttributeStep& step) {
  const auto bare = from.unmarked();
  if (bare.is_null()) return PathError{{}, "a null value has no attributes"};
  const Type type = bare.type();
  if (type.is_dynamic()) return Value::unknown().with_marks(from.marks());
  if (type.kind() != TypeKind::Object || !type.attribute_index(step.name)) {
    return PathError{{}, fmt::format("it has no attribute {}", base::quote_go(step.name))};
  }
  return get_attribute(from, step.name);
}

PathResult<Value> step_to_member(const Value& set, const IndexStep& step) {
  const Marks marks = set.marks().with(step.key.deep_marks());
  const auto bare = set.unmarked();
  const auto key = step.key.deep_unmarked();
  const Type element = bare.type().element();
  if (bare.is_unknown() || !key.wholly_known()) return Value::unknown(element).with_marks(marks);
  if (bare.set_contains(key)) return key.with_marks(marks);
  if (!bare.wholly_known()) return Value::unknown(element).with_marks(marks);
  return PathError{{}, "the set has no such element"};
}

PathResult<Value> step_to_element(const Value& from, const IndexStep& step) {
  const auto bare = from.unmarked();
  if (bare.is_null()) return PathError{{}, "a null value has no elements"};
  switch (bare.type().kind()) {
    case TypeKind::Set: return step_to_member(from, step);
    case TypeKind::Dynamic:
    case TypeKind::List:
    case TypeKind::Map:
    case TypeKind::Tuple: break;
    case TypeKind::Bool:
    case TypeKind::Number:
    case TypeKind::String:
    case TypeKind::Object:
    case TypeKind::Capsule: return PathError{{}, "the value has no elements"};
  }
  const auto found = has_index(from, step.key).unmarked();
  if (found.kind() == Kind::Bool && !found.as_bool()) {
    return PathError{{}, fmt::format("it has no element {}", key_text(step.key))};
  }
  return index(from, step.key);
}

}  // namespace

PathResult<Value> follow(const Value& from, const Path& path) {
  Value at = from;
  for (std::size_t i = 0; i < path.steps.size(); ++i) {
    PathResult<Value> next =
        std::visit(base::Overloaded{
                       [&](const AttributeStep& step) { return step_to_attribute(at, step); },
                       [&](const IndexStep& step) { return step_to_element(at, step); },
                   },
                   path.steps[i]);
    if (!next) {
      PathError error = std::move(next).error();
      error.path.steps.assign(path.steps.begin(),
                              path.steps.begin() + static_cast<std::ptrdiff_t>(i));
      return error;
    }
    at = *std::move(next);
  }
  return at;
}

}  // namespace tofu::value
