#include "value/value.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>

#include "base/unicode.h"
#include "value/hash.h"
#include "value/text_order.h"
#include "value/type_table.h"

namespace tofu::value {

constinit const TypedNode kTrueNode{Kind::Bool, kImmortal | kTruth, 0, &kBoolType};
constinit const TypedNode kFalseNode{Kind::Bool, kImmortal, 0, &kBoolType};

namespace {

// The empty string and every string of one ASCII character are made once.
struct ShortString {
  StringNode node{0, kImmortal};
  char byte[8] = {};
};
static_assert(offsetof(ShortString, byte) == sizeof(StringNode));

template <std::size_t... I>
constexpr std::array<ShortString, sizeof...(I)> all_short_strings(std::index_sequence<I...>) {
  return {ShortString{StringNode{1, kImmortal}, {static_cast<char>(I)}}...};
}
constinit const std::array<ShortString, 128> kShortStrings =
    all_short_strings(std::make_index_sequence<128>());
constinit const ShortString kEmptyString;

std::uint32_t checked_size(std::size_t size) {
  TOFU_CHECK(size <= UINT32_MAX, "a value has fewer than 2^32 parts");
  return static_cast<std::uint32_t>(size);
}

std::string_view text_of(const Value& string) { return string.plain().as_string(); }

Value make_string(std::string_view text) {
  if (text.empty()) return ValueRep::adopt(&kEmptyString.node);
  if (text.size() == 1 && is_plain_ascii(text)) {
    return ValueRep::adopt(&kShortStrings[static_cast<unsigned char>(text.front())].node);
  }
  auto* node = place<StringNode>(text.size(), checked_size(text.size()), std::uint8_t{0});
  std::memcpy(node->bytes(), text.data(), text.size());
  return ValueRep::adopt(node);
}

std::uint8_t inner_flags(std::span<const Value> items) {
  std::uint8_t flags = 0;
  for (const Value& item : items) flags |= ValueRep::flags(item);
  return flags & (kContainsUnknown | kContainsMarked | kContainsMinusZero);
}

std::uint32_t inner_weight(std::span<const Value> items) {
  std::uint32_t weight = 1;
  for (const Value& item : items) weight = added_weight(weight, item.weight());
  return weight;
}

// Moves handles to raw memory. The sources are left as moved from.
void relocate(std::span<Value> from, Value* to) {
  std::uninitialized_move(from.begin(), from.end(), to);
}

// Keeps the last of each run of equal keys, in place; `parts` are sorted stably.
template <class Part, class Key>
void keep_last(std::vector<Part>& parts, Key&& key) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i + 1 < parts.size() && key(parts[i]) == key(parts[i + 1])) continue;
    if (kept != i) parts[kept] = std::move(parts[i]);
    ++kept;
  }
  parts.resize(kept);
}

template <class Part, class Key>
void sort_unique(std::vector<Part>& parts, Key&& key) {
  bool in_order = true;
  for (std::size_t i = 1; i < parts.size() && in_order; ++i) {
    in_order = key(parts[i - 1]) < key(parts[i]);
  }
  if (in_order) return;
  auto order =
      text_order(parts.size(), [&](std::size_t i) { return std::string_view(key(parts[i])); });
  parts = reordered(std::span<Part>(parts), order);
  keep_last(parts, key);
}

}  // namespace

Plain ValueRep::make_items(Kind kind, Type type, std::span<Value> keys, std::span<Value> items) {
  const std::uint32_t count = checked_size(items.size());
  auto* node = place<ItemsNode>((keys.size() + count) * sizeof(Value), kind, inner_flags(items),
                                count, type.node());
  node->weight = inner_weight(items);
  relocate(keys, node->storage());
  relocate(items, node->storage() + keys.size());
  return adopt_plain(node);
}

Plain ValueRep::make_set(Type type, std::span<Value> items) {
  const std::uint32_t count = checked_size(items.size());
  auto* node =
      place<SetNode>(count * sizeof(Value), Kind::Set, inner_flags(items), count, type.node());
  node->weight = inner_weight(items);
  relocate(items, node->storage());
  return adopt_plain(node);
}

Plain ValueRep::with_items(const Plain& like, std::span<Value> items) {
  TOFU_CHECK(items.size() == like.size(), "a container keeps its number of items");
  if (like.kind() == Kind::Set) return make_set(like.type(), items);
  std::vector<Value> keys;
  if (like.kind() == Kind::Map) keys.assign(like.map_keys().begin(), like.map_keys().end());
  return make_items(like.kind(), like.type(), keys, items);
}

namespace {

// A null or unknown of type `any` becomes one of the element type.
Value settled(const Value& item, Type element) {
  const auto bare = item.unmarked();
  const bool open = bare.type().is_dynamic() && (bare.is_null() || bare.is_unknown());
  TOFU_CHECK(open, "items have the element type");
  return (bare.is_null() ? Value::null(element) : Value::unknown(element)).with_marks(item.marks());
}

}  // namespace

Type settle_items(Type element, std::span<Value> items) {
  if (element.is_dynamic()) {
    const auto typed =
        std::ranges::find_if(items, [](const Value& item) { return !item.type().is_dynamic(); });
    if (typed == items.end()) return element;
    element = typed->type();
  }
  for (Value& item : items) {
    if (item.type() != element) item = settled(item, element);
  }
  return element;
}

Value Value::number(Number number) {
  return Value(std::exchange(number.bits_, kMovedFrom), nullptr);
}

Number Plain::as_number() const {
  TOFU_CHECK(kind() == Kind::Number, "only a known number is read as one");
  retain(bits_);
  return Number(bits_, nullptr);
}

Value Value::string(std::string_view text) {
  if (is_plain_ascii(text) || base::is_nfc(text)) return make_string(text);
  return make_string(base::to_nfc(text));
}

Value Value::list(Type element, std::vector<Value> items) {
  element = settle_items(element, items);
  return ValueRep::make_items(Kind::List, Type::list(element), {}, items);
}

Value Value::map(Type element, std::vector<MapEntry> entries) {
  for (MapEntry& entry : entries) {
    if (!is_plain_ascii(entry.key)) entry.key = base::to_nfc(entry.key);
  }
  sort_unique(entries, [](const MapEntry& entry) -> const std::string& { return entry.key; });
  std::vector<Value> keys;
  std::vector<Value> items;
  keys.reserve(entries.size());
  items.reserve(entries.size());
  for (MapEntry& entry : entries) {
    keys.push_back(make_string(entry.key));
    items.push_back(std::move(entry.value));
  }
  element = settle_items(element, items);
  return ValueRep::make_items(Kind::Map, Type::map(element), keys, items);
}

Value Value::map(Type element, std::vector<Value> keys, std::vector<Value> items) {
  TOFU_CHECK(keys.size() == items.size(), "each key of a map has an item");
  element = settle_items(element, items);
  bool in_order = true;
  for (std::size_t i = 1; i < keys.size() && in_order; ++i) {
    in_order = text_of(keys[i - 1]) < text_of(keys[i]);
  }
  if (!in_order) {
    std::vector<std::pair<Value, Value>> entries(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
      entries[i] = {std::move(keys[i]), std::move(items[i])};
    }
    sort_unique(entries, [](const auto& entry) { return text_of(entry.first); });
    keys.resize(entries.size());
    items.resize(entries.size());
    for (std::size_t i = 0; i < entries.size(); ++i) {
      keys[i] = std::move(entries[i].first);
      items[i] = std::move(entries[i].second);
    }
  }
  return ValueRep::make_items(Kind::Map, Type::map(element), keys, items);
}

Value Value::tuple(std::vector<Value> items) {
  return ValueRep::make_items(Kind::Tuple, tuple_type_of(items), {}, items);
}

Value Value::object(std::vector<Attr> attributes) {
  for (Attr& attribute : attributes) {
    if (!is_plain_ascii(attribute.name)) attribute.name = base::to_nfc(attribute.name);
  }
  sort_unique(attributes, [](const Attr& a) -> const std::string& { return a.name; });
  const Type type = object_type_of(std::span<const Attr>(attributes));
  std::vector<Value> items;
  items.reserve(attributes.size());
  for (Attr& attribute : attributes) items.push_back(std::move(attribute.value));
  return ValueRep::make_items(Kind::Object, type, {}, items);
}

Value Value::object(Type type, std::vector<Value> items) {
  const auto attributes = type.attributes();
  TOFU_CHECK(items.size() == attributes.size(), "an object has an item for each attribute");
  TOFU_CHECK(!type.has_optional_attributes(), "a value's type has no optional attributes");
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].type() != attributes[i].type) items[i] = settled(items[i], attributes[i].type);
  }
  return ValueRep::make_items(Kind::Object, type, {}, items);
}

Value Value::capsule(Type type, std::shared_ptr<const void> thing) {
  TOFU_CHECK(type.kind() == TypeKind::Capsule, "a capsule has a capsule type");
  return ValueRep::adopt(place<CapsuleNode>(0, type.node(), std::move(thing)));
}

const std::shared_ptr<const void>& Plain::as_capsule() const {
  TOFU_CHECK(kind() == Kind::Capsule, "only a known capsule is opened");
  return ValueRep::as<CapsuleNode>(*this).thing;
}

const Value* Plain::find(std::string_view key) const {
  if (kind() == Kind::Object) {
    const auto place = type().attribute_index(key);
    return place ? &items()[*place] : nullptr;
  }
  const auto keys = map_keys();
  const auto found = std::ranges::lower_bound(keys, key, {}, text_of);
  if (found == keys.end() || text_of(*found) != key) return nullptr;
  return &items()[static_cast<std::size_t>(found - keys.begin())];
}

namespace {

// Dying containers wait in a list that runs through their own memory, so the
// depth of a value costs neither stack nor heap.
class DestroyQueue {
 public:
  void push(Node* node) {
    while (node != nullptr) {
      Node* inner = nullptr;
      switch (node->kind) {
        case Kind::List:
        case Kind::Set:
        case Kind::Map:
        case Kind::Tuple:
        case Kind::Object: {
          auto* dying = static_cast<ItemsNode*>(node);
          dying->type = reinterpret_cast<const TypeNode*>(waiting_);
          waiting_ = dying;
          break;
        }
        case Kind::Marked: {
          auto* marked = static_cast<MarkedNode*>(node);
          inner = last_holder_of(ValueRep::take(marked->inner));
          marked->~MarkedNode();
          ::operator delete(node);
          break;
        }
        case Kind::Capsule:
          static_cast<CapsuleNode*>(node)->~CapsuleNode();
          ::operator delete(node);
          break;
        case Kind::Unknown:  // only a refined one is counted
          static_cast<RefinedNode*>(node)->~RefinedNode();
          ::operator delete(node);
          break;
        case Kind::String:
          if (node->words_into_pool != 0) {
            leave_pool(node);
            break;
          }
          [[fallthrough]];
        case Kind::Number:
        case Kind::Null:
        case Kind::Bool: ::operator delete(node); break;
      }
      node = inner;
    }
  }

  void work() {
    while (waiting_ != nullptr) {
      ItemsNode* node = waiting_;
      waiting_ = const_cast<ItemsNode*>(reinterpret_cast<const ItemsNode*>(node->type));
      Value* first = node->storage();
      std::size_t count = node->size;
      if (node->kind == Kind::Map) count *= 2;
      if (node->kind == Kind::Set) {
        auto* set = static_cast<SetNode*>(node);
        ::operator delete(set->index.load(std::memory_order_relaxed));
        first = set->storage();
      }
      for (std::size_t i = 0; i < count; ++i) push(last_holder_of(ValueRep::take(first[i])));
      ::operator delete(node);
    }
  }

 private:
  // The node, if this was its last reference.
  static Node* last_holder_of(std::uintptr_t bits) {
    if (is_small(bits)) return nullptr;
    Node* node = node_of(bits);
    if ((node->flags & kImmortal) != 0) return nullptr;
    return drop_reference(node) ? node : nullptr;
  }

  ItemsNode* waiting_ = nullptr;
};

}  // namespace

void destroy(Node* node) {
  DestroyQueue graveyard;
  graveyard.push(node);
  graveyard.work();
}

}  // namespace tofu::value
