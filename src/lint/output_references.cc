#include "lint/output_references.h"

#include <algorithm>
#include <array>
#include <utility>

#include "syntax/analysis.h"

namespace tofu::lint {

namespace {

using syntax::as_if;
using syntax::StepKind;

// Locals that are other locals: cycles are an error, but found elsewhere.
constexpr int kMaxDepth = 16;

// Functions whose result has the instances of a repeated call as its elements, and those that
// return one instance.
constexpr std::array<std::string_view, 1> kKeepInstances = {"values"};
constexpr std::array<std::string_view, 2> kPickInstance = {"one", "element"};

std::string_view name_in(const syntax::TraversalStep& step) {
  if (step.kind == StepKind::Attribute) return step.name;
  const bool is_text = step.key != nullptr && step.key->kind() == value::Kind::String;
  return is_text ? step.key->plain().as_string() : std::string_view();
}

}  // namespace

void OutputReferences::expression(const syntax::Expr& expr, const Site& site) {
  if (const auto* variable = as_if<syntax::VariableExpr>(expr)) {
    std::size_t taken = 0;
    const auto from = start_of(variable->traversal, taken, 0);
    if (from) {
      (void)follow(*from, variable->traversal.steps.subspan(taken), &expr, site,
                   ReferenceForm::Traversal);
    }
  } else if (const auto* local = as_if<syntax::LocalExpr>(expr)) {
    const auto from = bound_by(*local, site, 0);
    if (from) {
      (void)follow(*from, local->traversal.steps, &expr, site, ReferenceForm::Traversal);
    }
  } else if (const auto* relative = as_if<syntax::RelativeTraversalExpr>(expr)) {
    const auto from = value_of(*relative->source, site, 0);
    if (from) (void)follow(*from, relative->steps, &expr, site, ReferenceForm::Traversal);
  } else if (const auto* splat = as_if<syntax::SplatExpr>(expr)) {
    const auto* each = as_if<syntax::LocalExpr>(*splat->each);
    const auto from = each == nullptr ? std::nullopt : value_of(*splat->source, site, 0);
    if (!from) return;
    const bool is_legacy = splat->marker_range.end - splat->marker_range.begin == 2;
    (void)follow({from->module, false}, each->traversal.steps, &expr, site,
                 is_legacy ? ReferenceForm::LegacySplat : ReferenceForm::Splat);
  }
}

std::optional<OutputReferences::Called> OutputReferences::value_of(const syntax::Expr& expr,
                                                                   const Site& site,
                                                                   int depth) const {
  if (depth > kMaxDepth) return std::nullopt;
  if (const auto* parens = as_if<syntax::ParensExpr>(expr)) {
    return value_of(*parens->inner, site, depth + 1);
  }
  if (const auto* string = as_if<syntax::JsonStringExpr>(expr)) {
    return value_of(*string->parsed, site, depth + 1);
  }
  if (const auto* wrap = as_if<syntax::TemplateWrapExpr>(expr)) {
    return value_of(*wrap->wrapped, site, depth + 1);
  }
  if (const auto* variable = as_if<syntax::VariableExpr>(expr)) {
    std::size_t taken = 0;
    const auto from = start_of(variable->traversal, taken, depth);
    if (!from) return from;
    return follow(*from, variable->traversal.steps.subspan(taken), nullptr, site,
                  ReferenceForm::Traversal);
  }
  if (const auto* local = as_if<syntax::LocalExpr>(expr)) {
    const auto from = bound_by(*local, site, depth);
    if (!from) return from;
    return follow(*from, local->traversal.steps, nullptr, site, ReferenceForm::Traversal);
  }
  if (const auto* index = as_if<syntax::IndexExpr>(expr)) {
    const auto from = value_of(*index->collection, site, depth + 1);
    if (from && from->is_repeated) return Called{from->module, false};
    return std::nullopt;
  }
  if (const auto* splat = as_if<syntax::SplatExpr>(expr)) {
    const auto* each = as_if<syntax::LocalExpr>(*splat->each);
    if (each == nullptr || !each->traversal.steps.empty()) return std::nullopt;
    const auto from = value_of(*splat->source, site, depth + 1);
    return from ? std::optional(Called{from->module, true}) : std::nullopt;
  }
  if (const auto* call = as_if<syntax::CallExpr>(expr)) {
    const bool keeps = std::ranges::find(kKeepInstances, call->name) != kKeepInstances.end();
    const bool picks = std::ranges::find(kPickInstance, call->name) != kPickInstance.end();
    if ((!keeps && !picks) || call->arguments.empty()) return std::nullopt;
    const auto from = value_of(*call->arguments[0], site, depth + 1);
    return from && from->is_repeated ? std::optional(Called{from->module, keeps}) : std::nullopt;
  }
  return std::nullopt;
}

std::optional<OutputReferences::Called> OutputReferences::start_of(
    const syntax::Traversal& traversal, std::size_t& taken, int depth) const {
  if (traversal.steps.empty() || traversal.steps[0].kind != StepKind::Attribute ||
      depth > kMaxDepth) {
    return std::nullopt;
  }
  const std::string_view name = traversal.steps[0].name;
  taken = 1;
  if (traversal.root == "module") {
    const auto child = node_.children.find(name);
    if (child == node_.children.end()) return std::nullopt;
    const config::TreeNode& called = tree_.node(child->second);
    const config::Repetition& repetition = called.call->repetition;
    return Called{called.module.get(),
                  repetition.count != nullptr || repetition.for_each != nullptr};
  }
  if (traversal.root == "run" && runs_ != nullptr) {
    const config::Module* module = runs_(name);
    return module == nullptr ? std::nullopt : std::optional(Called{module, false});
  }
  if (traversal.root != "local") return std::nullopt;
  const config::Local* local = node_.module->locals.find(std::string(name));
  if (local == nullptr || local->expr == nullptr) return std::nullopt;
  return value_of(*local->expr, Site{}, depth + 1);
}

std::optional<OutputReferences::Called> OutputReferences::bound_by(const syntax::LocalExpr& expr,
                                                                   const Site& site,
                                                                   int depth) const {
  for (std::size_t i = site.binders.size(); i-- > 0;) {
    if (site.binders[i]->value_slot != expr.slot) continue;
    Site around;
    around.binders.assign(site.binders.begin(),
                          site.binders.begin() + static_cast<std::ptrdiff_t>(i));
    const auto from = value_of(*site.binders[i]->collection, around, depth + 1);
    if (from && from->is_repeated) return Called{from->module, false};
    return std::nullopt;
  }
  return std::nullopt;
}

std::optional<OutputReferences::Called> OutputReferences::follow(Called from, Steps steps,
                                                                 const syntax::Expr* expr,
                                                                 const Site& site,
                                                                 ReferenceForm form) const {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (from.is_repeated) {
      if (steps[i].kind != StepKind::Index) return std::nullopt;
      from.is_repeated = false;
      continue;
    }
    const config::Output* output = from.module->outputs.find(std::string(name_in(steps[i])));
    if (output == nullptr || expr == nullptr) return std::nullopt;
    found_({.output = output,
            .declared_in = from.module,
            .form = form,
            .place = expr->range,
            .step = &steps[i],
            .has_more_steps = i + 1 < steps.size(),
            .in_depends_on = site.attribute != nullptr && site.attribute->name == "depends_on",
            .in_for = !site.binders.empty(),
            .parent = site.parent});
    return std::nullopt;
  }
  return from;
}

}  // namespace tofu::lint
