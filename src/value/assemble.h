// Building collections and objects from parts that bring their types along.
//
// If a wanted type contains `any`, the type of the result follows from the parts. Used by
// conversion and by the codecs.
#pragma once

#include <optional>
#include <vector>

#include "value/type.h"
#include "value/value.h"

namespace tofu::value {

// Readies items for a collection: gives the one type they have and retypes
// nulls and unknowns of type `any` among them. Nothing if the types disagree.
std::optional<Type> settle_types(std::vector<Value>& items);

// An object with the attribute names of `expected` and the types of `items`.
Value object_of(Type expected, std::vector<Value> items);

// Whether values of this type can hold things that no codec knows.
bool holds_capsule(Type type);

}  // namespace tofu::value
