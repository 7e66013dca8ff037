#include "syntax/analysis.h"

#include <algorithm>
#include <fmt/format.h>

namespace tofu::syntax {
namespace {

std::string_view literal_word(const LiteralExpr& literal) {
  const value::Value& v = *literal.value;
  if (v.is_null()) return "null";
  if (v.kind() != value::Kind::Bool) return "";
  return v.plain().as_bool() ? "true" : "false";
}

// Calls `on` for every variable, call and access, in source order.
template <class On>
class Walk {
 public:
  explicit Walk(On& on) : on_(on) {}

  void walk(const Expr& expr) {
    deepest_ = std::max(deepest_, ++depth_);
    walk_inside(expr);
    --depth_;
  }
  int deepest() const { return deepest_; }

 private:
  void walk_inside(const Expr& expr) {
    switch (expr.kind) {
      case ExprKind::Literal:
      case ExprKind::Local:
      case ExprKind::Invalid: return;
      case ExprKind::Variable: on_(as<VariableExpr>(expr)); return;
      case ExprKind::Template: return walk_all(as<TemplateExpr>(expr).parts);
      case ExprKind::TemplateWrap: return walk(*as<TemplateWrapExpr>(expr).wrapped);
      case ExprKind::TemplateJoin: return walk(*as<TemplateJoinExpr>(expr).tuple);
      case ExprKind::RelativeTraversal:
        on_(as<RelativeTraversalExpr>(expr));
        return walk(*as<RelativeTraversalExpr>(expr).source);
      case ExprKind::Index:
        on_(as<IndexExpr>(expr));
        walk(*as<IndexExpr>(expr).collection);
        return walk(*as<IndexExpr>(expr).key);
      case ExprKind::Splat:
        on_(as<SplatExpr>(expr));
        walk(*as<SplatExpr>(expr).source);
        return walk(*as<SplatExpr>(expr).each);
      case ExprKind::Call: return walk_call(as<CallExpr>(expr));
      case ExprKind::Conditional: return walk_conditional(as<ConditionalExpr>(expr));
      case ExprKind::Binary: return walk_binary(expr);
      case ExprKind::Unary: return walk(*as<UnaryExpr>(expr).operand);
      case ExprKind::Parens: return walk(*as<ParensExpr>(expr).inner);
      case ExprKind::Tuple: return walk_all(as<TupleExpr>(expr).items);
      case ExprKind::Object:
        for (const ObjectItem& item : as<ObjectExpr>(expr).items) {
          walk(*item.key);
          walk(*item.value);
        }
        return;
      case ExprKind::ObjectKey:
        if (keyword(*as<ObjectKeyExpr>(expr).wrapped).empty()) {
          walk(*as<ObjectKeyExpr>(expr).wrapped);
        }
        return;
      case ExprKind::For: return walk_for(as<ForExpr>(expr));
      case ExprKind::JsonString: return walk(*as<JsonStringExpr>(expr).parsed);
    }
  }

  void walk_call(const CallExpr& call) {
    on_(call);
    walk_all(evaluated_arguments(call));
  }
  void walk_all(std::span<const Expr* const> exprs) {
    for (const Expr* expr : exprs) walk(*expr);
  }
  void walk_conditional(const ConditionalExpr& expr) {
    walk(*expr.condition);
    walk(*expr.if_true);
    walk(*expr.if_false);
  }
  void walk_binary(const Expr& expr) {
    const auto spine = left_spine(expr);
    walk(*spine.back()->left);
    for (auto binary = spine.rbegin(); binary != spine.rend(); ++binary) walk(*(*binary)->right);
  }
  void walk_for(const ForExpr& expr) {
    walk(*expr.collection);
    if (expr.key) walk(*expr.key);
    walk(*expr.value);
    if (expr.condition) walk(*expr.condition);
  }

  On& on_;
  int depth_ = 0;
  int deepest_ = 0;
};

struct Ignore {
  void operator()(const Expr&) {}
};

struct CollectVariables {
  std::vector<const Traversal*>& out;
  void operator()(const VariableExpr& variable) { out.push_back(&variable.traversal); }
  void operator()(const Expr&) {}
};

struct CollectCalls {
  std::vector<const CallExpr*>& out;
  void operator()(const CallExpr& call) { out.push_back(&call); }
  void operator()(const Expr&) {}
};

struct CollectAccesses {
  std::vector<const Expr*>& out;
  void operator()(const VariableExpr&) {}
  void operator()(const CallExpr&) {}
  void operator()(const Expr& access) { out.push_back(&access); }
};

diag::Diagnostics::Entry wrong_shape(diag::SourceRange at, std::string detail,
                                     diag::Diagnostics& diags) {
  auto entry = diags.error("Invalid expression");
  entry.detail(std::move(detail)).at(at);
  return entry;
}

// An object's key is what it wraps.
const Expr& unwrapped(const Expr& expr) {
  const auto* key = as_if<ObjectKeyExpr>(expr);
  return key ? *key->wrapped : expr;
}

}  // namespace

const Expr* type_argument(const CallExpr& call) {
  const bool converts = call.name == "convert" || call.name == "core::convert";
  return converts && call.arguments.size() == 2 && !call.expand_final ? call.arguments[1] : nullptr;
}

std::span<const Expr* const> evaluated_arguments(const CallExpr& call) {
  const std::span<const Expr* const> arguments = call.arguments;
  return type_argument(call) == nullptr ? arguments : arguments.first(1);
}

std::vector<const Traversal*> variables(const Expr& expr) {
  std::vector<const Traversal*> found;
  append_variables(expr, found);
  return found;
}

void append_variables(const Expr& expr, std::vector<const Traversal*>& out) {
  CollectVariables collect{out};
  Walk(collect).walk(expr);
}

std::vector<const CallExpr*> calls(const Expr& expr) {
  std::vector<const CallExpr*> found;
  CollectCalls collect{found};
  Walk(collect).walk(expr);
  return found;
}

std::vector<const Expr*> accesses(const Expr& expr) {
  std::vector<const Expr*> found;
  CollectAccesses collect{found};
  Walk(collect).walk(expr);
  return found;
}

int nesting(const Expr& expr) {
  Ignore ignore;
  Walk walk(ignore);
  walk.walk(expr);
  return walk.deepest();
}

std::optional<Traversal> traversal_if(const Expr& expr) {
  if (const auto* variable = as_if<VariableExpr>(expr)) return variable->traversal;
  if (const auto* local = as_if<LocalExpr>(expr)) {
    // The element of a splat has no name that a traversal could begin with.
    if (local->traversal.root.empty()) return std::nullopt;
    return local->traversal;
  }
  if (const auto* literal = as_if<LiteralExpr>(expr)) {
    // In a traversal true, false and null are names like any other.
    const std::string_view word = literal_word(*literal);
    if (word.empty() || expr.in_json) return std::nullopt;
    return Traversal{word, expr.range, {}, expr.range};
  }
  if (const auto* relative = as_if<RelativeTraversalExpr>(expr)) {
    auto source = traversal_if(*relative->source);
    // Steps after a variable are part of it; so the source is a word at most.
    if (!source || !source->steps.empty()) return std::nullopt;
    source->steps = relative->steps;
    source->range = expr.range;
    return source;
  }
  if (const auto* key = as_if<ObjectKeyExpr>(expr)) {
    if (key->forced) return std::nullopt;
    return traversal_if(*key->wrapped);
  }
  if (const auto* json = as_if<JsonStringExpr>(expr)) {
    if (json->traversal) return *json->traversal;
  }
  return std::nullopt;
}

diag::Checked<Traversal> as_traversal(const Expr& expr, diag::Diagnostics& diags) {
  auto traversal = traversal_if(expr);
  if (!traversal) {
    wrong_shape(expr.range,
                "A reference is required here: a name, optionally followed by attribute names and "
                "constant indexes.",
                diags);
  }
  return traversal;
}

std::string_view keyword(const Expr& expr) {
  const auto traversal = traversal_if(expr);
  return traversal && traversal->steps.empty() ? traversal->root : std::string_view();
}

diag::Checked<std::span<const Expr* const>> as_list(const Expr& expr, diag::Diagnostics& diags) {
  if (const auto* tuple = as_if<TupleExpr>(unwrapped(expr))) return tuple->items;
  wrong_shape(start_range(expr), "A list in brackets is required here.", diags);
  return std::nullopt;
}

diag::Checked<std::span<const ObjectItem>> as_map(const Expr& expr, diag::Diagnostics& diags) {
  if (const auto* object = as_if<ObjectExpr>(unwrapped(expr))) return object->items;
  wrong_shape(start_range(expr), "A map in braces is required here.", diags);
  return std::nullopt;
}

const CallExpr* as_call(const Expr& expr, diag::Diagnostics& diags) {
  const Expr& inner = unwrapped(expr);
  if (const auto* call = as_if<CallExpr>(inner)) return call;
  if (const auto* json = as_if<JsonStringExpr>(inner); json && json->call) return json->call;
  wrong_shape(start_range(expr), "A function call is required here.", diags);
  return nullptr;
}

diag::SourceRange start_range(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::Literal:
    case ExprKind::Variable:
    case ExprKind::Local:
    case ExprKind::RelativeTraversal:
    case ExprKind::TemplateWrap:
    case ExprKind::JsonString:
    case ExprKind::Invalid: return expr.range;
    case ExprKind::Template: return start_range(*as<TemplateExpr>(expr).parts.front());
    case ExprKind::TemplateJoin: return start_range(*as<TemplateJoinExpr>(expr).tuple);
    case ExprKind::Index: return as<IndexExpr>(expr).open_range;
    case ExprKind::Splat: return as<SplatExpr>(expr).marker_range;
    case ExprKind::Call: {
      const auto& call = as<CallExpr>(expr);
      return {call.name_range.file, call.name_range.begin, call.open_range.end};
    }
    case ExprKind::Conditional: return start_range(*as<ConditionalExpr>(expr).condition);
    case ExprKind::Binary: return start_range(*left_spine(expr).back()->left);
    case ExprKind::Unary: return as<UnaryExpr>(expr).op_range;
    case ExprKind::Parens: return start_range(*as<ParensExpr>(expr).inner);
    case ExprKind::Tuple: return as<TupleExpr>(expr).open_range;
    case ExprKind::Object: return as<ObjectExpr>(expr).open_range;
    case ExprKind::ObjectKey: return start_range(*as<ObjectKeyExpr>(expr).wrapped);
    case ExprKind::For: return as<ForExpr>(expr).open_range;
  }
  base::broken_promise("expression kind out of range");
}

}  // namespace tofu::syntax
