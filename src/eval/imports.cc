#include "eval/imports.h"

#include <fmt/format.h>
#include <string>
#include <string_view>
#include <utility>

#include "addrs/parse.h"
#include "eval/expressions.h"
#include "eval/keyed_traversal.h"
#include "eval/repetition.h"
#include "value/marks.h"

namespace tofu::eval {

using value::Value;

namespace {

void refuse(const syntax::Expr& expr, std::string_view what, std::string detail,
            diag::Diagnostics& diags) {
  diags.error(fmt::format("Invalid import {} argument", what))
      .detail(std::move(detail))
      .at(expr.range);
}

// Whether the value can say which object is meant. The caller decides about unknown ones.
bool can_identify(const Value& given, const syntax::Expr& expr, std::string_view what,
                  diag::Diagnostics& diags) {
  const Value plain = given.unmarked();
  if (plain.is_null()) {
    refuse(expr, what, fmt::format("The {} of the object to import is null.", what), diags);
    return false;
  }
  if (!given.wholly_known()) return true;
  const value::Marks marks = given.deep_marks();
  if (!marks.is_sensitive() && !marks.is_ephemeral()) return true;
  refuse(
      expr, what,
      fmt::format("The {} cannot be {}.", what, marks.is_sensitive() ? "sensitive" : "ephemeral"),
      diags);
  return false;
}

}  // namespace

ImportElements evaluate_import_elements(const config::Import& import, const ModuleScope& names,
                                        diag::Diagnostics& diags) {
  ImportElements out;
  if (import.for_each == nullptr) {
    out.standings.push_back(names.instance_scope());
    return out;
  }
  const std::size_t before = diags.error_count();
  const ForEach each = evaluate_for_each(*import.for_each, names, Tuples::Allowed, diags);
  out.known = each.known;
  if (diags.error_count() != before || !each.elements) return out;
  value::for_each_element(each.elements->unmarked(), [&](const Value& key, const Value& element) {
    InstanceScope instance_scope = names.instance_scope();
    instance_scope.each_key = key;
    instance_scope.each_value = element;
    out.standings.push_back(std::move(instance_scope));
  });
  return out;
}

std::optional<Value> evaluate_import_id(const config::Import& import, const ModuleScope& names,
                                        diag::Diagnostics& diags) {
  if (import.id == nullptr) return std::nullopt;
  auto id = evaluate_as(value::Type::string(), *import.id, names, diags);
  if (!id || !can_identify(*id, *import.id, "id", diags)) return std::nullopt;
  return id;
}

diag::Checked<value::Type> import_identity_type(const schema::ResourceSchema* schema,
                                                const addrs::Provider& provider,
                                                const std::string& resource_type,
                                                const syntax::Expr& identity,
                                                diag::Diagnostics& diags) {
  if (schema != nullptr && schema->identity) return schema->identity->import_type();
  refuse(identity, "identity",
         fmt::format("The provider {} defines no identity for {}. Use \"id\".",
                     provider.for_display(), resource_type),
         diags);
  return std::nullopt;
}

std::optional<Value> evaluate_import_identity(const config::Import& import, value::Type identity,
                                              const ModuleScope& names, diag::Diagnostics& diags) {
  if (import.identity == nullptr) return std::nullopt;
  auto v = evaluate_as(identity, *import.identity, names, diags);
  if (!v || !can_identify(*v, *import.identity, "identity", diags)) return std::nullopt;
  return v;
}

diag::Checked<addrs::AbsResourceInstance> evaluate_import_target(const config::Import& import,
                                                                 const ModuleScope& names,
                                                                 diag::Diagnostics& diags) {
  if (import.resolved_to) return import.resolved_to;
  const auto refuse_key = [&](const syntax::Expr& key, std::string detail) {
    diags.error("Invalid key in an import address").detail(std::move(detail)).at(key.range);
    return std::nullopt;
  };
  const auto key_value = [&](const syntax::Expr& key) -> std::optional<Value> {
    const auto v = evaluate(key, names, diags);
    if (!v) return std::nullopt;
    const Value plain = v->unmarked();
    if (plain.is_null()) return refuse_key(key, "The instance key must not be null.");
    if (plain.is_unknown()) {
      return refuse_key(key,
                        "The instance key is known only after apply, so the target instance cannot "
                        "be determined.");
    }
    if (v->marks().is_sensitive() || v->marks().is_ephemeral()) {
      return refuse_key(
          key, "Instance keys are shown and stored, so they cannot be sensitive or ephemeral.");
    }
    return plain;
  };
  const auto keyed = KeyedTraversal::make(*import.to, key_value);
  if (!keyed) return std::nullopt;
  return addrs::parse_abs_resource_instance(keyed->traversal(), diags);
}

}  // namespace tofu::eval
