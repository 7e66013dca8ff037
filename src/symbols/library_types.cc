#include "symbols/library_types.h"

#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/graph.h"
#include "symbols/library_names.h"
#include "symbols/library_rules.h"
#include "symbols/symbol_names.h"
#include "syntax/analysis.h"
#include "syntax/type_expr.h"
#include "syntax/type_rules.h"

namespace tofu::symbols {

namespace {

// A few lines of typedefs that use each other can stand for more types than there is
// memory; no type that a person writes comes near this.
constexpr std::size_t kMaxTypes = 10'000;

// The calls in a type expression: constructors and named types.
std::vector<const syntax::CallExpr*> calls_in(const syntax::Expr& type) {
  diag::Diagnostics ignored;  // a type need not be a call
  // In JSON a type is a string that spells it.
  const syntax::CallExpr* call = syntax::as_call(type, ignored);
  return syntax::calls(call == nullptr ? type : *call);
}

struct Read {
  syntax::TypeConstraint constraint;
  std::size_t size = 0;
};

// Reads one type expression.
diag::Checked<Read> read(const Library& library, const syntax::Expr& expr,
                         diag::Diagnostics& diags) {
  if (report_references_as_types(expr, true, diags)) return std::nullopt;
  Read result;
  result.size = calls_in(expr).size() + 1;
  bool too_large = false;
  syntax::TypeExprOptions options;
  options.named_type = [&](const syntax::CallExpr& call, syntax::TypeConstraint& out,
                           diag::Diagnostics& problems) {
    if (!is_symbol_name(call.name)) return false;
    const auto found = find_type({library.imports, &library}, call, problems);
    if (!found || *found == nullptr) return true;
    result.size += (*found)->size;
    if (result.size > kMaxTypes) {
      too_large = true;
    } else {
      out = (*found)->constraint;
    }
    return true;
  };
  auto constraint = syntax::read_variable_type(expr, options, diags);
  if (!constraint) return std::nullopt;
  if (too_large || constraint->type.nesting() > value::kMaxTypeNesting) {
    diags.error("Type too large")
        .detail(fmt::format("Including the types it uses, this type is nested deeper than {} "
                            "levels or consists of more than {} types.",
                            value::kMaxTypeNesting, kMaxTypes))
        .at(expr.range);
    return std::nullopt;
  }
  result.constraint = std::move(*constraint);
  return result;
}

// Adds the rules of the type itself to those of the types that it is made of.
void add_rules(const Library& library, LibraryType& type, const functions::Table& builtin,
               const diag::SourceMap& sources) {
  if (type.validations.empty()) return;
  auto rules = std::make_shared<syntax::TypeRules>();
  if (type.constraint.rules != nullptr) *rules = *type.constraint.rules;
  for (const syntax::Condition& rule : type.validations) {
    rules->own.emplace_back([&](const value::Value& v) -> std::optional<std::string> {
      if (type.broken) return std::nullopt;
      const LibraryScope scope(library, builtin, nullptr, &v);
      const LibraryEvaluation expressions(scope, sources, fmt::format("type {:?}", type.name));
      auto problem = expressions.check(rule);
      if (!problem) return std::nullopt;
      return std::move(problem->error.what);
    });
  }
  type.constraint.rules = std::move(rules);
}

void report_cycle(const std::vector<LibraryType*>& types, const std::vector<std::uint32_t>& cycle,
                  diag::Diagnostics& diags) {
  std::string way;
  for (const std::uint32_t each : cycle)
    way += fmt::format("symbols::{}() uses ", types[each]->name);
  const LibraryType& first = *types[cycle[0]];
  diags.error("Circular reference")
      .detail(fmt::format("The type symbols::{0}() contains itself: {1}symbols::{0}().", first.name,
                          way))
      .at(first.range);
}

}  // namespace

std::vector<const LibraryType*> types_in(const Library& library, const syntax::Expr& type) {
  std::vector<const LibraryType*> types;
  diag::Diagnostics ignored;  // reported when the type is read
  for (const syntax::CallExpr* call : calls_in(type)) {
    if (!is_symbol_name(call->name)) continue;
    const auto found = find_type({library.imports, &library}, *call, ignored);
    if (found && *found != nullptr) types.push_back(*found);
  }
  return types;
}

void settle_types(Library& library, const functions::Table& builtin, const diag::SourceMap& sources,
                  diag::Diagnostics& diags) {
  std::vector<LibraryType*> types;
  std::unordered_map<std::string, std::uint32_t> numbers;  // by the name in a type expression
  for (LibraryType& type : library.types) {
    numbers.emplace("symbols::" + type.name, static_cast<std::uint32_t>(types.size()));
    types.push_back(&type);
  }
  std::vector<std::vector<std::uint32_t>> needs(types.size());
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (types[i]->expr == nullptr) continue;
    for (const syntax::CallExpr* call : calls_in(*types[i]->expr)) {
      const auto own = numbers.find(std::string(call->name));
      if (own != numbers.end()) needs[i].push_back(own->second);
    }
  }
  const base::Ordered order = base::order(base::Waits::of_lists(needs), base::Alone::Cycle);
  std::vector<bool> broken(types.size(), false);
  for (const auto& cycle : order.cycles) report_cycle(types, cycle, diags);
  for (const auto& tangle : order.tangles) {
    for (const std::uint32_t each : tangle) broken[each] = true;
  }
  for (const std::uint32_t each : order.order) {
    if (broken[each] || types[each]->expr == nullptr) continue;
    if (auto settled = read(library, *types[each]->expr, diags)) {
      types[each]->constraint = std::move(settled->constraint);
      add_rules(library, *types[each], builtin, sources);
      types[each]->size = settled->size;
    }
  }
}

void settle_signature(const Library& library, LibraryFunction& function, diag::Diagnostics& diags) {
  const auto settle = [&](const syntax::Expr* expr, syntax::TypeConstraint& out) {
    if (expr == nullptr) return;
    if (auto settled = read(library, *expr, diags)) {
      out = std::move(settled->constraint);
    } else {
      function.broken = true;
    }
  };
  settle(function.type_expr, function.result_type);
  for (LibraryParameter& parameter : function.parameters) {
    settle(parameter.type_expr, parameter.constraint);
  }
  if (function.variadic) settle(function.variadic->type_expr, function.variadic->constraint);
}

}  // namespace tofu::symbols
