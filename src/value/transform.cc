#include <utility>
#include <vector>

#include "value/operations.h"
#include "value/steps.h"
#include "value/value.h"

namespace tofu::value {

namespace {

// A container whose items are being changed.
struct Frame {
  Value original;           // as it was met, with its marks
  Plain container;          // the same without
  std::vector<Value> done;  // its first items, changed
  bool changed = false;
};

bool has_parts(const Plain& v) {
  return v.kind() >= Kind::List && v.kind() <= Kind::Object && v.size() != 0;
}

Value rebuilt(Frame& frame) {
  const Plain& old = frame.container;
  switch (old.kind()) {
    case Kind::List: return Value::list(Type::dynamic(), std::move(frame.done));
    case Kind::Set: return Value::set(Type::dynamic(), std::move(frame.done));
    case Kind::Tuple: return Value::tuple(std::move(frame.done));
    case Kind::Map:
      return Value::map(Type::dynamic(), {old.map_keys().begin(), old.map_keys().end()},
                        std::move(frame.done));
    case Kind::Object: {
      std::vector<Attr> attributes;
      attributes.reserve(frame.done.size());
      for (std::size_t i = 0; i < frame.done.size(); ++i) {
        attributes.push_back({old.type().attributes()[i].name, std::move(frame.done[i])});
      }
      return Value::object(std::move(attributes));
    }
    case Kind::Null:
    case Kind::Unknown:
    case Kind::Bool:
    case Kind::Number:
    case Kind::String:
    case Kind::Capsule:
    case Kind::Marked: break;
  }
  base::broken_promise("only containers are rebuilt");
}

}  // namespace

PathStep step_to(const Plain& container, std::size_t i) {
  switch (container.kind()) {
    case Kind::Object:
      return PathStep(std::in_place_type<AttributeStep>,
                      AttributeStep{container.type().attributes()[i].name});
    case Kind::Map:
      return PathStep(std::in_place_type<IndexStep>, IndexStep{container.map_keys()[i]});
    case Kind::Set: return PathStep(std::in_place_type<IndexStep>, IndexStep{container.items()[i]});
    case Kind::List:
    case Kind::Tuple:
      return PathStep(std::in_place_type<IndexStep>,
                      IndexStep{Value::integer(static_cast<std::int64_t>(i))});
    case Kind::Null:
    case Kind::Unknown:
    case Kind::Bool:
    case Kind::Number:
    case Kind::String:
    case Kind::Capsule:
    case Kind::Marked: break;
  }
  base::broken_promise("only containers have parts");
}

PathResult<Value> transform(const Value& root, Change change, void* context) {
  std::vector<Frame> frames;
  Path path;
  const auto enter = [&](const Value& v) {  // whether it has parts to visit first
    auto bare = v.unmarked();
    if (!has_parts(bare)) return false;
    frames.push_back({v, std::move(bare), {}, false});
    frames.back().done.reserve(frames.back().container.size());
    return true;
  };
  Value current = root;
  bool entered = enter(current);
  for (;;) {
    if (entered) {
      Frame& top = frames.back();
      if (top.done.size() < top.container.size()) {
        path.steps.push_back(step_to(top.container, top.done.size()));
        current = top.container.items()[top.done.size()];
        entered = enter(current);
        continue;
      }
      current = top.changed ? rebuilt(top).with_marks(top.original.marks()) : top.original;
    }
    PathResult<Value> result = change(context, path, current);
    if (!result) return result;
    if (entered) frames.pop_back();
    if (frames.empty()) return result;
    Frame& parent = frames.back();
    const Value& before = parent.container.items()[parent.done.size()];
    parent.changed = parent.changed || !result->is_same(before);
    parent.done.push_back(*std::move(result));
    path.steps.pop_back();
    entered = true;
  }
}

}  // namespace tofu::value
