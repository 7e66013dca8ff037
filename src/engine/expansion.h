// The instances that `count`, `for_each` or `enabled` make of one block in one instance
// of its module.
//
// Instances have positions, from 0, in the order of their keys. What each.key and the
// like are for one of them is worked out when it is asked for.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "addrs/instance_key.h"
#include "addrs/module.h"
#include "base/memory.h"
#include "config/objects.h"
#include "diag/diagnostic.h"
#include "engine/deferrals.h"
#include "eval/module_scope.h"
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
  void place(eval::InstanceScope& instance_scope, std::size_t position) const;

  // What the whole block is in expressions: one value, a tuple or an object of the
  // instances' values. Without an instance, `enabled` makes it null.
  value::Value assemble(std::vector<value::Value> values) const;

 private:
  By by_ = By::Nothing;
  std::size_t size_ = 1;
  std::vector<value::Value> keys_;    // of for_each: strings in the order of their bytes
  std::vector<value::Value> values_;  // of for_each: what each.value is; empty: the keys
};

// How many instances of modules and resources one run may have. It is asked before there are any.
//
// Threads: any.
class InstanceBudget {
 public:
  static constexpr std::size_t kMaxInstances = std::size_t{1} << (base::kMemoryIsChecked ? 18 : 22);

  // False if there would be too many, now or before.
  bool take(std::size_t instances);
  bool is_spent() const { return is_spent_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::size_t> taken_{0};
  std::atomic<bool> is_spent_{false};
};

// The resource or module call whose instances are made, in the module of `module`.
struct ExpansionSubject {
  const addrs::ModulePath& module;
  const config::Resource* resource = nullptr;
  const config::ModuleCall* call = nullptr;  // if it is not a resource
  Deferrals* deferrals = nullptr;            // where it is noted if its instances are unknown

  std::string address() const;  // as -exclude takes it: module.a.aws_x.y
  diag::SourceRange range() const;
};

// The instances that `repetition` makes of `subject`. Unknown numbers and keys are errors, also
// where they are noted as a deferral, and so are more instances than the budget has.
diag::Checked<Expansion> expand(const config::Repetition& repetition,
                                const eval::ModuleScope& names, InstanceBudget& budget,
                                const ExpansionSubject& subject, diag::Diagnostics& diags);

}  // namespace tofu::engine
