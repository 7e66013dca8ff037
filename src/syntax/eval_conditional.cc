// `condition ? a : b`: both arms are evaluated, one type is found for them, and
// the errors of the arm that is not taken are forgotten.
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>
#include <tuple>
#include <utility>

#include "base/unicode.h"
#include "syntax/evaluator.h"
#include "value/convert.h"
#include "value/operations.h"
#include "value/path.h"

namespace tofu::syntax {
namespace {

using diag::Diagnostics;
using value::Kind;
using value::Type;
using value::TypeKind;
using value::Value;

bool is_untyped_null(const Value& v) {
  return !v.is_marked() && v.is_null() && v.type().is_dynamic();
}

// The type of the whole. A bare null without marks fits any other arm; `any` stays undecided.
std::optional<Type> common_type(const Value& if_true, const Value& if_false) {
  if (is_untyped_null(if_true)) return if_false.type();
  if (is_untyped_null(if_false)) return if_true.type();
  if (if_true.type() == if_false.type()) return if_true.type();
  if (if_true.type().is_dynamic() || if_false.type().is_dynamic()) return Type::dynamic();
  const std::array types{if_true.type(), if_false.type()};
  return value::unify(types, value::Safety::AllowUnsafe);
}

// The reason why two types cannot be unified. Goes down along the first difference.
std::string difference(Type if_true, Type if_false) {
  std::string where;
  while (true) {
    if (if_true.kind() == TypeKind::Object && if_false.kind() == TypeKind::Object) {
      std::optional<std::pair<Type, Type>> inner;
      for (const value::ObjectAttribute& attribute : if_true.attributes()) {
        const auto other = if_false.attribute_index(attribute.name);
        if (!other) {
          return fmt::format("{}only the true result has the attribute {}", where,
                             base::quote_go(attribute.name));
        }
        const Type other_type = if_false.attributes()[*other].type;
        if (attribute.type == other_type) continue;
        where += fmt::format("in attribute {}, ", base::quote_go(attribute.name));
        inner.emplace(attribute.type, other_type);
        break;
      }
      if (inner) {
        std::tie(if_true, if_false) = *inner;
        continue;
      }
      for (const value::ObjectAttribute& attribute : if_false.attributes()) {
        if (if_true.attribute_index(attribute.name)) continue;
        return fmt::format("{}only the false result has the attribute {}", where,
                           base::quote_go(attribute.name));
      }
    } else if (if_true.kind() == TypeKind::Tuple && if_false.kind() == TypeKind::Tuple) {
      const auto first = if_true.elements();
      const auto second = if_false.elements();
      if (first.size() != second.size()) {
        return fmt::format("{}the true result is a tuple of {}, the false result of {}", where,
                           first.size(), second.size());
      }
      const auto differ = std::ranges::mismatch(first, second);
      if (differ.in1 != first.end()) {
        where += fmt::format("in element {}, ", differ.in1 - first.begin());
        if_true = *differ.in1;
        if_false = *differ.in2;
        continue;
      }
    } else if (if_true.is_collection() && if_true.kind() == if_false.kind()) {
      where += "in the elements, ";
      const Type first = if_true.element();
      if_false = if_false.element();
      if_true = first;
      continue;
    }
    return fmt::format("{}the true result is {}, the false result is {}", where,
                       friendly_name(if_true), friendly_name(if_false));
  }
}

// The looser of two bounds, if both sides have one.
std::optional<value::Bound> looser(const std::optional<value::Bound>& a,
                                   const std::optional<value::Bound>& b, bool lower) {
  if (!a || !b) return std::nullopt;
  const auto order = a->limit <=> b->limit;
  if (order == 0) return value::Bound{a->limit, a->inclusive || b->inclusive};
  return (order < 0) == lower ? a : b;
}

// The range of a number or of a collection's length, as refinements.
value::Refinements range_of(const value::Plain& v) {
  if (v.is_unknown()) return v.refinements();
  value::Refinements range;
  if (v.is_null()) return range;
  range.not_null = true;
  if (v.kind() == Kind::Number) {
    range.lower = value::Bound{v.as_number(), true};
    range.upper = range.lower;
  } else if (v.type().is_collection()) {
    const Value length = value::length(v);
    if (length.kind() == Kind::Number) {
      range.length_min =
          static_cast<std::uint64_t>(length.plain().as_number().to_int64_truncated());
      range.length_max = range.length_min;
    }
  }
  return range;
}

// The result while the condition is unknown: whatever holds for both arms.
Value either(const value::Plain& if_true, const value::Plain& if_false, Type type) {
  if (if_true.is_null() && if_false.is_null()) return Value::null(type);
  if (type.is_dynamic()) return Value::unknown(type);
  value::Refinements known;
  known.not_null = definitely_not_null(if_true) && definitely_not_null(if_false);
  const bool same_type = if_true.type() == if_false.type();
  if (same_type && (type == Type::number() || type.is_collection())) {
    const value::Refinements first = range_of(if_true);
    const value::Refinements second = range_of(if_false);
    known.lower = looser(first.lower, second.lower, true);
    known.upper = looser(first.upper, second.upper, false);
    known.length_min = std::min(first.length_min, second.length_min);
    if (first.length_max && second.length_max) {
      known.length_max = std::max(*first.length_max, *second.length_max);
    }
  }
  return Value::unknown(type).refined(known);
}

}  // namespace

Value Evaluator::conditional(const ConditionalExpr& expr, Diagnostics& diags) {
  Diagnostics true_diags;
  Diagnostics false_diags;
  Value if_true = eval(*expr.if_true, true_diags);
  Value if_false = eval(*expr.if_false, false_diags);
  const auto type = common_type(if_true, if_false);
  if (!type) {
    fault(diags, "Inconsistent conditional result types",
          fmt::format("The true and false results must have the same type, but {}.",
                      difference(if_true.type(), if_false.type())),
          diag::cover(expr.if_true->range, expr.if_false->range), &expr)
        .within(expr.range);
    return Value::unknown();
  }

  value::Marks marks;
  const auto condition = strip_marks(eval(*expr.condition, diags), marks);
  if (condition.is_null()) {
    fault(diags, "Null condition", "The condition is null. Conditions must be true or false.",
          expr.condition->range, expr.condition)
        .within(expr.range);
    return Value::unknown(*type);
  }
  // Marks of both arms: which one is taken must not tell which one is a secret.
  if_true = strip_marks(std::move(if_true), marks);
  if_false = strip_marks(std::move(if_false), marks);
  if (condition.is_unknown()) {
    return either(if_true.plain(), if_false.plain(), *type).with_marks(marks);
  }

  auto truth = value::convert(condition, Type::boolean());
  if (!truth) {
    fault(diags, "Incorrect condition type",
          fmt::format("The condition must be true or false: {}.", to_string(truth.error())),
          expr.condition->range, expr.condition)
        .within(expr.range);
    return Value::unknown(*type);
  }
  const bool taken = truth->plain().as_bool();
  Diagnostics& arm_diags = taken ? true_diags : false_diags;
  if (!arm_diags.empty()) diags.take(std::move(arm_diags));
  return choose(expr, taken ? *expr.if_true : *expr.if_false, std::move(taken ? if_true : if_false),
                *type, diags)
      .with_marks(marks);
}

Value Evaluator::choose(const ConditionalExpr& expr, const Expr& arm, Value result, Type type,
                        Diagnostics& diags) {
  if (type.is_dynamic() || result.type() == type) return result;
  auto converted = value::convert(result, type);
  if (converted && !may_make_result(*converted, expr, diags)) return Value::unknown(type);
  if (converted) return std::move(*converted);
  fault(diags, "Inconsistent conditional result types",
        fmt::format("The true and false results must have the same type, but one cannot be "
                    "converted to the other: {}.",
                    to_string(converted.error())),
        arm.range, &arm)
      .within(expr.range);
  return Value::unknown(type);
}

}  // namespace tofu::syntax
