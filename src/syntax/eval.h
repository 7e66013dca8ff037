// Evaluating an expression: a tree and a scope in, a value out.
//
// The evaluator knows no phase and keeps no state. The Scope resolves names from outside; unknown
// and marked values go through every operation as OpenTofu has it. Every diagnostic points at the
// smallest faulty part and lists the values of the references in it, sensitive ones withheld.
//
// Threads: a tree and a scope may be used by many evaluations at once.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "diag/diagnostic.h"
#include "syntax/ast.h"
#include "syntax/function.h"
#include "value/value.h"

namespace tofu::syntax {

struct TypeConstraint;

// Functions and types of symbol libraries, for built-in functions that look them up by name:
// templates call the functions, convert() reads the types.
class ImportedSymbols {
 public:
  virtual ~ImportedSymbols() = default;
  // Null if the name does not belong to a symbol library.
  virtual const Function* function(std::string_view name) const = 0;
  // Whether the call names a type of a symbol library. Then `out` is filled or an error added.
  virtual bool named_type(const CallExpr& call, TypeConstraint& out,
                          diag::Diagnostics& diags) const = 0;
};

// Resolves the names that an expression does not bind itself. The console, static evaluation and
// the engine each implement it.
class Scope {
 public:
  virtual ~Scope() = default;

  // The value of the name that `traversal` starts with, or of a longer prefix. A scope that takes
  // more steps can fetch one instance instead of building a map of all. The evaluator applies the
  // remaining steps.
  struct Resolved {
    value::Value value;
    std::size_t steps_taken = 0;
  };
  virtual diag::Checked<Resolved> resolve(const Traversal& traversal,
                                          diag::Diagnostics& diags) const = 0;

  // `traversal[key]` and, after it, steps of `after`: where a scope can fetch one element
  // without making the whole. It says how many steps of `after` it took. Nothing, without
  // an error, if the whole has to be resolved.
  virtual std::optional<Resolved> resolve_element(const Traversal& /*traversal*/,
                                                  const value::Value& /*key*/,
                                                  std::span<const TraversalStep> /*after*/) const {
    return std::nullopt;
  }

  // Null if there is no such function.
  virtual const Function* function(std::string_view name) const = 0;
  // For suggestions.
  virtual std::vector<std::string_view> function_names() const { return {}; }

  // Whether the user interrupted the command: long evaluations end with an error then.
  virtual bool is_interrupted() const { return false; }
  // What is imported where the expression stands; null if nothing can be.
  virtual const ImportedSymbols* symbols() const { return nullptr; }
};

// Without a scope only constants can be evaluated: any name or call is an error, and JSON strings
// are taken literally.
diag::Checked<value::Value> evaluate(const Expr& expr, const Scope* scope,
                                     diag::Diagnostics& diags);

// The same for places whose own checks go on after an error: what failed is unknown,
// of the type that it would have had as far as that is known. `1 < "b"` is an
// unknown bool.
value::Value evaluate_despite_errors(const Expr& expr, const Scope* scope,
                                     diag::Diagnostics& diags);

// The arguments of a call to a lazy function: evaluates them on demand.
class LazyCall {
 public:
  virtual ~LazyCall() = default;
  virtual std::size_t size() const = 0;
  virtual const Expr& argument(std::size_t index) const = 0;
  virtual diag::Checked<value::Value> evaluate(std::size_t index,
                                               diag::Diagnostics& diags) const = 0;
  virtual const CallExpr& call() const = 0;
  virtual const Scope* scope() const = 0;  // null outside any
};

// Steps on a value that is already there: what `.a`, `[0]` and `["k"]` do.
diag::Checked<value::Value> traverse(value::Value from, std::span<const TraversalStep> steps,
                                     diag::Diagnostics& diags);
// `collection[key]` with the language's conversions; `at` is where errors point.
diag::Checked<value::Value> index(const value::Value& collection, const value::Value& key,
                                  diag::SourceRange at, diag::Diagnostics& diags);

// "is a string", `is "eu-west-1"`, "is object with 3 attributes", "is a sensitive
// value": how a diagnostic states a value.
std::string statement_about(const value::Value& v);

}  // namespace tofu::syntax
