// Splats: `list[*].a` and `list.*.a`.
#include <fmt/format.h>
#include <optional>
#include <utility>
#include <vector>

#include "syntax/evaluator.h"

namespace tofu::syntax {
namespace {

using diag::Diagnostics;
using value::Kind;
using value::Type;
using value::TypeKind;
using value::Value;

bool is_sequence(Type type) {
  return type.kind() == TypeKind::Tuple || type.kind() == TypeKind::List ||
         type.kind() == TypeKind::Set;
}

// The element type of a list of these, or nothing if they are of several types.
// Values of type `any` fit with everything.
std::optional<Type> list_element_type(const std::vector<Value>& items) {
  Type element = Type::dynamic();
  for (const Value& item : items) {
    if (element.is_dynamic()) {
      element = item.type();
    } else if (!item.type().is_dynamic() && item.type() != element) {
      return std::nullopt;
    }
  }
  return element;
}

// A null or unknown of type `any` becomes one of the type of its neighbors.
Value typed(const Value& item, Type element) {
  if (item.type() == element || !item.type().is_dynamic()) return item;
  if (item.is_marked()) return typed(item.unmarked(), element).with_marks(item.marks());
  return item.is_null() ? Value::null(element) : Value::unknown(element);
}

}  // namespace

Value Evaluator::splat(const SplatExpr& expr, Diagnostics& diags) {
  const std::size_t errors_before = diags.error_count();
  Value source = eval(*expr.source, diags);
  if (diags.error_count() != errors_before) return Value::unknown();

  const Type type = source.type();
  const bool single = !is_sequence(type);
  if (source.is_null()) {
    if (single) return Value::tuple({}).with_marks(source.marks());
    fault(diags, "Splat of null value",
          fmt::format("A splat expression requires a collection, but this {} is null.",
                      friendly_name(type)),
          expr.source->range, expr.source)
        .within(diag::cover(expr.source->range, expr.marker_range));
    return Value::unknown();
  }
  if (type.is_dynamic()) return Value::unknown().with_marks(source.marks());

  const Loop loop(*this);
  if (!single) {
    return source.is_known() ? splat_each(expr, source, false, diags)
                             : splat_unknown(expr, source, diags);
  }
  // A single value stands for a tuple of one, or of none should it become null.
  const auto plain = source.unmarked();
  const bool may_be_absent = plain.is_unknown() && !plain.refinements().not_null;
  const value::Marks marks = source.marks();
  return splat_each(expr, Value::tuple({std::move(source)}).with_marks(marks), may_be_absent,
                    diags);
}

Value Evaluator::splat_each(const SplatExpr& expr, const Value& source, bool may_be_absent,
                            Diagnostics& diags) {
  value::Marks marks;
  const auto sequence = strip_marks(source, marks);
  std::vector<Value> items;
  items.reserve(sequence.size());
  const std::size_t errors_before = diags.error_count();
  if (!may_make(sequence.size(), expr, diags)) return Value::unknown().with_marks(marks);
  for (const Value& element : sequence.items()) {
    bind(expr.slot, element);
    items.push_back(eval(*expr.each, diags));
  }
  bind(expr.slot, Value::unknown());
  if (may_be_absent) return Value::unknown().with_marks(marks);
  if (diags.error_count() != errors_before) {
    Diagnostics again;  // the same errors as above
    return Value::unknown(splat_type(expr, sequence.type(), again)).with_marks(marks);
  }
  if (sequence.kind() == Kind::Tuple) return Value::tuple(std::move(items)).with_marks(marks);
  if (items.empty()) {
    const Type type = splat_type(expr, sequence.type(), diags);
    return Value::list(type.element(), {}).with_marks(marks);
  }
  const auto element = list_element_type(items);
  if (!element) {
    diags.error("Invalid nested splat expressions")
        .detail(
            "The inner splat returns values of different types for the elements of the outer one, "
            "and these cannot be in one list. Use a 'for' expression, which builds a tuple.")
        .at(expr.each->range)
        .within(expr.range);
    return Value::unknown();
  }
  for (Value& item : items) item = typed(item, *element);
  return Value::list(*element, std::move(items)).with_marks(marks);
}

Value Evaluator::splat_unknown(const SplatExpr& expr, const Value& source, Diagnostics& diags) {
  value::Marks marks;
  const auto sequence = strip_marks(source, marks);
  const Type type = splat_type(expr, sequence.type(), diags);
  value::Refinements known;
  known.not_null = true;
  if (type.kind() == TypeKind::List) {
    known.length_min = sequence.refinements().length_min;
    known.length_max = sequence.refinements().length_max;
  }
  return Value::unknown(type).refined(known).with_marks(marks);
}

// The type of the result, found by trying unknown elements.
Type Evaluator::splat_type(const SplatExpr& expr, Type source, Diagnostics& diags) {
  const auto each = [&](Type element) {
    bind(expr.slot, Value::unknown(element));
    const Type type = eval(*expr.each, diags).type();
    bind(expr.slot, Value::unknown());
    return type;
  };
  if (source.kind() != TypeKind::Tuple) return Type::list(each(source.element()));
  std::vector<Type> elements;
  elements.reserve(source.elements().size());
  for (const Type element : source.elements()) elements.push_back(each(element));
  return Type::tuple(elements);
}

}  // namespace tofu::syntax
