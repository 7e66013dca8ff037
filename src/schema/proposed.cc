#include "schema/proposed.h"

#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "schema/element_index.h"
#include "schema/members.h"

namespace tofu::schema {

namespace {

using value::Kind;
using value::Type;
using value::TypeKind;
using value::Value;

Value merged_parts(const Members& members, const Value& prior, const Value& config);

Value merged_block(const Block& block, const Value& prior, const Value& config) {
  if (!config.is_null() && !config.is_unknown()) return merged_parts(Members(block), prior, config);
  return prior.is_null() && config.is_unknown() ? empty_value(block) : prior;
}

Value merged_object(const Members& members, const Value& prior, const Value& config) {
  if (members.block != nullptr) return merged_block(*members.block, prior, config);
  if (config.is_null()) return config;
  return merged_parts(members, prior, spread_out(config));
}

Value merged_list(const Members& members, const Value& prior, const Value& config) {
  const std::size_t before =
      prior.kind() == Kind::List || prior.kind() == Kind::Tuple ? prior.unmarked().size() : 0;
  Edited result(config);
  for (const Value& item : config.unmarked().items()) {
    const std::size_t i = result.position();
    if (prior.is_unknown()) {
      result.add(merged_object(members, Value::unknown(item.type()), item));
    } else {
      result.add(i < before ? merged_object(members, prior.unmarked().items()[i], item) : item);
    }
  }
  return std::move(result).result();
}

Value merged_map(const Members& members, const Value& prior, const Value& config) {
  const bool has_prior = prior.kind() == Kind::Map || prior.kind() == Kind::Object;
  Edited result(config);
  for (const Value& item : config.unmarked().items()) {
    const std::size_t i = result.position();
    const std::string_view key = config.kind() == Kind::Map
                                     ? config.unmarked().map_keys()[i].unmarked().as_string()
                                     : std::string_view(config.type().attributes()[i].name);
    const Value* before = has_prior ? prior.unmarked().find(key) : nullptr;
    result.add(before != nullptr ? merged_object(members, *before, item) : item);
  }
  return std::move(result).result();
}

bool could_come_from(const Members& members, const Value& prior, const Value& config);

bool parts_could_come_from(const Members& members, Nesting nesting, const Value& prior,
                           const Value& config) {
  if (prior.is_null() || prior.is_unknown()) return true;
  if (is_one_object(nesting)) return could_come_from(members, prior, config);
  if (nesting == Nesting::Set) return false;  // there is no telling which element is which
  const auto items = prior.unmarked().items();
  if (config.is_null()) return items.empty();
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (config.is_unknown()) {
      if (!could_come_from(members, items[i], Value::unknown(items[i].type()))) return false;
      continue;
    }
    const Value* other = nullptr;
    if (config.kind() == Kind::Map && prior.kind() == Kind::Map) {
      other = config.unmarked().find(prior.unmarked().map_keys()[i].unmarked().as_string());
    } else if (config.kind() == Kind::Object && prior.kind() == Kind::Object) {
      other = config.unmarked().find(prior.type().attributes()[i].name);
    } else if (config.kind() == Kind::List || config.kind() == Kind::Tuple) {
      other = i < config.unmarked().size() ? &config.unmarked().items()[i] : nullptr;
    }
    if (other == nullptr) return false;
    if (!same_unrefined(*other, items[i]) && !could_come_from(members, items[i], *other)) {
      return false;
    }
  }
  return true;
}

// Whether nothing but computed attributes had to be added to `config` to get `prior`.
bool could_come_from(const Members& members, const Value& prior, const Value& config) {
  if (prior.kind() != Kind::Object) return true;
  if (config.is_null()) return prior.unmarked().size() == 0;
  bool possible = true;
  members.each([&](std::size_t i, const Attribute* attribute, const NestedBlock* nested) {
    if (!possible) return;
    const Value& before = prior.unmarked().items()[i];
    const Value wanted = part_of(config, i, before.type());
    if (same_unrefined(wanted, before)) return;
    if (wanted.type().kind() == TypeKind::Set) {
      possible = false;
    } else if (nested != nullptr) {
      possible = parts_could_come_from(Members(*nested->block), nested->nesting, before, wanted);
    } else if (attribute->nested) {
      possible = parts_could_come_from(Members(*attribute->nested), attribute->nested->nesting,
                                       before, wanted);
    } else {
      possible = attribute->computed && wanted.is_null();
    }
  });
  return possible;
}

// The parts in which every object that `config` can come from has to agree with it.
std::vector<bool> decisive_parts(const Members& members, const Value& config) {
  std::vector<bool> decisive(config.unmarked().size());
  members.each([&](std::size_t i, const Attribute* attribute, const NestedBlock*) {
    if (attribute == nullptr || attribute->nested) return;
    const Value& wanted = config.unmarked().items()[i];
    const bool open = attribute->computed && wanted.is_null();
    decisive[i] = !open || wanted.type().kind() == TypeKind::Set;
  });
  return decisive;
}

// Each element takes the first object of before that it could have been made from and
// that no other element took.
Value merged_set(const Members& members, const Value& prior, const Value& config) {
  const std::span<const Value> before =
      prior.kind() == Kind::Set ? prior.unmarked().items() : std::span<const Value>();
  ElementIndex index(before);
  std::vector<bool> taken(before.size());
  Edited result(config);
  for (const Value& item : config.unmarked().items()) {
    const Value* match = nullptr;
    const auto decisive =
        item.kind() == Kind::Object ? decisive_parts(members, item) : std::vector<bool>();
    for (const std::uint32_t at : index.candidates(decisive, item)) {
      if (taken[at]) continue;
      if (!same_unrefined(item, before[at]) && !could_come_from(members, before[at], item)) {
        continue;
      }
      taken[at] = true;
      match = &before[at];
      break;
    }
    result.add(merged_object(members, match != nullptr ? *match : Value::null(item.type()), item));
  }
  return std::move(result).result();
}

Value merged_collection(const Members& members, Nesting nesting, const Value& prior,
                        const Value& config) {
  if (!has_items(config) || config.unmarked().size() == 0) return config;
  switch (nesting) {
    case Nesting::Single:
    case Nesting::Group: return merged_object(members, prior, config);
    case Nesting::List: return merged_list(members, prior, config);
    case Nesting::Set: return merged_set(members, prior, config);
    case Nesting::Map: return merged_map(members, prior, config);
  }
  base::broken_promise("a nesting out of range");
}

Value merged_nested_block(const NestedBlock& nested, const Value& prior, const Value& config) {
  if (nested.nesting == Nesting::Group && config.is_null()) return prior;
  return merged_collection(Members(*nested.block), nested.nesting, prior, config);
}

// Whether any part of the value must have been configured, since no provider may
// compute it.
bool holds_configured(const NestedType& type, const Value& v) {
  if (!has_items(v)) return false;
  const bool one = is_one_object(type.nesting);
  for (const Value& object : one ? std::span<const Value>(&v, 1) : v.unmarked().items()) {
    if (object.kind() != Kind::Object) continue;
    for (std::size_t i = 0; i < type.attributes.size(); ++i) {
      const Attribute& attribute = type.attributes[i];
      const Value& part = object.unmarked().items()[i];
      if (part.is_null()) continue;
      if (!attribute.computed) return true;
      if (attribute.nested && holds_configured(*attribute.nested, part)) return true;
    }
  }
  return false;
}

Value merged_attribute(const Attribute& attribute, const Value& prior, const Value& config) {
  if (attribute.computed && config.is_null()) {
    const bool was_configured =
        attribute.optional && attribute.nested && holds_configured(*attribute.nested, prior);
    return was_configured ? config : prior;
  }
  if (!attribute.nested) return config;
  return merged_collection(Members(*attribute.nested), attribute.nested->nesting, prior, config);
}

Value merged_parts(const Members& members, const Value& prior, const Value& config) {
  Edited result(config);
  members.each([&](std::size_t i, const Attribute* attribute, const NestedBlock* nested) {
    const Value& wanted = config.unmarked().items()[i];
    const Value before = part_of(prior, i, wanted.type());
    result.add(attribute != nullptr ? merged_attribute(*attribute, before, wanted)
                                    : merged_nested_block(*nested, before, wanted));
  });
  return std::move(result).result();
}

Value unknown_computed(const Members& members, const Value& object);

Value unknown_computed_inside(const Members& members, Nesting nesting, const Value& v) {
  if (!has_items(v)) return v;
  if (is_one_object(nesting)) return unknown_computed(members, v);
  Edited result(v);
  for (const Value& object : v.unmarked().items()) result.add(unknown_computed(members, object));
  return std::move(result).result();
}

Value unknown_computed(const Members& members, const Value& object) {
  if (object.kind() != Kind::Object) return object;
  Edited result(object);
  members.each([&](std::size_t i, const Attribute* attribute, const NestedBlock* nested) {
    const Value& part = object.unmarked().items()[i];
    if (nested != nullptr) {
      result.add(unknown_computed_inside(Members(*nested->block), nested->nesting, part));
    } else if (attribute->computed && part.is_null()) {
      result.add(Value::unknown(part.type()));
    } else if (attribute->nested) {
      result.add(
          unknown_computed_inside(Members(*attribute->nested), attribute->nested->nesting, part));
    } else {
      result.add(part);
    }
  });
  return std::move(result).result();
}

}  // namespace

Value proposed_new(const Block& schema, const Value& prior, const Value& config) {
  return merged_block(schema, prior, config);
}

Value planned_data(const Block& schema, const Value& config) {
  if (!has_items(config)) return Value::unknown(schema.implied_type());
  return merged_parts(Members(schema), Value::unknown(config.type()), config);
}

Value all_unknown_computed(const Block& schema, const Value& proposed) {
  return unknown_computed(Members(schema), proposed);
}

}  // namespace tofu::schema
