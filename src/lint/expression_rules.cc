#include "lint/expression_rules.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>
#include <unordered_set>

#include "config/same_expression.h"
#include "lint/rules.h"
#include "syntax/analysis.h"

namespace tofu::lint {

namespace {

using diag::SourceRange;
using syntax::as;
using syntax::as_if;
using syntax::Expr;
using syntax::ExprKind;

SourceRange between(SourceRange a, SourceRange b) { return {a.file, a.end, b.begin}; }

// A literal true or false, perhaps in parentheses.
std::optional<bool> as_bool(const Expr& expr) {
  if (const auto* parens = as_if<syntax::ParensExpr>(expr)) return as_bool(*parens->inner);
  const auto* literal = as_if<syntax::LiteralExpr>(expr);
  if (literal == nullptr || literal->value->is_null()) return std::nullopt;
  if (literal->value->kind() != value::Kind::Bool) return std::nullopt;
  return literal->value->plain().as_bool();
}

// A literal, or text without interpolation.
bool is_constant(const Expr& expr) {
  if (expr.kind == ExprKind::Literal) return true;
  if (const auto* parens = as_if<syntax::ParensExpr>(expr)) return is_constant(*parens->inner);
  if (const auto* unary = as_if<syntax::UnaryExpr>(expr)) return is_constant(*unary->operand);
  const auto* text = as_if<syntax::TemplateExpr>(expr);
  return text != nullptr && std::ranges::all_of(text->parts, [](const Expr* part) {
           return part->kind == ExprKind::Literal;
         });
}

bool is_comparison(syntax::BinaryOp op) {
  switch (op) {
    case syntax::BinaryOp::Equal:
    case syntax::BinaryOp::NotEqual:
    case syntax::BinaryOp::Greater:
    case syntax::BinaryOp::GreaterEqual:
    case syntax::BinaryOp::Less:
    case syntax::BinaryOp::LessEqual: return true;
    case syntax::BinaryOp::Or:
    case syntax::BinaryOp::And:
    case syntax::BinaryOp::Add:
    case syntax::BinaryOp::Subtract:
    case syntax::BinaryOp::Multiply:
    case syntax::BinaryOp::Divide:
    case syntax::BinaryOp::Modulo: return false;
  }
  return false;
}

bool is_logical(syntax::BinaryOp op) {
  return op == syntax::BinaryOp::And || op == syntax::BinaryOp::Or;
}

// Whether the result is a bool for sure, rather than text that is converted to one.
bool is_bool(const Expr& expr) {
  if (const auto* parens = as_if<syntax::ParensExpr>(expr)) return is_bool(*parens->inner);
  if (const auto* binary = as_if<syntax::BinaryExpr>(expr)) {
    return is_comparison(binary->op) || is_logical(binary->op);
  }
  if (const auto* unary = as_if<syntax::UnaryExpr>(expr)) {
    return unary->op == syntax::UnaryOp::Not;
  }
  const auto* call = as_if<syntax::CallExpr>(expr);
  constexpr std::array<std::string_view, 6> kBool = {"contains", "can",     "startswith",
                                                     "endswith", "alltrue", "anytrue"};
  return call != nullptr && std::ranges::find(kBool, call->name) != kBool.end();
}

// Whether the expression keeps its parts together beside every operator.
bool is_term(const Expr& expr) {
  const bool is_operation = expr.kind == ExprKind::Conditional || expr.kind == ExprKind::Binary ||
                            expr.kind == ExprKind::Unary;
  return !is_operation && expr.kind != ExprKind::Literal;
}

// Whether an expression there stands between delimiters, not beside an operator.
bool is_delimited(const Expr* parent) {
  if (parent == nullptr) return true;
  return parent->kind == ExprKind::Parens || parent->kind == ExprKind::Tuple ||
         parent->kind == ExprKind::Object || parent->kind == ExprKind::Call;
}

bool is_blank(std::string_view text) {
  return std::ranges::all_of(text, [](unsigned char c) { return c == ' ' || c == '\t'; });
}

}  // namespace

void ExpressionRules::expression(const Expr& expr, const Site& site) {
  switch (expr.kind) {
    case ExprKind::Variable: return steps(as<syntax::VariableExpr>(expr).traversal.steps, site);
    case ExprKind::Local: return steps(as<syntax::LocalExpr>(expr).traversal.steps, site);
    case ExprKind::RelativeTraversal:
      return steps(as<syntax::RelativeTraversalExpr>(expr).steps, site);
    case ExprKind::TemplateWrap: return template_wrap(as<syntax::TemplateWrapExpr>(expr), site);
    case ExprKind::Splat: return splat(as<syntax::SplatExpr>(expr));
    case ExprKind::Call: return call(as<syntax::CallExpr>(expr));
    case ExprKind::Conditional: return conditional(as<syntax::ConditionalExpr>(expr), site);
    case ExprKind::Binary: return binary(as<syntax::BinaryExpr>(expr));
    case ExprKind::Object: return object(as<syntax::ObjectExpr>(expr));
    case ExprKind::For: return for_expression(as<syntax::ForExpr>(expr), site);
    case ExprKind::Literal:
    case ExprKind::Template:
    case ExprKind::TemplateJoin:
    case ExprKind::Index:
    case ExprKind::Unary:
    case ExprKind::Parens:
    case ExprKind::Tuple:
    case ExprKind::ObjectKey:
    case ExprKind::JsonString:
    case ExprKind::Invalid: return;
  }
}

void ExpressionRules::steps(std::span<const syntax::TraversalStep> steps, const Site& site) {
  // `a.*.b[0]` is an element of the result, and `a.*.b.0` one of each b.
  const auto* around = site.parent == nullptr ? nullptr : as_if<syntax::SplatExpr>(*site.parent);
  const bool in_legacy_splat =
      around != nullptr && sources_.text(around->marker_range).starts_with('.');
  for (const syntax::TraversalStep& step : steps) {
    if (step.kind != syntax::StepKind::Index) continue;
    const std::string_view text = sources_.text(step.range);
    if (!text.starts_with('.')) continue;
    const std::string_view digits = text.substr(1);
    Finding* finding =
        findings_.add(kLegacyIndex, step.range,
                      fmt::format("Write [{}] to choose an element by its index.", digits));
    const bool is_number = !digits.empty() && std::ranges::all_of(digits, [](unsigned char c) {
      return std::isdigit(c) != 0;
    });
    if (finding != nullptr && is_number && !in_legacy_splat) {
      finding->fix = {{step.range, fmt::format("[{}]", digits)}};
    }
  }
}

void ExpressionRules::template_wrap(const syntax::TemplateWrapExpr& wrap, const Site& site) {
  if (wrap.in_json) return;
  const Expr& inner = *wrap.wrapped;
  const std::string_view text = sources_.text(wrap.range);
  if (!text.starts_with('"')) return;  // a heredoc or the inside of a template
  Finding* finding = findings_.add(kInterpolationOnly, wrap.range,
                                   "Write the expression alone, without quotes and ${ }.");
  if (finding == nullptr) return;
  const SourceRange begin{wrap.range.file, wrap.range.begin, inner.range.begin};
  const SourceRange end{wrap.range.file, inner.range.end, wrap.range.end};
  const auto only = [&](SourceRange range, std::string_view delimiters) {
    std::string_view rest = sources_.text(range);
    return std::ranges::all_of(rest, [&](char c) {
      return c == ' ' || c == '\t' || delimiters.find(c) != std::string_view::npos;
    });
  };
  const bool is_one_line = sources_.text(inner.range).find('\n') == std::string_view::npos;
  if (!only(begin, "\"${~") || !only(end, "\"}~") || !is_one_line) return;
  const bool needs_parens = !is_delimited(site.parent) && !is_term(inner);
  const bool is_key = site.parent != nullptr && site.parent->kind == ExprKind::ObjectKey;
  const bool parens = needs_parens || is_key;
  finding->fix = {{begin, parens ? "(" : ""}, {end, parens ? ")" : ""}};
}

void ExpressionRules::splat(const syntax::SplatExpr& splat) {
  if (!sources_.text(splat.marker_range).starts_with('.')) return;
  Finding* finding = findings_.add(kLegacySplat, splat.marker_range,
                                   "Write [*] to take something of every element.");
  if (finding == nullptr) return;
  // An index after `.*` is one of the result, an index after `[*]` one of each element.
  const std::string_view file = sources_.text(splat.range.file);
  const char next = splat.range.end < file.size() ? file[splat.range.end] : '\0';
  if (next == '[' || next == '.') return;
  finding->fix = {{splat.marker_range, "[*]"}};
}

void ExpressionRules::call(const syntax::CallExpr& call) {
  if (call.name != "lookup" && call.name != "core::lookup") return;
  if (call.arguments.size() != 2 || call.expand_final) return;
  Finding* finding = findings_.add(kLookupWithoutDefault, call.range,
                                   "Without a default, lookup does the same as an index: write "
                                   "m[k]. To allow for a missing key, give a default.");
  if (finding == nullptr || call.in_json) return;
  const Expr& map = *call.arguments[0];
  const Expr& key = *call.arguments[1];
  const SourceRange open{call.range.file, call.range.begin, map.range.begin};
  const SourceRange middle = between(map.range, key.range);
  const SourceRange close{call.range.file, key.range.end, call.range.end};
  const std::string_view comma = sources_.text(middle);
  const bool is_plain =
      is_term(map) && is_blank(sources_.text(between(call.open_range, map.range))) &&
      comma.starts_with(',') && is_blank(comma.substr(1)) && sources_.text(close) == ")";
  if (is_plain) finding->fix = {{open, ""}, {middle, "["}, {close, "]"}};
}

void ExpressionRules::conditional(const syntax::ConditionalExpr& conditional, const Site& site) {
  const Expr& condition = *conditional.condition;
  if (is_constant(condition)) {
    findings_.add(kConstantCondition, condition.range,
                  "The condition is a constant, so one of the results is never used. Remove the "
                  "conditional.");
  }
  const auto yes = as_bool(*conditional.if_true);
  const auto no = as_bool(*conditional.if_false);
  if (yes && no && *yes != *no) {
    Finding* finding = findings_.add(kRedundantConditional, conditional.range,
                                     *yes ? "The condition by itself has this value."
                                          : "The condition with ! in front has this value.");
    if (finding == nullptr || conditional.in_json || !is_bool(condition)) return;
    const SourceRange rest = {conditional.range.file, condition.range.end, conditional.range.end};
    const SourceRange start = {condition.range.file, condition.range.begin, condition.range.begin};
    const bool is_one_line = sources_.text(rest).find_first_of("\n#") == std::string_view::npos;
    if (!is_one_line) return;
    // A conditional that is an operand stands in parentheses, which stay.
    if (*yes && (is_delimited(site.parent) || is_term(condition))) {
      finding->fix = {{rest, ""}};
    } else if (!*yes && is_term(condition)) {
      finding->fix = {{start, "!"}, {rest, ""}};
    } else if (!*yes) {
      finding->fix = {{start, "!("}, {rest, ")"}};
    }
    return;
  }
  if (config::same_expression(conditional.if_true, conditional.if_false)) {
    findings_.add(kSameBranches, conditional.range,
                  "The result is the same whether the condition holds or not. Correct one of the "
                  "results, or remove the conditional.");
  }
}

void ExpressionRules::binary(const syntax::BinaryExpr& binary) {
  const bool is_equality =
      binary.op == syntax::BinaryOp::Equal || binary.op == syntax::BinaryOp::NotEqual;
  const auto is_empty_list = [](const Expr& expr) {
    const auto* tuple = as_if<syntax::TupleExpr>(expr);
    return tuple != nullptr && tuple->items.empty();
  };
  if (is_equality && (is_empty_list(*binary.left) || is_empty_list(*binary.right))) {
    findings_.add(kEmptyListEquality, binary.range,
                  "[] is an empty tuple, and a list is not equal to a tuple, even if it is empty. "
                  "Compare the length instead: length(x) == 0.");
    return;
  }
  const auto left = as_bool(*binary.left);
  const auto right = as_bool(*binary.right);
  if (is_equality && (left.has_value() != right.has_value())) {
    findings_.add(kBoolComparison, binary.range,
                  "A comparison with a constant bool is the value itself or its negation.");
    return;
  }
  if (is_logical(binary.op) && (left || right)) {
    const bool decides = binary.op == syntax::BinaryOp::Or;
    const bool is_decided = (left && *left == decides) || (right && *right == decides);
    findings_.add(
        kConstantCondition, binary.range,
        is_decided
            ? fmt::format("The result is always {}, regardless of the other operand.", decides)
            : "The constant operand does not change the result. Remove it.");
    return;
  }
  if (!is_comparison(binary.op)) return;
  const bool are_constant = is_constant(*binary.left) && is_constant(*binary.right);
  if (are_constant || config::same_expression(binary.left, binary.right)) {
    findings_.add(kConstantCondition, binary.range,
                  "Both sides are always the same values, so the comparison has always the same "
                  "result.");
  }
}

void ExpressionRules::object(const syntax::ObjectExpr& object) {
  if (object.items.size() < 2) return;
  std::unordered_set<std::string> seen;
  for (const syntax::ObjectItem& item : object.items) {
    std::string key;
    if (const auto* native = as_if<syntax::ObjectKeyExpr>(*item.key)) {
      const auto* text = as_if<syntax::TemplateExpr>(*native->wrapped);
      if (!native->forced) key = syntax::keyword(*native->wrapped);
      if (text != nullptr && text->parts.size() == 1 && is_constant(*text)) {
        key = as<syntax::LiteralExpr>(*text->parts[0]).value->plain().as_string();
      }
    }
    if (key.empty() || seen.insert(key).second) continue;
    findings_.add(kDuplicateKey, item.key->range,
                  fmt::format("The key {:?} has a value above, which has no effect. Remove one of "
                              "them.",
                              key));
  }
}

void ExpressionRules::for_expression(const syntax::ForExpr& expr, const Site& site) {
  bound_name(expr.key_name, expr, site);
  bound_name(expr.value_name, expr, site);
}

void ExpressionRules::bound_name(std::string_view name, const syntax::ForExpr& expr,
                                 const Site& site) {
  if (name.empty()) return;
  constexpr std::array<std::string_view, 11> kRoots = {"var",   "local",     "module",   "data",
                                                       "path",  "terraform", "tofu",     "each",
                                                       "count", "self",      "ephemeral"};
  const bool is_root = std::ranges::find(kRoots, name) != kRoots.end();
  const bool is_bound = std::ranges::any_of(site.binders, [&](const syntax::ForExpr* outer) {
    return outer->key_name == name || outer->value_name == name;
  });
  if (!is_root && !is_bound) return;
  findings_.add(kShadowedName, expr.open_range,
                fmt::format("Inside of this for expression, {} is {}. Choose another name.", name,
                            is_root ? "the element and not the object of that name that can be "
                                      "used everywhere"
                                    : "the element and not that of the for expression around it"));
}

}  // namespace tofu::lint
