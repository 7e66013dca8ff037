// What `count`, `for_each` and `enabled` may be.
//
// Evaluates the expression and reports what can never be right: a null, a number
// below zero, a list where keys are needed, a secret that would become part of an
// address. Whether unknown values are fine is the caller's affair.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "addrs/instance_key.h"
#include "config/objects.h"
#include "diag/diagnostic.h"
#include "eval/names.h"
#include "syntax/ast.h"
#include "value/value.h"

namespace tofu::eval {

// The count: a whole number, or unknown. Nothing if and only if an error was added.
std::optional<value::Value> evaluate_count(const syntax::Expr& expr, const Names& names,
                                           diag::Diagnostics& diags);

// Whether there is an instance: a bool, or unknown. Nothing if and only if an error was
// added.
std::optional<value::Value> evaluate_enabled(const syntax::Expr& expr, const Names& names,
                                             diag::Diagnostics& diags);

enum class Tuples : std::uint8_t { Refused, Allowed };

struct ForEach {
  // Whether it can be told by now what the instances are. If not, a later look at
  // the same expression will find its mistakes, too.
  bool known = true;
  // A map, object, set of strings or tuple, without its own marks; absent if
  // `known` is false or an error was added.
  std::optional<value::Value> elements;
};
ForEach evaluate_for_each(const syntax::Expr& expr, const Names& names, Tuples tuples,
                          diag::Diagnostics& diags);

// The instances of a resource or of a module call.
class Expansion {
 public:
  enum class Kind : std::uint8_t { Single, Count, ForEach, Enabled };

  Expansion() = default;  // one instance, without a key
  Expansion(Kind kind, value::Value v) : kind_(kind), value_(std::move(v)) {}

  Kind kind() const { return kind_; }
  // Whether it can be told by now what the instances are. If not, there are none yet.
  bool is_known() const { return kind_ == Kind::Single || value_.is_known(); }
  std::size_t size() const;
  // In order: numbers, or strings by their bytes; no key without count and for_each.
  std::vector<addrs::InstanceKey> keys() const;
  bool has(const addrs::InstanceKey& key) const;
  // Where the expressions of one instance stand. If it is not known which there are, the
  // key does not matter, and it is an instance of which nothing is known.
  Standing standing(const Standing& outside, const addrs::InstanceKey& key) const;

 private:
  std::optional<value::Value> element(std::string_view key) const;

  Kind kind_ = Kind::Single;
  value::Value value_;  // what the argument comes to, without marks of its own
};

// Nothing if and only if an error was added.
std::optional<Expansion> evaluate_repetition(const config::Repetition& repetition,
                                             const Names& names, diag::Diagnostics& diags);

}  // namespace tofu::eval
