#include <optional>
#include <utility>
#include <vector>

#include "value/nullness.h"
#include "value/operations.h"
#include "value/value.h"

// The language's ==. Both values are walked side by side, in order; the first
// pair that is unequal or undecided settles the whole.

namespace tofu::value {

namespace {

enum class Truth { No, Yes, Unknown };

bool is_false(const Value& v) { return v.kind() == Kind::Bool && !v.plain().as_bool(); }

bool within(const Value& number, const Refinements& known) {
  if (const auto& lower = known.lower) {
    const Value limit = Value::number(lower->limit);
    if (is_false(lower->inclusive ? greater_or_equal(number, limit)
                                  : greater_than(number, limit))) {
      return false;
    }
  }
  if (const auto& upper = known.upper) {
    const Value limit = Value::number(upper->limit);
    if (is_false(upper->inclusive ? less_or_equal(number, limit) : less_than(number, limit))) {
      return false;
    }
  }
  return true;
}

// Whether the unknown could still become the known value.
bool could_become(const Plain& unknown, const Plain& known) {
  const Refinements& refinements = unknown.refinements();
  if (known.is_null()) return !refinements.not_null;
  if (!conforms(known.type(), unknown.type())) return false;
  if (known.kind() == Kind::String) return known.as_string().starts_with(refinements.prefix);
  if (known.kind() == Kind::Number) return within(known, refinements);
  if (known.type().is_collection() && unknown.type().is_collection()) {
    Refinements bounds;
    bounds.lower = Bound{Number(static_cast<std::int64_t>(refinements.length_min)), true};
    if (const auto most = refinements.length_max) {
      bounds.upper = Bound{Number(static_cast<std::int64_t>(*most)), true};
    }
    return within(length(known), bounds);
  }
  return true;
}

Truth compare_with_unknown(const Plain& unknown, const Plain& known) {
  if (!could_become(unknown, known)) return Truth::No;
  // A null equals a null of any type, so an unknown's type decides nothing then.
  if (known.is_null() || unknown.type().has_dynamic()) return Truth::Unknown;
  return known.type() == unknown.type() ? Truth::Unknown : Truth::No;
}

Truth compare_sets(const Plain& a, const Plain& b) {
  const auto is_unknown = [](const Value& item) { return item.is_unknown(); };
  for (const Plain* set : {&a, &b}) {
    for (const Value& item : set->items()) {
      if (is_unknown(item)) return Truth::Unknown;
    }
  }
  if (a.size() != b.size()) return Truth::No;
  for (const Value& item : a.items()) {
    if (!b.set_contains(item)) return Truth::No;
  }
  return Truth::Yes;
}

Truth truth(bool yes) { return yes ? Truth::Yes : Truth::No; }

// Everything about a pair except the items of lists, maps, tuples and objects.
Truth compare_outside(const Plain& a, const Plain& b) {
  if (a.is_null() && surely_not_null(b)) return Truth::No;
  if (b.is_null() && surely_not_null(a)) return Truth::No;
  if (a.is_unknown() && b.is_unknown()) return Truth::Unknown;
  if (a.is_unknown()) return compare_with_unknown(a, b);
  if (b.is_unknown()) return compare_with_unknown(b, a);
  if (a.is_null() || b.is_null()) return truth(a.is_null() && b.is_null());
  if (a.type() != b.type()) return Truth::No;
  switch (a.kind()) {
    case Kind::Bool: return truth(a.as_bool() == b.as_bool());
    case Kind::Number: return truth(a.as_number() == b.as_number());
    case Kind::String: return truth(a.as_string() == b.as_string());
    case Kind::Capsule: return truth(a.as_capsule() == b.as_capsule());
    case Kind::Set: return compare_sets(a, b);
    case Kind::List:
    case Kind::Tuple:
    case Kind::Object: return truth(a.size() == b.size());
    case Kind::Map:
      if (a.size() != b.size()) return Truth::No;
      for (std::size_t i = 0; i < a.size(); ++i) {
        if (a.map_keys()[i].plain().as_string() != b.map_keys()[i].plain().as_string())
          return Truth::No;
      }
      return Truth::Yes;
    case Kind::Null:
    case Kind::Unknown:
    case Kind::Marked: break;
  }
  base::broken_promise("marks are removed before values are compared");
}

bool has_items(const Plain& v) {
  return v.kind() >= Kind::List && v.kind() <= Kind::Object && v.kind() != Kind::Set;
}

Truth compare(const Plain& a, const Plain& b) {
  std::vector<std::pair<const Plain*, const Plain*>> open{{&a, &b}};
  while (!open.empty()) {
    const auto [left, right] = open.back();
    open.pop_back();
    if (left->is_same(*right) && left->wholly_known()) continue;
    const Truth result = compare_outside(*left, *right);
    if (result != Truth::Yes) return result;
    if (!has_items(*left) || !has_items(*right)) continue;
    const auto left_items = left->items();
    const auto right_items = right->items();
    for (std::size_t i = left_items.size(); i-- > 0;) {
      open.emplace_back(&left_items[i].plain(), &right_items[i].plain());
    }
  }
  return Truth::Yes;
}

// Whether anything inside is an unknown whose type is not settled either.
bool has_open_type(const Plain& root) {
  if (root.wholly_known()) return false;
  std::vector<const Plain*> open{&root};
  while (!open.empty()) {
    const Plain& v = *open.back();
    open.pop_back();
    if (v.wholly_known()) continue;
    if (v.is_unknown()) {
      const Type type = v.type();
      const bool may_have_parts = type.is_collection() || type.is_structural();
      if (type.is_dynamic() || (may_have_parts && type.has_dynamic())) return true;
      continue;
    }
    for (const Value& item : v.items()) open.push_back(&item.plain());
  }
  return false;
}

Truth compare_unmarked(const Plain& a, const Plain& b) {
  const bool both_present = !a.is_unknown() && !b.is_unknown() && !a.is_null() && !b.is_null();
  if (both_present && (has_open_type(a) || has_open_type(b))) {
    const bool hopeless = !conforms(a.type(), b.type()) && !conforms(b.type(), a.type());
    return hopeless ? Truth::No : Truth::Unknown;
  }
  return compare(a, b);
}

Value as_value(Truth truth_value) {
  switch (truth_value) {
    case Truth::No: return Value::boolean(false);
    case Truth::Yes: return Value::boolean(true);
    case Truth::Unknown: break;
  }
  return Value::unknown(Type::boolean()).refined_not_null();
}

}  // namespace

Value equals(const Value& a, const Value& b) {
  if (!a.contains_marks() && !b.contains_marks()) {
    return as_value(compare_unmarked(a.plain(), b.plain()));
  }
  // A comparison with null reveals nothing about the contents.
  const bool one_null = a.is_null() != b.is_null();
  const Marks marks = one_null ? a.marks().with(b.marks()) : a.deep_marks().with(b.deep_marks());
  return as_value(compare_unmarked(a.deep_unmarked(), b.deep_unmarked())).with_marks(marks);
}

}  // namespace tofu::value
