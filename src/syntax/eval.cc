#include "syntax/eval.h"

#include <fmt/format.h>
#include <new>
#include <utility>

#include "syntax/evaluator.h"
#include "syntax/shown.h"

namespace tofu::syntax {

using diag::Diagnostics;
using value::Value;

std::optional<Value> evaluate(const Expr& expr, const Scope* scope, Diagnostics& diags) {
  const std::size_t errors_before = diags.error_count();
  Value result = evaluate_despite_errors(expr, scope, diags);
  if (diags.error_count() != errors_before) return std::nullopt;
  return result;
}

Value evaluate_despite_errors(const Expr& expr, const Scope* scope, Diagnostics& diags) {
  return Evaluator(scope).run(expr, diags);
}

Value Evaluator::run(const Expr& expr, Diagnostics& diags) {
  const std::size_t errors_before = diags.error_count();
  Value result = eval_with_memory(expr, diags);
  if (budget_.spent_at != nullptr && diags.error_count() == errors_before)
    refuse_more(*budget_.spent_at, diags);
  return result;
}

Value Evaluator::eval_with_memory(const Expr& expr, Diagnostics& diags) {
  try {
    return eval(expr, diags);
  } catch (const std::bad_alloc&) {
    // Unwinding has freed what the expression had made.
    diags.error("Out of memory")
        .detail(
            "The system refused more memory while this was evaluated. Make fewer or smaller "
            "values, or allow the program more memory (ulimit -v).")
        .at(expr.range);
    return Value::unknown();
  }
}

Value Evaluator::eval(const Expr& expr, Diagnostics& diags) {
  switch (expr.kind) {
    case ExprKind::Literal: return *as<LiteralExpr>(expr).value;
    case ExprKind::Template: return template_text(as<TemplateExpr>(expr), diags);
    case ExprKind::TemplateWrap: return eval(*as<TemplateWrapExpr>(expr).wrapped, diags);
    case ExprKind::TemplateJoin: return template_join(as<TemplateJoinExpr>(expr), diags);
    case ExprKind::Variable: return variable(as<VariableExpr>(expr), diags);
    case ExprKind::Local: return local_traversal(as<LocalExpr>(expr), diags);
    case ExprKind::RelativeTraversal:
      return relative_traversal(as<RelativeTraversalExpr>(expr), diags);
    case ExprKind::Index: return index_expr(as<IndexExpr>(expr), diags);
    case ExprKind::Splat: return splat(as<SplatExpr>(expr), diags);
    case ExprKind::Call: return call(as<CallExpr>(expr), diags);
    case ExprKind::Conditional: return conditional(as<ConditionalExpr>(expr), diags);
    case ExprKind::Binary: return binary(as<BinaryExpr>(expr), diags);
    case ExprKind::Unary: return unary(as<UnaryExpr>(expr), diags);
    case ExprKind::Parens: return eval(*as<ParensExpr>(expr).inner, diags);
    case ExprKind::Tuple: return tuple(as<TupleExpr>(expr), diags);
    case ExprKind::Object: return object(as<ObjectExpr>(expr), diags);
    case ExprKind::ObjectKey: return object_key(as<ObjectKeyExpr>(expr), diags);
    case ExprKind::For: return for_expr(as<ForExpr>(expr), diags);
    case ExprKind::JsonString: return json_string(as<JsonStringExpr>(expr), diags);
    case ExprKind::Invalid: return Value::unknown();  // the parser has reported it
  }
  base::broken_promise("every kind of expression is evaluated");
}

Value Evaluator::local(std::uint32_t slot) const {
  return slot < locals_.size() ? locals_[slot] : Value::unknown();
}

void Evaluator::bind(std::uint32_t slot, Value v) {
  if (slot >= locals_.size()) locals_.resize(slot + 1, Value::unknown());
  locals_[slot] = std::move(v);
}

Diagnostics::Entry Evaluator::fault(Diagnostics& diags, std::string summary, std::string detail,
                                    diag::SourceRange at, const Expr* about) const {
  auto entry = diags.error(std::move(summary));
  entry.detail(std::move(detail)).at(at);
  if (about != nullptr) entry.values(shown_values(*about, *this));
  return entry;
}

bool Evaluator::look_for_interrupt(const Expr& at, Diagnostics& diags) {
  until_look_ = kStepsBetweenLooks;
  if (scope_ == nullptr || !scope_->is_interrupted()) return true;
  interrupted_ = true;
  return refuse_more(at, diags);
}

bool Evaluator::refuse_more(const Expr& at, Diagnostics& diags) {
  if (budget_.spent_at == nullptr) budget_.spent_at = &at;
  if (interrupted_) {
    diags.error("Evaluation interrupted")
        .detail("The command was interrupted while this expression was evaluated.")
        .at(at.range);
    return false;
  }
  diags.error("Expression result too large")
      .detail(fmt::format(
          "One evaluation can create at most {} elements and {} MiB of text, including "
          "intermediate values. Split the expression, or reduce the size of the values.",
          value::kMaxAllElements, value::kMaxAllText >> 20))
      .at(at.range);
  return false;
}

// A result that something else refers to as well was not made here.
bool Evaluator::may_make_result(const Value& result, const Expr& at, Diagnostics& diags) {
  if (!result.is_only_reference()) return true;
  const value::Plain& plain = result.unmarked();
  if (plain.kind() == value::Kind::String) {
    return may_make_text(plain.as_string().size(), at, diags);
  }
  const bool has_items = plain.kind() >= value::Kind::List && plain.kind() <= value::Kind::Object;
  return !has_items || may_make(plain.size(), at, diags);
}

Value Evaluator::checked(Value made, const Expr& at, Diagnostics& diags) {
  if (made.weight() <= value::kMaxAllElements) return made;
  diags.error("Value too large")
      .detail(fmt::format("This expression is too large: {}. The limit is set by the size that a "
                          "plan or state can store.",
                          value::too_many_in_all()))
      .at(at.range);
  if (budget_.spent_at == nullptr) budget_.spent_at = &at;
  return Value::unknown();
}

void Evaluator::show_values_in(Diagnostics& diags, std::size_t from, const Expr& about) const {
  if (diags.size() == from) return;
  const auto values = shown_values(about, *this);
  for (diag::Diagnostic& added : diags.items_from(from)) {
    if (added.values.empty()) added.values = values;
  }
}

Value Evaluator::variable(const VariableExpr& expr, Diagnostics& diags) {
  const Traversal& traversal = expr.traversal;
  if (scope_ == nullptr) {
    diags.error("Variables not allowed")
        .detail("References are not allowed here. Write a constant value.")
        .at(traversal.root_range);
    return Value::unknown();
  }
  const std::size_t before = diags.size();
  auto found = scope_->resolve(traversal, diags);
  if (found) {
    if (found->steps_taken == traversal.steps.size()) return std::move(found->value);
    auto result =
        traverse(std::move(found->value), traversal.steps.subspan(found->steps_taken), diags);
    if (result) return std::move(*result);
  }
  show_values_in(diags, before, expr);
  return Value::unknown();
}

Value Evaluator::local_traversal(const LocalExpr& expr, Diagnostics& diags) {
  Value bound = local(expr.slot);
  if (expr.traversal.steps.empty()) return bound;
  const std::size_t before = diags.size();
  auto result = traverse(std::move(bound), expr.traversal.steps, diags);
  if (result) return std::move(*result);
  show_values_in(diags, before, expr);
  return Value::unknown();
}

Value Evaluator::relative_traversal(const RelativeTraversalExpr& expr, Diagnostics& diags) {
  std::size_t taken = 0;
  const auto* index = as_if<IndexExpr>(*expr.source);
  Value source =
      index != nullptr ? element(*index, expr.steps, taken, diags) : eval(*expr.source, diags);
  const std::size_t before = diags.size();
  auto result = traverse(std::move(source), expr.steps.subspan(taken), diags);
  if (result) return std::move(*result);
  show_values_in(diags, before, expr);
  return Value::unknown();
}

Value Evaluator::index_expr(const IndexExpr& expr, Diagnostics& diags) {
  std::size_t taken = 0;
  return element(expr, {}, taken, diags);
}

Value Evaluator::element(const IndexExpr& expr, std::span<const TraversalStep> after,
                         std::size_t& taken, Diagnostics& diags) {
  const auto* named = as_if<VariableExpr>(*expr.collection);
  std::optional<Value> early_key;
  if (named != nullptr && scope_ != nullptr) {
    // Its errors, if any, are reported below, after those of the collection.
    Diagnostics unreported;
    early_key = eval(*expr.key, unreported);
    if (unreported.items().empty()) {
      auto one = scope_->resolve_element(named->traversal, *early_key, after);
      if (one) {
        taken = one->steps_taken;
        return std::move(one->value);
      }
    } else {
      early_key.reset();
    }
  }
  const Value collection = eval(*expr.collection, diags);
  const Value key = early_key ? std::move(*early_key) : eval(*expr.key, diags);
  const std::size_t before = diags.size();
  auto result = index(collection, key, expr.bracket_range, diags);
  if (result) return std::move(*result);
  show_values_in(diags, before, expr);
  return Value::unknown();
}

Value Evaluator::json_string(const JsonStringExpr& expr, Diagnostics& diags) {
  if (scope_ == nullptr) return *expr.literal;
  if (expr.errors == nullptr) return eval(*expr.parsed, diags);
  for (const diag::Diagnostic& error : *expr.errors) diags.add(error);
  return Value::unknown();
}

std::string_view bare_word(const Expr& expr) {
  if (const auto* variable = as_if<VariableExpr>(expr)) {
    return variable->traversal.steps.empty() ? variable->traversal.root : std::string_view();
  }
  if (const auto* local = as_if<LocalExpr>(expr)) {
    return local->traversal.steps.empty() ? local->traversal.root : std::string_view();
  }
  if (const auto* literal = as_if<LiteralExpr>(expr)) {
    const Value& v = *literal->value;
    if (v.is_null()) return "null";
    if (v.kind() == value::Kind::Bool) return v.plain().as_bool() ? "true" : "false";
  }
  return {};
}

}  // namespace tofu::syntax
