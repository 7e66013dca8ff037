#include "eval/keyed_traversal.h"

#include <utility>

namespace tofu::eval {

std::optional<KeyedTraversal> KeyedTraversal::make(const syntax::Expr& expr,
                                                   const KeyValue& key_value,
                                                   const syntax::Expr** begins_with) {
  std::vector<const syntax::Expr*> around;  // from the outside in
  const syntax::Expr* at = &expr;
  while (true) {
    if (const auto* index = syntax::as_if<syntax::IndexExpr>(*at)) {
      around.push_back(at);
      at = index->collection;
    } else if (const auto* relative = syntax::as_if<syntax::RelativeTraversalExpr>(*at)) {
      around.push_back(at);
      at = relative->source;
    } else {
      break;
    }
  }
  const auto* variable = syntax::as_if<syntax::VariableExpr>(*at);
  if (variable == nullptr) {
    if (begins_with != nullptr) *begins_with = at;
    return std::nullopt;
  }
  KeyedTraversal made;
  made.traversal_ = variable->traversal;
  std::vector<syntax::TraversalStep>& steps = made.steps_;
  steps.assign(variable->traversal.steps.begin(), variable->traversal.steps.end());
  for (auto outer = around.rbegin(); outer != around.rend(); ++outer) {
    if (const auto* relative = syntax::as_if<syntax::RelativeTraversalExpr>(**outer)) {
      steps.insert(steps.end(), relative->steps.begin(), relative->steps.end());
      continue;
    }
    const syntax::Expr& key = *syntax::as<syntax::IndexExpr>(**outer).key;
    auto v = key_value(key);
    if (!v) return std::nullopt;
    made.keys_.push_back(std::move(*v));
    steps.push_back({syntax::StepKind::Index, key.range, {}, &made.keys_.back()});
  }
  made.traversal_.steps = steps;
  made.traversal_.range = expr.range;
  return made;
}

}  // namespace tofu::eval
