// Taking lists and tuples apart, joining them and changing their order.
//
// Where all arguments are known, the rules for result types answer `any` if the
// exact type would be a tuple: the body makes that tuple anyway, and working its
// type out twice would double the cost of long ones.
#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "functions/arguments.h"
#include "functions/collection.h"
#include "functions/define.h"
#include "functions/errors.h"
#include "functions/seen_values.h"
#include "value/convert.h"
#include "value/number.h"
#include "value/operations.h"
#include "value/size_limit.h"

namespace tofu::functions {

namespace {

using syntax::argument_error;
using syntax::Arguments;
using syntax::CallError;
using syntax::CallResult;
using value::Kind;
using value::Marks;
using value::Number;
using value::Type;
using value::TypeKind;
using value::Value;

constexpr std::size_t kMaxRange = 1024;
// Empty sequences inside of each other give no element, but have to be looked at.
constexpr std::size_t kMaxFlattened = 2 * value::kMaxElements;

CallResult<Value> chunk_list(Arguments arguments, Type) {
  const auto& items = arguments[0].unmarked();
  const Marks marks = arguments[0].marks().with(arguments[1].marks());
  const std::optional<std::int64_t> size = whole(arguments[1].unmarked());
  if (!size) return call_error(not_whole());
  if (*size < 0) return call_error("the size of a chunk must not be negative");

  std::vector<Value> chunks;
  if (*size == 0 && items.size() != 0) {
    chunks.push_back(items);  // no limit: one chunk
  } else {
    auto rest = items.items();
    while (!rest.empty()) {
      const auto chunk =
          rest.first(std::min<std::size_t>(rest.size(), static_cast<std::size_t>(*size)));
      chunks.push_back(Value::list(items.type().element(), {chunk.begin(), chunk.end()}));
      rest = rest.subspan(chunk.size());
    }
  }
  return Value::list(items.type(), std::move(chunks)).with_marks(marks);
}

CallResult<Value> compact(Arguments arguments, Type type) {
  if (!arguments[0].wholly_known()) return Value::unknown(type);
  std::vector<Value> kept;
  for (const Value& item : arguments[0].plain().items()) {
    if (!item.is_null() && !item.plain().as_string().empty()) kept.push_back(item);
  }
  return Value::list(Type::string(), std::move(kept));
}

// The list type that all arguments convert to, if all are lists and there is one.
std::optional<Type> common_list_type(Arguments arguments) {
  std::vector<Type> types;
  for (const Value& argument : arguments) {
    if (argument.type().kind() != TypeKind::List) return std::nullopt;
    types.push_back(argument.type());
  }
  return unify(types, value::Safety::AllowUnsafe);
}

CallResult<Type> concat_type(Arguments arguments) {
  if (arguments.empty()) return call_error("at least one argument is required");
  if (const auto list = common_list_type(arguments)) return *list;

  std::vector<Type> types;
  const bool all_known = std::ranges::all_of(arguments, &Value::is_known);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto& argument = arguments[i].unmarked();
    const Type type = argument.type();
    if (!is_list_or_tuple(type)) {
      return argument_error(
          i, fmt::format("all arguments must be lists or tuples, not {}", friendly_name(type)));
    }
    if (all_known) continue;
    if (type.kind() == TypeKind::Tuple) {
      types.insert(types.end(), type.elements().begin(), type.elements().end());
    } else if (argument.is_unknown()) {
      return Type::dynamic();  // how many elements there will be is not known
    } else {
      types.insert(types.end(), argument.size(), type.element());
    }
  }
  return all_known ? Type::dynamic() : Type::tuple(types);
}

CallResult<Value> concat(Arguments arguments, Type type) {
  std::vector<Value> items;
  Marks marks;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    Value sequence = arguments[i];
    if (type.kind() == TypeKind::List) {
      auto converted = value::convert(sequence, type);
      if (!converted) return argument_error(i, to_string(converted.error()));
      sequence = *std::move(converted);
    }
    marks = marks.with(sequence.marks());
    const auto& inside = sequence.unmarked();
    items.insert(items.end(), inside.items().begin(), inside.items().end());
    if (items.size() > value::kMaxElements) return call_error(value::too_many_elements());
  }
  if (type.kind() != TypeKind::List) return Value::tuple(std::move(items)).with_marks(marks);
  const auto element = element_type_of(items, type.element());
  if (!element) return mixed_types();
  return Value::list(*element, std::move(items)).with_marks(marks);
}

CallResult<Value> distinct(Arguments arguments, Type type) {
  if (!arguments[0].wholly_known()) return Value::unknown(type);
  const auto items = arguments[0].plain().items();
  SeenValues seen(items.size());
  std::vector<Value> kept;
  for (const Value& item : items) {
    if (seen.add(item)) kept.push_back(item);
  }
  if (kept.size() == items.size()) return arguments[0];
  return Value::list(arguments[0].type().element(), std::move(kept));
}

CallResult<Type> flatten_type(Arguments arguments) {
  if (arguments[0].wholly_known() && !is_sequence(arguments[0].type())) {
    return call_error("only lists, sets and tuples can be flattened");
  }
  return Type::dynamic();
}

// Goes through the elements of nested sequences in order. Nesting can be as deep
// as a JSON document's, so the way back is kept in `open` and not on the stack.
struct Flattened {
  std::vector<Value> items;
  Marks marks;
  bool unknown = false;   // some sequence's elements are not known
  bool too_many = false;  // the rest was left out
};

Flattened flatten_all(const Value& root) {
  struct Open {
    Value sequence;  // without marks
    std::size_t next = 0;
  };
  Flattened result;
  std::vector<Open> open;
  std::size_t steps = 0;
  const auto enter = [&](const Value& sequence) {
    result.marks = result.marks.with(sequence.marks());
    Value inside = sequence.unmarked();
    if (inside.is_unknown() || value::length(inside).is_unknown()) {
      result.unknown = true;
    } else {
      open.push_back({std::move(inside)});
    }
  };
  enter(root);
  while (!open.empty()) {
    if (open.back().next == open.back().sequence.plain().size()) {
      open.pop_back();
      continue;
    }
    const Value item = open.back().sequence.plain().items()[open.back().next++];
    if (is_sequence(item.type()) && !item.is_null()) {
      enter(item);
    } else {
      // This may turn out to be a sequence. OpenTofu asks only about what has no marks.
      if (!item.is_marked() && item.is_unknown() && item.type().is_dynamic()) {
        result.unknown = true;
      }
      result.items.push_back(item);
    }
    if (++steps > kMaxFlattened) {
      result.too_many = true;
      return result;
    }
  }
  return result;
}

CallResult<Value> flatten(Arguments arguments, Type type) {
  Flattened flat = flatten_all(arguments[0]);
  if (flat.too_many) return call_error(value::too_many_elements());
  if (flat.unknown) return Value::unknown(type).with_marks(flat.marks);
  return Value::tuple(std::move(flat.items)).with_marks(flat.marks);
}

CallResult<Value> range(Arguments arguments, Type) {
  if (arguments.empty() || arguments.size() > 3) {
    return call_error("one, two or three numbers are required");
  }
  Number number = arguments.size() == 1 ? Number(0) : arguments[0].plain().as_number();
  const Number end = arguments[arguments.size() == 1 ? 0 : 1].plain().as_number();
  const Number step =
      arguments.size() == 3 ? arguments[2].plain().as_number() : Number(end < number ? -1 : 1);
  const bool down = step.sign() < 0;
  if (down ? end > number : end < number) {
    return argument_error(1, down ? "the end must not be above the start if the step is negative"
                                  : "the end must not be below the start if the step is positive");
  }

  std::vector<Value> numbers;
  while (down ? number > end : number < end) {
    if (numbers.size() == kMaxRange) {
      return call_error(fmt::format("the range has more than {} numbers", kMaxRange));
    }
    numbers.push_back(Value::number(number));
    auto next = checked_add(number, step);
    if (!next) return call_error(next.error().what);
    number = *std::move(next);
  }
  return Value::list(Type::number(), std::move(numbers));
}

CallResult<Type> reverse_type(Arguments arguments) {
  const Type type = arguments[0].type();
  if (type.kind() == TypeKind::Tuple) {
    if (arguments[0].is_known()) return Type::dynamic();
    return Type::tuple(std::vector<Type>(type.elements().rbegin(), type.elements().rend()));
  }
  if (!is_sequence(type)) {
    return argument_error(0, fmt::format("only lists and tuples have an order to reverse, not {}",
                                         friendly_name(type)));
  }
  return Type::list(type.element());
}

CallResult<Value> reverse(Arguments arguments, Type) {
  const auto& sequence = arguments[0].unmarked();
  const auto items = sequence.items();
  std::vector<Value> reversed(items.rbegin(), items.rend());
  const Value result = sequence.kind() == Kind::Tuple
                           ? Value::tuple(std::move(reversed))
                           : Value::list(sequence.type().element(), std::move(reversed));
  return result.with_marks(arguments[0].marks());
}

// The borders of a slice as far as they are known.
struct Slice {
  std::size_t start = 0;
  std::size_t end = 0;
  bool known = false;
};

CallResult<Slice> slice_borders(Arguments arguments) {
  const Type type = arguments[0].type();
  // Even of an unknown tuple the length is known.
  const Value length = type.kind() == TypeKind::Tuple
                           ? Value::integer(static_cast<std::int64_t>(type.elements().size()))
                           : value::length(arguments[0].unmarked());
  std::optional<std::int64_t> borders[2];
  for (std::size_t i = 1; i <= 2; ++i) {
    if (arguments[i].is_unknown()) continue;
    borders[i - 1] = whole(arguments[i]);
    const std::optional<std::int64_t>& border = borders[i - 1];
    if (!border) return argument_error(i, not_whole());
    if (*border < 0) return argument_error(i, "the index must not be negative");
    if (length.is_known() && Number(*border) > length.plain().as_number()) {
      return argument_error(i, "the index is beyond the end of the list");
    }
  }
  if (!borders[0] || !borders[1]) return Slice{};
  if (*borders[0] > *borders[1]) {
    return argument_error(1, "the start index is greater than the end index");
  }
  return Slice{static_cast<std::size_t>(*borders[0]), static_cast<std::size_t>(*borders[1]), true};
}

CallResult<Type> slice_type(Arguments arguments) {
  const Type type = arguments[0].type();
  if (type.kind() == TypeKind::Set) {
    return argument_error(0, "the elements of a set have no order; convert it to a list first");
  }
  if (!is_list_or_tuple(type)) return argument_error(0, "a list or tuple is required");
  const CallResult<Slice> slice = slice_borders(arguments);
  if (!slice) return slice.error();
  if (type.kind() == TypeKind::List) return type;
  if (!slice->known || arguments[0].is_known()) return Type::dynamic();
  return Type::tuple(type.elements().subspan(slice->start, slice->end - slice->start));
}

CallResult<Value> slice(Arguments arguments, Type) {
  const CallResult<Slice> slice = slice_borders(arguments);
  if (!slice) return slice.error();
  const auto& sequence = arguments[0].unmarked();
  const auto part = sequence.items().subspan(slice->start, slice->end - slice->start);
  std::vector<Value> items(part.begin(), part.end());
  const Value result = sequence.kind() == Kind::Tuple
                           ? Value::tuple(std::move(items))
                           : Value::list(sequence.type().element(), std::move(items));
  return result.with_marks(arguments[0].marks());
}

CallResult<Value> sort(Arguments arguments, Type type) {
  const Value& list = arguments[0];
  if (!list.wholly_known()) {
    // Sorting does not change how many there are.
    value::Refinements length;
    if (list.is_unknown()) {
      length.length_min = list.plain().refinements().length_min;
      length.length_max = list.plain().refinements().length_max;
    } else {
      length.length_min = list.plain().size();
      length.length_max = list.plain().size();
    }
    length.not_null = true;
    return Value::unknown(type).refined(length);
  }
  std::vector<Value> items(list.plain().items().begin(), list.plain().items().end());
  const auto null = std::ranges::find_if(items, &Value::is_null);
  if (null != items.end()) {
    return call_error(
        fmt::format("element {} is null, and a null cannot be sorted", null - items.begin()));
  }
  std::ranges::stable_sort(items, {}, [](const Value& v) { return v.plain().as_string(); });
  return Value::list(Type::string(), std::move(items));
}

}  // namespace

void add_list(List& list) {
  const Type any = Type::dynamic();
  const Type any_list = Type::list(any);
  const Type strings = Type::list(Type::string());
  constexpr Accepts kMarked{.marked = true};
  const auto same_type = [](Arguments arguments) -> CallResult<Type> {
    return arguments[0].type();
  };
  define(list, "chunklist", "Cuts a list into lists of at most the given size.")
      .takes("list", any_list, kMarked)
      .takes("size", Type::number(), kMarked,
             "How many elements a chunk has; only the last may have fewer. Zero means no limit.")
      .gives(
          [](Arguments arguments) -> CallResult<Type> { return Type::list(arguments[0].type()); })
      .as(chunk_list);
  define(list, "compact", "A list of strings without those that are null or empty.")
      .takes("list", strings)
      .gives(strings)
      .as(compact);
  define(list, "concat", "Joins lists and tuples into one, in the given order.")
      .takes_many("seqs", any, kMarked)
      .gives(concat_type)
      .as(concat);
  define(list, "distinct", "A list without its duplicates; the first of equal elements stays.")
      .takes("list", any_list)
      .gives(same_type)
      .as(distinct);
  define(list, "flatten",
         "Replaces every element that is itself a list, set or tuple by its elements, at every "
         "depth.")
      .takes("list", any, kMarked)
      .gives(flatten_type)
      .as(flatten);
  define(list, "range", "Numbers from a start up to, but without, an end, by equal steps.")
      .takes_many("params", Type::number())
      .gives(Type::list(Type::number()))
      .as(range);
  define(list, "reverse", "A list or tuple in reverse order.")
      .takes("list", any, kMarked)
      .gives(reverse_type)
      .as(reverse);
  define(list, "slice", "The elements of a list or tuple from a start index up to an end index.")
      .takes("list", any, kMarked)
      .takes("start_index", Type::number(), {}, "The index of the first element, from 0.")
      .takes("end_index", Type::number(), {}, "The index after the last element.")
      .gives(slice_type)
      .as(slice);
  define(list, "sort", "The strings of a list in the order of their bytes.")
      .takes("list", strings, {.unknown = true})
      .gives(strings)
      .as(sort);
}

}  // namespace tofu::functions
