#include "config/variable_types.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <utility>
#include <variant>

#include "addrs/reference.h"
#include "symbols/symbol_names.h"
#include "syntax/analysis.h"
#include "syntax/eval.h"
#include "syntax/type_expr.h"
#include "value/convert.h"
#include "value/path.h"

namespace tofu::config {

namespace {

using value::Type;
using value::Value;

constexpr const char* kInvalidDefault = "Invalid default value for variable";

// The result of one declaration of a variable.
struct Settled {
  std::optional<syntax::TypeConstraint> constraint;  // absent: this part says nothing of the type
  std::optional<Value> default_value;
  ParsingMode mode = ParsingMode::Literal;
};

// The references allowed in a default: nothing but symbols.
class DefaultScope final : public syntax::Scope {
 public:
  DefaultScope(const Module& module, const symbols::SymbolSource& symbols)
      : module_(module), symbols_(symbols) {}

  std::optional<Resolved> resolve(const syntax::Traversal& traversal,
                                  diag::Diagnostics& diags) const override {
    const auto reference = addrs::parse_reference(traversal, module_, diags);
    if (!reference) return std::nullopt;
    if (std::holds_alternative<addrs::FeatureBlock>(reference->subject)) {
      return symbols_.resolve(*reference, traversal, diags);
    }
    diags.error("Invalid reference")
        .detail("A default value can refer only to constants and symbol libraries.")
        .at(traversal.range);
    return std::nullopt;
  }
  const syntax::Function* function(std::string_view name) const override {
    return symbols_.function(name);
  }
  const syntax::ImportedSymbols* symbols() const override { return &symbols_; }
  std::vector<std::string_view> function_names() const override {
    return symbols_.function_names();
  }

 private:
  const Module& module_;
  const symbols::SymbolSource& symbols_;
};

class Settler {
 public:
  Settler(const Module& module, const symbols::SymbolSource* symbols, diag::Diagnostics& diags)
      : diags_(diags) {
    if (symbols == nullptr) return;
    options_.named_type = [symbols](const syntax::CallExpr& call, syntax::TypeConstraint& out,
                                    diag::Diagnostics& problems) {
      return symbols->named_type(call, out, problems);
    };
    if (!module.symbols.empty()) symbols_.emplace(module, *symbols);
  }

  void settle(Variable& variable);
  void settle(Output& output);

 private:
  bool uses_symbols(const syntax::Expr& expr) const;
  // Its type must fit even after an error, as far as it is known.
  Value evaluate_default(const syntax::Expr& expr);
  Settled settle_part(const VariablePart& part, bool is_base);
  void read_type(const syntax::Expr& expr, Settled& settled);
  Value read_default(const syntax::Expr& expr, const Settled& settled, bool nullable);
  void merge(Variable& variable, const VariablePart& part, Settled settled, bool& nullable);

  diag::Diagnostics& diags_;
  std::optional<DefaultScope> symbols_;  // absent where nothing is imported
  syntax::TypeExprOptions options_;
};

// A default that uses no symbols is a constant as it is everywhere else.
bool Settler::uses_symbols(const syntax::Expr& expr) const {
  if (!symbols_) return false;
  const auto is_reference = [](const syntax::Traversal* each) { return each->root == "symbols"; };
  const auto is_call = [](const syntax::CallExpr* each) {
    return symbols::is_symbol_name(each->name);
  };
  return std::ranges::any_of(syntax::variables(expr), is_reference) ||
         std::ranges::any_of(syntax::calls(expr), is_call);
}

Value Settler::evaluate_default(const syntax::Expr& expr) {
  if (!uses_symbols(expr)) return syntax::evaluate_despite_errors(expr, nullptr, diags_);
  for (const syntax::CallExpr* call : syntax::calls(expr)) {
    if (symbols::is_symbol_name(call->name)) continue;
    diags_.error("Function calls not allowed")
        .detail("A default value can call only functions of symbol libraries.")
        .at(call->range);
    return Value::unknown();
  }
  return syntax::evaluate_despite_errors(expr, &*symbols_, diags_);
}

void Settler::read_type(const syntax::Expr& expr, Settled& settled) {
  settled.mode = ParsingMode::Expression;
  settled.constraint = syntax::TypeConstraint{Type::dynamic(), nullptr};
  if (symbols::report_references_as_types(expr, false, diags_)) return;
  auto constraint = syntax::read_variable_type(expr, options_, diags_);
  if (!constraint) return;
  settled.constraint = std::move(*constraint);
  if (settled.constraint->type.is_primitive()) settled.mode = ParsingMode::Literal;
}

Value Settler::read_default(const syntax::Expr& expr, const Settled& settled, bool nullable) {
  Value given = evaluate_default(expr);
  if (settled.constraint) {
    const syntax::TypeConstraint& constraint = *settled.constraint;
    auto converted = syntax::fit(constraint, given);
    if (converted) {
      given = std::move(*converted);
    } else {
      diags_.error(kInvalidDefault)
          .detail(fmt::format("The default value does not match the variable's type: {}.",
                              to_string(converted.error())))
          .at(expr.range);
      given = Value::unknown();
    }
    warn_of_dropped_attributes(expr, constraint.type, diags_);
  }
  if (!nullable && given.is_null()) {
    diags_.error(kInvalidDefault)
        .detail("The default value is null, but the variable has nullable = false.")
        .at(expr.range);
  }
  return given;
}

Settled Settler::settle_part(const VariablePart& part, bool is_base) {
  Settled settled;
  if (is_base) settled.constraint = syntax::TypeConstraint{Type::dynamic(), nullptr};
  if (part.type != nullptr) read_type(*part.type, settled);
  if (part.default_value != nullptr) {
    settled.default_value =
        read_default(*part.default_value, settled, part.nullable.value_or(true));
  }
  return settled;
}

// Puts one override on top. Type and default may come from different files, so
// whether they fit is found out anew.
void Settler::merge(Variable& variable, const VariablePart& part, Settled settled, bool& nullable) {
  if (part.nullable) nullable = *part.nullable;
  if (settled.constraint) {
    // Defaults of optional attributes stay those of the first declaration, as in
    // OpenTofu.
    variable.constraint.type = settled.constraint->type;
    variable.constraint.rules = settled.constraint->rules;
    variable.parsing_mode = settled.mode;
  }
  if (settled.default_value) variable.default_value = std::move(settled.default_value);
  if (!variable.default_value) return;
  auto converted = value::convert(*variable.default_value, variable.constraint.type);
  if (converted) {
    variable.default_value = std::move(*converted);
    const auto fit = syntax::fit(variable.constraint, *variable.default_value);
    if (!fit && variable.constraint.rules != nullptr) {
      diags_.error(kInvalidDefault)
          .detail(fmt::format("With this override, the default value no longer meets the rules of "
                              "the variable's type: {}.",
                              to_string(fit.error())))
          .at(part.range);
    }
  } else {
    diags_.error(kInvalidDefault)
        .detail(fmt::format(
            "With this override, the default value no longer matches the variable's type: {}.",
            to_string(converted.error())))
        .at(part.range);
  }
  if (!nullable && variable.default_value->is_null()) {
    diags_.error(kInvalidDefault)
        .detail(
            "With this override, the default value is null, but the variable has nullable = false.")
        .at(part.range);
  }
}

void Settler::settle(Variable& variable) {
  const VariablePart only{variable.type_expr, variable.default_expr, variable.nullable,
                          variable.range};
  const VariablePart& base = variable.parts.empty() ? only : variable.parts.front();
  Settled settled = settle_part(base, true);
  variable.constraint = std::move(*settled.constraint);
  variable.default_value = std::move(settled.default_value);
  variable.parsing_mode = settled.mode;
  bool nullable = base.nullable.value_or(true);
  for (std::size_t i = 1; i < variable.parts.size(); ++i) {
    merge(variable, variable.parts[i], settle_part(variable.parts[i], false), nullable);
  }
}

void Settler::settle(Output& output) {
  output.constraint = syntax::TypeConstraint{Type::dynamic(), nullptr};
  if (output.type_expr == nullptr) return;
  if (symbols::report_references_as_types(*output.type_expr, false, diags_)) return;
  auto constraint = syntax::read_type(*output.type_expr, options_, diags_);
  if (!constraint) return;
  output.constraint = std::move(*constraint);
  if (output.expr == nullptr) return;
  warn_of_dropped_attributes(*output.expr, output.constraint.type, diags_);
}

}  // namespace

void resolve_declared_types(Module& module, const symbols::SymbolSource* symbols,
                            diag::Diagnostics& diags) {
  const std::size_t before = diags.size();
  Settler settler(module, symbols, diags);
  for (Variable& variable : module.variables) settler.settle(variable);
  for (Output& output : module.outputs) settler.settle(output);
  module.name_blocks(diags.items_from(before));
}

}  // namespace tofu::config
