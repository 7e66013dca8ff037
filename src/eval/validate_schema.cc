#include <fmt/format.h>
#include <string>
#include <variant>

#include "eval/keyed_traversal.h"
#include "eval/validation.h"
#include "schema/checks.h"
#include "syntax/analysis.h"
#include "value/json.h"
#include "value/marks.h"
#include "value/path.h"

namespace tofu::eval {

namespace {

using value::Value;

bool has_items(const Value& plain) {
  return !plain.is_null() && !plain.is_unknown() &&
         (plain.type().is_collection() || plain.type().is_structural());
}

// How many values inside `v` carry the mark themselves.
std::size_t ephemeral_values(const Value& v) {
  if (!v.contains_marks()) return 0;
  std::size_t count = v.marks().is_ephemeral() ? 1 : 0;
  const auto plain = v.unmarked();
  if (!has_items(plain)) return count;
  for (const Value& item : plain.items()) count += ephemeral_values(item);
  return count;
}

// Goes through a decoded block along its schema: what is write-only may be ephemeral,
// at any depth.
class EphemeralCheck {
 public:
  EphemeralCheck(const std::string& address, diag::Diagnostics& diags)
      : address_(address), diags_(diags) {}

  void block(const Value& given, const schema::Block& schema, const syntax::Body& body);

 private:
  void nested(const Value& given, const schema::NestedBlock& schema, const syntax::Body& body);
  void refuse(std::size_t times, std::string_view name, const syntax::Body& body);

  const std::string& address_;
  diag::Diagnostics& diags_;
};

// How many values of the attribute are ephemeral and kept.
std::size_t kept_ephemerals(const Value& given, const schema::Attribute& attribute);

std::size_t kept_inside(const Value& object, const schema::NestedType& type) {
  const auto plain = object.unmarked();
  if (!has_items(plain)) return 0;
  std::size_t count = 0;
  for (std::size_t i = 0; i < plain.items().size(); ++i) {
    const std::string_view name = plain.type().attributes()[i].name;
    for (const schema::Attribute& inner : type.attributes) {
      if (inner.name == name) count += kept_ephemerals(plain.items()[i], inner);
    }
  }
  return count;
}

std::size_t kept_ephemerals(const Value& given, const schema::Attribute& attribute) {
  if (!given.contains_marks()) return 0;
  if (attribute.nested == nullptr) return attribute.write_only ? 0 : ephemeral_values(given);
  const auto own = [&](const Value& v) -> std::size_t {
    return v.marks().is_ephemeral() && !attribute.write_only ? 1 : 0;
  };
  const schema::Nesting nesting = attribute.nested->nesting;
  std::size_t count = own(given);
  if (nesting == schema::Nesting::Single || nesting == schema::Nesting::Group) {
    return count + kept_inside(given, *attribute.nested);
  }
  const auto plain = given.unmarked();
  if (!has_items(plain)) return count;
  for (const Value& item : plain.items()) count += own(item) + kept_inside(item, *attribute.nested);
  return count;
}

void EphemeralCheck::refuse(std::size_t times, std::string_view name, const syntax::Body& body) {
  for (; times > 0; --times) {
    diags_.error("Ephemeral value used in non-ephemeral context")
        .detail(fmt::format(
            "The argument {:?} is stored in the state, so its value cannot be ephemeral. Only "
            "write-only arguments and ephemeral blocks accept ephemeral values.",
            name))
        .at(schema::place_of(body, name))
        .about(address_);
  }
}

// Blocks that a dynamic block makes are not in `body`: their problems are reported there.
void EphemeralCheck::nested(const Value& given, const schema::NestedBlock& schema,
                            const syntax::Body& body) {
  refuse(given.marks().is_ephemeral() ? 1 : 0, schema.name, body);
  const auto plain = given.unmarked();
  if (!has_items(plain)) return;
  const bool is_map = schema.nesting == schema::Nesting::Map;
  syntax::BodySchema wanted;
  wanted.blocks.push_back({schema.name, {}});
  if (is_map) wanted.blocks.back().label_names = {"key"};
  diag::Diagnostics ignored;  // decoding has reported them
  const syntax::Content written = body.partial_content(wanted, ignored).content;
  if (schema.nesting == schema::Nesting::Single || schema.nesting == schema::Nesting::Group) {
    const bool one = written.blocks.size() == 1;
    return block(plain, *schema.block, one ? written.blocks[0].body : body);
  }
  std::size_t position = 0;
  value::for_each_element(plain, [&](const Value& key, const Value& item) {
    const syntax::Body* inside = &body;
    if (is_map) {
      for (const syntax::Block& each : written.blocks) {
        if (!each.labels.empty() && each.labels[0].text == key.plain().as_string())
          inside = &each.body;
      }
    } else if (schema.nesting == schema::Nesting::List && position < written.blocks.size()) {
      inside = &written.blocks[position].body;
    }
    ++position;
    refuse(item.marks().is_ephemeral() ? 1 : 0, schema.name, body);
    block(item.unmarked(), *schema.block, *inside);
  });
}

void EphemeralCheck::block(const Value& given, const schema::Block& schema,
                           const syntax::Body& body) {
  if (!given.contains_marks() || !has_items(given)) return;
  const auto attributes = given.type().attributes();
  for (std::size_t i = 0; i < attributes.size(); ++i) {
    const std::string_view name = attributes[i].name;
    const Value& item = given.plain().items()[i];
    if (const schema::Attribute* attribute = schema.attribute(name)) {
      refuse(kept_ephemerals(item, *attribute), name, body);
    } else if (const schema::NestedBlock* inner = schema.block(name)) {
      nested(item, *inner, body);
    }
  }
}

// The values of count.index and each.key in a trigger: which instance is meant makes no difference
// to what can be said of it before there are any.
const Value& first_count() {
  static const Value kFirst = Value::integer(0);
  return kFirst;
}
const Value& some_key() {
  static const Value kSome = Value::string("");
  return kSome;
}

// Null after reporting why the expression chooses no instance.
const Value* trigger_key(const syntax::Expr& key, const ModuleScope& names,
                         diag::Diagnostics& diags) {
  const auto traversal = syntax::traversal_if(key);
  const bool is_plain = traversal && traversal->steps.size() == 1;
  const bool counts = is_plain && traversal->root == "count";
  const bool each = is_plain && traversal->root == "each";
  if (!counts && !each) {
    diags.error("Invalid key in replace_triggered_by")
        .detail("The instance key must be a constant, count.index or each.key.")
        .at(key.range);
    return nullptr;
  }
  const InstanceScope& instance_scope = names.instance_scope();
  if (counts ? instance_scope.count_index.has_value() : instance_scope.each_key.has_value()) {
    return counts ? &first_count() : &some_key();
  }
  diags
      .error(
          fmt::format("Invalid {:?} reference in replace_triggered_by", counts ? "count" : "each"))
      .detail(fmt::format("The resource does not set \"{}\", so {} is not defined here.",
                          counts ? "count" : "for_each", counts ? "count.index" : "each.key"))
      .at(key.range);
  return nullptr;
}

// The reference that an entry of replace_triggered_by is.
diag::Checked<KeyedTraversal> trigger_of(const syntax::Expr& expr, const ModuleScope& names,
                                         diag::Diagnostics& diags) {
  const auto key_value = [&](const syntax::Expr& key) -> std::optional<Value> {
    const Value* chosen = trigger_key(key, names, diags);
    return chosen == nullptr ? std::nullopt : std::optional(*chosen);
  };
  const syntax::Expr* begins_with = nullptr;
  auto trigger = KeyedTraversal::make(expr, key_value, &begins_with);
  if (begins_with == nullptr) return trigger;
  diags.error("Invalid replace_triggered_by expression")
      .detail("A trigger must be a reference to a resource, an instance or an attribute.")
      .at(begins_with->range);
  return std::nullopt;
}

}  // namespace

void check_storable(const Value& config, const schema::Block& schema, const syntax::Body& body,
                    const std::string& address, diag::Diagnostics& diags) {
  if (schema.ephemeral) return;
  const auto problem = value::json_problem(config);
  if (!problem) return;
  if (!problem->path.steps.empty()) {
    const auto* first = std::get_if<value::AttributeStep>(&problem->path.steps.front());
    const auto* attribute = first == nullptr ? nullptr : schema.attribute(first->name);
    if (attribute != nullptr && attribute->write_only) return;
  }
  diags.error("Arguments cannot be stored")
      .detail(fmt::format("The arguments of {} cannot be stored in the state: {}.", address,
                          value::to_string(*problem)))
      .at(schema::place_of(body, problem->path))
      .about(address);
}

void check_ephemeral(const Value& config, const schema::Block& schema, const syntax::Body& body,
                     const std::string& address, diag::Diagnostics& diags) {
  if (!schema.ephemeral) EphemeralCheck(address, diags).block(config.unmarked(), schema, body);
}

void check_ignore_changes(const config::Resource& resource, const schema::Block& schema,
                          std::size_t errors_before, diag::Diagnostics& diags) {
  for (const syntax::Traversal& traversal : resource.ignore_changes) {
    // The first name stands for an attribute of the resource.
    std::vector<syntax::TraversalStep> steps = {
        {syntax::StepKind::Attribute, traversal.root_range, traversal.root, nullptr}};
    steps.insert(steps.end(), traversal.steps.begin(), traversal.steps.end());
    schema::check_traversal(schema, steps, diags);
    if (diags.error_count() != errors_before || steps.size() != 1) continue;
    const schema::Attribute* attribute = schema.attribute(traversal.root);
    if (attribute == nullptr || attribute->optional || !attribute->computed) continue;
    diags.warning("Redundant ignore_changes element")
        .detail(fmt::format("The provider decides the value of {:?}, which cannot be set in the "
                            "configuration, so ignoring its changes has no effect.",
                            traversal.root))
        .at(resource.type_range);
  }
}

void check_replace_triggered_by(const config::Resource& resource, const ModuleScope& names,
                                const Shape& shape, diag::Diagnostics& diags) {
  for (const syntax::Expr* expr : resource.replace_triggered_by) {
    const auto trigger = trigger_of(*expr, names, diags);
    if (!trigger) continue;
    std::optional<Binding> bound;
    shape.bindings().make(trigger->traversal(), bound);
    if (!bound->reference) {
      for (const diag::Diagnostic& problem : bound->problems) diags.add(problem);
      continue;
    }
    const auto& subject = bound->reference->subject;
    if (!std::holds_alternative<addrs::Resource>(subject) &&
        !std::holds_alternative<addrs::ResourceInstance>(subject)) {
      continue;
    }
    const schema::Block* schema =
        bound->target.of == Target::Of::Row ? shape.rows()[bound->target.row].block() : nullptr;
    if (schema == nullptr) {
      diags.error("Undeclared resource in replace_triggered_by")
          .detail(fmt::format("The resource {} is not declared in this module.",
                              addrs::to_string(subject)))
          .at(expr->range);
      continue;
    }
    schema::check_traversal(*schema, bound->reference->remaining, diags);
  }
}

}  // namespace tofu::eval
