// Function calls in source text: finding the function, its arguments, and the place of an error.
#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <utility>
#include <vector>

#include "base/suggest.h"
#include "base/unicode.h"
#include "syntax/analysis.h"
#include "syntax/call_failure.h"
#include "syntax/evaluator.h"
#include "syntax/shown.h"
#include "syntax/signature.h"
#include "syntax/type_expr.h"
#include "value/convert.h"
#include "value/path.h"

namespace tofu::syntax {

using diag::Diagnostics;
using value::Type;
using value::TypeKind;
using value::Value;

namespace {

constexpr const char* kCallFailed = "Error in function call";

// Text whose last line is set apart, as a place is, has its period before that.
std::string sentence(std::string text) {
  const std::size_t last_line = text.rfind('\n');
  if (last_line != std::string::npos && text.substr(last_line).starts_with("\n ")) return text;
  if (text.empty() || std::string_view(".!?").find(text.back()) == std::string_view::npos) {
    text += '.';
  }
  return text;
}

// The beginning of a failed call's detail; failure_cause() takes it off again.
std::string failure_opening(std::string_view name) {
  return fmt::format("Call to function {} failed: ", name);
}

diag::ShownCall shown_call(const CallExpr& expr, const Function& function) {
  std::string signature = std::string(expr.name) + '(';
  for (const Parameter& parameter : function.parameters) {
    if (signature.back() != '(') signature += ", ";
    signature += parameter.name;
    if (parameter.default_value) signature += '?';
  }
  if (function.variadic) {
    if (signature.back() != '(') signature += ", ";
    signature += function.variadic->name + "...";
  }
  return {std::string(expr.name), signature + ')', signature_json(expr.name, function)};
}

// The parameter that the argument at `position` is for; null if there is none.
const Parameter* parameter_at(const Function& function, std::size_t position) {
  if (position < function.parameters.size()) return &function.parameters[position];
  return function.variadic ? &*function.variadic : nullptr;
}

// The acceptance tests of providers look for these words.
std::string invalid_argument(const Parameter& parameter, const std::string& why) {
  return fmt::format("Invalid value for {} parameter: {}", base::quote_go(parameter.name), why);
}

// How many arguments are written out one by one: all but an expanded one.
std::size_t written(const CallExpr& expr) {
  return expr.arguments.size() - (expr.expand_final ? 1 : 0);
}

// Where errors about an argument point. Values from `xs...` have only the place of xs.
diag::SourceRange argument_range(const CallExpr& expr, std::size_t position) {
  if (position < written(expr)) return start_range(*expr.arguments[position]);
  return expr.arguments.back()->range;
}
const Expr* argument_shown(const CallExpr& expr, std::size_t position) {
  return position < written(expr) ? expr.arguments[position] : nullptr;
}

// `provider::aws::` of `provider::aws::arn_parse`; empty without namespaces.
std::string_view namespace_of(std::string_view name) {
  const std::size_t separator = name.rfind("::");
  return separator == std::string_view::npos ? std::string_view() : name.substr(0, separator + 2);
}

}  // namespace

// The arguments of try(), can() and the like.
class LazyArguments final : public LazyCall {
 public:
  // `diags` is where the function reports.
  LazyArguments(Evaluator& evaluator, const CallExpr& call, std::span<const Value> expanded,
                const Diagnostics& diags)
      : evaluator_(evaluator), call_(call), diags_(diags) {
    for (const Value& item : expanded) {
      const Expr& last = *call.arguments.back();
      expanded_.push_back({{ExprKind::Literal, last.in_json, last.range}, &item});
    }
  }

  std::size_t size() const override { return written(call_) + expanded_.size(); }
  const Expr& argument(std::size_t index) const override {
    const std::size_t first_expanded = written(call_);
    return index < first_expanded ? *call_.arguments[index] : expanded_[index - first_expanded];
  }
  std::optional<Value> evaluate(std::size_t index, Diagnostics& diags) const override {
    const std::size_t before = diags.size();
    const std::size_t errors_before = diags.error_count();
    Value result = evaluator_.eval(argument(index), diags);
    if (&diags == &diags_) {
      for (std::size_t i = before; i < diags.size(); ++i) of_arguments_.push_back(i);
    }
    if (diags.error_count() != errors_before) return std::nullopt;
    return result;
  }
  const CallExpr& call() const override { return call_; }
  const Scope* scope() const override { return evaluator_.scope(); }

  // Whether the function itself reported the problem at `index`, not one of its
  // arguments.
  bool is_own(std::size_t index) const { return !std::ranges::binary_search(of_arguments_, index); }

 private:
  Evaluator& evaluator_;
  const CallExpr& call_;
  const Diagnostics& diags_;
  std::vector<LiteralExpr> expanded_;              // their values belong to the caller
  mutable std::vector<std::size_t> of_arguments_;  // only ever written while one call runs
};

Value Evaluator::call(const CallExpr& expr, Diagnostics& diags) {
  const Function* function = scope_ == nullptr ? nullptr : scope_->function(expr.name);
  if (function == nullptr) return call_unknown(expr, diags);
  std::vector<Value> expanded;
  if (expr.expand_final) {
    bool unknown = false;
    if (!expand_argument(expr, *function, expanded, unknown, diags) || unknown) {
      return Value::unknown();
    }
  }
  if (!right_number_of_arguments(expr, *function, written(expr) + expanded.size(), diags)) {
    return Value::unknown();
  }
  return function->lazy ? call_lazy(expr, *function, expanded, diags)
                        : call_eager(expr, *function, expanded, diags);
}

Value Evaluator::call_unknown(const CallExpr& expr, Diagnostics& diags) const {
  if (scope_ == nullptr) {
    fault(diags, "Function calls not allowed",
          "Function calls are not allowed here. Write a constant value.", expr.range, &expr);
    return Value::unknown();
  }
  const std::string_view space = namespace_of(expr.name);
  std::vector<std::string_view> candidates;
  for (const std::string_view name : scope_->function_names()) {
    if (namespace_of(name) == space) candidates.push_back(name.substr(space.size()));
  }
  const std::string_view wanted = expr.name.substr(space.size());
  std::string detail;
  if (!space.empty() && candidates.empty()) {
    detail = fmt::format("The namespace {} has no functions.", space);
  } else {
    detail = fmt::format("No function is named {}.", base::quote_go(expr.name));
    const std::string_view near = base::nearest_name(wanted, candidates);
    if (!near.empty()) {
      detail += fmt::format(" Did you mean {}{}?", space, near);
    }
  }
  fault(diags, "Call to unknown function", std::move(detail), expr.name_range, &expr)
      .within(expr.range);
  return Value::unknown();
}

bool Evaluator::expand_argument(const CallExpr& expr, const Function& function,
                                std::vector<Value>& expanded, bool& unknown, Diagnostics& diags) {
  const Expr& last = *expr.arguments.back();
  const std::size_t errors_before = diags.error_count();
  const Value given = eval(last, diags);
  if (diags.error_count() != errors_before) return false;
  const auto refuse = [&](std::string detail) {
    fault(diags, "Invalid expanding argument value", std::move(detail), last.range, &last)
        .within(expr.range)
        .call(shown_call(expr, function));
    return false;
  };
  const TypeKind kind = given.type().kind();
  if (kind != TypeKind::Dynamic && kind != TypeKind::Tuple && kind != TypeKind::List &&
      kind != TypeKind::Set) {
    return refuse(
        fmt::format("The value before ... must be a list, set or tuple, whose elements become "
                    "arguments, but this value is of type {}.",
                    friendly_name(given.type())));
  }
  value::Marks marks;
  const auto sequence = strip_marks(given, marks);
  if (sequence.is_null()) return refuse("The value before ... is null.");
  unknown = sequence.is_unknown();
  if (unknown) return true;
  expanded.reserve(sequence.size());
  for (const Value& item : sequence.items()) expanded.push_back(item.with_marks(marks));
  return true;
}

bool Evaluator::right_number_of_arguments(const CallExpr& expr, const Function& function,
                                          std::size_t given, Diagnostics& diags) const {
  const std::size_t wanted = function.parameters.size();
  const std::size_t least = function.required();
  if (given < least) {
    const bool takes_more = function.variadic || least != wanted;
    fault(diags, "Not enough function arguments",
          fmt::format("The function {} expects {}{} argument{}. Missing value for {}.", expr.name,
                      takes_more ? "at least " : "", least, least == 1 ? "" : "s",
                      base::quote_go(function.parameters[given].name)),
          expr.close_range, &expr)
        .within(expr.range)
        .call(shown_call(expr, function));
    return false;
  }
  if (given > wanted && !function.variadic) {
    fault(diags, "Too many function arguments",
          fmt::format("The function {} expects {} {} argument{}.", expr.name,
                      least == wanted ? "only" : "at most", wanted, wanted == 1 ? "" : "s"),
          argument_range(expr, wanted), &expr)
        .within(expr.range)
        .call(shown_call(expr, function));
    return false;
  }
  return true;
}

bool Evaluator::call_argument(const CallExpr& expr, const Function& function, std::size_t position,
                              Value& argument, Diagnostics& diags) const {
  const Parameter& parameter = *parameter_at(function, position);
  if (parameter.type.is_dynamic() || argument.type() == parameter.type) return true;
  auto converted = value::convert(argument, parameter.type);
  if (converted) {
    argument = std::move(*converted);
    return true;
  }
  fault(diags, "Invalid function argument",
        invalid_argument(parameter, sentence(to_string(converted.error()))),
        argument_range(expr, position), argument_shown(expr, position))
      .within(expr.range)
      .call(shown_call(expr, function));
  return false;
}

Value Evaluator::call_eager(const CallExpr& expr, const Function& function,
                            std::span<const Value> expanded, Diagnostics& diags) {
  const std::size_t errors_before = diags.error_count();
  const std::size_t first = arguments_.size();
  for (std::size_t i = 0; i < written(expr); ++i) {
    Value argument = eval(*expr.arguments[i], diags);
    call_argument(expr, function, i, argument, diags);
    arguments_.push_back(std::move(argument));
  }
  for (std::size_t i = 0; i < expanded.size(); ++i) {
    Value argument = expanded[i];
    call_argument(expr, function, written(expr) + i, argument, diags);
    arguments_.push_back(std::move(argument));
  }
  Value result = Value::unknown();
  if (diags.error_count() == errors_before && may_go_on(expr, diags, kStepsOfCall)) {
    const auto arguments = std::span(arguments_).subspan(first);
    CallResult<Value> outcome = syntax::call(function, arguments, scope_);
    if (outcome) {
      result = std::move(*outcome);
      if (!may_make_result(result, expr, diags)) result = Value::unknown();
    } else {
      call_failed(expr, function, std::move(outcome).error(), arguments.size(), diags);
    }
  }
  arguments_.erase(arguments_.begin() + static_cast<std::ptrdiff_t>(first), arguments_.end());
  return result;
}

void Evaluator::call_failed(const CallExpr& expr, const Function& function, CallError error,
                            std::size_t given, Diagnostics& diags) const {
  const Parameter* parameter = error.argument ? parameter_at(function, *error.argument) : nullptr;
  if (parameter == nullptr) {
    fault(diags, kCallFailed, failure_opening(expr.name) + sentence(std::move(error.what)),
          start_range(expr), &expr)
        .within(expr.range)
        .call(shown_call(expr, function));
    return;
  }
  std::string detail = invalid_argument(*parameter, sentence(std::move(error.what)));
  if (*error.argument >= given) {
    // About arguments of a variadic parameter that were not given at all.
    fault(diags, "Invalid function argument", std::move(detail), expr.range, &expr)
        .call(shown_call(expr, function));
    return;
  }
  fault(diags, "Invalid function argument", std::move(detail),
        argument_range(expr, *error.argument), argument_shown(expr, *error.argument))
      .within(expr.range)
      .call(shown_call(expr, function));
}

Value Evaluator::call_lazy(const CallExpr& expr, const Function& function,
                           std::span<const Value> expanded, Diagnostics& diags) {
  const LazyArguments arguments(*this, expr, expanded, diags);
  const std::size_t before = diags.size();
  auto result = function.lazy(arguments, diags);
  if (result) return std::move(*result);
  const auto added = diags.items_from(before);
  for (std::size_t i = 0; i < added.size(); ++i) {
    if (arguments.is_own(before + i)) complete(added[i], expr, function);
  }
  return Value::unknown();
}

// Adds information that a lazy function does not have to its diagnostics. One without a name stands
// for a function that is not there: it has no signature to show.
void Evaluator::complete(diag::Diagnostic& problem, const CallExpr& expr,
                         const Function& function) const {
  if (!function.name.empty()) problem.call = shown_call(expr, function);
  const Expr* about = &expr;
  if (!problem.subject) {
    problem.subject = start_range(expr);
    problem.context = expr.range;
  } else {
    for (const Expr* argument : expr.arguments) {
      if (start_range(*argument) == *problem.subject) about = argument;
    }
  }
  if (problem.values.empty()) problem.values = shown_values(*about, *this);
}

std::string_view failure_cause(const diag::Diagnostic& problem) {
  if (!problem.call || problem.summary != kCallFailed) return {};
  const std::string opening = failure_opening(problem.call->name);
  return problem.detail.starts_with(opening)
             ? std::string_view(problem.detail).substr(opening.size())
             : std::string_view();
}

}  // namespace tofu::syntax
