// The protocol of every call: what a function may see of unknown, null and marked arguments, and
// what its result becomes.
#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "syntax/eval.h"
#include "syntax/function.h"
#include "value/convert.h"
#include "value/path.h"
#include "value/size_limit.h"

namespace tofu::syntax {
namespace {

using value::Type;
using value::Value;

// One call: its arguments as the function may see them.
class Call {
 public:
  Call(const Function& function, Arguments given)
      : function_(function), given_(given), arguments_(given) {
    if (given.size() >= function.parameters.size() || given.size() < function.required()) return;
    completed_.assign(given.begin(), given.end());
    for (std::size_t i = given.size(); i < function.parameters.size(); ++i) {
      completed_.push_back(*function.parameters[i].default_value);
    }
    given_ = arguments_ = completed_;
  }

  // The type of the result. `any` with undecided() set if an argument's type is
  // not known yet and the function cannot cope with that.
  CallResult<Type> type() {
    if (auto problem = count_problem()) return CallError{std::move(*problem), std::nullopt};
    for (std::size_t i = 0; i < given_.size(); ++i) {
      const Parameter& parameter = parameter_at(i);
      const Value& argument = given_[i];
      if (!parameter.allow_marked && argument.contains_marks())
        replace(i, argument.deep_unmarked());
      if (!parameter.allow_null && arguments_[i].is_null()) {
        return argument_error(i, "argument must not be null");
      }
      const Type type = argument.type();
      if (type.is_dynamic()) {
        if (!parameter.allow_dynamic) {
          undecided_ = true;
          return Type::dynamic();
        }
      } else if (!conforms(type, parameter.type)) {
        return argument_error(i, mismatch_message(type, parameter.type));
      }
    }
    return function_.result_type(arguments_);
  }

  CallResult<Value> result(Type type, const Scope* scope) {
    bool unknown = undecided_;
    value::Marks marks;
    for (std::size_t i = 0; i < given_.size(); ++i) {
      const Parameter& parameter = parameter_at(i);
      const Value& argument = given_[i];
      if (!parameter.allow_marked && argument.contains_marks()) {
        marks = marks.with(argument.deep_marks());
      }
      if (!parameter.allow_unknown && argument.is_unknown()) unknown = true;
    }
    Value value = Value::unknown(type);
    if (!unknown) {
      CallResult<Value> outcome = function_.body_in_scope
                                      ? function_.body_in_scope(arguments_, type, scope)
                                      : function_.body(arguments_, type);
      if (!outcome) return without_secrets(std::move(outcome).error(), marks);
      value = std::move(*outcome);
      if (auto problem = value::size_problem(value)) return CallError{std::move(*problem), {}};
      if (!conforms(value.type(), type)) {
        auto converted = value::convert(value, type);
        if (!converted) {
          return CallError{
              fmt::format("it returned an unexpected result: {}", to_string(converted.error())),
              std::nullopt};
        }
        value = std::move(*converted);
      }
    }
    if (function_.result_not_null && !undecided_) value = not_null(value);
    return marks.empty() ? value : value.with_marks(marks);
  }

 private:
  // The body saw arguments without their marks, and may have quoted them.
  static CallError without_secrets(CallError error, value::Marks marks) {
    if (error.is_fixed || (!marks.is_sensitive() && !marks.is_ephemeral())) return error;
    error.what = fmt::format("the error message is hidden because an argument is {}",
                             marks.is_sensitive() ? "sensitive" : "ephemeral");
    return error;
  }

  static Value not_null(const Value& v) {
    if (!v.is_unknown() || v.type().is_dynamic()) return v;
    return v.refined_not_null();
  }

  const Parameter& parameter_at(std::size_t i) const {
    return i < function_.parameters.size() ? function_.parameters[i] : *function_.variadic;
  }

  std::optional<std::string> count_problem() const {
    const std::size_t wanted = function_.parameters.size();
    if (given_.size() == wanted || (given_.size() > wanted && function_.variadic)) {
      return std::nullopt;
    }
    const std::size_t least = function_.required();
    if (given_.size() < least) {
      return fmt::format("{}{} argument{} expected, {} given",
                         function_.variadic || least != wanted ? "at least " : "", least,
                         least == 1 ? " is" : "s are", given_.size());
    }
    return fmt::format("{}{} argument{} expected, {} given", least != wanted ? "at most " : "",
                       wanted, wanted == 1 ? " is" : "s are", given_.size());
  }

  // Most calls change nothing and see what was given.
  void replace(std::size_t i, Value argument) {
    if (changed_.empty()) changed_.assign(given_.begin(), given_.end());
    changed_[i] = std::move(argument);
    arguments_ = changed_;
  }

  const Function& function_;
  Arguments given_;
  Arguments arguments_;
  std::vector<Value> completed_;  // with defaults, if arguments were left out
  std::vector<Value> changed_;
  bool undecided_ = false;
};

}  // namespace

std::function<CallResult<Type>(Arguments)> always(Type type) {
  return [type](Arguments) -> CallResult<Type> { return type; };
}

std::size_t Function::required() const {
  const auto is_optional = [](const Parameter& each) { return each.default_value.has_value(); };
  return static_cast<std::size_t>(
      std::distance(parameters.begin(), std::ranges::find_if(parameters, is_optional)));
}

CallResult<Value> call(const Function& function, Arguments arguments, const Scope* scope) {
  if (function.lazy) {
    return CallError{"it can be called only in an expression", std::nullopt};
  }
  Call running(function, arguments);
  CallResult<Type> type = running.type();
  if (!type) return std::move(type).error();
  return running.result(*type, scope);
}

CallResult<Type> result_type(const Function& function, Arguments arguments) {
  if (function.lazy) {
    return CallError{"it can be called only in an expression", std::nullopt};
  }
  return Call(function, arguments).type();
}

}  // namespace tofu::syntax
