// Functions on sets.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <optional>
#include <utility>
#include <vector>

#include "functions/arguments.h"
#include "functions/define.h"
#include "functions/errors.h"
#include "functions/families.h"
#include "value/convert.h"
#include "value/operations.h"
#include "value/path.h"
#include "value/size_limit.h"

namespace tofu::functions {

namespace {

using syntax::argument_error;
using syntax::Arguments;
using syntax::CallError;
using syntax::CallResult;
using value::Kind;
using value::Marks;
using value::Type;
using value::TypeKind;
using value::Value;

// Above these, an upper bound of an unknown length says too little to keep.
constexpr std::uint64_t kMaxTrackedLength = 1024;
constexpr std::uint64_t kMaxTrackedProduct = 2048;

CallResult<Type> common_set_type(Arguments arguments) {
  std::vector<Type> elements;
  for (const Value& set : arguments) {
    const Type element = set.type().element();
    // An empty set that never got a type fits any other.
    if (element.is_dynamic() && set.is_known() && set.plain().size() == 0) continue;
    elements.push_back(element);
  }
  if (elements.empty()) return Type::set(Type::dynamic());
  const auto common = unify(elements, value::Safety::AllowUnsafe);
  if (!common) {
    return call_error("the elements of the sets have no type in common");
  }
  return Type::set(*common);
}

enum class Unknowns : std::uint8_t { Allowed, EndTheWork };

// The arguments as sets of the common type, up to the first that ends the work.
CallResult<std::vector<Value>> as_sets(Arguments arguments, Type type, Unknowns unknowns) {
  std::vector<Value> sets;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    auto converted = value::convert(arguments[i], type);
    if (!converted) return argument_error(i, to_string(converted.error()));
    sets.push_back(*std::move(converted));
    if (unknowns == Unknowns::EndTheWork && !sets.back().wholly_known()) break;
    // Where the common type is `any`, nothing was converted.
    if (sets.back().type() != sets.front().type()) return mixed_types();
  }
  return sets;
}

CallResult<Value> set_union(Arguments arguments, Type type) {
  const CallResult<std::vector<Value>> sets = as_sets(arguments, type, Unknowns::Allowed);
  if (!sets) return sets.error();
  if (sets->size() == 1) return sets->front();
  std::vector<Value> items;
  for (const Value& set : *sets) {
    items.insert(items.end(), set.plain().items().begin(), set.plain().items().end());
    if (items.size() > value::kMaxElements) return call_error(value::too_many_elements());
  }
  return Value::set(sets->front().type().element(), std::move(items));
}

// The elements of the first set that `stays` in view of each of the others. An
// unknown anywhere may still turn out to equal something, so nothing is settled.
template <class Stays>
CallResult<Value> filter_first(Arguments arguments, Type type, Stays stays) {
  const CallResult<std::vector<Value>> sets = as_sets(arguments, type, Unknowns::EndTheWork);
  if (!sets) return sets.error();
  if (!sets->back().wholly_known()) return Value::unknown(type);
  std::vector<Value> items;
  for (const Value& item : sets->front().plain().items()) {
    const bool kept = std::all_of(sets->begin() + 1, sets->end(),
                                  [&](const Value& other) { return stays(other, item); });
    if (kept) items.push_back(item);
  }
  return Value::set(sets->front().type().element(), std::move(items));
}

CallResult<Value> set_intersection(Arguments arguments, Type type) {
  return filter_first(arguments, type, [](const Value& other, const Value& item) {
    return other.plain().set_contains(item);
  });
}

CallResult<Value> set_subtract(Arguments arguments, Type type) {
  return filter_first(arguments, type, [](const Value& other, const Value& item) {
    return !other.plain().set_contains(item);
  });
}

// The type of the elements that a factor of a product gives.
CallResult<Type> factor_type(Type type, std::size_t position) {
  if (type.kind() == TypeKind::Set || type.kind() == TypeKind::List) return type.element();
  if (type.kind() != TypeKind::Tuple) {
    return argument_error(position, "a set, list or tuple is required");
  }
  if (type.elements().empty()) return Type::dynamic();
  const auto common = unify(type.elements(), value::Safety::AllowUnsafe);
  if (!common) return argument_error(position, "the elements have no type in common");
  return *common;
}

CallResult<Type> set_product_type(Arguments arguments) {
  if (arguments.size() < 2) return call_error("at least two arguments are required");
  std::vector<Type> types;
  bool ordered = true;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Type type = arguments[i].type();
    const CallResult<Type> element = factor_type(type, i);
    if (!element) return element.error();
    if (type.kind() == TypeKind::Set) ordered = false;
    types.push_back(*element);
  }
  const Type tuple = Type::tuple(types);
  return ordered ? Type::list(tuple) : Type::set(tuple);
}

bool length_known(const Value& factor) {
  return factor.is_known() && value::length(factor).is_known();
}

// At most how many elements a factor has, if that is known.
std::optional<std::uint64_t> length_limit(const Value& factor) {
  if (factor.type().kind() == TypeKind::Tuple) return factor.type().elements().size();
  if (factor.is_unknown()) return factor.plain().refinements().length_max;
  if (!length_known(factor)) return std::nullopt;
  return factor.plain().size();
}

Value unknown_product(const std::vector<Value>& factors, Type type) {
  const Value unknown = Value::unknown(type);
  std::uint64_t limit = 1;
  for (const Value& factor : factors) {
    const std::optional<std::uint64_t> length = length_limit(factor);
    if (!length || *length > kMaxTrackedLength) return unknown;
    limit *= *length;
    if (limit > kMaxTrackedProduct) return unknown;
  }
  // Equal elements of a set fall together, but never to fewer than one.
  value::Refinements length;
  length.not_null = true;
  length.length_min = limit == 0 ? 0 : 1;
  length.length_max = limit;
  return unknown.refined(length);
}

// The elements of each factor, in the type that the product gives them.
CallResult<std::vector<std::vector<Value>>> product_columns(const std::vector<Value>& factors,
                                                            Type row) {
  std::vector<std::vector<Value>> columns;
  for (std::size_t i = 0; i < factors.size(); ++i) {
    std::vector<Value>& column = columns.emplace_back();
    for (const Value& item : factors[i].plain().items()) {
      auto converted = value::convert(item, row.elements()[i]);
      if (!converted) return call_error(to_string(converted.error()));
      column.push_back(*std::move(converted));
    }
  }
  return columns;
}

CallResult<Value> set_product(Arguments arguments, Type type) {
  Marks marks;
  std::vector<Value> factors;
  std::size_t total = 1;
  for (const Value& argument : arguments) {
    marks = marks.with(argument.marks());
    const Value& factor = factors.emplace_back(argument.unmarked());
    if (!length_known(factor)) continue;
    if (factor.plain().size() != 0 && total > value::kMaxElements / factor.plain().size()) {
      return call_error(value::too_many_elements());
    }
    total *= factor.plain().size();
  }
  // A product of many factors has few rows for what it holds.
  if (total > 2 * value::kMaxElements / std::max<std::size_t>(factors.size(), 1)) {
    return call_error(value::too_many_elements());
  }
  if (!std::ranges::all_of(factors, length_known)) {
    return unknown_product(factors, type).with_marks(marks);
  }

  const CallResult<std::vector<std::vector<Value>>> columns =
      product_columns(factors, type.element());
  if (!columns) return columns.error();
  std::vector<Value> rows;
  rows.reserve(total);
  std::vector<std::size_t> at(factors.size());
  for (std::size_t row = 0; row < total; ++row) {
    std::vector<Value> items;
    items.reserve(at.size());
    for (std::size_t i = 0; i < at.size(); ++i) items.push_back((*columns)[i][at[i]]);
    rows.push_back(Value::tuple(std::move(items)));
    // The last factor moves fastest.
    for (std::size_t i = at.size(); i-- > 0;) {
      if (++at[i] < (*columns)[i].size()) break;
      at[i] = 0;
    }
  }
  const auto row_type = element_type_of(rows, type.element());
  if (!row_type) return mixed_types();
  const Value result = type.kind() == TypeKind::List ? Value::list(*row_type, std::move(rows))
                                                     : Value::set(*row_type, std::move(rows));
  return result.with_marks(marks);
}

}  // namespace

void add_set(List& list) {
  const Type sets = Type::set(Type::dynamic());
  constexpr Accepts kDynamic{.dynamic = true};
  define(list, "setintersection", "The elements that all given sets have.")
      .takes("first_set", sets, kDynamic)
      .takes_many("other_sets", sets, kDynamic)
      .gives(common_set_type)
      .as(set_intersection);
  define(list, "setproduct",
         "All combinations of one element from each of the given sets or lists.")
      .takes_many(
          "sets", Type::dynamic(), {.unknown = true, .marked = true},
          "Sets, lists or tuples. If none of them is a set, the result is a list in their order.")
      .gives(set_product_type)
      .as(set_product);
  define(list, "setsubtract", "The elements of the first set that the second does not have.")
      .takes("a", sets, kDynamic)
      .takes("b", sets, kDynamic)
      .gives(common_set_type)
      .as(set_subtract);
  define(list, "setunion", "The elements that any of the given sets has.")
      .takes("first_set", sets, kDynamic)
      .takes_many("other_sets", sets, kDynamic)
      .gives(common_set_type)
      .as(set_union);
}

}  // namespace tofu::functions
