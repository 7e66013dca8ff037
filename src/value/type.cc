#include "value/type.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <unordered_map>
#include <utility>

#include "base/check.h"
#include "base/unicode.h"
#include "value/hash.h"
#include "value/intern_table.h"
#include "value/type_table.h"
#include "value/value.h"

namespace tofu::value {

namespace {

constexpr std::uint64_t kSeeds[] = {
    0x8EBC6AF09C88C6E3u, 0x589965CC75374CC3u, 0x1D8E4E27C47D124Fu, 0xEB44ACCAB455D165u,
    0x2F6A6B0F1C9C5D43u, 0x9A3298AFB5AC7173u, 0x72BE5D74F27B896Fu, 0x41C64E6DA3BC0074u,
    0xC2B2AE3D27D4EB4Fu, 0x165667B19E3779F9u,
};
constexpr std::uint64_t seed(TypeKind kind) { return kSeeds[static_cast<std::size_t>(kind)]; }

}  // namespace

constinit const TypeEntry kDynamicType{
    TypeNode{.kind = TypeKind::Dynamic, .has_dynamic = true, .hash = seed(TypeKind::Dynamic)}};
constinit const TypeEntry kBoolType{TypeNode{.kind = TypeKind::Bool, .hash = seed(TypeKind::Bool)}};
constinit const TypeEntry kNumberType{
    TypeNode{.kind = TypeKind::Number, .hash = seed(TypeKind::Number)}};
constinit const TypeEntry kStringType{
    TypeNode{.kind = TypeKind::String, .hash = seed(TypeKind::String)}};

namespace {

// Arrays of one type repeated, which the tuples of equal elements share: a
// thousand such tuples of a million elements need one array, not a thousand.
class Runs {
 public:
  const Type* of(Type element, std::size_t length) {
    const std::lock_guard lock(mutex_);
    Run& run = runs_[element.node()];
    if (run.length < length) {
      // The shorter array stays in use by the tuples that have it. Where the system refuses memory
      // for a longer one, nothing has changed.
      const std::size_t longer = std::max(length, run.length * 2);
      auto* items = static_cast<Type*>(::operator new(longer * sizeof(Type)));
      std::uninitialized_fill_n(items, longer, element);
      run = {items, longer};
    }
    return run.items;
  }

 private:
  struct Run {
    const Type* items = nullptr;
    std::size_t length = 0;
  };
  std::mutex mutex_;
  std::unordered_map<const TypeNode*, Run> runs_;
};

struct Table {
  InternTable<TypeEntry> entries;
  Runs runs;
};

Table& table() {
  static Table* const only = std::make_unique<Table>().release();  // lives as long as the process
  return *only;
}

const TypeEntry* make_collection(TypeKind kind, Type element,
                                 std::atomic<const TypeEntry*>& cache) {
  if (const TypeEntry* known = cache.load(std::memory_order_acquire)) return known;
  const std::uint64_t hash = mix(element.hash(), seed(kind));
  const TypeEntry* entry = table().entries.find_or_make(
      hash,
      [&](const TypeEntry& other) { return other.kind == kind && *other.elements == element; },
      [&] {
        return place<TypeEntry>(0, TypeNode{.kind = kind,
                                            .has_dynamic = element.has_dynamic(),
                                            .has_optional = element.has_optional_attributes(),
                                            .count = 1,
                                            .hash = hash,
                                            .elements = place<Type>(0, element),
                                            .nesting = element.nesting() + 1,
                                            .weight = added_weight(1, element.weight())});
      });
  cache.store(entry, std::memory_order_release);
  return entry;
}

std::uint32_t checked_count(std::size_t count) {
  TOFU_CHECK(count <= UINT32_MAX, "a type has fewer than 2^32 parts");
  return static_cast<std::uint32_t>(count);
}

// A tuple whose elements are read from anything that has types.
template <class TypeAt>
Type intern_tuple(std::size_t count, TypeAt&& type_at) {
  std::uint64_t hash = mix(count, seed(TypeKind::Tuple));
  bool uniform = true;
  bool dynamic = false;
  bool optional = false;
  for (std::size_t i = 0; i < count; ++i) {
    const Type element = type_at(i);
    uniform = uniform && element == type_at(0);
    hash = mix(hash, element.hash());
    dynamic = dynamic || element.has_dynamic();
    optional = optional || element.has_optional_attributes();
  }
  const auto is = [&](const TypeEntry& other) {
    if (other.kind != TypeKind::Tuple || other.count != count) return false;
    for (std::size_t i = 0; i < count; ++i) {
      if (other.elements[i] != type_at(i)) return false;
    }
    return true;
  };
  const auto make = [&] {
    std::uint32_t deepest = 0;
    std::uint32_t weight = 1;
    for (std::size_t i = 0; i < count; ++i) {
      deepest = std::max(deepest, type_at(i).nesting());
      weight = added_weight(weight, type_at(i).weight());
    }
    const Type* elements = nullptr;
    if (count != 0 && uniform) {
      elements = table().runs.of(type_at(0), count);
    } else if (count != 0) {
      auto* own = static_cast<Type*>(::operator new(count * sizeof(Type)));
      for (std::size_t i = 0; i < count; ++i) std::construct_at(own + i, type_at(i));
      elements = own;
    }
    return place<TypeEntry>(0, TypeNode{.kind = TypeKind::Tuple,
                                        .has_dynamic = dynamic,
                                        .has_optional = optional,
                                        .count = checked_count(count),
                                        .hash = hash,
                                        .elements = elements,
                                        .nesting = deepest + 1,
                                        .weight = weight});
  };
  return Type::from_node(table().entries.find_or_make(hash, is, make));
}

// An object whose attributes, sorted by name, are read from anything that has them.
template <class NameAt, class TypeAt, class OptionalAt>
Type intern_object(std::size_t count, NameAt&& name_at, TypeAt&& type_at,
                   OptionalAt&& optional_at) {
  std::uint64_t hash = mix(count, seed(TypeKind::Object));
  bool dynamic = false;
  bool optional = false;
  for (std::size_t i = 0; i < count; ++i) {
    const Type type = type_at(i);
    hash = mix(hash ^ hash_bytes(name_at(i)), type.hash() + (optional_at(i) ? 1 : 0));
    dynamic = dynamic || type.has_dynamic();
    optional = optional || optional_at(i) || type.has_optional_attributes();
  }
  const auto is = [&](const TypeEntry& other) {
    if (other.kind != TypeKind::Object || other.count != count) return false;
    for (std::size_t i = 0; i < count; ++i) {
      const ObjectAttribute& theirs = other.attributes[i];
      if (theirs.type != type_at(i) || theirs.optional != optional_at(i) ||
          theirs.name != name_at(i)) {
        return false;
      }
    }
    return true;
  };
  const auto make = [&] {
    std::uint32_t deepest = 0;
    std::uint32_t weight = 1;
    for (std::size_t i = 0; i < count; ++i) {
      deepest = std::max(deepest, type_at(i).nesting());
      weight = added_weight(weight, type_at(i).weight());
    }
    ObjectAttribute* own = nullptr;
    if (count != 0) {
      own = static_cast<ObjectAttribute*>(::operator new(count * sizeof(ObjectAttribute)));
      for (std::size_t i = 0; i < count; ++i) {
        std::construct_at(own + i,
                          ObjectAttribute{std::string(name_at(i)), type_at(i), optional_at(i)});
      }
    }
    return place<TypeEntry>(0, TypeNode{.kind = TypeKind::Object,
                                        .has_dynamic = dynamic,
                                        .has_optional = optional,
                                        .count = checked_count(count),
                                        .hash = hash,
                                        .attributes = own,
                                        .nesting = deepest + 1,
                                        .weight = weight});
  };
  return Type::from_node(table().entries.find_or_make(hash, is, make));
}

constexpr auto kNoneOptional = [](std::size_t) { return false; };

}  // namespace

Type object_type_of(std::span<const Attr> sorted) {
  return intern_object(
      sorted.size(), [&](std::size_t i) { return std::string_view(sorted[i].name); },
      [&](std::size_t i) { return sorted[i].value.type(); }, kNoneOptional);
}

Type object_type_of(std::span<const ObjectAttribute> sorted) {
  return intern_object(
      sorted.size(), [&](std::size_t i) { return std::string_view(sorted[i].name); },
      [&](std::size_t i) { return sorted[i].type; },
      [&](std::size_t i) { return sorted[i].optional; });
}

Type object_type_of(std::span<const std::string> sorted, std::span<const Value> items) {
  return intern_object(
      sorted.size(), [&](std::size_t i) { return std::string_view(sorted[i]); },
      [&](std::size_t i) { return items[i].type(); }, kNoneOptional);
}

Type object_type_of(std::span<const std::string_view> sorted, std::span<const Value> items) {
  return intern_object(
      sorted.size(), [&](std::size_t i) { return sorted[i]; },
      [&](std::size_t i) { return items[i].type(); }, kNoneOptional);
}

Type tuple_type_of(std::span<const Value> items) {
  return intern_tuple(items.size(), [&](std::size_t i) { return items[i].type(); });
}

Type Type::list(Type element) {
  return Type(make_collection(TypeKind::List, element, entry_of(element)->list));
}
Type Type::set(Type element) {
  return Type(make_collection(TypeKind::Set, element, entry_of(element)->set));
}
Type Type::map(Type element) {
  return Type(make_collection(TypeKind::Map, element, entry_of(element)->map));
}

Type Type::tuple(std::span<const Type> elements) {
  return intern_tuple(elements.size(), [&](std::size_t i) { return elements[i]; });
}

Type Type::object(std::vector<ObjectAttribute> attributes) {
  for (ObjectAttribute& attribute : attributes) {
    if (!is_plain_ascii(attribute.name)) attribute.name = base::to_nfc(attribute.name);
  }
  const auto by_name = [](const ObjectAttribute& a, const ObjectAttribute& b) {
    return a.name < b.name;
  };
  if (!std::ranges::is_sorted(attributes, by_name)) std::ranges::sort(attributes, by_name);
  for (std::size_t i = 1; i < attributes.size(); ++i) {
    TOFU_CHECK(attributes[i - 1].name != attributes[i].name, "attribute names are unique");
  }
  return object_type_of(std::span<const ObjectAttribute>(attributes));
}

Type Type::capsule(std::string_view name) {
  const std::uint64_t hash = mix(hash_bytes(name), seed(TypeKind::Capsule));
  return Type(table().entries.find_or_make(
      hash,
      [&](const TypeEntry& other) {
        return other.kind == TypeKind::Capsule && std::string_view(other.name, other.count) == name;
      },
      [&] {
        auto* own = static_cast<char*>(::operator new(name.size() + 1));
        std::memcpy(own, name.data(), name.size());
        return place<TypeEntry>(0, TypeNode{.kind = TypeKind::Capsule,
                                            .count = checked_count(name.size()),
                                            .hash = hash,
                                            .name = own});
      }));
}

Type Type::element() const {
  TOFU_CHECK(is_collection(), "only collection types have an element type");
  return *node_->elements;
}

std::span<const Type> Type::elements() const {
  TOFU_CHECK(kind() == TypeKind::Tuple, "only tuple types have element types");
  return {node_->elements, node_->count};
}

std::span<const ObjectAttribute> Type::attributes() const {
  TOFU_CHECK(kind() == TypeKind::Object, "only object types have attributes");
  return {node_->attributes, node_->count};
}

std::optional<std::size_t> Type::attribute_index(std::string_view name) const {
  const auto all = attributes();
  const auto name_of = [](const ObjectAttribute& a) { return std::string_view(a.name); };
  // Most names differ in length: among few, looking at each is faster than halving.
  constexpr std::size_t kFew = 8;
  const auto found = all.size() <= kFew ? std::ranges::find(all, name, name_of)
                                        : std::ranges::lower_bound(all, name, {}, name_of);
  if (found == all.end() || name_of(*found) != name) return std::nullopt;
  return static_cast<std::size_t>(found - all.begin());
}

std::string_view Type::capsule_name() const {
  TOFU_CHECK(kind() == TypeKind::Capsule, "only capsule types have a name");
  return {node_->name, node_->count};
}

// Recursive: only constraints written in source text have optional attributes,
// and the parser bounds how deep those are nested.
Type Type::without_optional_attributes() const {
  if (!has_optional_attributes()) return *this;
  const TypeEntry* entry = entry_of(*this);
  if (const TypeEntry* known = entry->required.load(std::memory_order_acquire)) return Type(known);
  Type result = *this;
  switch (kind()) {
    case TypeKind::List: result = list(element().without_optional_attributes()); break;
    case TypeKind::Set: result = set(element().without_optional_attributes()); break;
    case TypeKind::Map: result = map(element().without_optional_attributes()); break;
    case TypeKind::Tuple: {
      std::vector<Type> parts(elements().begin(), elements().end());
      for (Type& part : parts) part = part.without_optional_attributes();
      result = tuple(parts);
      break;
    }
    case TypeKind::Object: {
      std::vector<ObjectAttribute> parts(attributes().begin(), attributes().end());
      for (ObjectAttribute& part : parts) {
        part.type = part.type.without_optional_attributes();
        part.optional = false;
      }
      result = object_type_of(std::span<const ObjectAttribute>(parts));
      break;
    }
    case TypeKind::Dynamic:
    case TypeKind::Bool:
    case TypeKind::Number:
    case TypeKind::String:
    case TypeKind::Capsule: break;
  }
  entry->required.store(entry_of(result), std::memory_order_release);
  return result;
}

namespace {

std::string name_of(Type type, std::string_view dynamic, std::string_view dynamic_element) {
  std::string name;
  // Only collections have names that nest, and those nest in a chain.
  for (;; type = type.element(), dynamic = dynamic_element) {
    switch (type.kind()) {
      case TypeKind::Dynamic: return name.append(dynamic);
      case TypeKind::Bool: return name.append("bool");
      case TypeKind::Number: return name.append("number");
      case TypeKind::String: return name.append("string");
      case TypeKind::Tuple: return name.append("tuple");
      case TypeKind::Object: return name.append("object");
      case TypeKind::Capsule: return name.append(type.capsule_name());
      case TypeKind::List: name.append("list of "); break;
      case TypeKind::Set: name.append("set of "); break;
      case TypeKind::Map: name.append("map of "); break;
    }
  }
}

}  // namespace

std::string friendly_name(Type type) { return name_of(type, "dynamic", "dynamic"); }

std::string friendly_constraint_name(Type type) {
  return name_of(type, "any type", "any single type");
}

bool conforms(Type given, Type want) {
  std::vector<std::pair<Type, Type>> open;
  // Most parts are settled at a glance: every object that a provider plans comes by here.
  const auto add = [&](Type have, Type need) {
    if (have != need && !need.is_dynamic()) open.emplace_back(have, need);
  };
  // Adds the parts, if there can be any that conform.
  const auto open_up = [&](Type have, Type need) {
    if (have.kind() != need.kind()) return false;
    switch (have.kind()) {
      case TypeKind::List:
      case TypeKind::Set:
      case TypeKind::Map: add(have.element(), need.element()); return true;
      case TypeKind::Tuple:
        if (have.elements().size() != need.elements().size()) return false;
        for (std::size_t i = 0; i < have.elements().size(); ++i) {
          add(have.elements()[i], need.elements()[i]);
        }
        return true;
      case TypeKind::Object:
        if (have.attributes().size() != need.attributes().size()) return false;
        for (std::size_t i = 0; i < have.attributes().size(); ++i) {
          if (have.attributes()[i].name != need.attributes()[i].name) return false;
          add(have.attributes()[i].type, need.attributes()[i].type);
        }
        return true;
      case TypeKind::Dynamic:
      case TypeKind::Bool:
      case TypeKind::Number:
      case TypeKind::String:
      case TypeKind::Capsule: return false;
    }
    return false;
  };
  if (given == want || want.is_dynamic()) return true;
  if (!open_up(given, want)) return false;
  while (!open.empty()) {
    const auto [have, need] = open.back();
    open.pop_back();
    if (!open_up(have, need)) return false;
  }
  return true;
}

}  // namespace tofu::value
