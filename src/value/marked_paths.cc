#include "value/marked_paths.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "value/layout.h"
#include "value/steps.h"

namespace tofu::value {

namespace {

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
        current = ValueRep::with_items(top.container.unmarked(), top.done);
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
    path_.steps.push_back(step_to(top.container.unmarked(), i));
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

// The place of the item that a step leads to; nothing if there is none.
std::optional<std::size_t> item_at(const Plain& container, const PathStep& step) {
  if (const auto* attribute = std::get_if<AttributeStep>(&step)) {
    if (container.kind() != Kind::Object) return std::nullopt;
    return container.type().attribute_index(attribute->name);
  }
  const Plain& key = std::get<IndexStep>(step).key.unmarked();
  if (container.kind() == Kind::Map && key.kind() == Kind::String) {
    const Value* item = container.find(key.as_string());
    if (item == nullptr) return std::nullopt;
    return static_cast<std::size_t>(item - container.items().data());
  }
  const bool is_sequence = container.kind() == Kind::List || container.kind() == Kind::Tuple;
  if (!is_sequence || key.kind() != Kind::Number) return std::nullopt;
  const auto index = key.as_number().to_int64();
  if (!index || *index < 0 || static_cast<std::size_t>(*index) >= container.size()) {
    return std::nullopt;
  }
  return static_cast<std::size_t>(*index);
}

// Whether a step leads to an element of a set.
bool has_element(const Plain& set, const PathStep& step) {
  const auto* index = std::get_if<IndexStep>(&step);
  if (index == nullptr) return false;
  const Value key = index->key.deep_unmarked();
  if (key.wholly_known()) return set.set_contains(key);
  return std::ranges::any_of(set.items(), [&](const Value& item) { return raw_equal(item, key); });
}

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
        result = ValueRep::with_items(top.container.unmarked(), top.items).with_marks(top.marks);
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
    for (std::size_t i = begin; i < end; ++i) {
      const auto& steps = ways_[i].to->path.steps;
      if (steps.size() == depth) {
        marks = marks.with(ways_[i].to->marks);
        continue;
      }
      if (bare.kind() == Kind::Set) {
        // A set has no marked elements: their marks are its own.
        if (has_element(bare.unmarked(), steps[depth])) marks = marks.with(ways_[i].to->marks);
        continue;
      }
      const auto item = item_at(bare.unmarked(), steps[depth]);
      if (item) ways_[kept++] = {ways_[i].to, *item};
    }
    if (kept == begin) return bare.with_marks(marks);
    std::stable_sort(ways_.begin() + static_cast<std::ptrdiff_t>(begin),
                     ways_.begin() + static_cast<std::ptrdiff_t>(kept),
                     [](const Way& a, const Way& b) { return a.item < b.item; });
    const auto items = bare.unmarked().items();
    std::vector<Value> copy(items.begin(), items.end());
    frames_.push_back({std::move(bare), std::move(copy), marks, begin, kept, 0});
    return std::nullopt;
  }

  std::vector<Way> ways_;
  std::vector<Frame> frames_;
};

}  // namespace

Unmarked unmark(const Value& v) {
  if (!v.contains_marks()) return {v, {}};
  return Unmarking().run(v);
}

Value mark(const Value& v, std::span<const PathMarks> marks) {
  return marks.empty() ? v : Marking(marks).run(v);
}

}  // namespace tofu::value
