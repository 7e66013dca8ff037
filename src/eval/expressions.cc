#include "eval/expressions.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

#include "eval/deprecated_uses.h"
#include "schema/prepared_body.h"
#include "syntax/analysis.h"
#include "syntax/shown.h"
#include "value/convert.h"

namespace tofu::eval {

namespace {

using value::Value;

std::optional<syntax::Scope::Resolved> report_unknown(const syntax::Traversal& traversal,
                                                      diag::Diagnostics& diags) {
  diags.error("Unknown variable")
      .detail(fmt::format("No variable is named {:?}.", traversal.root))
      .at(traversal.root_range);
  return std::nullopt;
}

// Functions, but no names.
class FunctionsOnly final : public syntax::Scope {
 public:
  explicit FunctionsOnly(const ModuleScope& names) : names_(names) {}
  std::optional<Resolved> resolve(const syntax::Traversal& traversal,
                                  diag::Diagnostics& diags) const override {
    return report_unknown(traversal, diags);
  }
  const syntax::Function* function(std::string_view name) const override {
    return names_.function(name);
  }
  bool is_interrupted() const override { return names_.is_interrupted(); }
  const syntax::ImportedSymbols* symbols() const override { return names_.symbols(); }

 private:
  const ModuleScope& names_;
};

// Names whose problems were reported already: those without a value are unknown. An invalid
// reference has one only if a reference in `expr` begins with the same word, or with a word that is
// valid at every place with references.
class LenientScope final : public syntax::Scope {
 public:
  LenientScope(const syntax::Expr& expr, const ModuleScope& names) : names_(names) {
    for (const syntax::Traversal* traversal : syntax::variables(expr)) {
      if (is_reference(*traversal)) known_.push_back(traversal->root);
    }
  }
  std::optional<Resolved> resolve(const syntax::Traversal& traversal,
                                  diag::Diagnostics& diags) const override {
    if (!is_reference(traversal) && !is_known(traversal.root)) {
      return report_unknown(traversal, diags);
    }
    diag::Diagnostics reported;
    auto answer = names_.resolve(traversal, reported);
    if (!answer) return Resolved{Value::unknown(), traversal.steps.size()};
    return answer;
  }
  const syntax::Function* function(std::string_view name) const override {
    return names_.function(name);
  }
  bool is_interrupted() const override { return names_.is_interrupted(); }
  const syntax::ImportedSymbols* symbols() const override { return names_.symbols(); }

 private:
  bool is_reference(const syntax::Traversal& traversal) const {
    diag::Diagnostics problems;
    names_.report_unparsed(traversal, problems);
    return !problems.has_errors();
  }
  bool is_known(std::string_view root) const {
    constexpr auto kEverywhere =
        std::to_array<std::string_view>({"count", "data", "each", "ephemeral", "local", "module",
                                         "path", "resource", "terraform", "tofu", "var"});
    if (known_.empty()) return false;
    return std::ranges::find(kEverywhere, root) != kEverywhere.end() ||
           std::ranges::find(known_, root) != known_.end();
  }

  const ModuleScope& names_;
  std::vector<std::string_view> known_;  // what references begin with
};

}  // namespace

schema::Uses uses_of(const syntax::Expr& expr) {
  return {syntax::variables(expr), syntax::calls(expr), {&expr}};
}

schema::Uses uses_of(const syntax::Condition& rule) {
  schema::Uses uses = uses_of(*rule.condition);
  schema::Uses more = uses_of(*rule.error_message);
  uses.variables.insert(uses.variables.end(), more.variables.begin(), more.variables.end());
  uses.calls.insert(uses.calls.end(), more.calls.begin(), more.calls.end());
  uses.exprs.insert(uses.exprs.end(), more.exprs.begin(), more.exprs.end());
  return uses;
}

namespace {

ReferenceStatus check_names(const schema::Uses& uses, const ModuleScope& names,
                            diag::Diagnostics& diags) {
  const std::size_t before = diags.error_count();
  for (const syntax::Traversal* traversal : uses.variables) {
    names.report_unparsed(*traversal, diags);
  }
  for (const syntax::CallExpr* call : uses.calls) names.check_function(*call, diags);

  const std::size_t parsed = diags.error_count();
  for (const syntax::Traversal* traversal : uses.variables) names.check_static(*traversal, diags);
  if (diags.error_count() != parsed) return ReferenceStatus::Undefined;

  for (const syntax::Traversal* traversal : uses.variables) {
    diag::Diagnostics problems;
    names.report_unparsed(*traversal, problems);
    if (problems.has_errors()) continue;
    (void)names.resolve(*traversal, diags);
  }
  return diags.error_count() == before ? ReferenceStatus::Good : ReferenceStatus::SomeUnknown;
}

}  // namespace

ReferenceStatus check_references(const schema::Uses& uses, const ModuleScope& names,
                                 diag::Diagnostics& diags) {
  const ReferenceStatus checked = check_names(uses, names, diags);
  for (const syntax::Expr* expr : uses.exprs) {
    (void)warn_of_deprecated(*expr, names, Until::Used, diags);
  }
  return checked;
}

std::optional<Value> evaluate(const syntax::Expr& expr, const ModuleScope& names,
                              diag::Diagnostics& diags) {
  if (check_references(uses_of(expr), names, diags) != ReferenceStatus::Good) return std::nullopt;
  return syntax::evaluate(expr, &names, diags);
}

std::optional<Value> evaluate_to_pass_on(const syntax::Expr& expr, const ModuleScope& names,
                                         diag::Diagnostics& diags) {
  if (check_names(uses_of(expr), names, diags) != ReferenceStatus::Good) return std::nullopt;
  return syntax::evaluate(expr, &names, diags);
}

std::optional<Value> evaluate_as(value::Type type, const syntax::Expr& expr,
                                 const ModuleScope& names, diag::Diagnostics& diags) {
  if (check_references(uses_of(expr), names, diags) != ReferenceStatus::Good) return std::nullopt;
  const std::size_t before = diags.error_count();
  auto converted = value::convert(syntax::evaluate_despite_errors(expr, &names, diags), type);
  if (!converted) {
    diags.error("Incorrect value type")
        .detail(fmt::format("Unsuitable value type: {}.", value::to_string(converted.error())))
        .at(expr.range)
        .values(syntax::shown_values(expr, &names));
  }
  if (diags.error_count() != before) return std::nullopt;
  return std::move(*converted);
}

std::optional<Value> evaluate_checked(const syntax::Expr& expr, const ModuleScope& names,
                                      ReferenceStatus checked, diag::Diagnostics& diags) {
  switch (checked) {
    case ReferenceStatus::Good: return syntax::evaluate(expr, &names, diags);
    case ReferenceStatus::SomeUnknown: {
      const LenientScope scope(expr, names);
      return syntax::evaluate(expr, &scope, diags);
    }
    case ReferenceStatus::Undefined: {
      const FunctionsOnly scope(names);
      return syntax::evaluate(expr, &scope, diags);
    }
  }
  return std::nullopt;
}

std::optional<Value> evaluate_for_diagnostics(const syntax::Expr& expr, const ModuleScope& names,
                                              diag::Diagnostics& diags) {
  const ReferenceStatus checked = check_references(uses_of(expr), names, diags);
  auto v = evaluate_checked(expr, names, checked, diags);
  return checked == ReferenceStatus::Good ? v : std::nullopt;
}

Value evaluate_block_anyway(const schema::PreparedBody& body, const ModuleScope& names,
                            diag::Diagnostics& diags) {
  (void)check_references(body.unused(), names, diags);
  if (check_references(body.uses(), names, diags) != ReferenceStatus::Good) {
    return Value::unknown(body.layout().type());
  }
  return body.evaluate(names, diags);
}

std::optional<Value> evaluate_block(const schema::PreparedBody& body, const ModuleScope& names,
                                    diag::Diagnostics& diags) {
  const std::size_t before = diags.error_count();
  Value v = evaluate_block_anyway(body, names, diags);
  if (diags.error_count() != before) return std::nullopt;
  return v;
}

void check_depends_on(std::span<const syntax::Traversal> depends_on, const ModuleScope& names,
                      diag::Diagnostics& diags) {
  const std::size_t before = diags.error_count();
  for (const syntax::Traversal& traversal : depends_on) {
    names.report_unparsed(traversal, diags);
    names.check_whole(traversal, diags);
    if (diags.error_count() != before) continue;
    names.check_static(traversal, diags);
    if (diags.error_count() == before) (void)names.resolve(traversal, diags);
  }
}

}  // namespace tofu::eval
