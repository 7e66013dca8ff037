// Labels that distinguish an object from others of its type: [id=i-0abc].
//
// Guessed from the names of attributes, as OpenTofu does. Never a sensitive or
// ephemeral value.
#pragma once

#include <string>

#include "value/value.h"

namespace tofu::plans {

struct ObjectLabel {
  std::string key;  // id, name, tags.Name; empty if nothing was found
  std::string value;

  bool empty() const { return key.empty() || value.empty(); }
  bool operator==(const ObjectLabel&) const = default;
};

// The ID, or the name of an object that has no attribute for an ID. `object` may
// be null or unknown, and then has none.
ObjectLabel label_of(const value::Value& object);
// The same, and otherwise a name among its tags.
ObjectLabel label_or_name_of(const value::Value& object);
// The same, and otherwise the first string there is: for identities.
ObjectLabel any_label_of(const value::Value& object);

}  // namespace tofu::plans
