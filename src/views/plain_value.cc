#include "views/plain_value.h"

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "value/json_scanner.h"

namespace tofu::views {

namespace {

using schema::Nesting;
using value::Kind;
using value::Type;
using value::TypeKind;
using value::Value;

std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  a ^= b + 0x9e3779b97f4a7c15ULL + (a << 6) + (a >> 2);
  return a * 0xff51afd7ed558ccdULL;
}

std::uint64_t hash_of(const PlainValue& v) {
  // A null in an array and something unknown in its place are the same.
  if (v.unknown || v.kind == PlainKind::Null) return 1;
  auto hash = static_cast<std::uint64_t>(v.kind) + 2;
  hash = mixed(hash, std::hash<std::string_view>{}(v.text));
  for (std::size_t i = 0; i < v.items.size(); ++i) {
    if (v.kind == PlainKind::Object) {
      if (v.items[i].unknown) continue;
      hash = mixed(hash, std::hash<std::string_view>{}(v.keys[i]));
    }
    hash = mixed(hash, v.items[i].hash);
  }
  return hash;
}

PlainValue scalar(PlainKind kind, std::string_view text) {
  PlainValue v{.kind = kind, .text = text};
  v.hash = hash_of(v);
  return v;
}

PlainValue container(PlainKind kind, std::span<const PlainValue> items,
                     std::span<const std::string_view> keys = {}) {
  PlainValue v{.kind = kind};
  v.items = items;
  v.keys = keys;
  v.hash = hash_of(v);
  return v;
}

// A list in an arena whose length is known before its elements are.
template <class T>
class ArenaList {
 public:
  ArenaList(base::Arena& arena, std::size_t size)
      : first_(static_cast<T*>(arena.allocate(size * sizeof(T), alignof(T)))) {}

  void push_back(const T& item) { std::construct_at(first_ + size_++, item); }
  std::span<const T> all() const { return {first_, size_}; }

 private:
  T* first_;
  std::size_t size_ = 0;
};

PlainValue unknown_of(Type type) {
  PlainValue v{.unknown = true};
  switch (type.kind()) {
    case TypeKind::List:
    case TypeKind::Set:
    case TypeKind::Tuple: v.kind = PlainKind::Array; break;
    case TypeKind::Map:
    case TypeKind::Object: v.kind = PlainKind::Object; break;
    case TypeKind::Dynamic:
    case TypeKind::Bool:
    case TypeKind::Number:
    case TypeKind::String:
    case TypeKind::Capsule: break;
  }
  v.hash = hash_of(v);
  return v;
}

// Makes a tree; what a schema says is followed as far as it goes.
class Builder {
 public:
  explicit Builder(base::Arena& arena) : arena_(arena) {}

  PlainValue of(const Value& marked) {
    return noted(marked, [&](const Value& v) { return of_unmarked(v); });
  }

  PlainValue of_block(const Value& marked, const schema::Block& schema) {
    return noted(marked, [&](const Value& v) {
      if (v.kind() != Kind::Object) return of_unmarked(v);
      return of_object(v, [&](std::string_view name, const Value& item) {
        if (const schema::Attribute* attribute = schema.attribute(name))
          return of_attribute(item, *attribute);
        if (const schema::NestedBlock* nested = schema.block(name)) {
          return of_nesting(item, nested->nesting,
                            [&](const Value& each) { return of_block(each, *nested->block); });
        }
        return of(item);
      });
    });
  }

 private:
  PlainValue of_attribute(const Value& v, const schema::Attribute& attribute) {
    PlainValue out =
        attribute.nested && !attribute.sensitive
            ? of_nesting(v, attribute.nested->nesting,
                         [&](const Value& each) { return of_nested(each, *attribute.nested); })
            : of(v);
    if (attribute.sensitive) out.sensitive = true;
    return out;
  }

  PlainValue of_nested(const Value& marked, const schema::NestedType& type) {
    return noted(marked, [&](const Value& v) {
      if (v.kind() != Kind::Object) return of_unmarked(v);
      return of_object(v, [&](std::string_view name, const Value& item) {
        const auto at = std::ranges::find(type.attributes, name, &schema::Attribute::name);
        return at == type.attributes.end() ? of(item) : of_attribute(item, *at);
      });
    });
  }

  template <class Each>
  PlainValue of_nesting(const Value& marked, Nesting nesting, Each&& each) {
    if (nesting == Nesting::Single || nesting == Nesting::Group) return each(marked);
    return noted(marked, [&](const Value& v) { return of_items(v, each); });
  }

  // The notes of a value itself, and its depth.
  template <class Make>
  PlainValue noted(const Value& marked, Make&& make) {
    if (depth_ >= kMaxDepth) return scalar(PlainKind::Null, {});
    ++depth_;
    PlainValue out;
    if (marked.is_marked()) {
      out = make(marked.unmarked());
      if (marked.marks().is_sensitive()) out.sensitive = true;
    } else {
      out = make(marked);
    }
    --depth_;
    return out;
  }

  PlainValue of_unmarked(const Value& v) {
    return of_items(v, [&](const Value& item) { return of(item); });
  }

  template <class Each>
  PlainValue of_items(const Value& v, Each&& each) {
    switch (v.kind()) {
      case Kind::Null: return scalar(PlainKind::Null, {});
      case Kind::Unknown: return unknown_of(v.type());
      case Kind::Bool: return scalar(PlainKind::Bool, v.plain().as_bool() ? "true" : "false");
      case Kind::Number: {
        const value::Number number = v.plain().as_number();
        // JSON has no infinity.
        return scalar(number.is_infinite() ? PlainKind::String : PlainKind::Number,
                      arena_.copy(std::string_view(number.to_string())));
      }
      case Kind::String: return scalar(PlainKind::String, v.plain().as_string());
      case Kind::List:
      case Kind::Set:
      case Kind::Tuple: return of_array(v, each);
      case Kind::Map: return of_map(v, each);
      case Kind::Object:
        return of_object(v, [&](std::string_view, const Value& item) { return each(item); });
      case Kind::Capsule: return scalar(PlainKind::Null, {});
      case Kind::Marked: break;
    }
    base::broken_promise("a value with marks where they were taken off");
  }

  template <class Each>
  PlainValue of_array(const Value& v, Each&& each) {
    ArenaList<PlainValue> items(arena_, v.plain().size());
    for (const Value& item : v.plain().items()) items.push_back(each(item));
    return container(PlainKind::Array, items.all());
  }

  template <class Each>
  PlainValue of_map(const Value& v, Each&& each) {
    ArenaList<PlainValue> items(arena_, v.plain().size());
    ArenaList<std::string_view> keys(arena_, v.plain().size());
    for (std::size_t i = 0; i < v.plain().size(); ++i) {
      keys.push_back(v.plain().map_keys()[i].plain().as_string());
      items.push_back(each(v.plain().items()[i]));
    }
    return container(PlainKind::Object, items.all(), keys.all());
  }

  template <class Each>
  PlainValue of_object(const Value& v, Each&& each) {
    const auto attributes = v.type().attributes();
    ArenaList<PlainValue> items(arena_, attributes.size());
    ArenaList<std::string_view> keys(arena_, attributes.size());
    for (std::size_t i = 0; i < attributes.size(); ++i) {
      keys.push_back(attributes[i].name);  // types are never freed
      items.push_back(each(attributes[i].name, v.plain().items()[i]));
    }
    return container(PlainKind::Object, items.all(), keys.all());
  }

  base::Arena& arena_;
  int depth_ = 0;
};

// Builds a tree from the JSON scanner without recursion.
class JsonSink {
 public:
  explicit JsonSink(base::Arena& arena) : arena_(arena) { levels_.emplace_back(); }

  bool null() { return add(scalar(PlainKind::Null, {})); }
  bool boolean(bool b) { return add(scalar(PlainKind::Bool, b ? "true" : "false")); }
  bool number(std::string_view text) { return add(scalar(PlainKind::Number, arena_.copy(text))); }
  bool string(std::string_view text) { return add(scalar(PlainKind::String, arena_.copy(text))); }
  bool name(std::string_view text) {
    levels_.back().keys.push_back(arena_.copy(text));
    return true;
  }
  bool open(bool is_object) {
    if (levels_.size() > static_cast<std::size_t>(kMaxDepth)) return false;
    levels_.push_back({.is_object = is_object});
    return true;
  }
  bool close() {
    Level level = std::move(levels_.back());
    levels_.pop_back();
    if (!level.is_object) return add(container(PlainKind::Array, arena_.copy(level.items)));
    sort(level);
    return add(container(PlainKind::Object, arena_.copy(level.items), arena_.copy(level.keys)));
  }

  PlainValue take() { return levels_.front().items.front(); }

 private:
  struct Level {
    bool is_object = false;
    std::vector<PlainValue> items = {};
    std::vector<std::string_view> keys = {};
  };

  bool add(PlainValue v) {
    levels_.back().items.push_back(v);
    return true;
  }

  // By key; of a key that is given twice the last value is kept.
  static void sort(Level& level) {
    std::vector<std::size_t> order(level.keys.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return level.keys[i]; });
    Level sorted{.is_object = true};
    for (const std::size_t i : order) {
      if (!sorted.keys.empty() && sorted.keys.back() == level.keys[i]) {
        sorted.items.back() = level.items[i];
        continue;
      }
      sorted.keys.push_back(level.keys[i]);
      sorted.items.push_back(level.items[i]);
    }
    level = std::move(sorted);
  }

  base::Arena& arena_;
  std::vector<Level> levels_;
};

bool same_objects(const PlainValue& a, const PlainValue& b) {
  std::size_t i = 0;
  std::size_t j = 0;
  for (;;) {
    while (i < a.items.size() && a.items[i].unknown) ++i;
    while (j < b.items.size() && b.items[j].unknown) ++j;
    if (i == a.items.size() || j == b.items.size()) {
      return i == a.items.size() && j == b.items.size();
    }
    if (a.keys[i] != b.keys[j] || !same(a.items[i], b.items[j])) return false;
    ++i;
    ++j;
  }
}

}  // namespace

const PlainValue* PlainValue::find(std::string_view key) const {
  const auto at = std::ranges::lower_bound(keys, key);
  if (at == keys.end() || *at != key) return nullptr;
  return &items[static_cast<std::size_t>(at - keys.begin())];
}

PlainValue plain_value(base::Arena& arena, const Value& v) { return Builder(arena).of(v); }

PlainValue plain_value(base::Arena& arena, const Value& v, const schema::Block& schema) {
  return Builder(arena).of_block(v, schema);
}

std::optional<PlainValue> parse_plain_json(base::Arena& arena, std::string_view text) {
  value::JsonScanner scanner(text);
  JsonSink sink(arena);
  if (!scanner.walk(sink)) return std::nullopt;
  return sink.take();
}

bool same(const PlainValue& a, const PlainValue& b) {
  if (a.hash != b.hash) return false;
  const bool a_null = a.unknown || a.kind == PlainKind::Null;
  const bool b_null = b.unknown || b.kind == PlainKind::Null;
  if (a_null || b_null) return a_null && b_null;
  if (a.kind != b.kind || a.text != b.text) return false;
  if (a.kind == PlainKind::Object) return same_objects(a, b);
  return std::ranges::equal(a.items, b.items, same);
}

}  // namespace tofu::views
