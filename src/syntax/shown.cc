#include "syntax/shown.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <unordered_set>
#include <utility>

#include "base/counted.h"
#include "base/unicode.h"
#include "syntax/analysis.h"
#include "syntax/evaluator.h"
#include "value/number.h"

namespace tofu::syntax {
namespace {

using value::Kind;
using value::Value;

// No scope takes more steps than this by itself: module.m["k"].output.
constexpr std::size_t kMaxScopeSteps = 4;
// Longer bounds are noise in a message.
constexpr std::uint64_t kMaxShownBound = 1024;
// Of a longer string a message shows the beginning, in bytes.
constexpr std::size_t kMaxShownText = 4096;

std::string with_article(std::string noun) {
  const bool vowel = !noun.empty() && std::string_view("aeiou").find(noun[0]) != std::string::npos;
  return (vowel ? "an " : "a ") + std::move(noun);
}

std::string quoted_in_brief(std::string_view text) {
  if (text.size() <= kMaxShownText) return base::quote_go(text);
  std::size_t end = kMaxShownText;
  while ((static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return fmt::format("{}… ({} bytes)", base::quote_go(text.substr(0, end)), text.size());
}

// The value in a few words; complex ones only by their type and size.
std::string in_brief(const Value& v) {
  const value::Type type = v.type();
  switch (v.kind()) {
    case Kind::Null: return "null";
    case Kind::Bool: return v.plain().as_bool() ? "true" : "false";
    case Kind::Number: return v.plain().as_number().text('g', 10);
    case Kind::String: return quoted_in_brief(v.plain().as_string());
    case Kind::List:
    case Kind::Set:
    case Kind::Map:
    case Kind::Tuple:
      if (v.plain().size() == 0) return "empty " + friendly_name(type);
      return fmt::format("{} with {}", friendly_name(type),
                         base::counted(v.plain().size(), "element"));
    case Kind::Object:
      if (v.plain().size() == 0) return "object with no attributes";
      if (v.plain().size() == 1) {
        return fmt::format("object with 1 attribute {}", base::quote_go(type.attributes()[0].name));
      }
      return fmt::format("object with {}", base::counted(v.plain().size(), "attribute"));
    case Kind::Capsule: return friendly_name(type);
    case Kind::Unknown:
    case Kind::Marked: break;
  }
  base::broken_promise("unknown and marked values are put into words before this");
}

std::string about_unknown(const Value& v) {
  const value::Type type = v.type();
  if (type.is_dynamic()) return "is known only after apply";
  std::string what = "is " + with_article(friendly_name(type));
  if (type.is_collection()) {
    const value::Refinements& range = v.plain().refinements();
    const std::uint64_t least = range.length_min;
    const std::uint64_t most = range.length_max.value_or(std::numeric_limits<std::uint64_t>::max());
    if (least == most) {
      what += fmt::format(" of length {}", least);
    } else if (least != 0 && most <= kMaxShownBound) {
      what += fmt::format(" of {} to {} elements", least, most);
    } else if (least != 0) {
      what += fmt::format(" of {} or more elements", least);
    } else if (most <= kMaxShownBound) {
      what += " of " + base::counted(most, "element") + " at most";
    }
  }
  return what + ", known only after apply";
}

std::string traversal_text(const Traversal& traversal, std::size_t steps) {
  std::string text(traversal.root);
  for (const TraversalStep& step : traversal.steps.first(steps)) {
    switch (step.kind) {
      case StepKind::Attribute:
        text += '.';
        text += step.name;
        break;
      case StepKind::Index:
        text += '[';
        text += in_brief(*step.key);
        text += ']';
        break;
      case StepKind::Splat: text += "[*]"; break;
    }
  }
  return text;
}

// A part of a reference that has a value.
struct Reached {
  Value value;
  std::size_t steps;
};

// As many steps from `start` as lead somewhere.
Reached as_far_as_possible(Value start, const Traversal& traversal, std::size_t taken) {
  Reached reached{std::move(start), taken};
  while (reached.steps < traversal.steps.size()) {
    diag::Diagnostics ignored;
    auto next = traverse(reached.value, traversal.steps.subspan(reached.steps, 1), ignored);
    if (!next) break;
    reached.value = std::move(*next);
    ++reached.steps;
  }
  return reached;
}

std::optional<Reached> follow_variable(const Traversal& traversal, const Scope* scope) {
  if (scope == nullptr) return std::nullopt;
  std::size_t length = traversal.steps.size();
  while (true) {
    Traversal shorter = traversal;
    shorter.steps = traversal.steps.first(length);
    diag::Diagnostics ignored;
    if (auto found = scope->resolve(shorter, ignored)) {
      return as_far_as_possible(std::move(found->value), traversal, found->steps_taken);
    }
    if (length == 0) return std::nullopt;
    length = std::min(length - 1, kMaxScopeSteps);
  }
}

// Gathers the references of an expression. Keeps its own stack: a chain of
// operators may be much deeper than the nesting limit.
class References {
 public:
  explicit References(const Expr& root) {
    todo_.push_back(&root);
    while (!todo_.empty()) {
      const Expr* next = todo_.back();
      todo_.pop_back();
      visit(*next);
    }
    std::erase_if(locals, [this](const LocalExpr* local) { return local->slot >= first_bound_; });
  }

  std::vector<const VariableExpr*> variables;
  std::vector<const LocalExpr*> locals;  // bound outside the expression

 private:
  void visit(const Expr& expr);
  void later(const Expr* expr) {
    if (expr != nullptr) todo_.push_back(expr);
  }

  std::vector<const Expr*> todo_;
  // Binders inside an expression have higher slots than those around it.
  std::uint32_t first_bound_ = std::numeric_limits<std::uint32_t>::max();
};

void References::visit(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::Variable: variables.push_back(&as<VariableExpr>(expr)); return;
    case ExprKind::Local:
      if (!as<LocalExpr>(expr).traversal.root.empty()) locals.push_back(&as<LocalExpr>(expr));
      return;
    case ExprKind::Template:
      for (const Expr* part : as<TemplateExpr>(expr).parts) later(part);
      return;
    case ExprKind::TemplateWrap: return later(as<TemplateWrapExpr>(expr).wrapped);
    case ExprKind::TemplateJoin: return later(as<TemplateJoinExpr>(expr).tuple);
    case ExprKind::RelativeTraversal: return later(as<RelativeTraversalExpr>(expr).source);
    case ExprKind::Index:
      later(as<IndexExpr>(expr).collection);
      return later(as<IndexExpr>(expr).key);
    case ExprKind::Splat:
      first_bound_ = std::min(first_bound_, as<SplatExpr>(expr).slot);
      later(as<SplatExpr>(expr).source);
      return later(as<SplatExpr>(expr).each);
    case ExprKind::Call:
      for (const Expr* argument : evaluated_arguments(as<CallExpr>(expr))) later(argument);
      return;
    case ExprKind::Conditional:
      later(as<ConditionalExpr>(expr).condition);
      later(as<ConditionalExpr>(expr).if_true);
      return later(as<ConditionalExpr>(expr).if_false);
    case ExprKind::Binary:
      later(as<BinaryExpr>(expr).left);
      return later(as<BinaryExpr>(expr).right);
    case ExprKind::Unary: return later(as<UnaryExpr>(expr).operand);
    case ExprKind::Parens: return later(as<ParensExpr>(expr).inner);
    case ExprKind::Tuple:
      for (const Expr* item : as<TupleExpr>(expr).items) later(item);
      return;
    case ExprKind::Object:
      for (const ObjectItem& item : as<ObjectExpr>(expr).items) {
        later(item.key);
        later(item.value);
      }
      return;
    case ExprKind::ObjectKey:
      if (bare_word(*as<ObjectKeyExpr>(expr).wrapped).empty()) {
        later(as<ObjectKeyExpr>(expr).wrapped);
      }
      return;
    case ExprKind::For: {
      const auto& loop = as<ForExpr>(expr);
      first_bound_ = std::min(first_bound_, loop.key_slot);
      later(loop.collection);
      later(loop.key);
      later(loop.value);
      return later(loop.condition);
    }
    case ExprKind::JsonString: return later(as<JsonStringExpr>(expr).parsed);
    case ExprKind::Literal:
    case ExprKind::Invalid: return;
  }
}

// Collects statements, each reference once.
class Statements {
 public:
  explicit Statements(ShowAlso also) : also_(also) {}

  void add(const Traversal& traversal, const Reached& reached) {
    std::string text = traversal_text(traversal, reached.steps);
    if (seen_.contains(text)) return;
    std::string statement = statement_about(reached.value, also_);
    if (statement.empty()) return;
    seen_.insert(text);
    values_.push_back({std::move(text), std::move(statement)});
  }

  std::vector<diag::ShownValue> sorted() {
    std::ranges::sort(values_, {}, &diag::ShownValue::traversal);
    return std::move(values_);
  }

 private:
  ShowAlso also_;
  std::unordered_set<std::string> seen_;
  std::vector<diag::ShownValue> values_;
};

}  // namespace

std::string statement_about(const Value& v, ShowAlso also) {
  if (v.marks().is_sensitive()) return also.confidential ? "is a sensitive value" : "";
  if (v.marks().is_ephemeral()) return also.confidential ? "is an ephemeral value" : "";
  const auto inside = v.unmarked();
  if (!inside.is_unknown()) return "is " + in_brief(inside);
  if (also.unknown) return about_unknown(inside);
  if (inside.type().is_dynamic()) return "";
  return "is " + with_article(friendly_name(inside.type()));
}

std::string statement_about(const Value& v) {
  return statement_about(v, {.unknown = true, .confidential = true});
}

std::vector<diag::ShownValue> shown_values(const Expr& expr, const Scope* scope, ShowAlso also) {
  return shown_values(expr, Evaluator(scope), also);
}

std::vector<diag::ShownValue> shown_values(const Expr& expr, const Evaluator& evaluator,
                                           ShowAlso also) {
  const References references(expr);
  Statements statements(also);
  for (const VariableExpr* variable : references.variables) {
    const auto reached = follow_variable(variable->traversal, evaluator.scope());
    if (reached) statements.add(variable->traversal, *reached);
  }
  for (const LocalExpr* local : references.locals) {
    statements.add(local->traversal,
                   as_far_as_possible(evaluator.local(local->slot), local->traversal, 0));
  }
  return statements.sorted();
}

}  // namespace tofu::syntax
