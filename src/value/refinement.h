// Partial knowledge about an unknown value.
//
// Refinements only ever narrow. A refinement that leaves a single possibility
// is not kept: Value::refined() turns it into that known value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "value/number.h"

namespace tofu::value {

struct Bound {
  Number limit;
  bool inclusive = true;
  bool operator==(const Bound&) const = default;
};

struct Refinements {
  bool not_null = false;
  std::string prefix;          // of a string
  std::optional<Bound> lower;  // of a number
  std::optional<Bound> upper;
  std::uint64_t length_min = 0;  // of a collection
  std::optional<std::uint64_t> length_max;

  bool empty() const { return *this == Refinements{}; }
  bool operator==(const Refinements&) const = default;
};

// Everything that both say, or nothing if they contradict each other. For
// refinements that come from outside; Value::refined() takes agreement for granted.
std::optional<Refinements> narrowed(Refinements have, const Refinements& more);

// The longest prefix of `text` that stays a prefix when text is appended: the last grapheme cluster
// may still grow or normalize with what comes after.
std::string safe_prefix(std::string_view text);

}  // namespace tofu::value
