// What callers use instead of a deprecated variable or output: `replaced_by`.
//
// A variable names its successor, or the arguments that take its place, written with the value that
// the caller gave: `var.capacity`, or `{ capacity_mib = var.size * 1024 }` in the variable "size".
// An output is an expression of other outputs of its module: `output.addresses[0]`. Callers'
// files are rewritten with these texts, so nothing else may be named.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/module.h"
#include "config/values.h"
#include "diag/diagnostic.h"
#include "diag/source.h"
#include "syntax/ast.h"

namespace tofu::config {

// What the author of something deprecated says besides the message.
struct Retirement {
  const syntax::Expr* replaced_by = nullptr;  // null: not said
  std::optional<std::string> removed_in;      // a version or a date
  diag::SourceRange removed_in_range;
};

// Reads the arguments of all variables and outputs of a module. Few modules have any, so they are
// looked for where they are needed; the module outlives this.
class Retirements {
 public:
  explicit Retirements(const Module& module);

  const Retirement& of(const Variable& variable) const { return find(variables_, variable.name); }
  const Retirement& of(const Output& output) const { return find(outputs_, output.name); }

 private:
  using ByName = std::map<std::string, Retirement, std::less<>>;
  static const Retirement& find(const ByName& all, std::string_view name);

  ByName variables_;
  ByName outputs_;
};

// An argument that a caller gives instead.
struct NewArgument {
  std::string name;
  const syntax::Expr* value = nullptr;  // null: the value that the old one has
};

// Empty if the variable has no replacement, or it is wrong.
std::vector<NewArgument> new_arguments(const Variable& variable, const Retirement& retirement);

// The name of the output that replaces another one as it is; empty if an expression does.
std::string replacing_output(const Retirement& retirement);
// The expression itself, where it stands in a JSON string.
const syntax::Expr& replacing_expr(const Retirement& retirement);

// Reports replacements and removals that are wrong, of all variables and outputs.
void check_retirements(const Module& module, diag::Diagnostics& diags);

// "3.0.0" or "2027-01-31". Nothing for another text.
enum class RemovalKind : std::uint8_t { Version, Date };
std::optional<RemovalKind> removal_kind(const std::string& removed_in);

// The author's message with what else the author says, for a warning.
std::string deprecation_text(const Variable& variable, const Retirement& retirement);
std::string deprecation_text(const Output& output, const Retirement& retirement);

}  // namespace tofu::config
