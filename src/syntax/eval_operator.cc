// Operators: arithmetic, comparison, logic.
#include <array>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "syntax/evaluator.h"
#include "value/convert.h"
#include "value/operations.h"
#include "value/path.h"

namespace tofu::syntax {
namespace {

using diag::Diagnostics;
using value::Kind;
using value::Type;
using value::Value;

// The operand type of an operator; `any` for equality.
Type operand_type(BinaryOp op) {
  switch (op) {
    case BinaryOp::Or:
    case BinaryOp::And: return Type::boolean();
    case BinaryOp::Equal:
    case BinaryOp::NotEqual: return Type::dynamic();
    case BinaryOp::Greater:
    case BinaryOp::GreaterEqual:
    case BinaryOp::Less:
    case BinaryOp::LessEqual:
    case BinaryOp::Add:
    case BinaryOp::Subtract:
    case BinaryOp::Multiply:
    case BinaryOp::Divide:
    case BinaryOp::Modulo: return Type::number();
  }
  base::broken_promise("every operator has an operand type");
}

bool is_arithmetic(BinaryOp op) { return op >= BinaryOp::Add; }
bool is_logical(BinaryOp op) { return op == BinaryOp::Or || op == BinaryOp::And; }

Type result_type(BinaryOp op) { return is_arithmetic(op) ? Type::number() : Type::boolean(); }

bool is_true(const Value& v) { return v.kind() == Kind::Bool && v.plain().as_bool(); }

// The nodes of a chain such as a + b + c, outermost first. Chains may be far
// longer than the nesting limit; usual ones need no allocation.
class Chain {
 public:
  explicit Chain(const BinaryExpr& top) {
    const Expr* at = &top;
    while (const auto* node = as_if<BinaryExpr>(*at)) {
      if (size_ < few_.size()) {
        few_[size_] = node;
      } else {
        many_.push_back(node);
      }
      ++size_;
      has_logic_ = has_logic_ || is_logical(node->op);
      at = node->left;
    }
  }
  bool has_logic() const { return has_logic_; }
  std::size_t size() const { return size_; }
  const BinaryExpr& operator[](std::size_t i) const {
    return i < few_.size() ? *few_[i] : *many_[i - few_.size()];
  }

 private:
  std::array<const BinaryExpr*, 8> few_;
  std::vector<const BinaryExpr*> many_;
  std::size_t size_ = 0;
  bool has_logic_ = false;
};

// `&&` and `||` on values of which one may decide alone. The errors of the other
// side are then forgotten: they cannot matter. A null counts as false here.
struct Decision {
  Value result;
  bool by_left;  // whose errors are kept
};
std::optional<Decision> decide(BinaryOp op, const Value& left, const Value& right,
                               bool left_failed) {
  const auto undecided = [] { return Value::unknown(Type::boolean()).refined_not_null(); };
  const bool deciding = op == BinaryOp::Or;
  const bool left_known = left.is_known();
  const bool right_known = right.is_known();
  if (!left_known && !right_known) {
    if (left_failed) return std::nullopt;
    return Decision{undecided(), true};
  }
  if (left_known && is_true(left) == deciding) return Decision{Value::boolean(deciding), true};
  if (right_known && is_true(right) == deciding) return Decision{Value::boolean(deciding), false};
  if (!left_known) return Decision{undecided(), true};
  if (!right_known) return Decision{undecided(), false};
  return std::nullopt;
}

Value compare(BinaryOp op, const Value& left, const Value& right) {
  switch (op) {
    case BinaryOp::Greater: return value::greater_than(left, right);
    case BinaryOp::GreaterEqual: return value::greater_or_equal(left, right);
    case BinaryOp::Less: return value::less_than(left, right);
    case BinaryOp::LessEqual: return value::less_or_equal(left, right);
    case BinaryOp::And: return value::logical_and(left, right);
    case BinaryOp::Or: return value::logical_or(left, right);
    case BinaryOp::Equal:
    case BinaryOp::NotEqual:
    case BinaryOp::Add:
    case BinaryOp::Subtract:
    case BinaryOp::Multiply:
    case BinaryOp::Divide:
    case BinaryOp::Modulo: break;
  }
  base::broken_promise("only comparisons and logic get here");
}

base::Result<Value> calculate(BinaryOp op, const Value& left, const Value& right) {
  switch (op) {
    case BinaryOp::Add: return value::add(left, right);
    case BinaryOp::Subtract: return value::subtract(left, right);
    case BinaryOp::Multiply: return value::multiply(left, right);
    case BinaryOp::Divide: return value::divide(left, right);
    case BinaryOp::Modulo: return value::modulo(left, right);
    case BinaryOp::Or:
    case BinaryOp::And:
    case BinaryOp::Equal:
    case BinaryOp::NotEqual:
    case BinaryOp::Greater:
    case BinaryOp::GreaterEqual:
    case BinaryOp::Less:
    case BinaryOp::LessEqual: break;
  }
  base::broken_promise("only arithmetic gets here");
}

// Marks anywhere inside either side go to the result: the operator looked at
// everything, even where one side is null. (cty's own equality is finer there,
// but OpenTofu 1.12's operator does not let it be.)
Value equality(BinaryOp op, const Value& left, const Value& right) {
  if (left.contains_marks() || right.contains_marks()) {
    return equality(op, left.deep_unmarked(), right.deep_unmarked())
        .with_marks(left.deep_marks().with(right.deep_marks()));
  }
  const Value result = value::equals(left, right);
  if (result.is_unknown()) return Value::unknown(Type::boolean()).refined_not_null();
  return op == BinaryOp::Equal ? result : value::negated_bool(result);
}

// The operand as `wanted`, or an unknown of it after reporting.
Value operand(const Evaluator& evaluator, Value given, Type wanted, std::string_view which,
              const Expr& expr, const Expr& whole, Diagnostics& diags) {
  if (wanted.is_dynamic() || given.type() == wanted) return given;
  auto converted = value::convert(given, wanted);
  if (converted) return std::move(*converted);
  evaluator
      .fault(diags, "Invalid operand",
             fmt::format("Unsuitable value for the {}: {}.", which, to_string(converted.error())),
             expr.range, &expr)
      .within(whole.range);
  return Value::unknown(wanted);
}

}  // namespace

Value Evaluator::binary(const BinaryExpr& top, Diagnostics& diags) {
  const Chain chain(top);
  const BinaryExpr& innermost = chain[chain.size() - 1];
  if (!chain.has_logic()) {
    const std::size_t errors_before = diags.error_count();
    Value left = eval(*innermost.left, diags);
    for (std::size_t i = chain.size(); i-- > 0;) {
      Value right = eval(*chain[i].right, diags);
      left = apply_binary(chain[i], std::move(left), std::move(right), errors_before, diags);
    }
    return left;
  }
  // Each side's errors are kept apart as long as they may still be forgotten.
  Diagnostics left_diags;
  Value left = eval(*innermost.left, left_diags);
  for (std::size_t i = chain.size(); i-- > 0;) {
    Diagnostics right_diags;
    Value right = eval(*chain[i].right, right_diags);
    if (is_logical(chain[i].op)) {
      left = apply_logic(chain[i], std::move(left), std::move(right), left_diags, right_diags);
    } else {
      if (!right_diags.empty()) left_diags.take(std::move(right_diags));
      left = apply_binary(chain[i], std::move(left), std::move(right), 0, left_diags);
    }
  }
  if (!left_diags.empty()) diags.take(std::move(left_diags));
  return left;
}

// `&&` or `||`. The errors that matter end in `left_diags`.
Value Evaluator::apply_logic(const BinaryExpr& expr, Value left, Value right,
                             Diagnostics& left_diags, Diagnostics& right_diags) {
  const Type type = Type::boolean();
  Diagnostics unsuitable;
  left = operand(*this, std::move(left), type, "left side", *expr.left, expr, unsuitable);
  right = operand(*this, std::move(right), type, "right side", *expr.right, expr, unsuitable);
  if (unsuitable.has_errors()) {
    left_diags.take(std::move(right_diags));
    left_diags.take(std::move(unsuitable));
    return Value::unknown(type);
  }
  value::Marks marks;
  left = strip_marks(std::move(left), marks);
  right = strip_marks(std::move(right), marks);
  if (auto decision = decide(expr.op, left, right, left_diags.has_errors())) {
    if (!decision->by_left) left_diags = std::move(right_diags);
    return decision->result.with_marks(marks);
  }
  left_diags.take(std::move(right_diags));
  if (left_diags.has_errors()) return Value::unknown(type).with_marks(marks);
  Value result = compute(expr, left, right, left_diags);
  return left_diags.has_errors() ? result : result.with_marks(marks);
}

// Any other operator. The errors of its operands are in `diags` already, after
// the first `errors_before` ones.
Value Evaluator::apply_binary(const BinaryExpr& expr, Value left, Value right,
                              std::size_t errors_before, Diagnostics& diags) {
  const std::size_t of_operands = diags.error_count();
  const Type wanted = operand_type(expr.op);
  left = operand(*this, std::move(left), wanted, "left side", *expr.left, expr, diags);
  right = operand(*this, std::move(right), wanted, "right side", *expr.right, expr, diags);
  if (diags.error_count() != of_operands) return Value::unknown(result_type(expr.op));

  value::Marks marks;
  left = strip_marks(std::move(left), marks);
  right = strip_marks(std::move(right), marks);
  if (of_operands != errors_before) {
    return Value::unknown(result_type(expr.op)).with_marks(marks);
  }
  Value result = compute(expr, left, right, diags);
  if (marks.empty() || diags.error_count() != errors_before) return result;
  return result.with_marks(marks);
}

Value Evaluator::compute(const BinaryExpr& expr, const Value& left, const Value& right,
                         Diagnostics& diags) {
  if (expr.op == BinaryOp::Equal || expr.op == BinaryOp::NotEqual) {
    return equality(expr.op, left, right);
  }
  const Type type = result_type(expr.op);
  if (left.is_null() || right.is_null()) {
    fault(diags, "Operation failed",
          fmt::format("The {} side is null. This operator requires non-null values.",
                      left.is_null() ? "left" : "right"),
          expr.range, &expr);
    return Value::unknown(type);
  }
  if (!is_arithmetic(expr.op)) return compare(expr.op, left, right).refined_not_null();
  // Nothing is said about the range of a sum of unknowns: OpenTofu does not either.
  if (left.is_unknown() || right.is_unknown()) return Value::unknown(type).refined_not_null();
  auto result = calculate(expr.op, left, right);
  if (result) return std::move(*result);
  fault(diags, "Operation failed", fmt::format("Error during operation: {}.", result.error().what),
        expr.range, &expr);
  return Value::unknown(type);
}

Value Evaluator::unary(const UnaryExpr& expr, Diagnostics& diags) {
  const Type type = expr.op == UnaryOp::Not ? Type::boolean() : Type::number();
  Diagnostics own;
  Value given = operand(*this, eval(*expr.operand, own), type, "operand", *expr.operand, expr, own);
  const bool failed = own.has_errors();
  if (!own.empty()) diags.take(std::move(own));
  if (failed) return Value::unknown(type);

  value::Marks marks;
  const auto plain = strip_marks(std::move(given), marks);
  if (plain.is_null()) {
    fault(diags, "Operation failed",
          "The operand is null. This operator requires a non-null value.", expr.range, &expr);
    return Value::unknown(type);
  }
  // An unknown result has no marks of its own: so it is in OpenTofu.
  if (plain.is_unknown()) return Value::unknown(type).refined_not_null();
  return (expr.op == UnaryOp::Not ? value::negated_bool(plain) : value::negate(plain))
      .with_marks(marks);
}

}  // namespace tofu::syntax
