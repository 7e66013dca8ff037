// The sorted attribute names of objects that are made repeatedly.
//
// Code that makes many objects with the same names (an object constructor in a loop, the instances
// of a resource, the elements of a JSON list) keeps a shape and passes the values by position. The
// type is looked up only where the types of the values differ from those of the object before.
// Names that come sorted, and perhaps only once, need no shape: object_of() takes them as they are.
//
// Threads: make() may be called from any.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "value/type.h"
#include "value/value.h"

namespace tofu::value {

class ObjectShape {
 public:
  ObjectShape() = default;
  // Names in any order, normalized to NFC. One that is given twice has one place.
  explicit ObjectShape(std::span<const std::string_view> names);
  ObjectShape(const ObjectShape& other);
  ObjectShape& operator=(const ObjectShape& other);

  std::size_t size() const { return names_.size(); }
  std::span<const std::string> names() const { return names_; }  // by place
  // The sorted position of the name that was passed at position `given`.
  std::size_t place(std::size_t given) const { return places_[given]; }

  // The object of these values, by place.
  Value make(std::vector<Value> items) const;

 private:
  std::vector<std::string> names_;
  std::vector<std::uint32_t> places_;
  // The type of the object made last: a guess, checked against every object's values.
  mutable std::atomic<const TypeNode*> last_{nullptr};
};

// The object of these names, ascending and each once, and the values beside them.
Value object_of(std::span<const std::string_view> names, std::vector<Value> items);

}  // namespace tofu::value
