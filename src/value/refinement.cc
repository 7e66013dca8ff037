#include "value/refinement.h"

#include <algorithm>
#include <new>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/unicode.h"
#include "value/hash.h"
#include "value/value.h"

namespace tofu::value {

namespace {

// Whether `a` leaves fewer numbers than `b`.
bool is_higher(const Bound& a, const Bound& b) {
  const auto order = a.limit <=> b.limit;
  return order > 0 || (order == 0 && !a.inclusive && b.inclusive);
}
bool is_lower(const Bound& a, const Bound& b) {
  const auto order = a.limit <=> b.limit;
  return order < 0 || (order == 0 && !a.inclusive && b.inclusive);
}

// An infinite bound says nothing.
bool says_something(const std::optional<Bound>& bound) {
  return bound && !bound->limit.is_infinite();
}

bool bounds_agree(const Refinements& r) {
  if (r.length_max && r.length_min > *r.length_max) return false;
  if (!r.lower || !r.upper) return true;
  const auto order = r.lower->limit <=> r.upper->limit;
  return order < 0 || (order == 0 && r.lower->inclusive == r.upper->inclusive);
}

// Only what can be said about values of this type.
Refinements relevant(Type type, const Refinements& all) {
  Refinements some;
  some.not_null = all.not_null;
  if (type == Type::string()) some.prefix = all.prefix;
  if (type == Type::number()) {
    some.lower = all.lower;
    some.upper = all.upper;
  }
  if (type.is_collection()) {
    some.length_min = all.length_min;
    some.length_max = all.length_max;
  }
  return some;
}

// The value that is left if there is only one, or one that says more than an
// unknown can: a list of known length has unknown elements.
std::optional<Value> settled(Type type, const Refinements& known) {
  if (!known.not_null) return std::nullopt;
  if (known.lower && known.upper && known.lower->inclusive && known.upper->inclusive &&
      known.lower->limit == known.upper->limit) {
    return Value::number(known.lower->limit);
  }
  if (!type.is_collection() || known.length_max != known.length_min) return std::nullopt;
  // A length from outside may be anything; a longer list stays an unknown.
  constexpr std::uint64_t kMaxElements = 1 << 20;
  const std::uint64_t length = known.length_min;
  if (type.kind() == TypeKind::List && length <= kMaxElements) {
    std::vector<Value> items(length, Value::unknown(type.element()));
    return ValueRep::make_items(Kind::List, type, {}, items);
  }
  if (type.kind() == TypeKind::Set && length <= 1) {
    std::vector<Value> items(length, Value::unknown(type.element()));
    return ValueRep::make_set(type, items);
  }
  if (type.kind() == TypeKind::Map && length == 0) {
    return ValueRep::make_items(Kind::Map, type, {}, {});
  }
  return std::nullopt;
}

Plain unknown_with(Type type, Refinements known) {
  if (known.empty()) return Value::unknown(type).plain();
  Refinements only_not_null;
  only_not_null.not_null = true;
  const bool common = known == only_not_null;
  const TypeEntry* entry = entry_of(type);
  if (common) {
    if (const RefinedNode* made = entry->not_null.load(std::memory_order_acquire)) {
      return ValueRep::adopt_plain(made);
    }
  }
  const std::uint8_t flags = common ? kImmortal : 0;
  auto* node = place<RefinedNode>(0, type.node(), std::move(known), flags);
  const RefinedNode* other = nullptr;
  if (common && !entry->not_null.compare_exchange_strong(other, node, std::memory_order_acq_rel)) {
    node->~RefinedNode();  // another thread was faster
    ::operator delete(node);
    return ValueRep::adopt_plain(other);
  }
  return ValueRep::adopt_plain(node);
}

}  // namespace

std::optional<Refinements> narrowed(Refinements have, const Refinements& more) {
  have.not_null = have.not_null || more.not_null;
  const bool longer = more.prefix.size() > have.prefix.size();
  const std::string& longest = longer ? more.prefix : have.prefix;
  if (!longest.starts_with(longer ? have.prefix : more.prefix)) return std::nullopt;
  if (longer) have.prefix = more.prefix;
  if (says_something(more.lower) && (!have.lower || is_higher(*more.lower, *have.lower))) {
    have.lower = more.lower;
  }
  if (says_something(more.upper) && (!have.upper || is_lower(*more.upper, *have.upper))) {
    have.upper = more.upper;
  }
  have.length_min = std::max(have.length_min, more.length_min);
  if (more.length_max) {
    have.length_max = std::min(have.length_max.value_or(*more.length_max), *more.length_max);
  }
  if (!bounds_agree(have)) return std::nullopt;
  return have;
}

const Refinements& Plain::refinements() const {
  TOFU_CHECK(is_unknown(), "only unknown values have refinements");
  static const Refinements none;
  return (node()->flags & kRefined) != 0 ? ValueRep::as<RefinedNode>(*this).refinements : none;
}

Plain Plain::refined(const Refinements& more) const {
  // About an unknown of unknown type nothing is kept, as in OpenTofu.
  if (!is_unknown() || type().is_dynamic()) return *this;
  auto known = narrowed(refinements(), relevant(type(), more));
  TOFU_CHECK(known.has_value(), "refinements of one value agree");
  if (auto one = settled(type(), *known)) return std::move(*one).plain();
  return unknown_with(type(), *std::move(known));
}

Plain Plain::refined_not_null() const {
  if (!is_unknown() || type().is_dynamic() || refinements().not_null) return *this;
  Refinements more;
  more.not_null = true;
  return refined(more);
}

Value Value::refined(const Refinements& more) const {
  return unmarked().refined(more).with_marks(marks());
}

Value Value::refined_not_null() const { return unmarked().refined_not_null().with_marks(marks()); }

std::string safe_prefix(std::string_view text) {
  const std::string prefix = base::to_nfc(text);
  std::size_t last = 0;
  if (prefix.size() >= 2 && is_plain_ascii(std::string_view(prefix).substr(prefix.size() - 2)) &&
      !prefix.ends_with("\r\n")) {
    last = prefix.size() - 1;
  } else {
    std::size_t next = 0;
    while (next < prefix.size()) {
      last = next;
      next += base::first_grapheme(std::string_view(prefix).substr(next));
    }
  }
  // Characters that never join with what follows; a list that may only grow,
  // since a shorter prefix makes known results unknown.
  constexpr std::string_view kDelimiters = "-_:;/\\,.(){}[]|?!~ \t@#$%^&*+\"'";
  const std::string_view final_cluster = std::string_view(prefix).substr(last);
  const bool ends = final_cluster.size() == 1 &&
                    kDelimiters.find(final_cluster.front()) != std::string_view::npos;
  return ends ? prefix : prefix.substr(0, last);
}

}  // namespace tofu::value
