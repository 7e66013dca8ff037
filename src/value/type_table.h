// The process-wide table of types: where a type is looked up or made.
//
// Inside `value` only. A requested shape is described by its parts; the table finds the one entry
// for it or adds it. Entries are never removed.
//
// Threads: any. Looking up takes the lock of a part of the table, see intern_table.h. A type that
// was found is read without one.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "value/type.h"
#include "value/value.h"

namespace tofu::value {

// The object type of attributes that are sorted by name and unique. The names
// are only copied if the type is new.
Type object_type_of(std::span<const Attr> sorted);
Type object_type_of(std::span<const ObjectAttribute> sorted);
Type object_type_of(std::span<const std::string> sorted, std::span<const Value> items);
Type object_type_of(std::span<const std::string_view> sorted, std::span<const Value> items);

// The tuple type of these values.
Type tuple_type_of(std::span<const Value> items);

}  // namespace tofu::value
