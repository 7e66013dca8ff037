#include "config/same_expression.h"

#include <algorithm>
#include <span>

#include "base/check.h"

namespace tofu::config {

namespace {

using syntax::as;
using syntax::as_if;
using syntax::Expr;
using syntax::ExprKind;

const Expr& bare(const Expr& expr) {
  const Expr* inner = &expr;
  while (true) {
    if (const auto* parens = as_if<syntax::ParensExpr>(*inner)) {
      inner = parens->inner;
    } else if (const auto* key = as_if<syntax::ObjectKeyExpr>(*inner)) {
      inner = key->wrapped;
    } else {
      return *inner;
    }
  }
}

bool same_steps(std::span<const syntax::TraversalStep> a,
                std::span<const syntax::TraversalStep> b) {
  return std::ranges::equal(a, b, [](const auto& x, const auto& y) {
    if (x.kind != y.kind) return false;
    if (x.kind == syntax::StepKind::Attribute) return x.name == y.name;
    return x.key != nullptr && y.key != nullptr && value::raw_equal(*x.key, *y.key);
  });
}

bool same_traversal(const syntax::Traversal& a, const syntax::Traversal& b) {
  return a.root == b.root && same_steps(a.steps, b.steps);
}

bool same_list(std::span<const Expr* const> a, std::span<const Expr* const> b) {
  return std::ranges::equal(a, b, same_expression);
}

bool same_for(const syntax::ForExpr& a, const syntax::ForExpr& b) {
  return a.key_name == b.key_name && a.value_name == b.value_name && a.group == b.group &&
         same_expression(a.collection, b.collection) && same_expression(a.key, b.key) &&
         same_expression(a.value, b.value) && same_expression(a.condition, b.condition);
}

bool same_binary(const Expr& a, const Expr& b) {
  const auto x = syntax::left_spine(a);
  const auto y = syntax::left_spine(b);
  return std::ranges::equal(x, y,
                            [](const auto* m, const auto* n) {
                              return m->op == n->op && same_expression(m->right, n->right);
                            }) &&
         same_expression(x.back()->left, y.back()->left);
}

bool same_object(const syntax::ObjectExpr& a, const syntax::ObjectExpr& b) {
  return std::ranges::equal(a.items, b.items, [](const auto& x, const auto& y) {
    return same_expression(x.key, y.key) && same_expression(x.value, y.value);
  });
}

// Both of one kind.
bool same_kind(const Expr& a, const Expr& b) {
  switch (a.kind) {
    case ExprKind::Variable:
      return same_traversal(as<syntax::VariableExpr>(a).traversal,
                            as<syntax::VariableExpr>(b).traversal);
    case ExprKind::Local:
      return same_traversal(as<syntax::LocalExpr>(a).traversal, as<syntax::LocalExpr>(b).traversal);
    case ExprKind::Literal:
      return value::raw_equal(*as<syntax::LiteralExpr>(a).value, *as<syntax::LiteralExpr>(b).value);
    case ExprKind::RelativeTraversal: {
      const auto& x = as<syntax::RelativeTraversalExpr>(a);
      const auto& y = as<syntax::RelativeTraversalExpr>(b);
      return same_steps(x.steps, y.steps) && same_expression(x.source, y.source);
    }
    case ExprKind::Call: {
      const auto& x = as<syntax::CallExpr>(a);
      const auto& y = as<syntax::CallExpr>(b);
      return x.name == y.name && same_list(x.arguments, y.arguments);
    }
    case ExprKind::Conditional: {
      const auto& x = as<syntax::ConditionalExpr>(a);
      const auto& y = as<syntax::ConditionalExpr>(b);
      return same_expression(x.condition, y.condition) && same_expression(x.if_true, y.if_true) &&
             same_expression(x.if_false, y.if_false);
    }
    case ExprKind::Index: {
      const auto& x = as<syntax::IndexExpr>(a);
      const auto& y = as<syntax::IndexExpr>(b);
      return same_expression(x.collection, y.collection) && same_expression(x.key, y.key);
    }
    case ExprKind::Tuple:
      return same_list(as<syntax::TupleExpr>(a).items, as<syntax::TupleExpr>(b).items);
    case ExprKind::Object: return same_object(as<syntax::ObjectExpr>(a), as<syntax::ObjectExpr>(b));
    case ExprKind::For: return same_for(as<syntax::ForExpr>(a), as<syntax::ForExpr>(b));
    case ExprKind::Binary: return same_binary(a, b);
    case ExprKind::Unary: {
      const auto& x = as<syntax::UnaryExpr>(a);
      const auto& y = as<syntax::UnaryExpr>(b);
      return x.op == y.op && same_expression(x.operand, y.operand);
    }
    case ExprKind::Template:
      return same_list(as<syntax::TemplateExpr>(a).parts, as<syntax::TemplateExpr>(b).parts);
    case ExprKind::TemplateWrap:
    case ExprKind::TemplateJoin:
    case ExprKind::Splat:
    case ExprKind::Parens:
    case ExprKind::ObjectKey:
    case ExprKind::JsonString:
    case ExprKind::Invalid: return false;
  }
  base::broken_promise("expression kind out of range");
}

}  // namespace

bool same_expression(const Expr* a, const Expr* b) {
  if (a == nullptr || b == nullptr) return a == b;
  const Expr& x = bare(*a);
  const Expr& y = bare(*b);
  return x.kind == y.kind && same_kind(x, y);
}

}  // namespace tofu::config
