#include <new>
#include <vector>

#include "value/value.h"

// Marks on values: putting them on, taking them off, at one place and at every depth. Parts without
// marks are never walked.

namespace tofu::value {

namespace {

// Calls `on` with the marks of every marked value inside `root`, until it
// returns false.
template <class On>
void each_marks(const Value& root, On&& on) {
  if (!root.contains_marks()) return;
  std::vector<const Value*> open{&root};
  while (!open.empty()) {
    const Value* at = open.back();
    open.pop_back();
    if (!at->contains_marks()) continue;
    if (at->is_marked()) {
      const auto& marked = ValueRep::as<MarkedNode>(*at);
      if (!on(marked.marks)) return;
      open.push_back(&marked.inner);
      continue;
    }
    for (const Value& item : at->plain().items()) open.push_back(&item);
  }
}

}  // namespace

Marks Value::marks() const { return is_marked() ? ValueRep::as<MarkedNode>(*this).marks : Marks(); }

Value Value::with_marks(Marks more) const {
  const Marks all = marks().with(more);
  if (all == marks()) return *this;
  Plain inner = unmarked();
  const auto flags = static_cast<std::uint8_t>(
      (ValueRep::flags(inner) & (kContainsUnknown | kContainsMinusZero)) | kContainsMarked);
  return ValueRep::adopt(place<MarkedNode>(0, std::move(inner), all, flags));
}

Marks Value::deep_marks() const {
  Marks all;
  each_marks(*this, [&](Marks marks) {
    all = all.with(marks);
    return true;
  });
  return all;
}

bool Value::contains_sensitive() const {
  bool found = false;
  each_marks(*this, [&](Marks marks) {
    found = found || marks.is_sensitive();
    return !found;
  });
  return found;
}

Value Plain::with_marks(Marks more) const { return Value(*this).with_marks(more); }

Plain Value::deep_unmarked() const { return unmarked().deep_unmarked(); }

Plain Plain::deep_unmarked() const {
  if (!contains_marks()) return *this;
  struct Frame {
    Plain container;
    std::vector<Value> done;  // its first items, without marks
  };
  std::vector<Frame> frames;
  Plain current = *this;
  for (;;) {
    if (current.contains_marks()) {  // so it has items
      frames.push_back({std::move(current), {}});
      frames.back().done.reserve(frames.back().container.size());
    } else if (frames.empty()) {
      return current;
    } else {
      frames.back().done.push_back(std::move(current));
    }
    Frame& top = frames.back();
    if (top.done.size() < top.container.size()) {
      current = top.container.items()[top.done.size()].unmarked();
      continue;
    }
    current = ValueRep::with_items(top.container, top.done);
    frames.pop_back();
  }
}

}  // namespace tofu::value
