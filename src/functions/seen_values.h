// A set of values that are wholly known, for asking "was this one here before?"
//
// It holds pointers into a sequence that the caller keeps, and compares by equality in the
// language's sense. Constant time for each question.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "functions/arguments.h"
#include "value/value.h"

namespace tofu::functions {

class SeenValues {
 public:
  // For at most `capacity` values.
  explicit SeenValues(std::size_t capacity) {
    std::size_t size = 8;
    while (size < capacity * 2) size *= 2;
    slots_.resize(size);
  }

  // False if an equal value is there already. `v` has to stay where it is.
  bool add(const value::Value& v) {
    const value::Value** slot = find(v);
    if (*slot != nullptr) return false;
    *slot = &v;
    return true;
  }

  bool contains(const value::Value& v) { return *find(v) != nullptr; }

 private:
  const value::Value** find(const value::Value& v) {
    // Nulls of different types are equal but do not hash alike.
    const std::uint64_t hash = v.is_null() ? 0 : v.hash();
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = static_cast<std::size_t>(hash ^ (hash >> 32)) & mask;
    while (slots_[at] != nullptr && !known_equal(*slots_[at], v)) at = (at + 1) & mask;
    return &slots_[at];
  }

  std::vector<const value::Value*> slots_;  // a power of two; at least half of them free
};

}  // namespace tofu::functions
