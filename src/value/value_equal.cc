#include <utility>
#include <vector>

#include "value/hash.h"
#include "value/value.h"

// Hash and sameness, of values as they lie in memory (ValueRep::raw): marks are a
// part like any other. Both walk with a list of their own instead of the stack,
// since values may be nested as deep as memory allows.

namespace tofu::value {

namespace {

std::uint32_t folded(std::uint64_t hash) {
  const auto small = static_cast<std::uint32_t>(hash ^ (hash >> 32));
  return small != 0 ? small : 1;  // 0 means "not computed"
}

std::uint32_t hash_of_small(std::uintptr_t bits) {
  return folded(Number(small_whole(bits)).hash());
}

// The hash of a value whose parts are hashed already.
std::uint32_t known_hash(const Plain& v) {
  if (!ValueRep::is_node(v)) return hash_of_small(ValueRep::bits(v));
  return ValueRep::node(v)->hash.load(std::memory_order_relaxed);
}

// The parts that must be hashed before this value can be.
std::span<const Value> parts_of(const Plain& v) {
  switch (v.kind()) {
    case Kind::List:
    case Kind::Set:
    case Kind::Tuple:
    case Kind::Object: return v.items();
    case Kind::Map: return {v.map_keys().data(), v.size() * 2};  // keys, then values
    case Kind::Marked: return {&ValueRep::as<MarkedNode>(v).inner, 1};
    case Kind::Null:
    case Kind::Unknown:
    case Kind::Bool:
    case Kind::Number:
    case Kind::String:
    case Kind::Capsule: break;
  }
  return {};
}

std::uint64_t own_hash(const Plain& v) {
  const auto kind = static_cast<std::uint64_t>(v.kind());
  switch (v.kind()) {
    case Kind::Null: return mix(v.type().hash(), 1);
    case Kind::Unknown: return mix(v.type().hash(), 2);
    case Kind::Bool: return v.as_bool() ? 3 : 4;
    case Kind::Number: return v.as_number().hash();
    case Kind::String: return hash_bytes(v.as_string());
    case Kind::Capsule: return mix(reinterpret_cast<std::uintptr_t>(v.as_capsule().get()), kind);
    case Kind::Marked: return kind;
    case Kind::List:
    case Kind::Set:
    case Kind::Map:
    case Kind::Tuple:
    case Kind::Object: return mix(v.size(), kind);
  }
  base::broken_promise("value kind out of range");
}

void compute_hash(const Plain& root) {
  std::vector<const Plain*> open{&root};
  while (!open.empty()) {
    const Plain& v = *open.back();
    const auto parts = parts_of(v);
    const std::size_t before = open.size();
    for (const Value& part : parts) {
      if (known_hash(ValueRep::raw(part)) == 0) open.push_back(&ValueRep::raw(part));
    }
    if (open.size() != before) continue;  // come back when the parts are done
    std::uint64_t hash = own_hash(v);
    for (const Value& part : parts) hash = mix(hash, known_hash(ValueRep::raw(part)));
    ValueRep::node(v)->hash.store(folded(hash), std::memory_order_relaxed);
    open.pop_back();
  }
}

bool same_refinements(const Plain& a, const Plain& b) {
  const bool plain_a = (ValueRep::flags(a) & kRefined) == 0;
  const bool plain_b = (ValueRep::flags(b) & kRefined) == 0;
  if (plain_a || plain_b) return plain_a == plain_b;
  return a.refinements() == b.refinements();
}

// Sameness apart from the parts of containers.
bool same_outside(const Plain& a, const Plain& b) {
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case Kind::Number: return a.as_number() == b.as_number();
    case Kind::String: return a.as_string() == b.as_string();
    case Kind::Bool: return a.as_bool() == b.as_bool();
    case Kind::Null: return a.type() == b.type();
    case Kind::Unknown: return a.type() == b.type() && same_refinements(a, b);
    case Kind::Capsule: return a.type() == b.type() && a.as_capsule() == b.as_capsule();
    case Kind::Marked:
      return ValueRep::as<MarkedNode>(a).marks == ValueRep::as<MarkedNode>(b).marks;
    case Kind::List:
    case Kind::Set:
    case Kind::Map:
    case Kind::Tuple:
    case Kind::Object: return a.type() == b.type() && a.size() == b.size();
  }
  base::broken_promise("value kind out of range");
}

}  // namespace

std::uint64_t Plain::hash() const {
  std::uint32_t hash = known_hash(*this);
  if (hash == 0) {
    if (parts_of(*this).empty()) {
      ValueRep::node(*this)->hash.store(folded(own_hash(*this)), std::memory_order_relaxed);
    } else {
      compute_hash(*this);
    }
    hash = known_hash(*this);
  }
  return hash * std::uint64_t{0x9E3779B97F4A7C15u};  // the upper bits matter to tables
}

bool raw_equal(const Value& a, const Value& b) {
  if (a.is_same(b)) return true;
  if (parts_of(ValueRep::raw(a)).empty()) return same_outside(ValueRep::raw(a), ValueRep::raw(b));
  std::vector<std::pair<const Plain*, const Plain*>> open{{&ValueRep::raw(a), &ValueRep::raw(b)}};
  while (!open.empty()) {
    const auto [left, right] = open.back();
    open.pop_back();
    if (left->is_same(*right)) continue;
    if (!same_outside(*left, *right)) return false;
    const auto left_parts = parts_of(*left);
    const auto right_parts = parts_of(*right);
    if (left_parts.empty()) continue;
    // Containers that were hashed before are distinguished without a walk.
    const std::uint32_t left_hash = known_hash(*left);
    const std::uint32_t right_hash = known_hash(*right);
    if (left_hash != 0 && right_hash != 0 && left_hash != right_hash) return false;
    for (std::size_t i = left_parts.size(); i-- > 0;) {
      if (left_parts[i].is_same(right_parts[i])) continue;
      const Plain& l = ValueRep::raw(left_parts[i]);
      const Plain& r = ValueRep::raw(right_parts[i]);
      if (!parts_of(l).empty()) {
        open.emplace_back(&l, &r);
      } else if (!same_outside(l, r)) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace tofu::value
