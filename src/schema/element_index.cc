#include "schema/element_index.h"

#include <algorithm>
#include <numeric>

namespace tofu::schema {

namespace {

using value::Kind;
using value::Value;

// Below this, comparing all pairs costs less than an index.
constexpr std::size_t kFewElements = 8;
constexpr std::size_t kMaxTables = 16;

// Agrees for unknowns that differ in refinements, as Value::hash does.
std::uint64_t key_of(const std::vector<bool>& fixed, const Value& object) {
  std::uint64_t key = 0;
  const auto parts = object.unmarked().items();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (fixed[i]) key = (key ^ parts[i].hash()) * std::uint64_t{0x9E3779B97F4A7C15u};
  }
  return key;
}

}  // namespace

ElementIndex::ElementIndex(std::span<const Value> elements)
    : elements_(elements), all_(elements.size()) {
  std::iota(all_.begin(), all_.end(), 0u);
  plain_objects_ =
      std::ranges::all_of(elements, [](const Value& v) { return v.kind() == Kind::Object; });
}

std::span<const std::uint32_t> ElementIndex::candidates(const std::vector<bool>& fixed,
                                                        const Value& like) {
  if (elements_.size() <= kFewElements || !plain_objects_ || like.kind() != Kind::Object) {
    return all_;
  }
  const Table* table = table_for(fixed);
  if (table == nullptr) return all_;
  const auto found = table->positions.find(key_of(fixed, like));
  if (found == table->positions.end()) return {};
  return found->second;
}

const ElementIndex::Table* ElementIndex::table_for(const std::vector<bool>& fixed) {
  if (std::ranges::find(fixed, true) == fixed.end()) return nullptr;
  const auto known = std::ranges::find(tables_, fixed, &Table::fixed);
  if (known != tables_.end()) return &*known;
  if (tables_.size() == kMaxTables) return nullptr;
  Table& table = tables_.emplace_back();
  table.fixed = fixed;
  for (std::uint32_t i = 0; i < elements_.size(); ++i) {
    table.positions[key_of(fixed, elements_[i])].push_back(i);
  }
  return &table;
}

}  // namespace tofu::schema
