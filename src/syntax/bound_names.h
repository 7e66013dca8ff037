// The names that enclosing `for`s bind, and the slots that they and splats take.
//
// Names are looked up when an expression is parsed, so that evaluation never has to.
// Slots are counted from the outermost binder of the whole expression.
//
// Private to this component; they call syntax/parser.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace tofu::syntax {

class BoundNames {
 public:
  // A position in the list of bound names, to return to.
  struct Mark {
    std::size_t names;
    std::uint32_t slot;
  };

  Mark mark() const { return {bound_.size(), next_slot_}; }
  void restore(Mark mark) {
    bound_.resize(mark.names);
    next_slot_ = mark.slot;
  }

  // Gives `name` the next slot. An empty name takes up a slot but is not found.
  void bind(std::string_view name) {
    const std::uint32_t slot = take_slot();
    if (!name.empty()) bound_.push_back({name, slot});
  }
  std::uint32_t take_slot() { return next_slot_++; }
  std::uint32_t next_slot() const { return next_slot_; }

  // Of the innermost binder of this name.
  std::optional<std::uint32_t> slot_of(std::string_view name) const {
    for (auto bound = bound_.rbegin(); bound != bound_.rend(); ++bound) {
      if (bound->name == name) return bound->slot;
    }
    return std::nullopt;
  }

 private:
  struct Bound {
    std::string_view name;  // in the source text
    std::uint32_t slot;
  };

  std::vector<Bound> bound_;
  std::uint32_t next_slot_ = 0;
};

// Names bound during its lifetime are forgotten after it.
class Binder {
 public:
  explicit Binder(BoundNames& names) : names_(names), outer_(names.mark()) {}
  Binder(const Binder&) = delete;
  Binder& operator=(const Binder&) = delete;
  ~Binder() { names_.restore(outer_); }

 private:
  BoundNames& names_;
  BoundNames::Mark outer_;
};

}  // namespace tofu::syntax
