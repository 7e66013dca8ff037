#include "cloud/plan_document.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "addrs/parse.h"
#include "addrs/text.h"
#include "net/json_fields.h"
#include "value/json.h"

namespace tofu::cloud {

namespace {

using net::object_at;
using net::text_at;
using value::Kind;
using value::Type;
using value::Value;

constexpr int kDeepest = 500;

const Value* find(const Value* object, std::string_view name) {
  return object == nullptr || object->kind() != Kind::Object ? nullptr : object->plain().find(name);
}
bool is_true(const Value* v) {
  return v != nullptr && v->kind() == Kind::Bool && v->plain().as_bool();
}
std::span<const Value> elements(const Value* v) {
  return v != nullptr && v->kind() == Kind::Tuple ? v->plain().items() : std::span<const Value>();
}
const Value* element(const Value* v, std::size_t index) {
  const std::span<const Value> all = elements(v);
  return index < all.size() ? &all[index] : nullptr;
}

// Calls `on` with the name and value of each member. False as soon as it says so.
template <class On>
bool each_member(const Value* object, On&& on) {
  if (object == nullptr || object->kind() != Kind::Object) return true;
  const auto names = object->type().attributes();
  const auto items = object->plain().items();
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (!on(names[i].name, items[i])) return false;
  }
  return true;
}

// Schemas. All give nothing for what they cannot read.

std::optional<schema::Nesting> nesting_named(std::string_view name) {
  if (name == "single") return schema::Nesting::Single;
  if (name == "group") return schema::Nesting::Group;
  if (name == "list") return schema::Nesting::List;
  if (name == "set") return schema::Nesting::Set;
  if (name == "map") return schema::Nesting::Map;
  return std::nullopt;
}

using Attributes = std::optional<std::vector<schema::Attribute>>;
Attributes read_attributes(const Value* object, int depth);

std::optional<schema::Attribute> read_attribute(const std::string& name, const Value& described,
                                                int depth) {
  schema::Attribute attribute;
  attribute.name = name;
  attribute.sensitive = is_true(find(&described, "sensitive"));
  attribute.required = is_true(find(&described, "required"));
  attribute.optional = is_true(find(&described, "optional"));
  attribute.computed = is_true(find(&described, "computed"));
  attribute.write_only = is_true(find(&described, "write_only"));
  if (const Value* nested = object_at(described, "nested_type")) {
    const auto nesting = nesting_named(text_at(*nested, "nesting_mode"));
    auto inner = read_attributes(object_at(*nested, "attributes"), depth + 1);
    if (!nesting || !inner) return std::nullopt;
    auto type = std::make_shared<schema::NestedType>();
    type->nesting = *nesting;
    type->attributes = std::move(*inner);
    attribute.type = schema::type_of(*type);
    attribute.nested = std::move(type);
    return attribute;
  }
  const Value* type = find(&described, "type");
  const auto text = type == nullptr ? value::to_json(Value::null()) : value::to_json(*type);
  const auto read = text ? value::parse_json_type(*text) : base::Result<Type>(base::Error{""});
  if (!read) return std::nullopt;
  attribute.type = *read;
  return attribute;
}

Attributes read_attributes(const Value* object, int depth) {
  if (depth > kDeepest) return std::nullopt;
  std::vector<schema::Attribute> all;
  const bool good = each_member(object, [&](const std::string& name, const Value& described) {
    auto attribute = read_attribute(name, described, depth);
    if (attribute) all.push_back(std::move(*attribute));
    return attribute.has_value();
  });
  if (!good) return std::nullopt;
  return all;
}

std::optional<schema::Block> read_block(const Value* described, int depth) {
  if (depth > kDeepest) return std::nullopt;
  auto attributes = read_attributes(find(described, "attributes"), depth);
  if (!attributes) return std::nullopt;
  schema::Block block;
  block.attributes = std::move(*attributes);
  const auto add = [&](const std::string& name, const Value& nested) {
    const auto nesting = nesting_named(text_at(nested, "nesting_mode"));
    auto inner = read_block(object_at(nested, "block"), depth + 1);
    if (!nesting || !inner) return false;
    block.blocks.push_back({.name = name,
                            .block = std::make_shared<schema::Block>(std::move(*inner)),
                            .nesting = *nesting});
    return true;
  };
  if (!each_member(find(described, "block_types"), add)) return std::nullopt;
  return block;
}

bool read_types(const Value* object, schema::TypeSchemas& types) {
  return each_member(object, [&](const std::string& type, const Value& described) {
    auto block = read_block(object_at(described, "block"), 0);
    if (block) types.emplace(type, {.block = std::move(*block)});
    return block.has_value();
  });
}

bool read_schemas(const Value& document, DocumentSchemas& schemas) {
  return each_member(
      find(&document, "provider_schemas"), [&](const std::string& name, const Value& described) {
        schema::ProviderSchema& provider = schemas.providers[name];
        return read_types(find(&described, "resource_schemas"), provider.resources) &&
               read_types(find(&described, "data_source_schemas"), provider.data_sources);
      });
}

// Values.

// Known, unknown and sensitive parts come as three trees of one shape; together they are a value.
// Each may be missing.
struct Parts {
  const Value* known = nullptr;
  const Value* unknown = nullptr;
  const Value* sensitive = nullptr;

  Parts at(std::string_view name) const {
    return {find(known, name), find(unknown, name), find(sensitive, name)};
  }
  Parts at(std::size_t index) const {
    return {element(known, index), element(unknown, index), element(sensitive, index)};
  }
};

// The notes of a value tell whether it is going to be an object or a list.
Value unknown_like(const Value* notes) {
  if (notes != nullptr && notes->kind() == Kind::Object) return Value::unknown(Type::object({}));
  if (notes != nullptr && notes->kind() == Kind::Tuple) return Value::unknown(Type::tuple({}));
  return Value::unknown(Type::dynamic());
}

Value joined(const Parts& parts, int depth) {
  if (depth > kDeepest) return Value::null();
  if (is_true(parts.sensitive)) {
    return joined({parts.known, parts.unknown, nullptr}, depth)
        .with_marks(value::Marks::sensitive());
  }
  if (is_true(parts.unknown)) return unknown_like(parts.sensitive);
  const bool is_null = parts.known == nullptr || parts.known->is_null();
  std::set<std::string, std::less<>> names;
  const auto collect = [&](const std::string& name, const Value&) {
    names.insert(name);
    return true;
  };
  if (is_null || parts.known->kind() == Kind::Object) {
    each_member(parts.unknown, collect);
    if (is_null && names.empty()) return Value::null();
    each_member(parts.known, collect);
    std::vector<value::Attr> members;
    members.reserve(names.size());
    for (const std::string& name : names)
      members.push_back({name, joined(parts.at(name), depth + 1)});
    return Value::object(std::move(members));
  }
  if (parts.known->kind() == Kind::Tuple) {
    std::vector<Value> items;
    const std::size_t size = elements(parts.known).size();
    items.reserve(size);
    for (std::size_t i = 0; i < size; ++i) items.push_back(joined(parts.at(i), depth + 1));
    return Value::tuple(std::move(items));
  }
  return *parts.known;
}

value::Path read_path(const Value& steps) {
  value::Path path;
  for (const Value& step : elements(&steps)) {
    path = step.kind() == Kind::String ? path.with_attribute(std::string(step.plain().as_string()))
                                       : path.with_index(step);
  }
  return path;
}

// Changes.

std::optional<plans::Action> read_action(const Value& change) {
  std::vector<std::string_view> names;
  for (const Value& name : elements(find(&change, "actions"))) {
    if (name.kind() != Kind::String) return std::nullopt;
    names.push_back(name.plain().as_string());
  }
  return plans::action_named(names);
}

std::optional<addrs::AbsResourceInstance> read_address(const std::string& text) {
  diag::Diagnostics ignored;  // the text is named in the error
  return addrs::parse_text(text, addrs::parse_abs_resource_instance, ignored);
}

plans::ChangeDetails read_details(const Value& described, const Value& change) {
  plans::ChangeDetails details;
  if (const std::string previous = text_at(described, "previous_address"); !previous.empty()) {
    details.previous = read_address(previous);
  }
  details.deposed = text_at(described, "deposed");
  for (const Value& path : elements(find(&change, "replace_paths"))) {
    details.replace_paths.push_back(read_path(path));
  }
  if (const Value* importing = object_at(change, "importing")) {
    details.importing = plans::Importing{.id = text_at(*importing, "id")};
    if (const Value* identity = object_at(*importing, "identity")) {
      details.importing->identity = *identity;
    }
  }
  details.generated_config = text_at(change, "generated_config");
  return details;
}

base::Result<void> read_changes(const Value* list, plans::Plan& plan,
                                std::vector<plans::ResourceChange>& changes) {
  for (const Value& described : elements(list)) {
    const std::string text = text_at(described, "address");
    const auto address = read_address(text);
    diag::Diagnostics ignored;
    const auto provider =
        addrs::parse_provider_source(text_at(described, "provider_name"), std::nullopt, ignored);
    const Value* change = object_at(described, "change");
    const auto action = change == nullptr ? std::nullopt : read_action(*change);
    if (!address || !provider || !action) {
      return base::Error{fmt::format("the change of {:?} cannot be read", text)};
    }
    plans::ResourceChange made;
    made.resource = plan.addresses.resource(plan.addresses.module(address->module),
                                            address->object.resource, *provider);
    made.key = address->object.key;
    made.action = *action;
    // A reason that is not known here is one that nothing can be said about.
    made.reason = plans::reason_named(text_at(described, "action_reason"))
                      .value_or(plans::ActionReason::None);
    made.before = joined({find(change, "before"), nullptr, find(change, "before_sensitive")}, 0);
    made.after = joined(
        {find(change, "after"), find(change, "after_unknown"), find(change, "after_sensitive")}, 0);
    made.details = std::make_unique<plans::ChangeDetails>(read_details(described, *change));
    changes.push_back(std::move(made));
  }
  return {};
}

bool read_outputs(const Value* object, plans::Plan& plan) {
  return each_member(object, [&](const std::string& name, const Value& change) {
    const auto action = read_action(change);
    if (!action) return false;
    const bool is_sensitive =
        is_true(find(&change, "before_sensitive")) || is_true(find(&change, "after_sensitive"));
    plan.outputs.push_back(
        {.name = name,
         .action = *action,
         .sensitive = is_sensitive,
         .before = joined({find(&change, "before")}, 0),
         .after = joined({find(&change, "after"), find(&change, "after_unknown")}, 0)});
    return true;
  });
}

}  // namespace

const schema::ProviderSchema* DocumentSchemas::find(const std::string& provider) const {
  const auto found = providers.find(provider);
  return found == providers.end() ? nullptr : &found->second;
}

base::Result<PlanDocument> read_plan_document(std::string_view json) {
  const auto document = net::parse_json_object(json);
  if (!document) return base::Error{"it is not a JSON object"};
  PlanDocument made;
  if (!read_schemas(*document, made.schemas)) {
    return base::Error{"the schemas of its providers cannot be read"};
  }
  plans::Plan& plan = made.plan;
  auto read = read_changes(find(&*document, "resource_changes"), plan, plan.changes);
  if (read) read = read_changes(find(&*document, "resource_drift"), plan, plan.drift);
  if (!read) return read.error();
  for (const Value& each : elements(find(&*document, "relevant_attributes"))) {
    const auto address = read_address(text_at(each, "resource"));
    const Value* path = find(&each, "attribute");
    if (address && path != nullptr) plan.relevant.push_back({*address, read_path(*path)});
  }
  if (!read_outputs(find(&*document, "output_changes"), plan)) {
    return base::Error{"the changes of outputs cannot be read"};
  }
  return made;
}

}  // namespace tofu::cloud
