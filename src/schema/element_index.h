// Finding objects of a set that may belong to a given one, without comparing all pairs.
//
// Elements of sets have no keys, so two sets are matched by some of the elements'
// parts: those that have to be equal. The index is by the hash of those parts. Which
// they are may differ from element to element, but few combinations occur.
//
// Private to this component.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "value/value.h"

namespace tofu::schema {

class ElementIndex {
 public:
  // `elements` outlive it.
  explicit ElementIndex(std::span<const value::Value> elements);

  // Positions, in order, of all elements that may have the same `fixed` parts as the
  // object `like`: everything that has is among them. Unknown parts are alike.
  std::span<const std::uint32_t> candidates(const std::vector<bool>& fixed,
                                            const value::Value& like);

 private:
  struct Table {
    std::vector<bool> fixed;
    std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> positions;
  };
  const Table* table_for(const std::vector<bool>& fixed);

  std::span<const value::Value> elements_;
  bool plain_objects_ = true;       // otherwise nothing can be said of parts
  std::vector<std::uint32_t> all_;  // every position
  std::vector<Table> tables_;
};

}  // namespace tofu::schema
