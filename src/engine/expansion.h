// The instances that `count`, `for_each` or `enabled` make of one block in one instance
// of its module.
//
// Instances have positions, from 0, in the order of their keys. What each.key and the
// like are for one of them is worked out when it is asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "addrs/instance_key.h"
#include "config/objects.h"
#include "diag/diagnostic.h"
#include "eval/names.h"
#include "value/value.h"

namespace tofu::engine {

class Expansion {
 public:
  enum class By : std::uint8_t { Nothing, Enabled, Count, ForEach };

  // One instance without a key.
  Expansion() = default;
  static Expansion enabled(bool is_there);
  static Expansion counted(std::size_t count);
  // Of a map, an object or a set of strings, known and unmarked.
  static Expansion over(const value::Value& elements);

  By by() const { return by_; }
  std::size_t size() const { return size_; }
  addrs::InstanceKey key(std::size_t position) const;
  std::optional<std::size_t> find(const addrs::InstanceKey& key) const;
  // The same for a key as an expression has it: a known, unmarked string or number.
  std::optional<std::size_t> find(const value::Value& key) const;
  // Says which instance `standing` is about.
  void place(eval::Standing& standing, std::size_t position) const;

  // What the whole block is in expressions: one value, a tuple or an object of the
  // instances' values. Without an instance, `enabled` makes it null.
  value::Value assemble(std::vector<value::Value> values) const;

 private:
  By by_ = By::Nothing;
  std::size_t size_ = 1;
  std::vector<value::Value> keys_;    // of for_each: strings in the order of their bytes
  std::vector<value::Value> values_;  // of for_each: what each.value is; empty: the keys
};

// What `repetition` makes of a block. Unknown numbers and keys are errors. Nothing if
// and only if an error was added.
std::optional<Expansion> expand(const config::Repetition& repetition, const eval::Names& names,
                                diag::Diagnostics& diags);

}  // namespace tofu::engine
