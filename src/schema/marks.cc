#include "schema/marks.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>

#include "schema/members.h"

namespace tofu::schema {

namespace {

using value::AttributeStep;
using value::IndexStep;
using value::Kind;
using value::Marks;
using value::Path;
using value::PathStep;
using value::Value;

PathStep step_to(const Value& container, std::size_t i) {
  switch (container.kind()) {
    case Kind::Object:
      return PathStep(std::in_place_type<AttributeStep>,
                      AttributeStep{container.type().attributes()[i].name});
    case Kind::Map:
      return PathStep(std::in_place_type<IndexStep>, IndexStep{container.unmarked().map_keys()[i]});
    case Kind::List:
    case Kind::Tuple:
      return PathStep(std::in_place_type<IndexStep>,
                      IndexStep{Value::integer(static_cast<std::int64_t>(i))});
    case Kind::Set:  // has no marked elements
    case Kind::Null:
    case Kind::Unknown:
    case Kind::Bool:
    case Kind::Number:
    case Kind::String:
    case Kind::Capsule:
    case Kind::Marked: break;
  }
  base::broken_promise("only containers that can hold marked items are walked");
}

// Takes marks off from the outside in, with a list of its own in place of the stack,
// since values may be nested as deep as memory allows.
class Unmarking {
 public:
  Unmarked run(const Value& root) {
    Value current = bare(root);
    for (;;) {
      if (current.contains_marks()) {
        frames_.push_back({std::move(current), {}});
        frames_.back().done.reserve(frames_.back().container.unmarked().size());
      } else if (frames_.empty()) {
        return {std::move(current), std::move(found_)};
      } else {
        frames_.back().done.push_back(std::move(current));
        if (frames_.back().stepped) path_.steps.pop_back();
      }
      Frame& top = frames_.back();
      if (top.done.size() < top.container.unmarked().size()) {
        current = enter(top);
      } else {
        current = with_items(top.container, std::move(top.done));
        frames_.pop_back();
      }
    }
  }

 private:
  struct Frame {
    Value container;
    std::vector<Value> done;  // its first items, without marks
    bool stepped = false;     // path_ leads to the item after them
  };

  Value enter(Frame& top) {
    const std::size_t i = top.done.size();
    const Value& item = top.container.unmarked().items()[i];
    top.stepped = item.contains_marks();
    if (!top.stepped) return item;
    path_.steps.push_back(step_to(top.container, i));
    return bare(item);
  }

  Value bare(const Value& v) {
    if (!v.is_marked()) return v;
    found_.push_back({path_, v.marks()});
    return v.unmarked();
  }

  std::vector<Frame> frames_;
  Path path_;
  std::vector<PathMarks> found_;
};

// Finds the items of one container that steps lead to.
class ItemFinder {
 public:
  explicit ItemFinder(const Value& container) : container_(container) {
    if (container.kind() != Kind::Set) return;
    const auto items = container.unmarked().items();
    for (std::size_t i = 0; i < items.size(); ++i) elements_.emplace(items[i].hash(), i);
  }

  std::optional<std::size_t> find(const PathStep& step) const {
    if (const auto* attribute = std::get_if<AttributeStep>(&step)) {
      if (container_.kind() != Kind::Object) return std::nullopt;
      return container_.type().attribute_index(attribute->name);
    }
    return find(std::get<IndexStep>(step).key.deep_unmarked());
  }

 private:
  std::optional<std::size_t> find(const Value& key) const {
    switch (container_.kind()) {
      case Kind::List:
      case Kind::Tuple: {
        if (key.kind() != Kind::Number) return std::nullopt;
        const auto index = key.unmarked().as_number().to_int64();
        if (!index || *index < 0) return std::nullopt;
        const auto position = static_cast<std::size_t>(*index);
        return position < container_.unmarked().size() ? std::optional(position) : std::nullopt;
      }
      case Kind::Map: {
        const Value* item = key.kind() == Kind::String
                                ? container_.unmarked().find(key.unmarked().as_string())
                                : nullptr;
        if (item == nullptr) return std::nullopt;
        return static_cast<std::size_t>(item - container_.unmarked().items().data());
      }
      case Kind::Set: {
        const auto [begin, end] = elements_.equal_range(key.hash());
        for (auto at = begin; at != end; ++at) {
          if (raw_equal(container_.unmarked().items()[at->second], key)) return at->second;
        }
        return std::nullopt;
      }
      case Kind::Object:
      case Kind::Null:
      case Kind::Unknown:
      case Kind::Bool:
      case Kind::Number:
      case Kind::String:
      case Kind::Capsule:
      case Kind::Marked: return std::nullopt;
    }
    base::broken_promise("value kind out of range");
  }

  const Value& container_;
  std::unordered_multimap<std::uint64_t, std::size_t> elements_;  // of a set, by hash
};

// Puts marks on: all paths that lead into a container are followed together, so that it
// is made anew once.
class Marking {
 public:
  explicit Marking(std::span<const PathMarks> marks) {
    ways_.reserve(marks.size());
    for (const PathMarks& one : marks) ways_.push_back({&one, 0});
  }

  Value run(const Value& root) {
    std::optional<Value> result = enter(root, 0, ways_.size());
    while (!frames_.empty()) {
      if (result) {
        Frame& top = frames_.back();
        top.items[top.position] = *std::exchange(result, std::nullopt);
      }
      Frame& top = frames_.back();
      if (top.next == top.end) {
        result = with_items(top.container, std::move(top.items)).with_marks(top.marks);
        frames_.pop_back();
        continue;
      }
      const std::size_t begin = top.next;
      top.position = ways_[begin].item;
      while (top.next < top.end && ways_[top.next].item == top.position) ++top.next;
      const std::size_t end = top.next;
      result = enter(Value(top.items[top.position]), begin, end);
    }
    return *std::move(result);
  }

 private:
  struct Way {
    const PathMarks* to;
    std::size_t item;  // where it goes on in the container that it has come to
  };
  struct Frame {
    Value container;
    std::vector<Value> items;
    Marks marks;       // of the container itself
    std::size_t next;  // ways_[next, end) are still to be followed
    std::size_t end;
    std::size_t position;  // the item that is being followed
  };

  // The marked value if no way goes on from here; otherwise there is another frame.
  std::optional<Value> enter(const Value& v, std::size_t begin, std::size_t end) {
    const std::size_t depth = frames_.size();
    Value bare = v.unmarked();
    Marks marks = v.marks();
    std::size_t kept = begin;
    std::optional<ItemFinder> finder;
    for (std::size_t i = begin; i < end; ++i) {
      const auto& steps = ways_[i].to->path.steps;
      if (steps.size() == depth) {
        marks = marks.with(ways_[i].to->marks);
        continue;
      }
      if (!finder) finder.emplace(bare);
      const auto item = finder->find(steps[depth]);
      if (item) ways_[kept++] = {ways_[i].to, *item};
    }
    if (kept == begin) return bare.with_marks(marks);
    std::stable_sort(ways_.begin() + static_cast<std::ptrdiff_t>(begin),
                     ways_.begin() + static_cast<std::ptrdiff_t>(kept),
                     [](const Way& a, const Way& b) { return a.item < b.item; });
    const auto items = bare.unmarked().items();
    std::vector<Value> copy(items.begin(), items.end());
    finder.reset();
    frames_.push_back({std::move(bare), std::move(copy), marks, begin, kept, 0});
    return std::nullopt;
  }

  std::vector<Way> ways_;
  std::vector<Frame> frames_;
};

bool is_start_of(const Path& start, const Path& path) {
  if (start.steps.size() > path.steps.size()) return false;
  const auto end = path.steps.begin() + static_cast<std::ptrdiff_t>(start.steps.size());
  return start == Path{{path.steps.begin(), end}};
}

}  // namespace

Unmarked unmark(const Value& v) {
  if (!v.contains_marks()) return {v, {}};
  return Unmarking().run(v);
}

Value mark(const Value& v, std::span<const PathMarks> marks) {
  return marks.empty() ? v : Marking(marks).run(v);
}

bool touches_sensitive(std::span<const PathMarks> marks, const Path& path) {
  return std::ranges::any_of(marks, [&](const PathMarks& one) {
    return one.marks.is_sensitive() && (is_start_of(one.path, path) || is_start_of(path, one.path));
  });
}

SchemaMarks::SchemaMarks(const Block& schema)
    : sensitive_(sensitive_attributes(schema)), ephemeral_(schema.ephemeral) {}

Value SchemaMarks::apply(const Value& v) const {
  const Value marked = sensitive_.changed(
      v, [](const Value& secret) { return secret.with_marks(Marks::sensitive()); });
  return ephemeral_ ? marked.with_marks(Marks::ephemeral()) : marked;
}

std::vector<PathMarks> SchemaMarks::of(const Value& v) const {
  std::vector<PathMarks> all;
  if (ephemeral_) all.push_back({{}, Marks::ephemeral()});
  for (Path& path : sensitive_.paths(v)) all.push_back({std::move(path), Marks::sensitive()});
  return all;
}

Value without_write_only(const Selection& write_only, const Value& v) {
  return write_only.changed(v, [](const Value& secret) {
    return secret.unmarked().is_null() ? secret : Value::null(secret.type());
  });
}

Value without_ephemeral(const Selection& write_only, const Value& v) {
  return write_only.changed(v, [](const Value& secret) {
    if (!secret.marks().is_ephemeral()) return secret;
    return secret.unmarked().with_marks(secret.marks().without_ephemeral());
  });
}

}  // namespace tofu::schema
