#include <fmt/format.h>
#include <string>

#include "eval/validation.h"
#include "schema/checks.h"
#include "syntax/analysis.h"
#include "value/marks.h"

namespace tofu::eval {

namespace {

using value::Value;

// How many values inside `v` carry the mark themselves.
std::size_t ephemeral_values(const Value& v) {
  if (!v.contains_marks()) return 0;
  std::size_t count = v.marks().is_ephemeral() ? 1 : 0;
  const Value plain = v.unmarked();
  if (plain.is_null() || plain.is_unknown()) return count;
  const value::TypeKind kind = plain.type().kind();
  if (kind == value::TypeKind::String || kind == value::TypeKind::Number ||
      kind == value::TypeKind::Bool || kind == value::TypeKind::Capsule) {
    return count;
  }
  for (const Value& item : plain.items()) count += ephemeral_values(item);
  return count;
}

// The reference that an entry of replace_triggered_by is, with the steps after
// its key. Entries have been read when the module was declared.
struct Trigger {
  const syntax::Traversal* traversal = nullptr;
  std::span<const syntax::TraversalStep> after_key;  // if the key is not a constant
  const syntax::Expr* key = nullptr;
};

Trigger trigger_of(const syntax::Expr& expr) {
  Trigger out;
  const syntax::Expr* at = &expr;
  if (at->kind == syntax::ExprKind::RelativeTraversal) {
    const auto& relative = syntax::as<syntax::RelativeTraversalExpr>(*at);
    out.after_key = relative.steps;
    at = relative.source;
  }
  if (at->kind == syntax::ExprKind::Index) {
    const auto& index = syntax::as<syntax::IndexExpr>(*at);
    out.key = index.key;
    at = index.collection;
  }
  if (at->kind == syntax::ExprKind::Variable) {
    out.traversal = &syntax::as<syntax::VariableExpr>(*at).traversal;
  }
  return out;
}

bool check_trigger_key(const syntax::Expr& key, const Names& names, diag::Diagnostics& diags) {
  const auto traversal = syntax::traversal_if(key);
  const bool counts = traversal && traversal->root == "count";
  const bool each = traversal && traversal->root == "each";
  if (!counts && !each) return true;  // declaring the module saw to the rest
  const Standing& standing = names.standing();
  if (counts ? standing.count_index.has_value() : standing.each_key.has_value()) return true;
  diags.error(fmt::format("Reference to {:?} in a resource without it", counts ? "count" : "each"))
      .detail(fmt::format("The resource does not set `{}`, so there is no {} here.",
                          counts ? "count" : "for_each", counts ? "count.index" : "each.key"))
      .at(key.range);
  return false;
}

}  // namespace

void check_ephemeral(const Value& config, const schema::Block& schema, const syntax::Body& body,
                     const std::string& address, diag::Diagnostics& diags) {
  if (schema.ephemeral || !config.contains_marks()) return;
  const Value plain = config.unmarked();
  const auto attributes = plain.type().attributes();
  for (std::size_t i = 0; i < attributes.size(); ++i) {
    const schema::Attribute* attribute = schema.attribute(attributes[i].name);
    if (attribute != nullptr && attribute->write_only) continue;
    for (std::size_t n = ephemeral_values(plain.items()[i]); n > 0; --n) {
      diags.error("Ephemeral value used in non-ephemeral context")
          .detail(fmt::format("The argument {:?} is kept, so it cannot take an ephemeral value. "
                              "Write-only arguments and ephemeral blocks can.",
                              attributes[i].name))
          .at(schema::place_of(body, attributes[i].name))
          .about(address);
    }
  }
}

void check_ignore_changes(const config::Resource& resource, const schema::Block& schema,
                          diag::Diagnostics& diags) {
  for (const syntax::Traversal& traversal : resource.ignore_changes) {
    const std::size_t before = diags.error_count();
    // The first name stands for an attribute of the resource.
    std::vector<syntax::TraversalStep> steps = {
        {syntax::StepKind::Attribute, traversal.root_range, traversal.root, nullptr}};
    steps.insert(steps.end(), traversal.steps.begin(), traversal.steps.end());
    schema::check_traversal(schema, steps, diags);
    if (diags.error_count() != before || steps.size() != 1) continue;
    const schema::Attribute* attribute = schema.attribute(traversal.root);
    if (attribute == nullptr || attribute->optional || !attribute->computed) continue;
    diags.warning("Redundant ignore_changes element")
        .detail(fmt::format("Only the provider decides {:?}: the configuration never sets it, so "
                            "there is nothing to ignore.",
                            traversal.root))
        .at(resource.type_range);
  }
}

void check_replace_triggered_by(const config::Resource& resource, const Names& names,
                                const Shape& shape, diag::Diagnostics& diags) {
  for (const syntax::Expr* expr : resource.replace_triggered_by) {
    const Trigger trigger = trigger_of(*expr);
    if (trigger.traversal == nullptr) continue;
    if (trigger.key != nullptr && !check_trigger_key(*trigger.key, names, diags)) continue;
    const Binding* binding = shape.bindings().find(*trigger.traversal);
    if (binding == nullptr) continue;
    if (!binding->reference) {
      names.report_unparsed(*trigger.traversal, diags);
      continue;
    }
    const auto& subject = binding->reference->subject;
    if (!std::holds_alternative<addrs::Resource>(subject) &&
        !std::holds_alternative<addrs::ResourceInstance>(subject)) {
      continue;
    }
    const schema::Block* schema =
        binding->target.of == Target::Of::Row ? shape.rows()[binding->target.row].schema : nullptr;
    if (schema == nullptr) {
      diags.error("Undeclared resource in replace_triggered_by")
          .detail(fmt::format("There is no {} in this module.", addrs::to_string(subject)))
          .at(expr->range);
      continue;
    }
    schema::check_traversal(
        *schema, trigger.key != nullptr ? trigger.after_key : binding->reference->remaining, diags);
  }
}

}  // namespace tofu::eval
