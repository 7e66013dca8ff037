// Syntax trees as short text, so that a test can state what it expects.
//
//   a.b[0]          a variable and its constant steps (also one bound by `for`)
//   @.b             the element of a splat and its steps
//   "x" 1 true      literals
//   t[…] wrap(…)    templates; join(…) is %{ for }
//   (a + b) (-a) paren(a) if(c, t, f) idx(a, k) rel(a).b splat(a, @.b) f(a, b...)
//   [a, b]  {key(a) = b, key!(c) = d}  for(k, v in c: key => value... if d)
//   json"…"(parsed)  invalid
//
// Every node is followed by its byte range, as in a@3-4, if that is asked for.
#pragma once

#include <string>
#include <string_view>

#include "base/unicode.h"
#include "syntax/ast.h"
#include "syntax/body.h"
#include "value/value.h"

namespace tofu::syntax {

class TreeDump {
 public:
  explicit TreeDump(bool ranges) : ranges_(ranges) {}

  std::string expr(const Expr& expr) {
    if (const auto* binary = as_if<BinaryExpr>(expr)) return this->binary(*binary);
    return bare(expr) + at(expr.range);
  }

  std::string body(const NativeBody& body) {
    std::string out;
    for (const Attribute& attribute : body.attributes) {
      out +=
          std::string(attribute.name) + at(attribute.range) + " = " + expr(*attribute.expr) + "; ";
    }
    for (const NativeBlock& block : body.blocks) {
      out += std::string(block.type) + at(block.type_range);
      for (const Label& label : block.labels) {
        out += " " + base::quote_go(label.text) + at(label.range);
      }
      out += " {" + at(block.open_range) + " " + this->body(block.body) + "}" +
             at(block.close_range) + " ";
    }
    return out + (ranges_ ? "body" + at(body.range) + at(body.end_range) + " " : "");
  }

  std::string traversal(const Traversal& traversal) {
    std::string out(traversal.root.empty() ? "@" : traversal.root);
    return out + steps(traversal.steps);
  }

 private:
  std::string at(diag::SourceRange range) const {
    if (!ranges_) return "";
    return "@" + std::to_string(range.begin) + "-" + std::to_string(range.end);
  }

  static std::string value(const value::Value& v) {
    if (v.is_null()) return "null";
    if (v.kind() == value::Kind::Bool) return v.plain().as_bool() ? "true" : "false";
    if (v.kind() == value::Kind::Number) return v.plain().as_number().to_string();
    return v.kind() == value::Kind::String ? base::quote_go(v.plain().as_string()) : "unknown";
  }

  std::string steps(std::span<const TraversalStep> steps) const {
    std::string out;
    for (const TraversalStep& step : steps) {
      if (step.kind == StepKind::Attribute) out += "." + std::string(step.name);
      if (step.kind == StepKind::Index) out += "[" + value(*step.key) + "]";
      if (step.kind == StepKind::Splat) out += "[*]";
      out += at(step.range);
    }
    return out;
  }

  std::string list(std::span<const Expr* const> items) {
    std::string out;
    for (const Expr* item : items) out += (out.empty() ? "" : ", ") + expr(*item);
    return out;
  }

  std::string binary(const BinaryExpr& top) {
    const auto spine = left_spine(top);
    std::string out(spine.size(), '(');
    out += expr(*spine.back()->left);
    for (auto it = spine.rbegin(); it != spine.rend(); ++it) {
      out += " " + std::string(op((*it)->op)) + " " + expr(*(*it)->right) + ")" + at((*it)->range);
    }
    return out;
  }

  static std::string_view op(BinaryOp op) {
    constexpr std::string_view kOps[] = {"||", "&&", "==", "!=", ">", ">=", "<",
                                         "<=", "+",  "-",  "*",  "/", "%"};
    return kOps[static_cast<int>(op)];
  }

  std::string object(const ObjectExpr& object) {
    std::string out;
    for (const ObjectItem& item : object.items) {
      out += (out.empty() ? "" : ", ") + expr(*item.key) + " = " + expr(*item.value);
    }
    return "{" + out + "}";
  }

  std::string loop(const ForExpr& loop) {
    std::string out = "for(";
    if (!loop.key_name.empty()) out += std::string(loop.key_name) + ", ";
    out += std::string(loop.value_name) + " in " + expr(*loop.collection) + ": ";
    if (loop.key) out += expr(*loop.key) + " => ";
    out += expr(*loop.value) + (loop.group ? "..." : "");
    if (loop.condition) out += " if " + expr(*loop.condition);
    return out + ")";
  }

  std::string bare(const Expr& e) {
    switch (e.kind) {
      case ExprKind::Literal: return value(*as<LiteralExpr>(e).value);
      case ExprKind::Template: return "t[" + list(as<TemplateExpr>(e).parts) + "]";
      case ExprKind::TemplateWrap: return "wrap(" + expr(*as<TemplateWrapExpr>(e).wrapped) + ")";
      case ExprKind::TemplateJoin: return "join(" + expr(*as<TemplateJoinExpr>(e).tuple) + ")";
      case ExprKind::Variable: return traversal(as<VariableExpr>(e).traversal);
      case ExprKind::Local: return traversal(as<LocalExpr>(e).traversal);
      case ExprKind::RelativeTraversal: {
        const auto& relative = as<RelativeTraversalExpr>(e);
        return "rel(" + expr(*relative.source) + ")" + steps(relative.steps);
      }
      case ExprKind::Index:
        return "idx(" + expr(*as<IndexExpr>(e).collection) + ", " + expr(*as<IndexExpr>(e).key) +
               ")";
      case ExprKind::Splat:
        return "splat(" + expr(*as<SplatExpr>(e).source) + ", " + expr(*as<SplatExpr>(e).each) +
               ")";
      case ExprKind::Call: {
        const auto& call = as<CallExpr>(e);
        return std::string(call.name) + "(" + list(call.arguments) +
               (call.expand_final ? "...)" : ")");
      }
      case ExprKind::Conditional: {
        const auto& choice = as<ConditionalExpr>(e);
        return "if(" + expr(*choice.condition) + ", " + expr(*choice.if_true) + ", " +
               expr(*choice.if_false) + ")";
      }
      case ExprKind::Binary: return binary(as<BinaryExpr>(e));
      case ExprKind::Unary:
        return (as<UnaryExpr>(e).op == UnaryOp::Not ? "(!" : "(-") +
               expr(*as<UnaryExpr>(e).operand) + ")";
      case ExprKind::Parens: return "paren(" + expr(*as<ParensExpr>(e).inner) + ")";
      case ExprKind::Tuple: return "[" + list(as<TupleExpr>(e).items) + "]";
      case ExprKind::Object: return object(as<ObjectExpr>(e));
      case ExprKind::ObjectKey:
        return (as<ObjectKeyExpr>(e).forced ? "key!(" : "key(") +
               expr(*as<ObjectKeyExpr>(e).wrapped) + ")";
      case ExprKind::For: return loop(as<ForExpr>(e));
      case ExprKind::JsonString:
        return "json" + base::quote_go(as<JsonStringExpr>(e).text) + "(" +
               expr(*as<JsonStringExpr>(e).parsed) + ")";
      case ExprKind::Invalid: return "invalid";
    }
    return "?";
  }

  bool ranges_;
};

inline std::string dump(const Expr& expr, bool ranges = false) {
  return TreeDump(ranges).expr(expr);
}
inline std::string dump(const NativeBody& body, bool ranges = false) {
  return TreeDump(ranges).body(body);
}

}  // namespace tofu::syntax
