#include "value/operations.h"

#include <array>
#include <limits>
#include <optional>
#include <utility>

#include "value/value.h"

namespace tofu::value {

namespace {

// An operand of type `any` cannot be computed with even if it is null.
bool is_open(const Value& v) { return v.is_unknown() || v.type().is_dynamic(); }

Value unknown_bool() { return Value::unknown(Type::boolean()).refined_not_null(); }
Value unknown_number() { return Value::unknown(Type::number()).refined_not_null(); }

// The known lower and upper bounds of a number.
struct Range {
  Number least = Number::infinity(true);
  Number most = Number::infinity();
};

std::optional<Range> range_of(const Value& v) {
  if (v.type().is_dynamic()) return std::nullopt;
  TOFU_CHECK(v.type() == Type::number(), "operands are converted before");
  Range range;
  if (v.kind() == Kind::Number) {
    range.least = range.most = v.plain().as_number();
  } else if (v.is_unknown()) {
    if (const auto& lower = v.plain().refinements().lower) range.least = lower->limit;
    if (const auto& upper = v.plain().refinements().upper) range.most = upper->limit;
  }
  return range;
}

using NumberOperation = base::Result<Number> (*)(const Number&, const Number&);

// An unknown number within what the operation can give for the operands' ranges.
Value unknown_result(NumberOperation operation, const Value& a, const Value& b) {
  const auto left = range_of(a);
  const auto right = range_of(b);
  if (!left || !right) return unknown_number();
  const std::array corners = {
      operation(left->least, right->least), operation(left->least, right->most),
      operation(left->most, right->least), operation(left->most, right->most)};
  Refinements known;
  known.not_null = true;
  for (const auto& corner : corners) {
    if (!corner) return unknown_number();  // an impossible corner: nothing can be said
    if (!known.lower || *corner < known.lower->limit) known.lower = Bound{*corner, true};
    if (!known.upper || *corner > known.upper->limit) known.upper = Bound{*corner, true};
  }
  return Value::unknown(Type::number()).refined(known);
}

template <class Compute>
auto with_both_marks(const Value& a, const Value& b, Compute&& compute) {
  return compute(a.unmarked(), b.unmarked()).with_marks(a.marks().with(b.marks()));
}

enum class WhenUnknown { Range, Nothing };

base::Result<Value> arithmetic(NumberOperation operation, WhenUnknown answer, const Value& a,
                               const Value& b) {
  if (a.is_marked() || b.is_marked()) {
    auto result = arithmetic(operation, answer, a.unmarked(), b.unmarked());
    if (!result) return result;
    return result->with_marks(a.marks().with(b.marks()));
  }
  if (is_open(a) || is_open(b)) {
    return answer == WhenUnknown::Range ? unknown_result(operation, a, b) : unknown_number();
  }
  auto result = operation(a.plain().as_number(), b.plain().as_number());
  if (!result) return std::move(result).error();
  return Value::number(*std::move(result));
}

bool is_exactly(const Value& v, bool truth) {
  return v.kind() == Kind::Bool && v.plain().as_bool() == truth;
}

// Both sides are looked at; one that decides alone does so even if the other is
// unknown.
Value logical(const Value& a, const Value& b, bool deciding) {
  if (a.is_marked() || b.is_marked()) {
    return with_both_marks(a, b,
                           [&](const Value& l, const Value& r) { return logical(l, r, deciding); });
  }
  if (is_exactly(a, deciding) || is_exactly(b, deciding)) return Value::boolean(deciding);
  if (is_open(a) || is_open(b)) return unknown_bool();
  TOFU_CHECK(a.kind() == Kind::Bool && b.kind() == Kind::Bool, "operands are converted before");
  return Value::boolean(!deciding);
}

}  // namespace

Value negated_bool(const Value& a) {
  if (a.is_marked()) return negated_bool(a.unmarked()).with_marks(a.marks());
  return is_open(a) ? unknown_bool() : Value::boolean(!a.plain().as_bool());
}

Value logical_and(const Value& a, const Value& b) { return logical(a, b, false); }
Value logical_or(const Value& a, const Value& b) { return logical(a, b, true); }

base::Result<Value> add(const Value& a, const Value& b) {
  return arithmetic(checked_add, WhenUnknown::Range, a, b);
}
base::Result<Value> subtract(const Value& a, const Value& b) {
  return arithmetic(checked_subtract, WhenUnknown::Range, a, b);
}
base::Result<Value> multiply(const Value& a, const Value& b) {
  return arithmetic(checked_multiply, WhenUnknown::Range, a, b);
}
base::Result<Value> divide(const Value& a, const Value& b) {
  const NumberOperation operation = divide;
  return arithmetic(operation, WhenUnknown::Nothing, a, b);
}
base::Result<Value> modulo(const Value& a, const Value& b) {
  const NumberOperation operation = modulo;
  return arithmetic(operation, WhenUnknown::Nothing, a, b);
}

Value negate(const Value& a) {
  if (a.is_marked()) return negate(a.unmarked()).with_marks(a.marks());
  return is_open(a) ? unknown_number() : Value::number(a.plain().as_number().negated());
}

Value less_than(const Value& a, const Value& b) {
  if (a.is_marked() || b.is_marked()) return with_both_marks(a, b, less_than);
  if (!is_open(a) && !is_open(b))
    return Value::boolean(a.plain().as_number() < b.plain().as_number());
  const auto left = range_of(a);
  const auto right = range_of(b);
  if (left && right) {
    if (left->most < right->least) return Value::boolean(true);
    if (left->least > right->most) return Value::boolean(false);
  }
  return unknown_bool();
}

Value greater_than(const Value& a, const Value& b) { return less_than(b, a); }

// "Or equal" by the language's equality, which is wider than the number line's.
Value less_or_equal(const Value& a, const Value& b) {
  return logical_or(less_than(a, b), equals(a, b));
}
Value greater_or_equal(const Value& a, const Value& b) {
  return logical_or(greater_than(a, b), equals(a, b));
}

namespace {

Value count(std::size_t number) { return Value::integer(static_cast<std::int64_t>(number)); }

// Lengths are counted in a machine's signed word, and so is the bound of one
// about which nothing is known.
Value unknown_length(std::uint64_t least, std::uint64_t most) {
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  const auto bounded = [](std::uint64_t n) {
    return n > static_cast<std::uint64_t>(kMost) ? kMost : static_cast<std::int64_t>(n);
  };
  Refinements known;
  known.not_null = true;
  known.lower = Bound{Number(bounded(least)), true};
  known.upper = Bound{Number(bounded(most)), true};
  return Value::unknown(Type::number()).refined(known);
}

std::optional<std::size_t> position(const Value& key, std::size_t size) {
  if (key.kind() != Kind::Number) return std::nullopt;
  const auto at = key.plain().as_number().to_int64();
  if (!at || *at < 0 || static_cast<std::uint64_t>(*at) >= size) return std::nullopt;
  return static_cast<std::size_t>(*at);
}

std::size_t promised_position(const Value& key, std::size_t size) {
  const auto at = position(key, size);
  TOFU_CHECK(at.has_value(), "has_index was asked first");
  return *at;
}

}  // namespace

Value length(const Value& collection) {
  if (collection.is_marked()) return length(collection.unmarked()).with_marks(collection.marks());
  const Type type = collection.type();
  if (type.kind() == TypeKind::Tuple) return count(type.elements().size());
  if (type.kind() == TypeKind::Object) return count(type.attributes().size());
  constexpr auto kNoLimit = std::numeric_limits<std::uint64_t>::max();
  if (collection.is_unknown()) {
    const Refinements& known = collection.plain().refinements();
    return unknown_length(known.length_min, known.length_max.value_or(kNoLimit));
  }
  const std::size_t stored = collection.plain().size();
  // Unknown elements of a set may turn out to be the same one.
  if (collection.kind() == Kind::Set && stored != 1 && !collection.wholly_known()) {
    return unknown_length(1, stored);
  }
  return count(stored);
}

Value index(const Value& collection, const Value& key) {
  if (collection.is_marked() || key.is_marked()) return with_both_marks(collection, key, index);
  const Type type = collection.type();
  switch (type.kind()) {
    case TypeKind::Dynamic: return Value::unknown();
    case TypeKind::List:
      if (is_open(key) || collection.is_unknown()) return Value::unknown(type.element());
      return collection.plain().items()[promised_position(key, collection.plain().size())];
    case TypeKind::Map: {
      if (is_open(key) || collection.is_unknown()) return Value::unknown(type.element());
      const Value* found = collection.plain().find(key.plain().as_string());
      TOFU_CHECK(found != nullptr, "has_index was asked first");
      return *found;
    }
    case TypeKind::Tuple: {
      if (is_open(key)) return Value::unknown();
      const std::size_t at = promised_position(key, type.elements().size());
      return collection.is_unknown() ? Value::unknown(type.elements()[at])
                                     : collection.plain().items()[at];
    }
    case TypeKind::Bool:
    case TypeKind::Number:
    case TypeKind::String:
    case TypeKind::Set:
    case TypeKind::Object:
    case TypeKind::Capsule: break;
  }
  base::broken_promise("only lists, maps and tuples are indexed");
}

Value has_index(const Value& collection, const Value& key) {
  if (collection.is_marked() || key.is_marked()) {
    return with_both_marks(collection, key, has_index);
  }
  const Type type = collection.type();
  if (type.is_dynamic() || key.type().is_dynamic()) return unknown_bool();
  switch (type.kind()) {
    case TypeKind::List:
      if (key.type() != Type::number()) return Value::boolean(false);
      if (key.is_unknown() || collection.is_unknown()) return unknown_bool();
      return Value::boolean(position(key, collection.plain().size()).has_value());
    case TypeKind::Map:
      if (key.type() != Type::string()) return Value::boolean(false);
      if (key.is_unknown() || collection.is_unknown()) return unknown_bool();
      return Value::boolean(key.kind() == Kind::String &&
                            collection.plain().find(key.plain().as_string()) != nullptr);
    case TypeKind::Tuple:
      if (key.type() != Type::number()) return Value::boolean(false);
      if (key.is_unknown()) return unknown_bool();
      return Value::boolean(position(key, type.elements().size()).has_value());
    case TypeKind::Dynamic:
    case TypeKind::Bool:
    case TypeKind::Number:
    case TypeKind::String:
    case TypeKind::Set:
    case TypeKind::Object:
    case TypeKind::Capsule: break;
  }
  base::broken_promise("only lists, maps and tuples are indexed");
}

Value has_element(const Value& set, const Value& item) {
  if (set.is_marked() || item.contains_marks()) {
    return has_element(set.unmarked(), item.deep_unmarked())
        .with_marks(set.marks().with(item.deep_marks()));
  }
  if (set.is_unknown()) return unknown_bool();
  TOFU_CHECK(set.kind() == Kind::Set, "only a set is asked for an element");
  const Type element = set.type().element();
  const bool typed = !item.type().is_dynamic() && !element.is_dynamic();
  if (typed && item.type() != element) return Value::boolean(false);
  if (item.is_unknown()) return unknown_bool();
  if (item.type() != element) return Value::boolean(false);
  if (set.plain().set_contains(item)) return Value::boolean(true);
  return set.wholly_known() ? Value::boolean(false) : unknown_bool();
}

Value get_attribute(const Value& object, std::string_view name) {
  if (object.is_marked()) return get_attribute(object.unmarked(), name).with_marks(object.marks());
  const Type type = object.type();
  if (type.is_dynamic()) return Value::unknown();
  const auto place = type.attribute_index(name);
  TOFU_CHECK(place.has_value(), "the attribute exists");
  if (object.is_unknown()) return Value::unknown(type.attributes()[*place].type);
  return object.plain().items()[*place];
}

}  // namespace tofu::value
