#include "symbols/library_function.h"

#include <algorithm>
#include <fmt/format.h>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "symbols/library_names.h"
#include "symbols/library_rules.h"
#include "syntax/eval.h"
#include "syntax/type_expr.h"
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
        frame_{function, {}, {}},
        scope_(library, builtin, &frame_),
        expressions_(scope_, sources, fmt::format("function {:?}", function.name)) {}

  CallResult<Value> run(Arguments arguments) {
    if (auto problem = set_parameters(arguments)) return std::move(*problem);
    if (auto problem = validate()) return std::move(*problem);
    for (const LibraryLocal* local :
         std::span(function_.local_order).first(function_.needed_locals)) {
      auto value = expressions_.evaluate(*local->expr);
      if (!value) return value;
      frame_.locals.push_back(std::move(*value));
    }
    auto result = expressions_.evaluate(*function_.result);
    if (!result) return result;
    auto fit = syntax::fit(function_.result_type, std::move(*result));
    if (fit) return std::move(*fit);
    return expressions_.failure(
        fmt::format("the result does not match its type: {}", to_string(fit.error())),
        function_.result->range);
  }

 private:
  // A problem found on the way; none if all is well.
  using Problem = std::optional<CallError>;

  Problem set_parameters(Arguments arguments);
  Problem validate();
  Problem validate(const LibraryParameter& parameter);

  const LibraryFunction& function_;
  LibraryFrame frame_;
  LibraryScope scope_;
  LibraryEvaluation expressions_;
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
    const bool takes_default =
        arguments[i].is_null() && !parameter.allow_null && parameter.default_expr != nullptr;
    auto fit = takes_default ? value::PathResult<Value>(parameter.default_value)
                             : syntax::fit(parameter.constraint, arguments[i]);
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
    auto problem = expressions_.check(rule);
    if (!problem) continue;
    if (problem->is_broken) problem->error.argument = parameter.position;
    return std::move(problem->error);
  }
  return std::nullopt;
}

syntax::Parameter signature_of(const LibraryParameter& parameter) {
  syntax::Parameter signature{parameter.name, parameter.constraint.type, parameter.description};
  // A null in the place of a default is replaced by it.
  signature.allow_null = parameter.allow_null || parameter.default_expr != nullptr;
  signature.allow_unknown = parameter.allow_unknown;
  signature.allow_dynamic = parameter.allow_unknown || signature.allow_null;
  signature.allow_marked = true;
  if (parameter.is_optional) signature.default_value = parameter.default_value;
  return signature;
}

}  // namespace

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
