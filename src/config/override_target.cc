#include "config/override_target.h"

#include <algorithm>
#include <utility>

#include "addrs/parse.h"
#include "syntax/analysis.h"

namespace tofu::config {

namespace {

using syntax::StepKind;
using syntax::TraversalStep;

// The names and keys of a target, `[*]` included; false if it has other parts.
bool collect(const syntax::Expr& expr, syntax::Traversal& root, std::vector<TraversalStep>& steps) {
  const auto add = [&](std::span<const TraversalStep> more) {
    steps.insert(steps.end(), more.begin(), more.end());
    return true;
  };
  if (const auto* variable = syntax::as_if<syntax::VariableExpr>(expr)) {
    root = variable->traversal;
    return add(variable->traversal.steps);
  }
  if (const auto* relative = syntax::as_if<syntax::RelativeTraversalExpr>(expr)) {
    return collect(*relative->source, root, steps) && add(relative->steps);
  }
  const auto* splat = syntax::as_if<syntax::SplatExpr>(expr);
  if (splat == nullptr || !collect(*splat->source, root, steps)) return false;
  steps.push_back({StepKind::Splat, splat->marker_range, {}, nullptr});
  const auto* element = syntax::as_if<syntax::LocalExpr>(*splat->each);
  return element != nullptr && add(element->traversal.steps);
}

std::nullopt_t refuse(diag::Diagnostics& diags, diag::SourceRange place, const char* why) {
  diags.error("Invalid address").detail(why).at(place);
  return std::nullopt;
}

}  // namespace

bool OverrideTarget::contains(const addrs::AbsResourceInstance& instance) const {
  if (instance.object.resource != resource.object || instance.module.path() != resource.module) {
    return false;
  }
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto& modules = instance.module.steps;
    const addrs::InstanceKey& key = i < modules.size() ? modules[i].key : instance.object.key;
    if (keys[i] && *keys[i] != key) return false;
  }
  return true;
}

bool OverrideTarget::is_more_specific_than(const OverrideTarget& other) const {
  for (std::size_t i = 0; i < keys.size() && i < other.keys.size(); ++i) {
    if (keys[i].has_value() != other.keys[i].has_value()) return keys[i].has_value();
  }
  return false;
}

std::string OverrideTarget::to_string() const {
  std::string text;
  for (std::size_t i = 0; i < resource.module.names.size(); ++i) {
    text += "module." + resource.module.names[i];
    if (keys[i]) text += keys[i]->to_string();
    text += '.';
  }
  text += resource.object.to_string();
  if (keys.back()) text += keys.back()->to_string();
  return text;
}

diag::Checked<OverrideTarget> parse_override_target(const syntax::Expr& expr,
                                                    diag::Diagnostics& diags) {
  syntax::Traversal traversal;
  std::vector<TraversalStep> steps;
  if (!collect(expr, traversal, steps)) {
    // In JSON, or none at all.
    const auto whole = syntax::as_traversal(expr, diags);
    if (!whole) return std::nullopt;
    traversal = *whole;
    steps.assign(whole->steps.begin(), whole->steps.end());
  }
  // Without the keys it is the address of a resource.
  std::vector<TraversalStep> names;
  std::ranges::copy_if(steps, std::back_inserter(names),
                       [](const TraversalStep& step) { return step.kind == StepKind::Attribute; });
  traversal.steps = names;
  auto resource = addrs::parse_config_resource(traversal, diags);
  if (!resource) return std::nullopt;
  OverrideTarget target{std::move(*resource), {}, expr.range};
  const std::size_t modules = target.resource.module.names.size();
  target.keys.resize(modules + 1);
  // A key stands after the name of a call, which are every second of the first names, or at the
  // end.
  std::size_t seen = 1;  // names, that of the root included
  bool has_key = false;
  for (const TraversalStep& step : steps) {
    if (step.kind == StepKind::Attribute) {
      ++seen;
      has_key = false;
      continue;
    }
    const bool is_last = seen == names.size() + 1;
    const bool is_call = seen % 2 == 0 && seen / 2 <= modules;
    if ((!is_last && !is_call) || has_key) {
      return refuse(diags, step.range, "An instance key is not allowed here.");
    }
    has_key = true;
    if (step.kind == StepKind::Splat) continue;
    const auto key = addrs::parse_instance_key(*step.key);
    if (!key) return refuse(diags, step.range, "This cannot be the key of an instance.");
    target.keys[is_last ? modules : seen / 2 - 1] = *key;
  }
  return target;
}

}  // namespace tofu::config
