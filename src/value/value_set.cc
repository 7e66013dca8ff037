#include <algorithm>
#include <cstring>
#include <new>
#include <vector>

#include "base/unicode.h"
#include "value/text_order.h"
#include "value/value.h"

// Sets: which elements are one, the order they are kept in, and how one is
// found. Elements that contain unknowns are never taken for equal.

namespace tofu::value {

namespace {

// Values that are still to be written, and the marks between them.
struct Pending {
  const Value* value;
  const char* text;
};

void append_leaf(std::string& out, const Plain& v) {
  switch (v.kind()) {
    case Kind::Unknown: out.push_back('?'); return;
    case Kind::Null: out.push_back('~'); return;
    case Kind::Bool: out.push_back(v.as_bool() ? 'T' : 'F'); return;
    case Kind::Number: {
      const Number number = v.as_number();
      constexpr std::int64_t kTenDigits = 10'000'000'000;
      const auto whole = number.to_int64();
      const bool plain =
          whole && *whole > -kTenDigits && *whole < kTenDigits && !number.is_negative_zero();
      out.append(plain ? std::to_string(*whole) : number.text('g', 10));
      return;
    }
    case Kind::String: out.append(base::quote_go(v.as_string())); return;
    case Kind::Capsule: out.append("«?»"); return;
    case Kind::List:
    case Kind::Set:
    case Kind::Map:
    case Kind::Tuple:
    case Kind::Object:
    case Kind::Marked: break;
  }
  base::broken_promise("containers are written by their parts");
}

void append_text(std::string& out, const Value& root) {
  std::vector<Pending> open{{&root, nullptr}};
  const auto write_items = [&](const Plain& v, const char* first, const char* last) {
    out.append(first);
    open.push_back({nullptr, last});
    const auto items = v.items();
    for (std::size_t i = items.size(); i-- > 0;) {
      open.push_back({nullptr, ";"});
      open.push_back({&items[i], nullptr});
      if (v.kind() != Kind::Map) continue;
      open.push_back({nullptr, ":"});
      open.push_back({&v.map_keys()[i], nullptr});
    }
  };
  while (!open.empty()) {
    const Pending next = open.back();
    open.pop_back();
    if (next.value == nullptr) {
      out.append(next.text);
      continue;
    }
    const Plain& v = next.value->unmarked();  // a set orders by what is under the marks
    switch (v.kind()) {
      case Kind::List:
      case Kind::Set: write_items(v, "[", "]"); break;
      case Kind::Map: write_items(v, "{", "}"); break;
      case Kind::Tuple:
      case Kind::Object: write_items(v, "<", ">"); break;
      case Kind::Null:
      case Kind::Unknown:
      case Kind::Bool:
      case Kind::Number:
      case Kind::String:
      case Kind::Capsule:
      case Kind::Marked: append_leaf(out, v); break;
    }
  }
}

// Sets tell -0 from 0, since they tell elements apart by their text.
bool same_element(const Value& a, const Value& b) {
  if (!raw_equal(a, b)) return false;
  if (((ValueRep::flags(a) | ValueRep::flags(b)) & kContainsMinusZero) == 0) return true;
  std::string first;
  std::string second;
  append_text(first, a);
  append_text(second, b);
  return first == second;
}

int sign_of(std::strong_ordering order) { return order < 0 ? -1 : order > 0 ? 1 : 0; }

// Known values come first, then unknown ones, then null.
int rank_of(const Value& v) { return v.is_null() ? 2 : v.is_unknown() ? 1 : 0; }

// For two known values of one primitive type.
int compare_primitives(const Plain& a, const Plain& b) {
  switch (a.kind()) {
    case Kind::Bool: return static_cast<int>(a.as_bool()) - static_cast<int>(b.as_bool());
    case Kind::Number: {
      const Number left = a.as_number();
      const Number right = b.as_number();
      if (const auto order = left <=> right; order != 0) return sign_of(order);
      return static_cast<int>(right.is_negative_zero()) - static_cast<int>(left.is_negative_zero());
    }
    case Kind::String: return sign_of(a.as_string() <=> b.as_string());
    case Kind::Null:
    case Kind::Unknown:
    case Kind::List:
    case Kind::Set:
    case Kind::Map:
    case Kind::Tuple:
    case Kind::Object:
    case Kind::Capsule:
    case Kind::Marked: break;
  }
  base::broken_promise("only primitives compare directly");
}

}  // namespace

// Elements by hash, in open addressing. A slot holds the upper half of the hash
// and the element's position + 1, so that most elements need not be looked at;
// 0 is free.
struct SetIndex {
  explicit SetIndex(std::size_t size) : mask(size - 1) {}
  std::size_t mask;
  std::uint64_t* slots() { return reinterpret_cast<std::uint64_t*>(this + 1); }

  static SetIndex* make(std::size_t elements) {
    std::size_t size = 4;
    while (size < elements + elements / 2) size *= 2;
    auto* index = place<SetIndex>(size * sizeof(std::uint64_t), size);
    std::memset(index->slots(), 0, size * sizeof(std::uint64_t));
    return index;
  }

  // The slot of an element equal to `item`, or the free one where it belongs.
  std::uint64_t* find(std::span<const Value> elements, const Value& item, std::uint64_t hash) {
    std::size_t at = (hash >> 24) & mask;
    for (;; at = (at + 1) & mask) {
      const std::uint64_t slot = slots()[at];
      if (slot == 0) break;
      const bool alike = (slot >> 32) == (hash >> 32);
      if (alike && same_element(elements[static_cast<std::uint32_t>(slot) - 1], item)) break;
    }
    return &slots()[at];
  }

  static std::uint64_t slot(std::uint64_t hash, std::size_t position) {
    return (hash >> 32 << 32) | (position + 1);
  }
};

namespace {

void drop_duplicates(std::vector<Value>& items) {
  SetIndex* index = SetIndex::make(items.size());
  std::size_t kept = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].wholly_known()) {
      const std::uint64_t hash = items[i].hash();
      std::uint64_t* slot = index->find(items, items[i], hash);
      if (*slot != 0) continue;
      *slot = SetIndex::slot(hash, kept);
    }
    if (kept != i) items[kept] = std::move(items[i]);
    ++kept;
  }
  items.resize(kept);
  ::operator delete(index);
}

// The texts are written once each, not once per comparison.
void sort_by_text(std::span<Value> items) {
  std::string texts;
  std::vector<std::size_t> ends;
  ends.reserve(items.size());
  for (const Value& item : items) {
    append_text(texts, item);
    ends.push_back(texts.size());
  }
  const auto text = [&](std::size_t i) {
    const std::size_t begin = i == 0 ? 0 : ends[i - 1];
    return std::string_view(texts).substr(begin, ends[i] - begin);
  };
  std::ranges::move(reordered(items, text_order(items.size(), text)), items.begin());
}

bool comes_before(const Value& a, const Value& b) {
  return compare_primitives(a.plain(), b.plain()) < 0;
}

// Whether this is how a set keeps its elements already, as for keys of a map.
bool is_canonical(std::span<const Value> items, Type element) {
  if (!element.is_primitive()) return false;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (rank_of(items[i]) != 0) return false;
    // Fractions that differ on the number line can be equal all the same.
    if (element == Type::number() && !items[i].plain().as_number().to_int64()) return false;
    if (i > 0 && !comes_before(items[i - 1], items[i])) return false;
  }
  return true;
}

void sort_canonically(std::vector<Value>& items, Type element) {
  const auto is_known = [](const Value& v) { return rank_of(v) == 0; };
  if (!std::ranges::all_of(items, is_known)) std::ranges::stable_sort(items, {}, rank_of);
  const auto known = std::span(items).first(
      static_cast<std::size_t>(std::ranges::partition_point(items, is_known) - items.begin()));
  if (!element.is_primitive()) {
    sort_by_text(known);
    return;
  }
  if (element == Type::string()) {
    const auto text = [&](std::size_t i) { return known[i].plain().as_string(); };
    std::ranges::move(reordered(known, text_order(known.size(), text)), known.begin());
    return;
  }
  std::ranges::stable_sort(known, comes_before);
}

const Value* search(std::span<const Value> known, const Value& item) {
  const auto found = std::ranges::lower_bound(known, item, comes_before);
  if (found == known.end() || compare_primitives(found->plain(), item.plain()) != 0) return nullptr;
  return &*found;
}

SetIndex* index_of(const SetNode& set) {
  if (SetIndex* made = set.index.load(std::memory_order_acquire)) return made;
  const std::span<const Value> elements(set.storage(), set.size);
  SetIndex* index = SetIndex::make(elements.size());
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (!elements[i].wholly_known()) continue;
    const std::uint64_t hash = elements[i].hash();
    *index->find(elements, elements[i], hash) = SetIndex::slot(hash, i);
  }
  SetIndex* other = nullptr;
  if (set.index.compare_exchange_strong(other, index, std::memory_order_acq_rel)) return index;
  ::operator delete(index);  // another thread was faster
  return other;
}

}  // namespace

int canonical_compare(const Value& a, const Value& b) {
  if (rank_of(a) != rank_of(b)) return rank_of(a) - rank_of(b);
  if (rank_of(a) != 0) return 0;
  if (a.type() == b.type() && a.type().is_primitive()) {
    return compare_primitives(a.unmarked(), b.unmarked());
  }
  std::string first;
  std::string second;
  append_text(first, a);
  append_text(second, b);
  return sign_of(first <=> second);
}

Value Value::set(Type element, std::vector<Value> items) {
  Marks marks;
  for (Value& item : items) {
    if (!item.contains_marks()) continue;
    marks = marks.with(item.deep_marks());
    item = item.deep_unmarked();
  }
  element = settle_items(element, items);
  if (items.size() > 1 && !is_canonical(items, element)) {
    drop_duplicates(items);
    sort_canonically(items, element);
  }
  return ValueRep::make_set(Type::set(element), items).with_marks(marks);
}

bool Plain::set_contains(const Value& item) const {
  TOFU_CHECK(kind() == Kind::Set, "only a known set is asked for an element");
  if (item.type() != type().element() || !item.wholly_known()) return false;
  const auto elements = items();
  const bool whole_number =
      item.kind() == Kind::Number && item.plain().as_number().to_int64().has_value();
  if (item.is_null()) return !elements.empty() && elements.back().is_null();
  if (item.kind() == Kind::String || item.kind() == Kind::Bool || whole_number) {
    const auto known_end =
        std::ranges::partition_point(elements, [](const Value& v) { return rank_of(v) == 0; });
    return search(elements.first(static_cast<std::size_t>(known_end - elements.begin())), item) !=
           nullptr;
  }
  return *index_of(ValueRep::as<SetNode>(*this))->find(elements, item, item.hash()) != 0;
}

}  // namespace tofu::value
