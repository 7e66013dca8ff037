#include "symbols/library_function.h"

#include <algorithm>
#include <fmt/format.h>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "diag/place_text.h"
#include "symbols/library_names.h"
#include "symbols/symbol_names.h"
#include "syntax/call_failure.h"
#include "syntax/eval.h"
#include "value/convert.h"
#include "value/defaults.h"
#include "value/path.h"

namespace tofu::symbols {

namespace {

using syntax::Arguments;
using syntax::CallError;
using syntax::CallResult;
using value::Type;
using value::Value;

// One call.
class Call {
 public:
  Call(const Library& library, const LibraryFunction& function, const functions::Table& builtin,
       const diag::SourceMap& sources)
      : function_(function),
        sources_(sources),
        frame_{function, {}, {}},
        scope_(library, builtin, &frame_) {}

  CallResult<Value> run(Arguments arguments) {
    if (auto problem = set_parameters(arguments)) return std::move(*problem);
    if (auto problem = validate()) return std::move(*problem);
    for (const LibraryLocal* local :
         std::span(function_.local_order).first(function_.needed_locals)) {
      auto value = evaluate(*local->expr);
      if (!value) return value;
      frame_.locals.push_back(std::move(*value));
    }
    auto result = evaluate(*function_.result);
    if (!result) return result;
    auto fit = fitted(function_.result_type, std::move(*result));
    if (fit) return std::move(*fit);
    return failure(fmt::format("the result does not match its type: {}", to_string(fit.error())),
                   function_.result->range);
  }

 private:
  // A problem found on the way; none if all is well.
  using Problem = std::optional<CallError>;

  Problem set_parameters(Arguments arguments);
  Problem validate();
  Problem validate(const LibraryParameter& parameter);
  Problem check_rule(const LibraryParameter& parameter, const syntax::Condition& rule);
  std::string message_of(const syntax::Condition& rule);
  CallResult<Value> evaluate(const syntax::Expr& expr);
  CallError failure(std::string what, diag::SourceRange place) const;
  std::string at(diag::SourceRange place) const { return diag::place_text(sources_, place); }

  const LibraryFunction& function_;
  const diag::SourceMap& sources_;
  LibraryFrame frame_;
  LibraryScope scope_;
};

// The value of a variadic parameter: a list if all arguments have one type, as they do unless that
// type is `any`.
Value gathered(const syntax::TypeConstraint& constraint, std::vector<Value> items) {
  if (items.empty()) {
    return Value::list(constraint.type.without_optional_attributes(), {});
  }
  const Type first = items.front().type();
  const bool alike =
      std::ranges::all_of(items, [first](const Value& item) { return item.type() == first; });
  return alike ? Value::list(first, std::move(items)) : Value::tuple(std::move(items));
}

Call::Problem Call::set_parameters(Arguments arguments) {
  frame_.parameters.reserve(arguments.size() + 1);
  std::vector<Value> rest;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const bool fixed = i < function_.parameters.size();
    const LibraryParameter& parameter =
        fixed ? *std::next(function_.parameters.begin(), static_cast<std::ptrdiff_t>(i))
              : *function_.variadic;
    auto fit = fitted(parameter.constraint, arguments[i]);
    if (!fit) {
      return syntax::argument_error(
          i, fmt::format("it does not match its type: {}", to_string(fit.error())));
    }
    (fixed ? frame_.parameters : rest).push_back(std::move(*fit));
  }
  if (function_.variadic) {
    frame_.parameters.push_back(gathered(function_.variadic->constraint, std::move(rest)));
  }
  return std::nullopt;
}

Call::Problem Call::validate() {
  for (const LibraryParameter& parameter : function_.parameters) {
    if (auto problem = validate(parameter)) return problem;
  }
  return function_.variadic ? validate(*function_.variadic) : std::nullopt;
}

Call::Problem Call::validate(const LibraryParameter& parameter) {
  for (const syntax::Condition& rule : parameter.validations) {
    if (auto problem = check_rule(parameter, rule)) return problem;
  }
  return std::nullopt;
}

Call::Problem Call::check_rule(const LibraryParameter& parameter, const syntax::Condition& rule) {
  auto condition = evaluate(*rule.condition);
  if (!condition) return std::move(condition).error();
  const auto truth = value::convert(condition->deep_unmarked(), Type::boolean());
  if (!truth || truth->is_null()) {
    return failure("a condition is neither true nor false", rule.condition->range);
  }
  if (truth->is_unknown() || truth->plain().as_bool()) return std::nullopt;
  return syntax::argument_error(parameter.position,
                                fmt::format("{}\n\nThis was checked by the validation rule at {}",
                                            message_of(rule), at(rule.range)));
}

// The author's own words, unless they cannot be shown.
std::string Call::message_of(const syntax::Condition& rule) {
  const auto given = evaluate(*rule.error_message);
  if (!given) return fmt::format("a validation rule failed, and {}", given.error().what);
  const value::Marks marks = given->deep_marks();
  if (marks.is_sensitive() || marks.is_ephemeral()) {
    return "a validation rule failed; its message contains sensitive values";
  }
  const auto text = value::convert(given->deep_unmarked(), Type::string());
  if (!text || text->is_null() || text->is_unknown()) {
    return "a validation rule failed; its message is not known";
  }
  return std::string(text->plain().as_string());
}

// A failure with its place inside this function, on a line below those of the calls that
// it came from.
CallError Call::failure(std::string what, diag::SourceRange place) const {
  const bool has_places = what.find("\n    at ") != std::string::npos;
  if (!has_places && !what.ends_with('.')) what += '.';
  what += fmt::format("\n    at {}, in function {:?}", at(place), function_.name);
  return CallError{std::move(what), std::nullopt};
}

// The first error with its place; the caller shows the other place.
CallResult<Value> Call::evaluate(const syntax::Expr& expr) {
  diag::Diagnostics diags;
  auto value = syntax::evaluate(expr, &scope_, diags);
  if (value) return std::move(*value);
  for (const diag::Diagnostic& problem : diags.items()) {
    if (problem.severity != diag::Severity::Error) continue;
    const diag::SourceRange place = problem.subject.value_or(expr.range);
    const std::string_view cause = syntax::failure_cause(problem);
    if (cause.empty())
      return failure(fmt::format("{}: {}", problem.summary, problem.detail), place);
    return failure(is_symbol_name(problem.call->name)
                       ? std::string(cause)
                       : fmt::format("{} failed: {}", problem.call->name, cause),
                   place);
  }
  base::broken_promise("an expression without a value has an error");
}

syntax::Parameter signature_of(const LibraryParameter& parameter) {
  syntax::Parameter signature{parameter.name, parameter.constraint.type, parameter.description};
  signature.allow_null = parameter.allow_null;
  signature.allow_unknown = parameter.allow_unknown;
  signature.allow_dynamic = parameter.allow_unknown || parameter.allow_null;
  signature.allow_marked = true;
  return signature;
}

}  // namespace

value::PathResult<Value> fitted(const syntax::TypeConstraint& constraint, Value value) {
  if (constraint.defaults == nullptr) {
    if (conforms(value.type(), constraint.type)) return value;
  } else if (!value.is_null()) {
    value = value::apply_defaults(*constraint.defaults, value);
  }
  return value::convert(value, constraint.type);
}

syntax::Function make_callable(const Library& library, const LibraryFunction& function,
                               const functions::Table& builtin, const diag::SourceMap& sources,
                               LibraryCalls& calls) {
  syntax::Function callable;
  callable.name = function.name;
  callable.description = function.description;
  for (const LibraryParameter& parameter : function.parameters) {
    callable.parameters.push_back(signature_of(parameter));
  }
  if (function.variadic) callable.variadic = signature_of(*function.variadic);
  callable.result_type = syntax::always(function.result_type.type.without_optional_attributes());
  callable.body = [&library, &function, &builtin, &sources, &calls](
                      Arguments arguments, Type type) -> CallResult<Value> {
    if (function.broken) return Value::unknown(type);
    const auto run = [&] { return Call(library, function, builtin, sources).run(arguments); };
    return function.calls_others ? calls.call(function, arguments, run) : run();
  };
  return callable;
}

}  // namespace tofu::symbols
