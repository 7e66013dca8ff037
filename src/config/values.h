// Variables, locals and outputs as a module declares them.
//
// Expressions are kept as written. A variable's type and default are settled when
// modules are linked (variable_types.h), because a type may come from a symbol
// library.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "diag/source.h"
#include "syntax/ast.h"
#include "syntax/condition.h"
#include "syntax/type_expr.h"
#include "value/value.h"

namespace tofu::config {

// How a variable's text values (from -var and the environment) are parsed.
enum class ParsingMode : std::uint8_t { Literal, Expression };

// The type and default of a variable in one file.
struct VariablePart {
  const syntax::Expr* type = nullptr;
  const syntax::Expr* default_value = nullptr;
  std::optional<bool> nullable;
  diag::SourceRange range;  // of the block's header
};

struct Variable {
  std::string name;
  diag::SourceRange range;       // of the block's header
  diag::SourceRange name_range;  // of the label
  std::optional<std::string> description;
  std::optional<bool> sensitive;
  std::optional<bool> ephemeral;
  std::optional<bool> nullable;  // true if not said
  std::optional<bool> is_const;
  std::optional<std::string> deprecated;
  const syntax::Expr* type_expr = nullptr;
  const syntax::Expr* default_expr = nullptr;
  std::vector<syntax::Condition> validations;
  // The declaration and its overrides in order; empty if there are no overrides.
  std::vector<VariablePart> parts;

  // Settled by resolve_declared_types().
  syntax::TypeConstraint constraint;          // `any` if not said
  std::optional<value::Value> default_value;  // converted; absent: required
  ParsingMode parsing_mode = ParsingMode::Literal;

  bool is_required() const { return default_expr == nullptr; }
  bool is_nullable() const { return nullable.value_or(true); }
  bool is_sensitive() const { return sensitive.value_or(false); }
  bool is_ephemeral() const { return ephemeral.value_or(false); }
};

struct Local {
  std::string name;
  const syntax::Expr* expr = nullptr;
  diag::SourceRange range;  // of the attribute
  diag::SourceRange name_range;
};

struct Output {
  std::string name;
  diag::SourceRange range;       // of the block's header
  diag::SourceRange name_range;  // of the label
  std::optional<std::string> description;
  const syntax::Expr* expr = nullptr;  // null after an error
  const syntax::Expr* type_expr = nullptr;
  std::optional<bool> sensitive;
  std::optional<bool> ephemeral;
  std::optional<std::string> deprecated;
  std::vector<syntax::Traversal> depends_on;
  std::vector<syntax::Condition> preconditions;
  // Settled by resolve_declared_types(). Values are converted to it.
  syntax::TypeConstraint constraint = {};  // `any` if not said

  bool is_sensitive() const { return sensitive.value_or(false); }
  bool is_ephemeral() const { return ephemeral.value_or(false); }
};

}  // namespace tofu::config
