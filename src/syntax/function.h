// Functions as the evaluator sees them: a signature, a rule for the type of the
// result, and a body.
//
// The call itself (call.h) does for every function what cty does: checks the
// number of arguments, converts them, refuses nulls, answers unknown when an
// argument is unknown and takes marks off and puts them back, unless a parameter
// asks to see such values. A function's body therefore sees plain values.
//
// Functions know nothing of source text; an error names the argument it is
// about, and the evaluator finds its place.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "diag/diagnostic.h"
#include "syntax/ast.h"
#include "value/type.h"
#include "value/value.h"

namespace tofu::syntax {

struct Parameter {
  std::string name;
  value::Type type;  // `any` accepts everything unconverted
  std::string description = {};
  bool allow_null = false;
  bool allow_unknown = false;
  bool allow_dynamic = false;  // also unknowns of type `any`
  bool allow_marked = false;
  // Of parameters that may be left out, which come after all others: the argument in that case.
  std::optional<value::Value> default_value = {};
};

struct CallError {
  std::string what;                     // a clause or sentence of ours
  std::optional<std::size_t> argument;  // position it is about, from 0
  // The words are the same for all values. Those of other errors may quote an argument, so a call
  // whose marks were taken off its arguments does not show them.
  bool is_fixed = false;
};

template <class T>
using CallResult = base::Result<T, CallError>;
using Arguments = std::span<const value::Value>;

inline CallError argument_error(std::size_t argument, std::string what) {
  return CallError{std::move(what), argument};
}
// A literal has no value in it.
template <std::size_t size>
CallError argument_error(std::size_t argument, const char (&what)[size]) {
  return CallError{what, argument, true};
}

class LazyCall;
class Scope;

struct Function {
  std::string name;
  std::string description;
  std::vector<Parameter> parameters;
  std::optional<Parameter> variadic;

  // The type of the result. Arguments may be unknown (and null or marked where
  // the parameter allows), so look before reading them.
  std::function<CallResult<value::Type>(Arguments)> result_type;
  // The result. `type` is what result_type said; a result of another type is
  // converted to it.
  std::function<CallResult<value::Value>(Arguments, value::Type type)> body;
  // The same for functions that call others, as templates do: with the scope of the call, null
  // outside any. Used instead of `body` if it is set.
  std::function<CallResult<value::Value>(Arguments, value::Type type, const Scope* scope)>
      body_in_scope;
  bool result_not_null = false;  // an unknown result is refined to be not null

  // For try, can and the like, which get expressions instead of values. When set, the members above
  // are not used except for listing signatures.
  std::function<diag::Checked<value::Value>(const LazyCall&, diag::Diagnostics&)> lazy;

  // How many arguments a call has at least.
  std::size_t required() const;
};

// A constant result type, for the many functions that have one.
std::function<CallResult<value::Type>(Arguments)> always(value::Type type);

// Calls a function on values outside any source text, with all checks.
CallResult<value::Value> call(const Function& function, Arguments arguments,
                              const Scope* scope = nullptr);
// Only the type of the result.
CallResult<value::Type> result_type(const Function& function, Arguments arguments);

}  // namespace tofu::syntax
