// Rules about single expressions: outdated forms, conditions without effect, names that hide
// others.
#pragma once

#include "config/module.h"
#include "diag/source.h"
#include "lint/finding.h"
#include "lint/walk.h"

namespace tofu::lint {

class ExpressionRules final : public Visitor {
 public:
  // Both outlive it.
  ExpressionRules(const diag::SourceMap& sources, Findings& findings)
      : sources_(sources), findings_(findings) {}

  void expression(const syntax::Expr& expr, const Site& site) override;

 private:
  void steps(std::span<const syntax::TraversalStep> steps, const Site& site);
  void template_wrap(const syntax::TemplateWrapExpr& wrap, const Site& site);
  void splat(const syntax::SplatExpr& splat);
  void call(const syntax::CallExpr& call);
  void conditional(const syntax::ConditionalExpr& conditional, const Site& site);
  void binary(const syntax::BinaryExpr& binary);
  void object(const syntax::ObjectExpr& object);
  void for_expression(const syntax::ForExpr& expr, const Site& site);
  void bound_name(std::string_view name, const syntax::ForExpr& expr, const Site& site);

  const diag::SourceMap& sources_;
  Findings& findings_;
};

}  // namespace tofu::lint
