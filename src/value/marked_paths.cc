#include "value/marked_paths.h"

#include <utility>

namespace tofu::value {

namespace {

// Paths come from files. What lies deeper is marked where the limit is, which hides too
// much rather than too little.
constexpr std::size_t kMostSteps = 1'000;

bool has_parts(const Value& bare) {
  return bare.kind() >= Kind::List && bare.kind() <= Kind::Object && bare.unmarked().size() != 0;
}

PathStep step_to(const Value& container, std::size_t i) {
  if (container.kind() == Kind::Object) {
    return PathStep(std::in_place_type<AttributeStep>,
                    AttributeStep{container.type().attributes()[i].name});
  }
  if (container.kind() == Kind::Map) {
    return PathStep(std::in_place_type<IndexStep>, IndexStep{container.unmarked().map_keys()[i]});
  }
  return PathStep(std::in_place_type<IndexStep>,
                  IndexStep{Value::integer(static_cast<std::int64_t>(i))});
}

// The place of the part that a step leads to; nothing if there is none.
std::optional<std::size_t> part_at(const Value& container, const PathStep& step) {
  if (const auto* attribute = std::get_if<AttributeStep>(&step)) {
    if (container.kind() == Kind::Object) return container.type().attribute_index(attribute->name);
    return std::nullopt;
  }
  const Value key = std::get<IndexStep>(step).key.unmarked();
  if (container.kind() == Kind::Map && key.kind() == Kind::String) {
    const Value* found = container.unmarked().find(key.unmarked().as_string());
    if (found == nullptr) return std::nullopt;
    return static_cast<std::size_t>(found - container.unmarked().items().data());
  }
  if ((container.kind() == Kind::List || container.kind() == Kind::Tuple) &&
      key.kind() == Kind::Number) {
    const auto index = key.unmarked().as_number().to_int64();
    if (!index || *index < 0 || static_cast<std::size_t>(*index) >= container.unmarked().size()) {
      return std::nullopt;
    }
    return static_cast<std::size_t>(*index);
  }
  return std::nullopt;
}

Value rebuilt(const Value& old, std::vector<Value> items) {
  switch (old.kind()) {
    case Kind::List: return Value::list(old.type().element(), std::move(items));
    case Kind::Tuple: return Value::tuple(std::move(items));
    case Kind::Map:
      return Value::map(old.type().element(),
                        {old.unmarked().map_keys().begin(), old.unmarked().map_keys().end()},
                        std::move(items));
    case Kind::Object: return Value::object(old.type(), std::move(items));
    case Kind::Set:
    case Kind::Null:
    case Kind::Unknown:
    case Kind::Bool:
    case Kind::Number:
    case Kind::String:
    case Kind::Capsule:
    case Kind::Marked: break;
  }
  base::broken_promise("only containers that can have marked parts are rebuilt");
}

Value mark_below(const Value& v, std::span<const MarkedPath* const> places, std::size_t depth) {
  Marks here;
  std::vector<const MarkedPath*> deeper;
  const Value bare = v.unmarked();
  for (const MarkedPath* place : places) {
    if (place->path.steps.size() == depth || depth == kMostSteps || bare.kind() == Kind::Set) {
      here = here.with(place->marks);
    } else {
      deeper.push_back(place);
    }
  }
  if (deeper.empty() || !has_parts(bare)) return v.with_marks(here);

  std::vector<std::vector<const MarkedPath*>> by_part(bare.unmarked().size());
  for (const MarkedPath* place : deeper) {
    if (const auto part = part_at(bare, place->path.steps[depth])) by_part[*part].push_back(place);
  }
  std::vector<Value> items(bare.unmarked().items().begin(), bare.unmarked().items().end());
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (!by_part[i].empty()) items[i] = mark_below(items[i], by_part[i], depth + 1);
  }
  return rebuilt(bare, std::move(items)).with_marks(v.marks().with(here));
}

}  // namespace

std::vector<MarkedPath> marked_paths(const Value& v) {
  std::vector<MarkedPath> found;
  struct Frame {
    Value container;
    std::size_t next = 0;
  };
  std::vector<Frame> frames;
  Path path;
  const auto visit = [&](const Value& part) {
    if (part.is_marked()) found.push_back({path, part.marks()});
    Value bare = part.unmarked();
    if (!bare.contains_marks() || bare.kind() == Kind::Set || !has_parts(bare)) return false;
    frames.push_back({std::move(bare)});
    return true;
  };
  visit(v);
  while (!frames.empty()) {
    Frame& top = frames.back();
    if (top.next == top.container.unmarked().size()) {
      frames.pop_back();
      if (!path.empty()) path.steps.pop_back();
      continue;
    }
    const std::size_t i = top.next++;
    path.steps.push_back(step_to(top.container, i));
    const Value part = top.container.unmarked().items()[i];
    if (!visit(part)) path.steps.pop_back();
  }
  return found;
}

Value with_marks_at(const Value& v, std::span<const MarkedPath> places) {
  if (places.empty()) return v;
  std::vector<const MarkedPath*> all;
  for (const MarkedPath& place : places) all.push_back(&place);
  return mark_below(v, all, 0);
}

}  // namespace tofu::value
